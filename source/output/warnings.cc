// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/analysis.h>
#include <tempera/output/warnings.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    using Severity = Warning::Severity;

    constexpr unsigned int digits = 3;

    std::string
    percent(const double share)
    {
      return to_text(100. * share, 2) + " %";
    }

    /** At most so many of the names, and how many more there are. */
    std::string
    some_of(const std::vector<std::string> &names)
    {
      constexpr std::size_t most = 5;
      if (names.size() <= most)
        return join(names, ", ");
      return join(std::vector<std::string>(names.begin(), names.begin() + most),
                  ", ") +
             " and " + std::to_string(names.size() - most) + " more";
    }


    /** Everything there is an R-hat and an effective size of. */
    struct Judged
    {
      std::string name;
      double      r_hat, bulk_size, tail_size;
    };

    std::vector<Judged>
    all_judged(const Analysis &analysis)
    {
      std::vector<Judged> result;
      const auto          add = [&](const Analysis::Column &column) {
        result.push_back({column.name,
                          column.diagnostics.r_hat,
                          column.diagnostics.bulk_size,
                          column.diagnostics.tail_size});
      };
      for (const Analysis::Column &column : analysis.columns)
        add(column);
      add(analysis.energy);
      for (std::size_t i = 0; i < analysis.modes.modes.size(); ++i)
        {
          const Mode &mode = analysis.modes.modes[i];
          if (analysis.modes.modes.size() > 1)
            result.push_back({"being in mode " + std::to_string(i + 1),
                              mode.r_hat,
                              mode.effective_size,
                              mode.effective_size});
        }
      return result;
    }


    void
    warn_about_record(const Analysis &analysis, std::vector<Warning> &warnings)
    {
      for (const std::string &damage : analysis.damages)
        warnings.push_back({analysis.state == "not complete" ?
                              Severity::note :
                              Severity::doubtful,
                            "Of the record, " + damage + ".",
                            "What is before it is used. 'tempera run FILE.prm "
                            "--resume' goes on from the last checkpoint."});
      if (analysis.columns.empty() && analysis.n_used == 0)
        warnings.push_back(
          {Severity::note,
           analysis.n_draws > 0 ?
             "There are draws, but not of every chain or not of the coldest "
             "rung, so that nothing is said of the unknowns." :
             "There are no draws after burn-in yet.",
           "Wait, or set 'Output/Draws = all' if it is 'none'."});
      else if (analysis.columns.empty())
        warnings.push_back({Severity::note,
                            "No unknown is recorded; only the energy is "
                            "judged.",
                            "Name something to predict, so that there is "
                            "something to record."});
    }


    void
    warn_about_missed_modes(const Analysis       &analysis,
                            std::vector<Warning> &warnings)
    {
      const MissedModes &found = analysis.missed_modes;
      // One sentence: the clearest of what may be one and the same thing.
      const auto worst =
        std::max_element(found.missed.begin(),
                         found.missed.end(),
                         [](const MissedMode &a, const MissedMode &b) {
                           return a.expected - a.found < b.expected - b.found;
                         });
      if (worst != found.missed.end())
        warnings.push_back(
          {Severity::wrong,
           "The coldest rung misses a part of the posterior. Weighted, rung " +
             std::to_string(worst->rung) + " expects " +
             percent(worst->expected) + " where " + worst->direction +
             (worst->is_above ? " > " : " <= ") +
             to_text(worst->bound, digits) + ", but only " +
             percent(worst->found) + " of the cold draws are there.",
           analysis.has_swaps ?
             "Make swaps reach the coldest rung: more rungs ('Sampler/Ladder/"
             "Number of rungs'), or 'Temperatures = automatic' with a longer "
             "'Burn-in'; then more 'Iterations'." :
             "Let the rungs swap: set 'Sampler/Swaps/Rule = exact'."});

      std::vector<std::string> silent;
      bool                     any_can_tell = false;
      for (unsigned int rung = 1; rung < found.kish_sizes.size(); ++rung)
        {
          any_can_tell = any_can_tell || found.can_tell(rung);
          if (!found.can_tell(rung))
            silent.push_back(std::to_string(rung));
        }
      if (!silent.empty() && !analysis.columns.empty() && !any_can_tell)
        warnings.push_back(
          {Severity::note,
           "Whether the coldest rung misses a part of the posterior: cannot "
           "tell. Weighted for it, the draws of rung " +
             join(silent, ", ") + " are worth less than " +
             to_text(MissedModes::least_kish_size, digits) + " each.",
           "Use more rungs, closer to each other ('Sampler/Ladder/Number of "
           "rungs'), or more 'Iterations'."});
      if (analysis.n_rungs > 1 && found.kish_sizes.size() < 2 &&
          analysis.n_used > 0)
        warnings.push_back(
          {Severity::note,
           "Whether the coldest rung misses a part of the posterior: cannot "
           "tell, since no draws of hotter rungs are recorded.",
           "Set 'Output/Draws = all'."});
    }


    void
    warn_about_convergence(const Analysis       &analysis,
                           std::vector<Warning> &warnings)
    {
      if (analysis.n_used == 0)
        return;
      constexpr double bad_r_hat = 1.1;
      const double     least_size =
        std::max(Convergence::least_effective_size, 100. * analysis.n_chains);

      std::vector<std::string> disagree, few, unknown;
      double                   largest = 0., smallest = 1e300;
      for (const Judged &one : all_judged(analysis))
        {
          if (std::isnan(one.r_hat))
            unknown.push_back(one.name);
          if (one.r_hat > Convergence::largest_r_hat)
            {
              disagree.push_back(one.name + " (" +
                                 to_text(one.r_hat, digits + 1) + ")");
              largest = std::max(largest, one.r_hat);
            }
          const double size = std::min(one.bulk_size, one.tail_size);
          if (size < least_size)
            {
              few.push_back(one.name + " (" + to_text(size, digits) + ")");
              smallest = std::min(smallest, size);
            }
        }
      if (!disagree.empty())
        warnings.push_back(
          {largest > bad_r_hat ? Severity::wrong : Severity::doubtful,
           std::string(analysis.n_chains > 1 ?
                         "The chains disagree" :
                         "The halves of the chain disagree") +
             ": R-hat is above " + to_text(Convergence::largest_r_hat, digits) +
             " for " + some_of(disagree) + ".",
           largest > bad_r_hat ?
             "Do not believe the figures. More rungs or a higher 'Sampler/"
             "Ladder/Highest temperature' if they sit in different modes; a "
             "longer 'Burn-in' and more 'Iterations' otherwise." :
             "Raise 'Iterations'."});
      if (!few.empty())
        warnings.push_back(
          {smallest < 0.25 * least_size ? Severity::wrong : Severity::doubtful,
           "Few independent draws: the effective size is below " +
             to_text(least_size, digits) + " for " + some_of(few) + ".",
           "Raise 'Iterations', about " +
             to_text(std::min(1e6, std::ceil(least_size / smallest)), digits) +
             "-fold" +
             (analysis.stride > 1 ?
                " (every " + std::to_string(analysis.stride) +
                  "th draw was looked at: all of them are worth more)" :
                "") +
             "."});
      if (!unknown.empty())
        warnings.push_back(
          {Severity::doubtful,
           "No R-hat of " + some_of(unknown) +
             ": there are too few draws, or all are equal.",
           "Raise 'Iterations'. If all draws are equal, lower 'Sampler/Kernel/"
           "Step sizes', or set 'Adapt step size = true'."});
      if (analysis.n_chains == 1)
        warnings.push_back({Severity::note,
                            "R-hat of a single ladder cannot see a missed "
                            "mode.",
                            "Set 'Chains = 4'."});
    }


    void
    warn_about_swaps(const Analysis &analysis, std::vector<Warning> &warnings)
    {
      if (analysis.n_rungs < 2)
        return;
      if (!analysis.has_swaps)
        {
          if (!analysis.rungs.empty() && analysis.rounds > 0)
            warnings.push_back({Severity::note,
                                "The rungs do not swap: each is a chain of "
                                "its own.",
                                "Set 'Sampler/Swaps/Rule = exact'."});
          return;
        }
      for (std::size_t i = 0; i < analysis.pairs.size(); ++i)
        if (analysis.pairs[i].attempts >= 100 &&
            analysis.pairs[i].acceptance < 0.01)
          warnings.push_back(
            {Severity::doubtful,
             "Hardly any swap between the rungs " + std::to_string(i) +
               " and " + std::to_string(i + 1) + " is accepted (" +
               percent(analysis.pairs[i].acceptance) + ").",
             "Put a rung between them (raise 'Sampler/Ladder/Number of rungs') "
             "or set 'Temperatures = automatic'."});
      // With a handful of attempts no trip can be expected.
      const double expected =
        analysis.best_round_trip_rate * analysis.swap_times;
      if (analysis.round_trips == 0 && analysis.n_draws > 0)
        warnings.push_back(
          {Severity::doubtful,
           "No replica went from the coldest rung to the hottest and back: the "
           "hot rungs have not helped." +
             (expected >= 1. ?
                " From the swaps' acceptance " + to_text(expected, digits) +
                  " trips would be expected." :
                std::string()),
           expected >= 10. ?
             "Rungs remember their energies from swap to swap: raise 'Sampler/"
             "Kernel/Steps per round' or 'Sampler/Swaps/Every'." :
             "Raise 'Iterations', or use more rungs, closer to each other."});
      constexpr double largest_replica_r_hat = 1.2;
      if (analysis.replica_r_hat > largest_replica_r_hat)
        warnings.push_back(
          {Severity::wrong,
           "Replicas sit in different places and never change them: R-hat "
           "between the replicas at the coldest rung is " +
             to_text(analysis.replica_r_hat, digits) +
             ". Swaps mix their answers, but the shares mean nothing.",
           "Raise 'Sampler/Ladder/Highest temperature', so that the hottest "
           "rung crosses between the answers."});
    }


    void
    warn_about_rungs(const Analysis &analysis, std::vector<Warning> &warnings)
    {
      constexpr std::uint64_t least_steps = 100;
      for (std::size_t i = 0; i < analysis.rungs.size(); ++i)
        {
          const Analysis::Rung &rung = analysis.rungs[i];
          const std::string     name = "rung " + std::to_string(i);
          if (rung.steps < least_steps)
            continue;
          const double broken = double(rung.non_finite) / rung.steps;
          if (broken > 0.01)
            warnings.push_back(
              {broken > 0.5 ? Severity::wrong : Severity::doubtful,
               percent(broken) + " of the proposals of " + name +
                 " have no finite energy.",
               "Lower 'Sampler/Kernel/Step sizes', or narrow the bounds or "
               "priors to where the model can be evaluated."});
          if (rung.is_adjusted && rung.acceptance < 0.01)
            warnings.push_back(
              {i == 0 ? Severity::wrong : Severity::doubtful,
               "The " + name + " is stuck: " + percent(rung.acceptance) +
                 " of its steps are accepted.",
               "Lower 'Sampler/Kernel/Step sizes' of that rung, or set 'Adapt "
               "step size = true'."});
          if (!rung.is_adjusted && rung.acceptance < 0.5)
            warnings.push_back(
              {Severity::doubtful,
               "The kernel of " + name +
                 " does not correct its steps, and MALA would have accepted " +
                 percent(rung.acceptance) + " of them: its draws are biased.",
               "Lower 'Sampler/Kernel/Step sizes' of that rung, or set "
               "'Sampler/Kernel/Type = MALA'."});
        }
    }
  } // namespace



  std::string
  to_text(const Warning::Severity severity)
  {
    return severity == Severity::wrong    ? "wrong" :
           severity == Severity::doubtful ? "doubtful" :
                                            "note";
  }



  std::vector<Warning>
  find_warnings(const Analysis &analysis)
  {
    std::vector<Warning> warnings;
    warn_about_missed_modes(analysis, warnings);
    warn_about_convergence(analysis, warnings);
    warn_about_swaps(analysis, warnings);
    warn_about_rungs(analysis, warnings);
    constexpr double largest_refinement = 0.3;
    if (analysis.refinement > largest_refinement)
      warnings.push_back(
        {Severity::doubtful,
         "The finest level is not fine enough: on a finer one a prediction "
         "changes by " +
           to_text(analysis.refinement, digits) +
           " standard deviations of its measurement (more than " +
           to_text(largest_refinement, digits) + ").",
         "Raise 'Subdivisions' or 'Degree', or lower 'Time step', of the "
         "coldest rung's level."});
    warn_about_record(analysis, warnings);
    std::stable_sort(warnings.begin(),
                     warnings.end(),
                     [](const Warning &a, const Warning &b) {
                       return a.severity > b.severity;
                     });
    return warnings;
  }
} // namespace Tempera
