// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_prior_draws_h
#define tempera_sampler_prior_draws_h

#include <tempera/sampler/kernel.h>

namespace Tempera
{
  /**
   * The kernel of a rung whose temperature is infinite: every step is a new
   * draw from the prior. Where the energy is not needed for a swap, it is not
   * computed; where it is not finite there, the state has likelihood zero.
   */
  class PriorDraws : public Kernel
  {
  public:
    KernelNeeds
    needs() const override;

    bool
    is_adjusted() const override
    {
      return true;
    }

    std::unique_ptr<KernelState>
    make_state(const Rung        &rung,
               const unsigned int dimension,
               const unsigned int n_levels) const override;

    StepOutcome
    step(const StepContext &context,
         Replica           &replica,
         KernelState       &state) const override;
  };
} // namespace Tempera

#endif
