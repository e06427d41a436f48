// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_analytic_banana_h
#define tempera_analytic_banana_h

#include <tempera/analytic/analytic_energy.h>

namespace Tempera
{
  /**
   * \f$P = x_1^2/(2a^2) + (x_2 - b(x_1^2 - a^2))^2/(2w^2)\f$: a Gaussian bent
   * along a parabola. Both means are zero, the variances \f$a^2\f$ and
   * \f$2b^2a^4 + w^2\f$.
   */
  class Banana : public AnalyticEnergy
  {
  public:
    struct Parameters
    {
      double length    = 1.;
      double curvature = 1.;
      double width     = 0.5;

      /** Declare the parameters in the current section. */
      void
      declare(dealii::ParameterHandler &prm);
    };

    explicit Banana(
      const Parameters          &parameters,
      const ReferenceParameters &reference = ReferenceParameters());

    double
    potential(const dealii::ArrayView<const double> &state,
              const dealii::ArrayView<double>       &gradient) const override;

  private:
    const Parameters parameters;
  };
} // namespace Tempera

#endif
