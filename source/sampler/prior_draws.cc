// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/kernel_state.h>
#include <tempera/sampler/prior_draws.h>
#include <tempera/sampler/prior_measure.h>

namespace Tempera
{
  namespace
  {
    /** Draws know nothing of each other. */
    struct NothingKept : public KernelStateOf<NothingKept>
    {
      double
      step_size() const override
      {
        return 0.;
      }

      template <typename Archive>
      void
      serialize(Archive &)
      {}
    };
  } // namespace



  KernelNeeds
  PriorDraws::needs() const
  {
    KernelNeeds result;
    result.values = result.gradients = false;
    result.prior_draws               = true;
    return result;
  }



  std::unique_ptr<KernelState>
  PriorDraws::make_state(const Rung &,
                         const unsigned int,
                         const unsigned int) const
  {
    return std::make_unique<NothingKept>();
  }



  StepOutcome
  PriorDraws::step(const StepContext &context,
                   Replica           &replica,
                   KernelState &) const
  {
    RandomKey key    = context.key;
    key.purpose      = Purpose::proposal;
    replica.position = context.prior->sample(key);
    replica.invalidate();
    StepOutcome outcome;
    outcome.moved      = true;
    outcome.acceptance = 1.;
    return outcome;
  }
} // namespace Tempera
