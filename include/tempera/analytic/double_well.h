// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_analytic_double_well_h
#define tempera_analytic_double_well_h

#include <tempera/analytic/analytic_energy.h>

namespace Tempera
{
  /**
   * \f$P = h(x_1^2/a^2 - 1)^2 + c\,x_1 + \frac12\sum_{i>1} x_i^2\f$: wells near
   * \f$x_1 = \pm a\f$ behind a barrier of height \f$h\f$.
   */
  class DoubleWell : public AnalyticEnergy
  {
  public:
    struct Parameters
    {
      unsigned int dimension = 1;
      double       height    = 5.;
      double       distance  = 1.;
      double       tilt      = 0.;

      /** Declare the parameters in the current section. */
      void
      declare(dealii::ParameterHandler &prm);
    };

    explicit DoubleWell(
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
