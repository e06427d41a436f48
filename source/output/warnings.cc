// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/analysis.h>
#include <tempera/output/warnings.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    using Severity = Warning::Severity;
    using Kind     = Warning::Kind;

    constexpr unsigned int digits = 3;

    std::string
    percent(const double share)
    {
      return to_text(100. * share, 2) + " %";
    }

    std::string
    capitalised(std::string text)
    {
      if (!text.empty())
        text[0] = std::toupper(static_cast<unsigned char>(text[0]));
      return text;
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


    /** What residuals suggest to do about the noise. */
    std::string
    noise_remedy(const ModelFit &fit)
    {
      const std::string suggested = to_text(fit.suggested_deviation, 2);
      if (fit.is_deviation_unknown)
        return "If it is the noise: let its prior reach " + suggested +
               ", which the residuals suggest: 'Observations/Noise = "
               "log-normal(" +
               suggested + ", 1)'. ";
      return std::isfinite(fit.suggested_deviation) ?
               "If it is the noise: set 'Observations/Noise = " + suggested +
                 "', which the residuals suggest (given: " +
                 to_text(fit.given_deviation, digits) +
                 "), or let it be unknown, 'log-normal(" + suggested +
                 ", 1)'. " :
               "If it is the noise: multiply the standard deviations of the "
               "measurements by " +
                 to_text(fit.noise_factor, 2) + ". ";
    }

    /** Powers of ten by which units may be off; empty if they are not. */
    std::string
    units_remedy(const ModelFit &fit)
    {
      const auto is_large = [](const double factor) {
        return factor > 5. || factor < 0.2;
      };
      if (is_large(fit.scale_factor))
        return "The values are " + to_text(fit.scale_factor, 2) +
               " times as large as what is predicted: are they in the units "
               "of the model? ";
      if (fit.noise_factor > 9. || fit.noise_factor < 0.11)
        return "A factor of " + to_text(fit.noise_factor, 2) +
               " may be one of units: check those of values and noise. ";
      return "";
    }

    void
    warn_about_priors(const Analysis &analysis, std::vector<Warning> &warnings)
    {
      for (const PriorConflict &one : analysis.prior_conflicts)
        warnings.push_back(
          {Kind::prior,
           Severity::wrong,
           one.is_wall ?
             "The posterior of " + one.name + " is pressed against the " +
               (one.is_upper ? "upper" : "lower") + " bound " +
               to_text(one.value, digits) +
               " of its prior: the data want to be beyond it." :
             "Prior and data contradict each other about " + one.name +
               ": its posterior, around " + to_text(one.value, digits) +
               ", is " + to_text(std::abs(one.distance), digits) +
               " standard deviations from where the prior expects it.",
           "If the prior of " + one.name +
             " was a guess, widen it. If it is knowledge, the model, the "
             "noise or the units of the values are wrong."});
    }


    void
    warn_about_record(const Analysis &analysis, std::vector<Warning> &warnings)
    {
      for (const std::string &damage : analysis.damages)
        warnings.push_back({Kind::record,
                            analysis.state == "not complete" ?
                              Severity::note :
                              Severity::doubtful,
                            "Of the record, " + damage + ".",
                            "What is before it is used. 'tempera run FILE.prm "
                            "--resume' goes on from the last checkpoint."});
      if (analysis.columns.empty() && analysis.n_used == 0)
        warnings.push_back(
          {Kind::record,
           Severity::note,
           analysis.n_draws > 0 ?
             "There are draws, but not of every chain or not of the coldest "
             "rung, so that nothing is said of the unknowns." :
             "There are no draws after burn-in yet.",
           "Wait, or set 'Output/Draws = all' if it is 'none'."});
      else if (analysis.columns.empty())
        warnings.push_back({Kind::record,
                            Severity::note,
                            "No unknown is recorded; only the energy is "
                            "judged.",
                            "Name something to predict, so that there is "
                            "something to record."});
    }


    void
    warn_about_missed_modes(const Analysis       &analysis,
                            std::vector<Warning> &warnings)
    {
      const MissedModes &found  = analysis.missed_modes;
      const Checks      &checks = analysis.checks;
      // One sentence: the clearest of what may be one and the same thing. What
      // a rung on another level expects counts with the coldest rung's
      // energies only: a coarse level may well be wrong.
      auto worst = found.missed.end();
      for (auto one = found.missed.begin(); one != found.missed.end(); ++one)
        {
          const std::size_t number = one - found.missed.begin();
          const bool        is_same_level =
            one->rung < analysis.rungs.size() &&
            analysis.rungs[one->rung].level == analysis.rungs[0].level;
          const double share = is_same_level ?
                                 one->expected :
                               number < checks.fine_shares.size() ?
                                 checks.fine_shares[number] :
                                 std::numeric_limits<double>::quiet_NaN();
          if (share >= MissedModes::least_expected &&
              one->found < MissedModes::least_found_part * share &&
              (worst == found.missed.end() ||
               one->expected - one->found > worst->expected - worst->found))
            worst = one;
        }
      if (worst != found.missed.end())
        warnings.push_back(
          {Kind::missed_mode,
           Severity::wrong,
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

      for (const Checks::Place &place : checks.places)
        {
          std::vector<std::string> numbers;
          for (std::size_t i = 0; i < place.point.size(); ++i)
            numbers.push_back((i < analysis.columns.size() ?
                                 analysis.columns[i].name + " = " :
                                 "") +
                              to_text(place.point[i], digits));
          warnings.push_back(
            {Kind::missed_mode,
             Severity::wrong,
             "No chain has visited a place " +
               (place.energy > 0. ?
                  "with an energy only " + to_text(place.energy, 2) +
                    " higher than the best: " :
                  "with an energy " + to_text(-place.energy, 2) +
                    " lower than the best that was: ") +
               some_of(numbers) + ". It should have about " +
               percent(place.share) + " of the posterior.",
             "Let the ladder cross to it: raise 'Sampler/Ladder/Highest "
             "temperature' and 'Number of rungs', let the rungs swap, and "
             "start chains all over the prior ('Sampler/Start from = "
             "prior')."});
        }

      for (const Analysis::Unreachable &one : analysis.unreachable)
        warnings.push_back(
          {Kind::unreachable,
           Severity::doubtful,
           "The kernel cannot enter a part of the posterior: where " +
             one.name + (one.is_above ? " > " : " < ") +
             to_text(one.bound, digits) + " it accepts " +
             percent(one.acceptance) + " of its steps, and " +
             percent(one.all_acceptance) +
             " elsewhere. What lies beyond is missing from the draws.",
           "The posterior is much narrower there: lower 'Sampler/Kernel/Step "
           "sizes', or sample another unknown, such as a logarithm, in which "
           "it is as wide everywhere."});

      std::vector<std::string> silent;
      bool                     any_can_tell = checks.n_searches > 0;
      for (unsigned int rung = 1; rung < found.kish_sizes.size(); ++rung)
        {
          any_can_tell = any_can_tell || found.can_tell(rung);
          if (!found.can_tell(rung))
            silent.push_back(std::to_string(rung));
        }
      if (!silent.empty() && !analysis.columns.empty() && !any_can_tell)
        warnings.push_back(
          {Kind::missed_mode,
           Severity::note,
           "Whether the coldest rung misses a part of the posterior: cannot "
           "tell. Weighted for it, the draws of rung " +
             join(silent, ", ") + " are worth less than " +
             to_text(MissedModes::least_kish_size, digits) + " each.",
           "Use more rungs, closer to each other ('Sampler/Ladder/Number of "
           "rungs'), or more 'Iterations'."});
      if (analysis.n_rungs > 1 && found.kish_sizes.size() < 2 &&
          analysis.n_used > 0 && checks.n_searches == 0)
        warnings.push_back(
          {Kind::missed_mode,
           Severity::note,
           "Whether the coldest rung misses a part of the posterior: cannot "
           "tell, since no draws of hotter rungs are recorded.",
           "Set 'Output/Draws = all'."});
    }


    /** "a by 0.5, b by 0.3 of its standard deviation"; the largest first. */
    std::string
    shifts_text(std::vector<Checks::Shift> shifts, const double least)
    {
      const auto size = [](const Checks::Shift &shift) {
        return std::max(std::abs(shift.mean), std::abs(shift.width));
      };
      // What noise alone makes of a shift, once in some hundred times.
      const auto is_large = [least](const double shift, const double error) {
        return std::abs(shift) > least && !(std::abs(shift) < 2.5 * error);
      };
      std::stable_sort(shifts.begin(),
                       shifts.end(),
                       [&](const Checks::Shift &a, const Checks::Shift &b) {
                         return size(a) > size(b);
                       });
      std::vector<std::string> parts;
      for (const Checks::Shift &one : shifts)
        {
          std::vector<std::string> words;
          if (is_large(one.mean, one.mean_error))
            words.push_back("the mean of " + one.column + " by " +
                            to_text(one.mean, 2) + " standard deviations");
          if (is_large(one.width, one.width_error))
            words.push_back("the width of " + one.column + " by " +
                            percent(one.width));
          if (!words.empty())
            parts.push_back(join(words, " and "));
        }
      return some_of(parts);
    }


    /** What other levels, finer or coarser, do to the posterior. */
    void
    warn_about_levels(const Analysis &analysis, std::vector<Warning> &warnings)
    {
      const Checks     &checks = analysis.checks;
      const std::string by_refinement =
        shifts_text(checks.refinement_shifts, Checks::largest_refinement_shift);
      if (!by_refinement.empty())
        warnings.push_back(
          {Kind::resolution,
           Severity::wrong,
           "The finest level is not fine enough: on a refined one the "
           "posterior shifts, " +
             by_refinement + ".",
           "Raise 'Subdivisions' or 'Degree', or lower 'Time step', of level "
           "'" +
             checks.refined_level + "'."});
      else if (checks.energy_spread > Checks::largest_energy_spread)
        warnings.push_back(
          {Kind::resolution,
           Severity::wrong,
           "The finest level is not fine enough: a refined one has another "
           "posterior. Energies on the two differ by a standard deviation of " +
             to_text(checks.energy_spread, digits) + " over the draws (above " +
             to_text(Checks::largest_energy_spread, digits) +
             " a few draws cannot tell how far it shifts).",
           "Raise 'Subdivisions' or 'Degree', or lower 'Time step', of level "
           "'" +
             checks.refined_level + "'."});
      else if (checks.integration_change > Checks::largest_prediction_change)
        warnings.push_back(
          {Kind::resolution,
           Severity::wrong,
           "The finest level is not fine enough: more integration points in "
           "its cells change a prediction by " +
             to_text(checks.integration_change, digits) +
             " standard deviations of its measurement. Something in the "
             "equation's data is narrower than a cell.",
           "Raise 'Subdivisions' of level '" + checks.refined_level + "'."});
      else if (checks.refinement_shifts.empty() &&
               checks.prediction_change > Checks::largest_prediction_change)
        warnings.push_back(
          {Kind::resolution,
           Severity::doubtful,
           "The finest level is not fine enough: on a refined one a prediction "
           "changes by " +
             to_text(checks.prediction_change, digits) +
             " standard deviations of its measurement (more than " +
             to_text(Checks::largest_prediction_change, digits) + ").",
           "Raise 'Subdivisions' or 'Degree', or lower 'Time step', of level "
           "'" +
             checks.refined_level + "'."});
      const std::string by_swaps =
        shifts_text(checks.swap_shifts, Checks::largest_swap_shift);
      if (!by_swaps.empty())
        warnings.push_back(
          {Kind::coarse_bias,
           Severity::wrong,
           "The rule 'multi-variance' moves the coldest rung towards what the "
           "coarse levels say: 'exact' would shift " +
             by_swaps + ".",
           "Set 'Sampler/Swaps/Rule = exact'."});
    }


    /** What the data cannot tell. */
    void
    warn_about_open_questions(const Analysis       &analysis,
                              std::vector<Warning> &warnings)
    {
      for (const Checks::Finding &one : analysis.checks.findings)
        if (one.is_open)
          warnings.push_back({Kind::identifiability,
                              Severity::note,
                              capitalised(one.sentence) + ".",
                              "Measure something that depends on " +
                                one.unknown + ", or take it as known."});
      if (!analysis.checks.open_combination.empty())
        warnings.push_back(
          {Kind::identifiability,
           Severity::note,
           "The data say nothing about a combination of the unknowns: " +
             analysis.checks.open_combination + ".",
           "Measure something that depends on it, or take one of them as "
           "known."});
    }


    void
    warn_about_convergence(const Analysis       &analysis,
                           std::vector<Warning> &warnings)
    {
      if (analysis.n_used == 0)
        return;
      const double least_size =
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
          {Kind::convergence,
           largest > Analysis::bad_r_hat ? Severity::wrong : Severity::doubtful,
           std::string(analysis.n_chains > 1 ?
                         "The chains disagree" :
                         "The halves of the chain disagree") +
             ": R-hat is above " + to_text(Convergence::largest_r_hat, digits) +
             " for " + some_of(disagree) + ".",
           largest > Analysis::bad_r_hat ?
             "Do not believe the figures. More rungs or a higher 'Sampler/"
             "Ladder/Highest temperature' if they sit in different modes; a "
             "longer 'Burn-in' and more 'Iterations' otherwise." :
             "Raise 'Iterations'."});
      if (!few.empty())
        warnings.push_back(
          {Kind::convergence,
           smallest < 0.25 * least_size ? Severity::wrong : Severity::doubtful,
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
          {Kind::convergence,
           Severity::doubtful,
           "No R-hat of " + some_of(unknown) +
             ": there are too few draws, or all are equal.",
           "Raise 'Iterations'. If all draws are equal, lower 'Sampler/Kernel/"
           "Step sizes', or set 'Adapt step size = true'."});
      if (analysis.n_chains == 1)
        warnings.push_back({Kind::convergence,
                            Severity::note,
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
            warnings.push_back({Kind::swaps,
                                Severity::note,
                                "The rungs do not swap: each is a chain of "
                                "its own.",
                                "Set 'Sampler/Swaps/Rule = exact'."});
          return;
        }
      for (std::size_t i = 0; i < analysis.pairs.size(); ++i)
        if (analysis.pairs[i].attempts >= 100 &&
            analysis.pairs[i].acceptance < 0.01)
          warnings.push_back(
            {Kind::swaps,
             Severity::doubtful,
             "Hardly any swap between the rungs " + std::to_string(i) +
               " and " + std::to_string(i + 1) + " is accepted (" +
               percent(analysis.pairs[i].acceptance) + ").",
             "Put a rung between them (raise 'Sampler/Ladder/Number of rungs') "
             "or set 'Temperatures = automatic'."});
      if (analysis.level_estimates.levels_differ && !analysis.rungs.empty() &&
          analysis.rungs[0].steps == 0)
        warnings.push_back(
          {Kind::swaps,
           Severity::doubtful,
           "The coldest rung takes no steps of its own, and " +
             analysis.level_estimates.objection +
             ": where the coarser level hardly ever is, it never comes.",
           "Let it take steps ('Sampler/Kernel/Steps per round'), or make the "
           "coarser level better."});
      // With a handful of attempts no trip can be expected.
      const double expected =
        analysis.best_round_trip_rate * analysis.swap_times;
      if (analysis.round_trips == 0 && analysis.n_draws > 0)
        warnings.push_back(
          {Kind::swaps,
           Severity::doubtful,
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
      if (analysis.replica_r_hat > Analysis::bad_replica_r_hat)
        warnings.push_back(
          {Kind::swaps,
           Severity::wrong,
           "Replicas sit in different places and never change them: R-hat "
           "between the replicas at the coldest rung is " +
             to_text(analysis.replica_r_hat, digits) +
             ". Swaps mix their answers, but the shares mean nothing.",
           "Raise 'Sampler/Ladder/Highest temperature', so that the hottest "
           "rung crosses between the answers."});
    }


    void
    warn_about_evidence(const Analysis       &analysis,
                        std::vector<Warning> &warnings)
    {
      if (!analysis.evidence.is_known())
        return;
      for (const EvidencePair &pair : analysis.evidence.pairs)
        {
          if (pair.is_good())
            continue;
          const std::string names = "the rungs " + std::to_string(pair.rung) +
                                    " and " + std::to_string(pair.rung + 1);
          warnings.push_back(
            {Kind::evidence,
             Severity::doubtful,
             pair.overlap < EvidencePair::least_overlap ?
               "The evidence is not to be believed: " + names +
                 " have little in common (an overlap of " +
                 to_text(pair.overlap, 2) + ", at least " +
                 to_text(EvidencePair::least_overlap, 2) + " wanted)." :
               "The evidence is not to be believed: from draws of " + names +
                 " come two ratios that differ by " +
                 to_text(pair.disagreement, 2) + " standard errors.",
             pair.is_bridge ?
               "Choose a better coarse level." :
               "Put a rung between them (raise 'Sampler/Ladder/Number of "
               "rungs'), or set 'Temperatures = automatic'; then more "
               "'Iterations'."});
        }
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
              {Kind::rungs,
               broken > 0.5 ? Severity::wrong : Severity::doubtful,
               percent(broken) + " of the proposals of " + name +
                 " have no finite energy.",
               "Lower 'Sampler/Kernel/Step sizes', or narrow the bounds or "
               "priors to where the model can be evaluated."});
          if (rung.is_adjusted && rung.acceptance < 0.01)
            warnings.push_back(
              {Kind::rungs,
               i == 0 ? Severity::wrong : Severity::doubtful,
               "The " + name + " is stuck: " + percent(rung.acceptance) +
                 " of its steps are accepted.",
               "Lower 'Sampler/Kernel/Step sizes' of that rung, or set 'Adapt "
               "step size = true'."});
          if (!rung.is_adjusted && rung.acceptance < 0.5)
            warnings.push_back(
              {Kind::rungs,
               Severity::doubtful,
               "The kernel of " + name +
                 " does not correct its steps, and MALA would have accepted " +
                 percent(rung.acceptance) + " of them: its draws are biased.",
               "Lower 'Sampler/Kernel/Step sizes' of that rung, or set "
               "'Sampler/Kernel/Type = MALA'."});
        }
    }
  } // namespace



  std::string
  to_text(const Warning::Kind kind)
  {
    // In the order of the enumeration.
    static const char *const words[] = {"fit",
                                        "prior",
                                        "missed mode",
                                        "unreachable",
                                        "coarse bias",
                                        "resolution",
                                        "identifiability",
                                        "convergence",
                                        "swaps",
                                        "rungs",
                                        "record",
                                        "evidence"};
    return words[int(kind)];
  }



  std::string
  to_text(const Warning::Severity severity)
  {
    return severity == Severity::wrong    ? "wrong" :
           severity == Severity::doubtful ? "doubtful" :
                                            "note";
  }



  std::vector<Warning>
  find_fit_warnings(const ModelFit &fit)
  {
    std::vector<Warning> warnings;
    using Test                        = ModelFit::Test;
    const ModelFit::Finding *found[5] = {};
    const auto               findings = fit.findings();
    for (const ModelFit::Finding &one : findings)
      found[int(one.test)] = &one;
    const ModelFit::Finding *large      = found[int(Test::too_large)],
                            *small      = found[int(Test::too_small)],
                            *outlier    = found[int(Test::outlier)],
                            *pattern    = found[int(Test::pattern)],
                            *neighbours = found[int(Test::neighbours)];
    const std::string look = "The report shows the residuals, one by one.";
    // A single bad value, if all is well without it.
    const bool is_single =
      outlier != nullptr && large != nullptr && !fit.is_of_best_draw &&
      fit.chi_square - outlier->statistic * outlier->statistic <
        fit.n_tested + 3. * std::sqrt(2. * fit.n_tested);
    if (large != nullptr && !is_single)
      warnings.push_back(
        {Kind::fit,
         Severity::wrong,
         "The model does not fit the measurements: " +
           std::string(fit.is_of_best_draw ?
                         "even at the best draw the residuals are " :
                         "the residuals are ") +
           to_text(fit.noise_factor, 2) + " times as large as the noise that " +
           (fit.is_deviation_unknown ? "its prior allows" : "was given") +
           " (chi-square " + to_text(fit.chi_square, digits) + ", expected " +
           std::to_string(fit.n_tested) + ")" +
           (outlier != nullptr ?
              "; the largest, " + to_text(outlier->statistic, 2) +
                " standard deviations, is at " + outlier->where :
              "") +
           (pattern != nullptr ? "; they have a pattern: " + pattern->where :
                                 "") +
           ".",
         units_remedy(fit) + noise_remedy(fit) +
           "If not, the equation lacks something, a prior excludes the "
           "answer, or values are wrong. " +
           look});
    else if (outlier != nullptr)
      warnings.push_back(
        {Kind::fit,
         Severity::wrong,
         "A measurement does not fit: the residual at " + outlier->where +
           " is " + to_text(outlier->statistic, 2) +
           " standard deviations of its noise.",
         "Check that value, or give it a larger standard deviation. " + look});
    if (small != nullptr)
      warnings.push_back(
        {Kind::fit,
         Severity::doubtful,
         std::string("The residuals are smaller than the noise that ") +
           (fit.is_deviation_unknown ? "its prior allows, " : "was given, ") +
           to_text(fit.noise_factor, 2) + " times (chi-square " +
           to_text(fit.chi_square, digits) + ", expected " +
           std::to_string(fit.n_tested) +
           "): the posterior is wider than the data ask for.",
         units_remedy(fit) + noise_remedy(fit) +
           "If not, the values may have been smoothed, or are not "
           "measurements at all."});
    if (large == nullptr && (pattern != nullptr || neighbours != nullptr))
      warnings.push_back(
        {Kind::fit,
         Severity::doubtful,
         std::string("The residuals are not independent: ") +
           (pattern != nullptr ?
              pattern->where + ", " + to_text(pattern->statistic, 2) +
                " standard deviations from none" :
              "neighbours in time or space resemble each other "
              "(correlation " +
                to_text(neighbours->statistic, 2) + ")") +
           ".",
         "The equation lacks something, a sensor drifts, or the errors are "
         "correlated: then give 'Observations/Covariance'. " +
           look});
    return warnings;
  }



  std::vector<Warning>
  find_warnings(const Analysis &analysis)
  {
    std::vector<Warning> warnings = find_fit_warnings(analysis.fit);
    warn_about_priors(analysis, warnings);
    warn_about_missed_modes(analysis, warnings);
    warn_about_levels(analysis, warnings);
    warn_about_convergence(analysis, warnings);
    warn_about_swaps(analysis, warnings);
    warn_about_evidence(analysis, warnings);
    warn_about_rungs(analysis, warnings);
    warn_about_open_questions(analysis, warnings);
    warn_about_record(analysis, warnings);
    std::stable_sort(warnings.begin(),
                     warnings.end(),
                     [](const Warning &a, const Warning &b) {
                       return a.severity > b.severity;
                     });
    return warnings;
  }
} // namespace Tempera
