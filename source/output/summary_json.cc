// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/analysis.h>
#include <tempera/output/summary_text.h>

#include <cmath>
#include <cstdio>

namespace Tempera
{
  namespace
  {
    std::string
    json(const std::string &text)
    {
      std::string result = "\"";
      for (const char c : text)
        if (c == '"' || c == '\\')
          result += std::string("\\") + c;
        else if (static_cast<unsigned char>(c) < 0x20)
          {
            char buffer[8];
            std::snprintf(buffer, sizeof(buffer), "\\u%04x", unsigned(c));
            result += buffer;
          }
        else
          result += c;
      return result + "\"";
    }

    /** The shortest text that reads back as the same number. */
    std::string
    json(const double number)
    {
      return std::isfinite(number) ? to_text(number) : "null";
    }

    std::string
    json(const std::uint64_t number)
    {
      return std::to_string(number);
    }

    std::string
    json(const bool value)
    {
      return value ? "true" : "false";
    }

    template <typename Entry, typename Function>
    std::string
    list(const std::vector<Entry> &entries, const Function &function)
    {
      std::vector<std::string> parts;
      for (const Entry &one : entries)
        parts.push_back(function(one));
      return "[" + join(parts, ", ") + "]";
    }

    template <typename Entry>
    std::string
    list(const std::vector<Entry> &entries)
    {
      return list(entries, [](const Entry &one) { return json(one); });
    }


    /** Names and values, one after the other. */
    class Object
    {
    public:
      /** A value that is JSON already. */
      Object &
      raw(const std::string &name, const std::string &value)
      {
        parts.push_back(json(name) + ": " + value);
        return *this;
      }

      template <typename Value>
      Object &
      add(const std::string &name, const Value &value)
      {
        return raw(name, json(value));
      }

      std::string
      text(const std::string &separator = ", ") const
      {
        return "{" + join(parts, separator) + "}";
      }

    private:
      std::vector<std::string> parts;
    };


    std::string
    column_json(const Analysis::Column &column)
    {
      const Diagnostics &found = column.diagnostics;
      return Object()
        .add("name", column.name)
        .add("derived", column.is_derived)
        .add("mean", found.mean.value)
        .add("mcse_mean", found.mean.error)
        .add("sd", found.standard_deviation.value)
        .add("mcse_sd", found.standard_deviation.error)
        .add("q5", found.quantile_5.value)
        .add("mcse_q5", found.quantile_5.error)
        .add("q50", found.median.value)
        .add("mcse_q50", found.median.error)
        .add("q95", found.quantile_95.value)
        .add("mcse_q95", found.quantile_95.error)
        .add("r_hat", found.r_hat)
        .add("r_hat_bulk", found.r_hat_bulk)
        .add("r_hat_folded", found.r_hat_folded)
        .add("ess_bulk", found.bulk_size)
        .add("ess_tail", found.tail_size)
        .add("ess_mean", found.mean_size)
        .add("ess_bulk_per_solve", column.size_per_work)
        .add("ess_bulk_per_second", column.size_per_second)
        .text();
    }

    std::string
    fit_json(const ModelFit &fit)
    {
      // In the order of the enumeration.
      static const char *const names[] = {
        "too large", "too small", "outlier", "pattern", "neighbours"};
      if (fit.n_draws == 0)
        return "null";
      return Object()
        .add("draws", std::uint64_t(fit.n_draws))
        .add("tested_directions", std::uint64_t(fit.n_tested))
        .add("effective_parameters", fit.n_effective_parameters)
        .add("chi_square", fit.chi_square)
        .add("noise_factor", fit.noise_factor)
        .add("given_deviation", fit.given_deviation)
        .add("suggested_deviation", fit.suggested_deviation)
        .raw("residuals", list(fit.residuals))
        .raw("tests",
             list(fit.tests,
                  [](const ModelFit::Finding &one) {
                    return Object()
                      .add("name", std::string(names[int(one.test)]))
                      .add("p_value", one.p_value)
                      .add("level", ModelFit::level(one.test))
                      .add("statistic", one.statistic)
                      .add("where", one.where)
                      .text();
                  }))
        .text();
    }

