// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_prior_energy_h
#define tempera_inference_prior_energy_h

#include <tempera/inference/prior.h>
#include <tempera/sampler/energy.h>

#include <functional>
#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * A posterior without its likelihood: the reference part stays, the potential
   * is zero. Nothing is solved, so that a run shows what was assumed before
   * there were measurements.
   */
  class PriorEnergy : public Energy
  {
  public:
    /**
     * Minus the logarithm of a prior. Fills the gradient, too, unless that has
     * no entries.
     */
    using Formula =
      std::function<double(const dealii::ArrayView<const double> &state,
                           const dealii::ArrayView<double>       &gradient)>;

    /**
     * @param posterior Is asked for its space and for what is integrable, and
     * never evaluated.
     * @param prior Its reference part.
     */
    PriorEnergy(std::shared_ptr<const Energy> posterior, Formula prior);

    const StateSpace &
    space() const override
    {
      return posterior->space();
    }

    bool
    is_integrable(const Exponents &exponents) const override;

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override;

  private:
    const std::shared_ptr<const Energy> posterior;
    const Formula                       prior;
  };


  /** The prior of independent unknowns, which are the whole state. */
  PriorEnergy::Formula
  independent_priors(const std::vector<Unknown> &unknowns);
} // namespace Tempera

#endif
