// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_analytic_gaussian_h
#define tempera_analytic_gaussian_h

#include <tempera/analytic/analytic_energy.h>

namespace Tempera
{
  /**
   * \f$P = \frac12 (x-m)^T C^{-1} (x-m)\f$: a Gaussian with mean \f$m\f$ and
   * covariance \f$C\f$.
   */
  class Gaussian : public AnalyticEnergy
  {
  public:
    struct Parameters
    {
      std::vector<double>              mean{0., 0.};
      std::vector<std::vector<double>> covariance{{1., 0.}, {0., 1.}};

      /** Declare the parameters in the current section. */
      void
      declare(dealii::ParameterHandler &prm);
    };

    explicit Gaussian(
      const Parameters          &parameters,
      const ReferenceParameters &reference = ReferenceParameters());

    double
    potential(const dealii::ArrayView<const double> &state,
              const dealii::ArrayView<double>       &gradient) const override;

  private:
    const std::vector<double> mean;
    /** Inverse of the covariance, row by row. */
    std::vector<double> precision;
  };
} // namespace Tempera

#endif
