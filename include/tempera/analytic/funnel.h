// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_analytic_funnel_h
#define tempera_analytic_funnel_h

#include <tempera/analytic/analytic_energy.h>

namespace Tempera
{
  /**
   * Neal's funnel: \f$x_1 \sim N(0, s^2)\f$ is the logarithm of the variance of
   * all other unknowns.
   */
  class Funnel : public AnalyticEnergy
  {
  public:
    struct Parameters
    {
      unsigned int dimension          = 2;
      double       standard_deviation = 3.;

      /** Declare the parameters in the current section. */
      void
      declare(dealii::ParameterHandler &prm);
    };

    explicit Funnel(
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
