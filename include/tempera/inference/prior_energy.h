// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_prior_energy_h
#define tempera_inference_prior_energy_h

#include <tempera/sampler/energy.h>
#include <tempera/sampler/prior_measure.h>

#include <memory>

namespace Tempera
{
  /**
   * A posterior without its likelihood: the reference part alone. Nothing is
   * solved, so that a run shows what was assumed before there were
   * measurements.
   */
  class PriorEnergy : public Energy
  {
  public:
    explicit PriorEnergy(std::shared_ptr<const PriorMeasure> prior);

    const StateSpace &
    space() const override
    {
      return prior->space();
    }

    bool
    is_integrable(const Exponents &exponents) const override
    {
      // A likelihood that is left out cannot make up for a prior that is wide.
      return prior->is_integrable(exponents.reference);
    }

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override;

  private:
    const std::shared_ptr<const PriorMeasure> prior;
  };
} // namespace Tempera

#endif
