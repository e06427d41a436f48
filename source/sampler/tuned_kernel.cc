// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/sampler/tuned_kernel.h>

namespace Tempera
{
  TunedKernel::TunedKernel(const std::string &name,
                           const bool         adapt_step_size,
                           const double       target_acceptance,
                           const Learning     learning)
    : name(name)
    , adapt_step_size(adapt_step_size)
    , target_acceptance(target_acceptance)
    , learning(learning)
  {}



  void
  TunedKernel::check(const Energy &energy) const
  {
    if (energy.is_stochastic() ||
        (needs().gradients && energy.has_noisy_gradients()))
      throw UserError(
        "The kernel " + name +
        " needs a deterministic energy, and this one is stochastic. Set "
        "'Sampler/Kernel/Type = SGLD', or switch the noise or the minibatches "
        "of the level off.");
  }



  void
  TunedKernel::observe(const std::vector<double> &position,
                       KernelState               &state) const
  {
    static_cast<TunedState &>(state).tuning.observe_position(position);
  }



  void
  TunedKernel::end_window(const bool is_retempered, KernelState &state) const
  {
    StepTuning &tuning = static_cast<TunedState &>(state).tuning;
    tuning.learn_scales();
    learn_more(state);
    tuning.begin_window(is_retempered);
  }



  void
  TunedKernel::end_burn_in(KernelState &state) const
  {
    learn_more(state);
    static_cast<TunedState &>(state).tuning.end_burn_in();
  }
} // namespace Tempera
