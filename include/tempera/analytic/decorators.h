// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_analytic_decorators_h
#define tempera_analytic_decorators_h

#include <tempera/sampler/energy.h>

#include <memory>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /** How a level differs from the energy itself. */
  struct LevelParameters
  {
    double bias              = 0.;
    double bias_wavelength   = 1.;
    double noise             = 0.;
    double gradient_noise    = 0.;
    double noise_correlation = 1.;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /**
   * Adds to the potential a smooth perturbation that plays the error of a
   * coarse solver, \f$A\sum_i\sin(2\pi x_i/\lambda + 1)\f$. (The phase makes it
   * neither odd nor even, so that no symmetric target hides it.)
   */
  class BiasedEnergy : public Energy
  {
  public:
    BiasedEnergy(std::shared_ptr<const Energy> inner,
                 const double                  amplitude,
                 const double                  wavelength);

    const StateSpace &
    space() const override;

    bool
    is_stochastic() const override;

    bool
    is_integrable(const Exponents &exponents) const override;

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override;

  private:
    const std::shared_ptr<const Energy> inner;
    const double                        amplitude;
    const double                        wavelength;
  };


  /**
   * Adds Gaussian noise to the potential and to its gradient, as minibatches
   * would. The noise is a function of the random key. Two noisy energies of
   * different @p index and the same @p correlation \f$\rho\f$ that are asked
   * with one key have noise correlated by \f$\rho\f$: each is
   * \f$\sigma(\sqrt\rho\,z + \sqrt{1-\rho}\,z_k)\f$ with \f$z\f$ common to
   * all.
   */
  class NoisyEnergy : public Energy
  {
  public:
    NoisyEnergy(std::shared_ptr<const Energy> inner,
                const double                  noise,
                const double                  gradient_noise,
                const double                  correlation = 1.,
                const unsigned int            index       = 0);

    const StateSpace &
    space() const override;

    bool
    is_stochastic() const override;

    bool
    is_integrable(const Exponents &exponents) const override;

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override;

  private:
    const std::shared_ptr<const Energy> inner;
    const double                        noise;
    const double                        gradient_noise;
    const double                        correlation;
    const unsigned int                  index;
  };


  /** The energy as a level sees it: with bias and noise where asked for. */
  std::shared_ptr<const Energy>
  decorate(std::shared_ptr<const Energy> energy,
           const LevelParameters        &parameters,
           const unsigned int            level_index);
} // namespace Tempera

#endif
