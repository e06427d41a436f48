// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_analytic_student_t_h
#define tempera_analytic_student_t_h

#include <tempera/analytic/analytic_energy.h>

namespace Tempera
{
  /**
   * \f$P = \frac{\nu+d}{2}\log(1 + |x|^2/\nu)\f$: a multivariate Student
   * distribution with \f$\nu\f$ degrees of freedom in \f$d\f$ dimensions. Its
   * tails are so heavy that it is improper from temperature
   * \f$(\nu+d)/d\f$ on.
   */
  class StudentT : public AnalyticEnergy
  {
  public:
    struct Parameters
    {
      unsigned int dimension          = 2;
      double       degrees_of_freedom = 3.;

      /** Declare the parameters in the current section. */
      void
      declare(dealii::ParameterHandler &prm);
    };

    explicit StudentT(
      const Parameters          &parameters,
      const ReferenceParameters &reference = ReferenceParameters());

    double
    potential(const dealii::ArrayView<const double> &state,
              const dealii::ArrayView<double>       &gradient) const override;

    bool
    potential_is_integrable(const double weight) const override;

  private:
    const Parameters parameters;
  };
} // namespace Tempera

#endif
