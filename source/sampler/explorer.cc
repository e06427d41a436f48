// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/sampler/explorer.h>

namespace Tempera
{
  Explorer::Explorer(ChainState &chain)
    : chain(chain)
  {}



  void
  Explorer::advance(const unsigned int rung_index, const bool gradients_later)
  {
    const Rung   &rung     = chain.ladder[rung_index];
    const Kernel &kernel   = *rung.kernel;
    const Energy &energy   = chain.ladder.energy(rung_index);
    RungState    &state    = chain.rungs[rung_index];
    const bool    separate = energy.gradients_are_separate();
    StepContext   context{rung,
                        energy,
                        chain.key(rung_index, Purpose::proposal),
                        chain.in_burn_in(),
                        false,
                        chain.ladder.get_prior()};
    for (unsigned int step = 0; step < rung.n_steps; ++step)
      {
        context.key.substep     = step;
        context.gradients_later = gradients_later && step + 1 == rung.n_steps;
        const Evaluation &evaluation = state.replica.evaluations[rung.level];
        const bool        is_known =
          (evaluation.has_values || !state.needs.values) &&
          (evaluation.has_gradients || !state.needs.gradients);
        if (is_known ?
              separate && state.needs.values && !evaluation.is_finite() :
              !chain.complete_evaluation(rung_index,
                                         Purpose::minibatch,
                                         state.needs.gradients))
          {
            // Nothing to move by; the proposal that led here counts as bad.
            StepOutcome nowhere;
            nowhere.non_finite       = true;
            nowhere.knows_acceptance = false;
            state.count(nowhere);
            continue;
          }
        const StepOutcome outcome =
          kernel.step(context, state.replica, *state.kernel);
        state.count(outcome);
        for (const Request request : {Request::values,
                                      Request::gradients,
                                      Request::values_and_gradients})
          if (const unsigned int n =
                outcome.evaluations[static_cast<unsigned int>(request)])
            chain.work.count(rung.level, n, n * energy.work(request));
      }
  }



  void
  Explorer::observe()
  {
    for (unsigned int rung = 0; rung < chain.ladder.size(); ++rung)
      if (chain.placement.is_here(rung) && chain.is_awake(rung))
        chain.ladder[rung].kernel->observe(chain.rungs[rung].replica.position,
                                           *chain.rungs[rung].kernel);
  }



  void
  Explorer::check_that_it_moves(const unsigned int rung)
  {
    constexpr std::uint64_t enough_steps = 100;
    RungState::StuckWatch  &watch        = chain.rungs[rung].watch;
    if (watch.steps < enough_steps)
      return;
    if (watch.non_finite > 0.99 * watch.steps)
      throw UserError(
        "Rung " + std::to_string(rung) + " is stuck: of its last " +
        std::to_string(watch.steps) + " proposals " +
        std::to_string(watch.non_finite) +
        " had no finite energy, and its draws are worthless. With SGLD "
        "the step size is too large; lower 'Sampler/Kernel/Step sizes' "
        "(now " +
        to_text(chain.rungs[rung].kernel->step_size(), 4) +
        "). Otherwise look at where the energy is not finite.");
    watch = RungState::StuckWatch();
  }
} // namespace Tempera
