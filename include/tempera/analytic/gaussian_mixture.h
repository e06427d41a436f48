// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_analytic_gaussian_mixture_h
#define tempera_analytic_gaussian_mixture_h

#include <tempera/analytic/analytic_energy.h>

namespace Tempera
{
  /**
   * \f$P = -\log\sum_k w_k N(x; m_k, s_k^2 I)\f$: a mixture of isotropic
   * Gaussians whose masses are exactly the weights.
   */
  class GaussianMixture : public AnalyticEnergy
  {
  public:
    struct Parameters
    {
      std::vector<double>              weights{0.4, 0.6};
      std::vector<std::vector<double>> means{{-4.}, {3.}};
      std::vector<double>              standard_deviations{0.7, 0.5};

      /** Declare the parameters in the current section. */
      void
      declare(dealii::ParameterHandler &prm);
    };

    explicit GaussianMixture(
      const Parameters          &parameters,
      const ReferenceParameters &reference = ReferenceParameters());

    double
    potential(const dealii::ArrayView<const double> &state,
              const dealii::ArrayView<double>       &gradient) const override;

  private:
    /** One Gaussian of the sum. */
    struct Component
    {
      std::vector<double> mean;
      /** \f$1/s_k^2\f$ */
      double precision;
      /** \f$\log w_k - d\log s_k\f$ */
      double log_amplitude;
    };

    std::vector<Component> components;
  };
} // namespace Tempera

#endif