    std::string
    shifts_json(const std::vector<Checks::Shift> &shifts)
    {
      return list(shifts, [](const Checks::Shift &one) {
        return Object()
          .add("name", one.column)
          .add("mean", one.mean)
          .add("width", one.width)
          .text();
      });
    }

    std::string
    estimate_json(const EstimatedValue &one)
    {
      return Object().add("value", one.value).add("error", one.error).text();
    }

    std::string
    level_estimates_json(const LevelEstimates &estimates)
    {
      if (estimates.is_empty())
        return "null";
      return Object()
        .add("good", estimates.is_good())
        .add("objection", estimates.objection)
        .raw("steps",
             list(estimates.steps,
                  [](const LevelEstimates::Step &one) {
                    return Object()
                      .add("coarse", one.coarse)
                      .add("fine", one.fine)
                      .add("draws", one.n_draws)
                      .add("weighted", one.n_weighted)
                      .add("spread", one.spread)
                      .add("efficiency", one.efficiency)
                      .add("pareto_k", one.pareto_k)
                      .raw("log_evidence_ratio",
                           estimate_json(one.log_evidence_ratio))
                      .text();
                  }))
        .raw("unknowns",
             list(estimates.columns,
                  [](const LevelEstimates::Column &one) {
                    return Object()
                      .add("name", one.name)
                      .raw("mean", estimate_json(one.mean))
                      .raw("sd", estimate_json(one.standard_deviation))
                      .raw("quantile_5", estimate_json(one.quantile_5))
                      .raw("median", estimate_json(one.median))
                      .raw("quantile_95", estimate_json(one.quantile_95))
                      .add("uncorrected_mean", one.uncorrected)
                      .text();
                  }))
        .raw("shares", list(estimates.shares, estimate_json))
        .text();
    }

    std::string
    checks_json(const Checks &checks)
    {
      if (!checks.is_known())
        return "null";
      return Object()
        .raw("findings",
             list(checks.findings,
                  [](const Checks::Finding &one) {
                    return Object()
                      .add("unknown", one.unknown)
                      .add("verdict", one.verdict)
                      .add("sentence", one.sentence)
                      .add("open", one.is_open)
                      .text();
                  }))
        .add("open_combination", checks.open_combination)
        .add("refined_level", checks.refined_level)
        .add("refinement", checks.refinement)
        .add("prediction_change", checks.prediction_change)
        .add("integration_change", checks.integration_change)
        .raw("refinement_shifts", shifts_json(checks.refinement_shifts))
        .raw("swap_shifts", shifts_json(checks.swap_shifts))
        .raw("fine_shares", list(checks.fine_shares))
        .raw("places",
             list(checks.places,
                  [](const Checks::Place &one) {
                    return Object()
                      .raw("point", list(one.point))
                      .add("energy", one.energy)
                      .add("share", one.share)
                      .add("barrier", one.barrier)
                      .text();
                  }))
        .add("searches", checks.n_searches)
        .text();
    }
  } // namespace



