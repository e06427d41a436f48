// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/tuned_kernel.h>

#include <utility>

namespace Tempera
{
  TunedKernel::TunedKernel(const std::string &name,
                           const bool         adapt_step_size,
                           const double       target_acceptance,
                           const Learning     learning,
                           const StepRule     rule)
    : name(name)
    , adapt_step_size(adapt_step_size)
    , target_acceptance(target_acceptance)
    , learning(learning)
    , rule(rule)
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
  TunedKernel::walk(const Rung          &rung,
                    const StepTuning    &tuning,
                    std::vector<double> &move)
  {
    const double length = std::sqrt(2. * tuning.step_size() * rung.temperature);
    tuning.scales().apply_root(move);
    for (double &entry : move)
      entry *= length;
  }



  StepOutcome
  TunedKernel::decide(const StepContext         &context,
                      const std::vector<double> &move,
                      Replica                   &replica,
                      Replica                   &proposal,
                      const double               log_ratio_of_ways)
  {
    const Rung &rung = context.rung;
    proposal.id      = replica.id;
    for (std::size_t i = 0; i < move.size(); ++i)
      proposal.position[i] = replica.position[i] + move[i];
    proposal.invalidate();

    StepOutcome outcome;
    const auto  place =
      dealii::make_array_view(std::as_const(proposal.position));
    if (!context.energy.space().contains(place))
      return outcome;
    Evaluation &there = proposal.evaluations[rung.level];
    RandomKey   key   = context.key;
    key.purpose       = Purpose::minibatch;
    context.energy.evaluate(place, key, Request::values, there);
    there.has_values = true;
    outcome.count(Request::values);
    const double log_ratio =
      replica.evaluations[rung.level].tempered(rung.exponents) -
      there.tempered(rung.exponents) + log_ratio_of_ways;
    outcome.non_finite = !std::isfinite(log_ratio);
    if (!outcome.non_finite)
      {
        key.purpose        = Purpose::acceptance;
        outcome.acceptance = metropolis(log_ratio);
        outcome.moved      = uniform(key) < outcome.acceptance;
      }
    if (outcome.moved)
      swap(replica, proposal);
    return outcome;
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
