// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/progress.h>
#include <tempera/run/run.h>

#include <algorithm>
#include <chrono>

namespace Tempera
{
  namespace
  {
    using Clock = std::chrono::steady_clock;

    /** Seconds of an evaluation with gradients: the fastest of a few. */
    double
    seconds_of(const Energy &energy, const std::vector<double> &state)
    {
      constexpr unsigned int most_evaluations = 5;
      constexpr double       most_seconds     = 0.01;

      Evaluation evaluation;
      evaluation.reference_gradient.resize(state.size());
      evaluation.potential_gradient.resize(state.size());
      double all = 0., least = 0.;
      for (unsigned int i = 0; i < most_evaluations && all < most_seconds; ++i)
        {
          const Clock::time_point begin = Clock::now();
          energy.evaluate(dealii::make_array_view(state),
                          RandomKey(),
                          energy.has_noisy_gradients() ?
                            Request::gradients :
                            Request::values_and_gradients,
                          evaluation);
          const double seconds =
            std::chrono::duration<double>(Clock::now() - begin).count();
          all += seconds;
          least = i == 0 ? seconds : std::min(least, seconds);
        }
      return least;
    }
  } // namespace



  std::string
  ExpectedTime::in_words() const
  {
    const std::string one = round < 1e-3 ? to_text(1e6 * round, 3) + " us" :
                            round < 1.   ? to_text(1e3 * round, 3) + " ms" :
                                           to_text(round, 3) + " s";
    return "--     . time: a round of all chains takes about " + one +
           " on one process, all rounds " +
           (all < 1. ? "less than 1 s" : "about " + duration_text(all)) + "\n";
  }



  ExpectedTime
  Run::expected_time() const
  {
    // What a round takes beside evaluations: draws, swaps, records.
    constexpr double overhead_per_step = 1e-6;

    const ReplicaExchange &chain  = (*ensemble)[0];
    const Ladder          &ladder = chain.get_ladder();
    std::vector<double>    of_values, of_both;
    for (const Level &level : ladder.get_levels())
      {
        unsigned int rung = 0;
        while (rung < ladder.size() &&
               ladder.get_levels()[ladder[rung].level].name != level.name)
          ++rung;
        if (rung == ladder.size() || process_layout.n_groups() > 1)
          return {};
        const std::vector<double> &state = chain.replica(rung).position;
        of_both.push_back(seconds_of(*level.energy, state));
        of_values.push_back(of_both.back() *
                            level.energy->work(Request::values) /
                            level.energy->work(Request::values_and_gradients));
      }

    ExpectedTime result;
    for (unsigned int i = 0; i < ladder.size(); ++i)
      {
        const Rung &rung = ladder[i];
        const bool  needs_gradients =
          rung.n_steps > 0 && rung.kernel->needs().gradients;
        // Of draws from the prior, every other one is tested and evaluated.
        result.round += rung.pace * (rung.is_prior() ? 0.5 : rung.n_steps) *
                        ((needs_gradients ? of_both : of_values)[rung.level] +
                         overhead_per_step);
        // A swap between two levels evaluates each replica at the other's.
        if (i > 0 && ladder[i].level != ladder[i - 1].level &&
            settings.swaps.rule != "none")
          result.round +=
            ladder[i - 1].pace *
            (of_values[ladder[i].level] + of_values[ladder[i - 1].level]) /
            settings.swaps.every;
      }
    result.round *= ensemble->size();
    result.all = result.round * double(settings.run.iterations);
    return result;
  }
} // namespace Tempera
