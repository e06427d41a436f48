// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_pinn_network_posterior_h
#define tempera_pinn_network_posterior_h

#include <tempera/pinn/network_sweep.h>
#include <tempera/sampler/energy.h>

#include <memory>

namespace Tempera
{
  /**
   * The energy of a network: the reference is minus the logarithm of the prior
   * of weights and coefficients, the potential the sum of the misfits.
   *
   * With a batch size, gradients are computed from so many points of the
   * residual, drawn anew each time; values are always those of all points.
   */
  template <typename Number>
  class NetworkPosterior : public Energy
  {
  public:
    /** @param batch_size Zero for all points. */
    NetworkPosterior(const std::shared_ptr<const NetworkModel> &model,
                     std::vector<MisfitSet>                     sets,
                     const unsigned int                         batch_size);

    const StateSpace &
    space() const override
    {
      return state_space;
    }

    bool
    has_noisy_gradients() const override
    {
      return batch_size > 0;
    }

    double
    work(const Request request) const override;

    bool
    is_integrable(const Exponents &exponents) const override;

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override;

  private:
    const std::shared_ptr<const NetworkModel> model;
    const StateSpace                          state_space;
    const unsigned int                        batch_size;

    /** Memory; nothing of it lasts from one evaluation to the next. */
    mutable NetworkSweep<Number>      sweep;
    mutable std::vector<double>       uniforms;
    mutable std::vector<unsigned int> batch;
  };
} // namespace Tempera

#endif
