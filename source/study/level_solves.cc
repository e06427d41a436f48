// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/study/study.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    /** Larger than any energy, and a number in files. */
    constexpr double no_solution = 1e300;


    /** A draw of another level whose finer energy is not known. */
    struct OpenDraw
    {
      Checks::LevelSolve  solve;
      std::vector<double> state;
    };


    /** Of a rung, evenly spaced over all chains and rounds. */
    std::vector<OpenDraw>
    open_draws(const FinishedRun  &run,
               const unsigned int  rung,
               const std::uint64_t n)
    {
      const RecordedRun &recorded = run.recorded;
      const auto         visit    = [&](const auto &visitor) {
        for (unsigned int chain = 0; chain < recorded.n_chains(); ++chain)
          recorded.for_each_level_draw(chain,
                                       [&](const RecordedLevelDraw &draw) {
                                         if (draw.rung == rung &&
                                             std::isnan(draw.finer_energy))
                                           visitor(chain, draw);
                                       });
      };
      std::uint64_t n_open = 0, number = 0;
      visit([&](const unsigned int, const RecordedLevelDraw &) { ++n_open; });
      const std::uint64_t   n_solved = std::min(n, n_open);
      std::vector<OpenDraw> result;
      visit([&](const unsigned int chain, const RecordedLevelDraw &draw) {
        // The middle of each part.
        if (result.size() < n_solved &&
            number++ == (2 * result.size() + 1) * n_open / (2 * n_solved))
          result.push_back(
            {{chain, rung, draw.own_round, draw.energy, 0.},
             {draw.values, draw.values + recorded.description().names.size()}});
      });
      return result;
    }


    /**
     * On request: the finer energy at draws of the levels that follow the
     * coldest rung at its temperature, where swaps have not asked for it.
     * Draws are taken evenly, whatever they are, so weights may be made of
     * them.
     */
    class LevelSolveStudy : public Study
    {
    public:
      std::string
      phase() const override
      {
        return "level solves";
      }

      std::string
      make(const FinishedRun &run, Checks &checks) const override
      {
        const std::uint64_t n = run.settings.output.n_level_solves;
        if (n == 0)
          return "";
        const std::string none = "No 'Output/Level solves' are made: ";
        if (run.description.n_level_rungs == 0)
          return none +
                 "no rung follows the coldest one at its temperature on "
                 "another level. Draws at another temperature would need "
                 "weights that vary too much. Add such a rung: 'Sampler/Ladder/"
                 "Temperatures = 1, 1, ...' with 'Levels = fine, coarse, "
                 "...'.\n";
        if (!run.can_evaluate() || run.description.has_unrecorded)
          return none + (run.description.has_unrecorded ?
                           "not all unknowns are recorded.\n" :
                           "there are no draws, or the run was stopped.\n");
        const double unit       = run.ladder.energy(0).work(Request::values);
        checks.level_solve_work = 0.;
        for (unsigned int rung = 1; rung <= run.description.n_level_rungs;
             ++rung)
          {
            if (!run.has(run.ladder[rung - 1].level))
              return none + "the level '" +
                     run.description.levels[run.ladder[rung - 1].level] +
                     "' is on another process. Run on fewer processes.\n";
            const Energy         &finer = run.ladder.energy(rung - 1);
            std::vector<OpenDraw> draws = open_draws(run, rung, n);
            for (std::size_t begin = 0;
                 begin < draws.size() && !run.is_stopped();)
              {
                const std::size_t end =
                  std::min<std::size_t>(begin + finer.n_together(),
                                        draws.size());
                std::vector<std::vector<double>> states;
                for (std::size_t i = begin; i < end; ++i)
                  states.push_back(draws[i].state);
                for (const EnergyValues &values : finer.values_at(states))
                  {
                    Checks::LevelSolve &one = draws[begin++].solve;
                    checks.level_solve_work +=
                      finer.work(Request::values) / unit;
                    one.finer_energy = std::isfinite(values.energy()) ?
                                         values.energy() :
                                         no_solution;
                    checks.level_solves.push_back(one);
                  }
              }
          }
        return "Level solves: " + counted(checks.level_solves.size(), "draw") +
               " of other levels at the next finer one, work " +
               to_text(checks.level_solve_work, 3) + " (the run took " +
               to_text(run.analysis.get().work, 4) + ").\n";
      }
    };

    const Registration<StudyRegistry, LevelSolveStudy>
      registration("level solves",
                   "Finer energies at unselected draws of coarse levels");
  } // namespace
} // namespace Tempera
