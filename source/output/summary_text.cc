// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/analysis.h>
#include <tempera/output/mesh_error_bar.h>
#include <tempera/output/summary_text.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Tempera
{
  namespace
  {
    using Row = std::vector<std::string>;

    constexpr unsigned int digits = 4;

    /** A number for a table; "-" if it is not one. */
    std::string
    entry(const double number, const unsigned int n_digits = digits)
    {
      return std::isnan(number) ? "-" : to_text(number, n_digits);
    }

    /** R-hats are told apart by what is behind 1. */
    std::string
    r_hat_entry(const double r_hat)
    {
      return std::isfinite(r_hat) && r_hat < 10. ?
               to_text(std::round(1000. * r_hat) / 1000., digits) :
               entry(r_hat, 2);
    }

    /** Sizes are known to three digits at best, but are written out. */
    std::string
    size_entry(const double size)
    {
      return std::isfinite(size) && size < 1e15 ?
               std::to_string(std::llround(size)) :
               entry(size);
    }


    std::string
    draws_text(const Analysis &analysis)
    {
      std::string text =
        "\nCold rung, " + counted(analysis.n_draws, "draw") +
        (analysis.n_chains > 1 ? " of " + counted(analysis.n_chains, "chain") :
                                 std::string()) +
        (analysis.n_used < analysis.n_draws && analysis.n_used > 0 ?
           ", all but mean and sd from " + std::to_string(analysis.n_used) +
             " of them" :
           std::string()) +
        ":\n";
      if (analysis.n_used == 0)
        return text + "  none after burn-in\n";

      std::vector<Row> rows = {{analysis.columns.empty() ? "" : "unknown",
                                "mean",
                                "sd",
                                "5 %",
                                "50 %",
                                "95 %",
                                "R-hat",
                                "bulk ESS",
                                "tail ESS",
                                "MCSE",
                                "marginal"}};
      const auto       add  = [&](const Analysis::Column &column) {
        const Diagnostics &found = column.diagnostics;
        rows.push_back({column.name,
                        entry(found.mean.value),
                        entry(found.standard_deviation.value),
                        entry(found.quantile_5.value),
                        entry(found.median.value),
                        entry(found.quantile_95.value),
                        r_hat_entry(found.r_hat),
                        size_entry(found.bulk_size),
                        size_entry(found.tail_size),
                        entry(found.mean.error, 2),
                        column.sketch});
      };
      // Of very many unknowns those whose chains have mixed worst.
      constexpr std::size_t    most_rows = 100, n_shown_of_many = 20;
      std::vector<std::size_t> shown(analysis.columns.size());
      std::iota(shown.begin(), shown.end(), 0);
      if (shown.size() > most_rows)
        {
          const auto size = [&](const std::size_t i) {
            const double bulk = analysis.columns[i].diagnostics.bulk_size;
            return std::isfinite(bulk) ? bulk : 0.;
          };
          std::stable_sort(shown.begin(),
                           shown.end(),
                           [&](const std::size_t i, const std::size_t j) {
                             return size(i) < size(j);
                           });
          shown.resize(n_shown_of_many);
        }
      for (const std::size_t i : shown)
        add(analysis.columns[i]);
      add(analysis.energy);
      text += aligned_table(rows);
      if (shown.size() < analysis.columns.size())
        text += "   of " + std::to_string(analysis.columns.size()) +
                " unknowns the " + std::to_string(shown.size()) +
                " with the fewest independent draws; 'tempera summary --json' "
                "has all\n";
      if (analysis.columns.empty())
        text += "   no unknown is recorded\n";
      text += "   MCSE: standard error of the mean\n";
      return text;
    }


    std::string
    modes_text(const Analysis &analysis)
    {
      const std::vector<Mode> &modes = analysis.modes.modes;
      if (modes.size() < 2)
        return modes.empty() || analysis.columns.empty() ? "" : "   one mode\n";
      // A curve at many places would not fit.
      constexpr std::size_t most_columns = 8;

      std::vector<Row>  rows = {{"mode", "share", "MCSE", "R-hat", "ESS"}};
      const std::size_t n_columns =
        std::min(most_columns, analysis.mode_columns.size());
      for (std::size_t i = 0; i < n_columns; ++i)
        rows[0].push_back(analysis.mode_columns[i]);
      for (std::size_t i = 0; i < modes.size(); ++i)
        {
          rows.push_back({std::to_string(i + 1),
                          entry(modes[i].share),
                          entry(modes[i].error, 2),
                          r_hat_entry(modes[i].r_hat),
                          size_entry(modes[i].effective_size)});
          for (std::size_t k = 0; k < n_columns; ++k)
            rows.back().push_back(entry(modes[i].centre[k]));
        }
      return "\n" + aligned_table(rows);
    }


    /** How well the measurements are predicted; empty without any. */
    std::string
    fit_text(const ModelFit &fit)
    {
      if (!fit.noise.empty())
        return "   fit: not judged, the tests are for Gaussian errors, not for "
               "these: " +
               fit.noise + "\n";
      if (fit.n_draws == 0)
        return "";
      if (std::isnan(fit.noise_factor))
        return std::isnan(fit.n_effective_parameters) ?
                 "   fit: not judged, the chains disagree\n" :
                 "   fit: not judged, the unknowns follow nearly all of the "
                 "data\n";
      std::string text = "   fit: chi-square of the residuals " +
                         entry(fit.chi_square, 3) + ", expected " +
                         std::to_string(fit.n_tested) + " +- " +
                         entry(fit.chi_square_deviation(), 2);
      text += fit.is_of_best_draw ? ", of the best draw: the chains disagree" :
                                    ", effective parameters " +
                                      entry(fit.n_effective_parameters, 2);
      for (const ModelFit::Finding &one : fit.tests)
        if (one.test == ModelFit::Test::outlier)
          text += ", largest residual " + entry(one.statistic, 2) +
                  " deviations, at " + one.where;
      text += "\n";
      // An unknown deviation is among the unknowns.
      if (!fit.is_deviation_unknown && !fit.is_of_best_draw)
        text += std::isfinite(fit.suggested_deviation) ?
                  "   noise: " + entry(fit.given_deviation, 3) +
                    " was given, the residuals suggest " +
                    entry(fit.suggested_deviation, 2) + "\n" :
                  "   noise: the residuals suggest " +
                    entry(fit.noise_factor, 2) + " times what was given\n";
      return text;
    }


    std::string
    rungs_text(const Analysis &analysis)
    {
      std::vector<Row> rows       = {{"rung",
                                      "level",
                                      "kernel",
                                      "temperature",
                                      "step size",
                                      "acceptance",
                                      "non-finite"}};
      bool             unadjusted = false, varies = false;
      for (std::size_t i = 0; i < analysis.rungs.size(); ++i)
        {
          const Analysis::Rung &rung           = analysis.rungs[i];
          const bool            has_acceptance = !std::isnan(rung.acceptance);
          const bool            varies_here =
            rung.highest_temperature > rung.lowest_temperature;
          unadjusted = unadjusted || (!rung.is_adjusted && has_acceptance);
          varies     = varies || varies_here;
          rows.push_back({std::to_string(i),
                          rung.level,
                          rung.kernel,
                          (varies_here ? "~" : "") + entry(rung.temperature),
                          entry(rung.step_size),
                          entry(rung.acceptance) +
                            (has_acceptance && !rung.is_adjusted ? "*" : ""),
                          std::to_string(rung.non_finite)});
        }
      std::string text = "\n" + aligned_table(rows);
      if (unadjusted)
        text +=
          "   * what MALA would have given to these steps (0 at a wall); below "
          "1 the draws are biased\n";
      if (varies)
        text += "   ~ mean of temperatures that each chain has adapted\n";
      return text;
    }


    std::string
    pairs_text(const Analysis &analysis)
    {
      // Without swaps there is nothing to tell of pairs.
      if (!analysis.has_swaps)
        return "";
      std::vector<Row> rows = {
        {"pair", "attempts", "accepted", "non-finite", "overlap"}};
      for (const Analysis::Level &level : analysis.levels)
        rows[0].push_back("extra " + level.name);
      bool any_noise = false, any_difference = false;
      for (const Analysis::Pair &pair : analysis.pairs)
        {
          any_noise =
            any_noise || std::any_of(pair.penalties.begin(),
                                     pair.penalties.end(),
                                     [](const double p) { return p != 0.; });
          any_difference = any_difference || pair.n_differences > 0;
        }
      if (any_noise)
        rows[0].push_back("noise penalty");
      const auto name = [](const std::size_t i) {
        return std::to_string(i) + "-" + std::to_string(i + 1);
      };
      for (std::size_t i = 0; i < analysis.pairs.size(); ++i)
        {
          const Analysis::Pair &pair = analysis.pairs[i];
          rows.push_back({name(i),
                          std::to_string(pair.attempts),
                          entry(pair.acceptance),
                          std::to_string(pair.non_finite),
                          entry(pair.overlap, 2)});
          for (std::size_t level = 0; level < analysis.levels.size(); ++level)
            rows.back().push_back(
              level < pair.cross_evaluations.size() ?
                std::to_string(pair.cross_evaluations[level]) :
                "-");
          if (any_noise)
            {
              std::vector<std::string> penalties;
              for (const double penalty : pair.penalties)
                penalties.push_back(entry(penalty));
              rows.back().push_back(join(penalties, " + "));
            }
        }
      std::string text = "\n" + aligned_table(rows);
      text += "   extra: evaluations of a level that only the swaps needed\n"
              "   overlap: of the histograms of the two rungs' energies\n"
              "   communication barrier (sum of 1 - accepted): " +
              entry(analysis.barrier, 3) + "\n   round trips cold-hot-cold: " +
              std::to_string(analysis.round_trips);
      if (!std::isnan(analysis.round_trip_rate))
        text += ", per swap time " + entry(analysis.round_trip_rate, 3) +
                "; from the acceptances at best " +
                entry(analysis.best_round_trip_rate, 3);
      text += "\n";

      if (any_difference)
        {
          rows = {{"log S of 'multi-variance' - 'exact' where known",
                   "mean",
                   "sd",
                   "largest"}};
          for (std::size_t i = 0; i < analysis.pairs.size(); ++i)
            {
              const Analysis::Pair &pair = analysis.pairs[i];
              if (pair.n_differences > 0)
                rows.push_back({name(i) + ", " +
                                  std::to_string(pair.n_differences) + " swaps",
                                entry(pair.difference_mean),
                                entry(pair.difference_deviation),
                                entry(pair.difference_largest)});
            }
          text += "\n" + aligned_table(rows);
        }
      return text;
    }


    std::string
    levels_text(const Analysis &analysis)
    {
      const LevelEstimates &estimates = analysis.level_estimates;
      if (estimates.is_empty())
        return "";
      std::string text = "\nFrom the draws of all levels";
      if (!estimates.is_good())
        text += ": not to be used, since " + estimates.objection +
                ". What stands above is right without them.\n";
      else
        {
          text +=
            ", corrected to level '" + estimates.steps.back().fine + "'\n";
          std::vector<Row> rows = {
            {"", "mean", "error", "sd", "error", "5 %", "50 %", "95 %"}};
          for (const LevelEstimates::Column &column : estimates.columns)
            rows.push_back({column.name,
                            entry(column.mean.value, 5),
                            entry(column.mean.error, 2),
                            entry(column.standard_deviation.value),
                            entry(column.standard_deviation.error, 2),
                            entry(column.quantile_5.value),
                            entry(column.median.value),
                            entry(column.quantile_95.value)});
          for (std::size_t i = 0; i < estimates.shares.size(); ++i)
            rows.push_back({"share of mode " + std::to_string(i + 1),
                            entry(estimates.shares[i].value, 5),
                            entry(estimates.shares[i].error, 2),
                            "",
                            "",
                            "",
                            "",
                            ""});
          text += aligned_table(rows);
        }
      for (const LevelEstimates::Step &step : estimates.steps)
        text += "   from '" + step.coarse + "' to '" + step.fine +
                "': " + std::to_string(step.n_draws) + " draws, " +
                std::to_string(step.n_weighted) + " of them weighted; log w " +
                entry(step.spread, 2) + " (sd), efficiency " +
                entry(step.efficiency, 3) + ", Pareto's k " +
                entry(step.pareto_k, 2) + ", log of evidences' ratio " +
                entry(step.log_evidence_ratio.value, 4) + " +- " +
                entry(step.log_evidence_ratio.error, 2) + "\n";
      return text;
    }


    std::string
    evidence_text(const Analysis &analysis)
    {
      const Evidence &evidence = analysis.evidence;
      if (!evidence.is_known())
        return "\nEvidence: none, since " + evidence.objection +
               ".\n      To have one: " + evidence.remedy + "\n";
      const EstimatedValue result     = evidence.log_evidence();
      const auto           with_error = [](const EstimatedValue &one,
                                 const unsigned int    n_digits) {
        return entry(one.value, n_digits) + " +- " + entry(one.error, 2);
      };
      std::string text = "\nEvidence, its logarithm: " + with_error(result, 6) +
                         (evidence.has_constant() ?
                            " (a density of the measurements; without the "
                            "likelihood's constant " +
                              entry(evidence.log_integral.value, 6) + ")" :
                            " (with the energies as they are: what constants "
                            "they leave out is missing here, too)") +
                         "\n   the mean log likelihood of the posterior, " +
                         entry(result.value + evidence.information.value, 6) +
                         ", less the information that the data have brought, " +
                         with_error(evidence.information, 4) + " nats\n";
      std::vector<Row> rows = {{"from rung",
                                "to",
                                "log ratio",
                                "error",
                                "forward",
                                "error",
                                "backward",
                                "error",
                                "overlap"}};
      for (const EvidencePair &pair : evidence.pairs)
        rows.push_back({std::to_string(pair.rung + 1),
                        std::to_string(pair.rung) +
                          (pair.is_bridge ? ", another level" : ""),
                        entry(pair.log_ratio.value, 5),
                        entry(pair.log_ratio.error, 2),
                        entry(pair.forward.value, 5),
                        entry(pair.forward.error, 2),
                        entry(pair.backward.value, 5),
                        entry(pair.backward.error, 2),
                        entry(pair.overlap, 2)});
      rows.push_back({"all",
                      "",
                      entry(evidence.log_integral.value, 5),
                      entry(evidence.log_integral.error, 2),
                      entry(evidence.forward.value, 5),
                      entry(evidence.forward.error, 2),
                      entry(evidence.backward.value, 5),
                      entry(evidence.backward.error, 2),
                      ""});
      return text + aligned_table(rows);
    }


    std::string
    costs_text(const Analysis &analysis)
    {
      std::string text = "\n";
      for (const Analysis::Level &level : analysis.levels)
        text += "   evaluations of level '" + level.name +
                "', burn-in included: " + std::to_string(level.evaluations) +
                "\n";
      if (analysis.work > 0. && !analysis.rungs.empty())
        text += "   work in forward solves of level '" +
                analysis.rungs[0].level +
                "', burn-in included: " + to_text(analysis.work, 6) +
                ", of which set-up " + to_text(analysis.set_up_work, 3) +
                (analysis.pilot_work > 0. ?
                   "; pilots before it: " + to_text(analysis.pilot_work, 3) :
                   "") +
                "\n";
      // What a draw costs, for the unknown that is sampled worst.
      const Analysis::Column *worst = nullptr;
      for (const Analysis::Column &column : analysis.columns)
        if (!std::isnan(column.diagnostics.bulk_size) &&
            (worst == nullptr ||
             column.diagnostics.bulk_size < worst->diagnostics.bulk_size))
          worst = &column;
      if (worst != nullptr && !std::isnan(worst->size_per_work))
        text += "   bulk ESS per such solve, for " + worst->name +
                ", the lowest: " + entry(worst->size_per_work, 3) +
                (std::isnan(worst->size_per_second) ?
                   std::string() :
                   "; per second: " + entry(worst->size_per_second, 3)) +
                "\n";
      return text;
    }


    /** What is wrong, and by how much. */
    std::string
    complaint(const Warning &warning)
    {
      return (warning.severity == Warning::Severity::wrong    ? "!! " :
              warning.severity == Warning::Severity::doubtful ? "!  " :
                                                                "   ") +
             warning.what + "\n";
    }


    std::string
    warnings_text(const Analysis &analysis)
    {
      if (analysis.warnings.empty())
        return "\nNothing to warn about.\n";
      std::string text = "\n";
      for (const Warning &warning : analysis.warnings)
        text += complaint(warning) + "      " + warning.remedy + "\n";
      return text;
    }
  } // namespace



  std::string
  summary_text(const Analysis &analysis)
  {
    std::string text = draws_text(analysis) + modes_text(analysis) +
                       levels_text(analysis) + mesh_error_text(analysis) +
                       fit_text(analysis.fit) + rungs_text(analysis) +
                       pairs_text(analysis) + evidence_text(analysis) +
                       costs_text(analysis);
    if (analysis.state != "complete")
      text += "   the run is " + analysis.state + ": " +
              std::to_string(analysis.rounds) + " of " +
              std::to_string(analysis.n_rounds) + " rounds\n";
    return text + warnings_text(analysis);
  }



  std::string
  short_summary(const Analysis &analysis)
  {
    // The worst come first.
    constexpr std::size_t most_warnings = 3;
    const std::size_t     n_warnings    = analysis.warnings.size();
    std::string text = draws_text(analysis) + modes_text(analysis) + "\n";
    for (std::size_t i = 0; i < std::min(n_warnings, most_warnings); ++i)
      text += complaint(analysis.warnings[i]);
    return text +
           (n_warnings > most_warnings ?
              "   and " + counted(n_warnings - most_warnings, "other warning") +
                ": tempera summary\n" :
              "");
  }



  std::string
  burn_in_text(const RunReport &report)
  {
    std::vector<std::string> temperatures, step_sizes, noise;
    bool                     any_noise = false;
    for (const RungReport &rung : report.rungs)
      {
        temperatures.push_back(to_text(rung.temperature, 4));
        step_sizes.push_back(to_text(rung.step_size, 4));
        noise.push_back(to_text(rung.noise, 4));
        any_noise = any_noise || rung.noise > 0.;
      }
    return "-- Burn-in ended after " + std::to_string(report.rounds) +
           " rounds; from here on nothing is adapted\n"
           "--     . temperatures " +
           join(temperatures, ", ") + "\n--     . step sizes " +
           join(step_sizes, ", ") + "\n" +
           (any_noise ?
              "--     . noise of the energies " + join(noise, ", ") + "\n" :
              "");
  }
} // namespace Tempera