  std::string
  summary_json(const Analysis &analysis)
  {
    Object result;
    result.add("folder", analysis.folder)
      .add("version", analysis.version)
      .add("family", analysis.family)
      .add("title", analysis.title)
      .add("state", analysis.state)
      .add("seed", analysis.seed)
      .add("chains", std::uint64_t(analysis.n_chains))
      .add("rounds", analysis.rounds)
      .add("all_rounds", analysis.n_rounds)
      .add("burn_in", analysis.burn_in)
      .add("thinning", analysis.thinning)
      .add("draws", analysis.n_draws)
      .add("draws_used", analysis.n_used)
      .add("draws_in_burn_in", analysis.n_burn_in_draws)
      .add("work", analysis.work)
      .add("set_up_work", analysis.set_up_work)
      .add("seconds", analysis.seconds);
    Object times;
    for (const auto &[phase, seconds] : analysis.times)
      times.add(phase, seconds);
    result.raw("times", times.text())
      .raw("unknowns", list(analysis.columns, column_json))
      .raw("energy",
           analysis.n_used > 0 ? column_json(analysis.energy) : "null")
      .raw("mode_columns", list(analysis.mode_columns))
      .raw("modes",
           list(analysis.modes.modes,
                [](const Mode &mode) {
                  return Object()
                    .add("share", mode.share)
                    .add("mcse", mode.error)
                    .add("r_hat", mode.r_hat)
                    .add("ess", mode.effective_size)
                    .raw("centre", list(mode.centre))
                    .text();
                }))
      .raw("level_estimates", level_estimates_json(analysis.level_estimates))
      .raw("missed_modes",
           list(analysis.missed_modes.missed,
                [](const MissedMode &mode) {
                  return Object()
                    .add("rung", std::uint64_t(mode.rung))
                    .add("direction", mode.direction)
                    .add("above", mode.is_above)
                    .add("bound", mode.bound)
                    .add("expected", mode.expected)
                    .add("found", mode.found)
                    .text();
                }))
      .raw("unreachable",
           list(analysis.unreachable,
                [](const Analysis::Unreachable &one) {
                  return Object()
                    .add("name", one.name)
                    .add("above", one.is_above)
                    .add("bound", one.bound)
                    .add("acceptance", one.acceptance)
                    .add("acceptance_of_all", one.all_acceptance)
                    .text();
                }))
      .raw("kish_sizes", list(analysis.missed_modes.kish_sizes))
      .raw("rungs",
           list(analysis.rungs,
                [](const Analysis::Rung &rung) {
                  return Object()
                    .add("level", rung.level)
                    .add("kernel", rung.kernel)
                    .add("temperature", rung.temperature)
                    .add("step_size", rung.step_size)
                    .add("acceptance", rung.acceptance)
                    .add("adjusted", rung.is_adjusted)
                    .add("steps", rung.steps)
                    .add("non_finite", rung.non_finite)
                    .text();
                }))
      .raw("pairs",
           list(analysis.pairs,
                [](const Analysis::Pair &pair) {
                  return Object()
                    .add("attempts", pair.attempts)
                    .add("accepted", pair.accepted)
                    .add("acceptance", pair.acceptance)
                    .add("non_finite", pair.non_finite)
                    .add("overlap", pair.overlap)
                    .raw("extra_evaluations", list(pair.cross_evaluations))
                    .raw("penalties", list(pair.penalties))
                    .text();
                }))
      .add("swaps", analysis.has_swaps)
      .add("communication_barrier", analysis.barrier)
      .add("round_trips", analysis.round_trips)
      .add("swap_times", analysis.swap_times)
      .add("round_trip_rate", analysis.round_trip_rate)
      .add("best_round_trip_rate", analysis.best_round_trip_rate)
      .add("replica_r_hat", analysis.replica_r_hat)
      .raw("fit", fit_json(analysis.fit))
      .raw("checks", checks_json(analysis.checks))
      .raw("levels",
           list(analysis.levels,
                [](const Analysis::Level &level) {
                  return Object()
                    .add("name", level.name)
                    .add("evaluations", level.evaluations)
                    .text();
                }))
      .raw("damages", list(analysis.damages))
      .raw("warnings", list(analysis.warnings, [](const Warning &warning) {
             return Object()
               .add("kind", to_text(warning.kind))
               .add("severity", to_text(warning.severity))
               .add("what", warning.what)
               .add("remedy", warning.remedy)
               .text();
           }));
    return result.text(",\n ") + "\n";
  }
} // namespace Tempera
