// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/analysis.h>
#include <tempera/output/json.h>
#include <tempera/output/mesh_error_bar.h>
#include <tempera/output/summary_text.h>

namespace Tempera
{
  namespace
  {
    Json
    column_json(const Analysis::Column &column)
    {
      const Diagnostics &found = column.diagnostics;
      return JsonObject()
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
        .add("ess_bulk_per_second", column.size_per_second);
    }

    Json
    fit_json(const ModelFit &fit)
    {
      // In the order of the enumeration.
      static const char *const names[] = {
        "too large", "too small", "outlier", "pattern", "neighbours"};
      if (fit.n_draws == 0)
        return Json();
      return JsonObject()
        .add("draws", fit.n_draws)
        .add("tested_directions", fit.n_tested)
        .add("effective_parameters", fit.n_effective_parameters)
        .add("chi_square", fit.chi_square)
        .add("noise_factor", fit.noise_factor)
        .add("given_deviation", fit.given_deviation)
        .add("suggested_deviation", fit.suggested_deviation)
        .add("residuals", fit.residuals)
        .add("tests", Json(fit.tests, [](const ModelFit::Finding &one) {
               return JsonObject()
                 .add("name", names[int(one.test)])
                 .add("p_value", one.p_value)
                 .add("level", ModelFit::level(one.test))
                 .add("statistic", one.statistic)
                 .add("where", one.where);
             }));
    }

    Json
    shifts_json(const std::vector<Checks::Shift> &shifts)
    {
      return Json(shifts, [](const Checks::Shift &one) {
        return JsonObject()
          .add("name", one.column)
          .add("mean", one.mean)
          .add("width", one.width);
      });
    }

    Json
    estimate_json(const EstimatedValue &one)
    {
      return JsonObject().add("value", one.value).add("error", one.error);
    }

    Json
    level_estimates_json(const LevelEstimates &estimates)
    {
      if (estimates.is_empty())
        return Json();
      return JsonObject()
        .add("good", estimates.is_good())
        .add("objection", estimates.objection)
        .add("steps",
             Json(estimates.steps,
                  [](const LevelEstimates::Step &one) {
                    return JsonObject()
                      .add("coarse", one.coarse)
                      .add("fine", one.fine)
                      .add("draws", one.n_draws)
                      .add("weighted", one.n_weighted)
                      .add("spread", one.spread)
                      .add("efficiency", one.efficiency)
                      .add("pareto_k", one.pareto_k)
                      .add("log_evidence_ratio",
                           estimate_json(one.log_evidence_ratio));
                  }))
        .add("unknowns",
             Json(estimates.columns,
                  [](const LevelEstimates::Column &one) {
                    return JsonObject()
                      .add("name", one.name)
                      .add("mean", estimate_json(one.mean))
                      .add("sd", estimate_json(one.standard_deviation))
                      .add("quantile_5", estimate_json(one.quantile_5))
                      .add("median", estimate_json(one.median))
                      .add("quantile_95", estimate_json(one.quantile_95))
                      .add("uncorrected_mean", one.uncorrected);
                  }))
        .add("shares", Json(estimates.shares, estimate_json))
        .add("predictions",
             Json(estimates.predictions, [](const LevelPrediction &one) {
               return JsonObject()
                 .add("value", one.of_levels.value)
                 .add("error", one.of_levels.error)
                 .add("of_draws", estimate_json(one.of_draws));
             }));
    }

    Json
    evidence_json(const Evidence &evidence)
    {
      if (!evidence.is_known())
        return Json();
      return JsonObject()
        .add("log_evidence", evidence.log_evidence().value)
        .add("error", evidence.log_evidence().error)
        .add("log_integral", evidence.log_integral.value)
        .add("constant", evidence.constant)
        .add("information", estimate_json(evidence.information))
        .add("forward", estimate_json(evidence.forward))
        .add("backward", estimate_json(evidence.backward))
        .add("draws", evidence.n_draws)
        .add("pairs", Json(evidence.pairs, [](const EvidencePair &pair) {
               return JsonObject()
                 .add("rung", pair.rung)
                 .add("bridge", pair.is_bridge)
                 .add("log_ratio", estimate_json(pair.log_ratio))
                 .add("forward", estimate_json(pair.forward))
                 .add("backward", estimate_json(pair.backward))
                 .add("disagreement", pair.disagreement)
                 .add("heavy_tail", pair.has_heavy_tail)
                 .add("overlap", pair.overlap)
                 .add("good", pair.is_good());
             }));
    }

    Json
    checks_json(const Checks &checks)
    {
      if (!checks.is_known())
        return Json();
      return JsonObject()
        .add("findings",
             Json(checks.findings,
                  [](const Checks::Finding &one) {
                    return JsonObject()
                      .add("unknown", one.unknown)
                      .add("verdict", one.verdict)
                      .add("sentence", one.sentence)
                      .add("open", one.is_open);
                  }))
        .add("open_combination", checks.open_combination)
        .add("swap_shifts", shifts_json(checks.swap_shifts))
        .add("fine_shares", checks.fine_shares)
        .add("places",
             Json(checks.places,
                  [](const Checks::Place &one) {
                    return JsonObject()
                      .add("point", one.point)
                      .add("energy", one.energy)
                      .add("share", one.share)
                      .add("barrier", one.barrier);
                  }))
        .add("searches", checks.n_searches);
    }
  } // namespace



  std::string
  summary_json(const Analysis &analysis)
  {
    JsonObject result(",\n ");
    result.add("folder", analysis.folder)
      .add("version", analysis.version)
      .add("family", analysis.family)
      .add("title", analysis.title)
      .add("state", analysis.state)
      .add("seed", analysis.seed)
      .add("chains", analysis.n_chains)
      .add("rounds", analysis.rounds)
      .add("all_rounds", analysis.n_rounds)
      .add("burn_in", analysis.burn_in)
      .add("thinning", analysis.thinning)
      .add("draws", analysis.n_draws)
      .add("draws_used", analysis.n_used)
      .add("draws_in_burn_in", analysis.n_burn_in_draws)
      .add("work", analysis.work)
      .add("pilot_work", analysis.pilot_work)
      .add("set_up_work", analysis.set_up_work)
      .add("seconds", analysis.seconds);
    JsonObject times;
    for (const auto &[phase, seconds] : analysis.times)
      times.add(phase, seconds);
    result.add("times", times)
      .add("unknowns", Json(analysis.columns, column_json))
      .add("energy",
           analysis.n_used > 0 ? column_json(analysis.energy) : Json())
      .add("mode_columns", analysis.mode_columns)
      .add("modes",
           Json(analysis.modes.modes,
                [](const Mode &mode) {
                  return JsonObject()
                    .add("share", mode.share)
                    .add("mcse", mode.error)
                    .add("r_hat", mode.r_hat)
                    .add("ess", mode.effective_size)
                    .add("centre", mode.centre);
                }))
      .add("level_estimates", level_estimates_json(analysis.level_estimates))
      .add("mesh_error", mesh_error_json(analysis))
      .add("evidence", evidence_json(analysis.evidence))
      .add("no_evidence",
           analysis.evidence.is_known() ?
             Json() :
             Json("Since " + analysis.evidence.objection + ". " +
                  analysis.evidence.remedy))
      .add("missed_modes",
           Json(analysis.missed_modes.missed,
                [](const MissedMode &mode) {
                  return JsonObject()
                    .add("rung", mode.rung)
                    .add("direction", mode.direction)
                    .add("above", mode.is_above)
                    .add("bound", mode.bound)
                    .add("expected", mode.expected)
                    .add("found", mode.found);
                }))
      .add("unreachable",
           Json(analysis.unreachable,
                [](const Analysis::Unreachable &one) {
                  return JsonObject()
                    .add("name", one.name)
                    .add("above", one.is_above)
                    .add("bound", one.bound)
                    .add("acceptance", one.acceptance)
                    .add("acceptance_of_all", one.all_acceptance);
                }))
      .add("kish_sizes", analysis.missed_modes.kish_sizes)
      .add("rungs",
           Json(analysis.rungs,
                [](const Analysis::Rung &rung) {
                  return JsonObject()
                    .add("level", rung.level)
                    .add("kernel", rung.kernel)
                    .add("temperature", rung.temperature)
                    .add("step_size", rung.step_size)
                    .add("acceptance", rung.acceptance)
                    .add("adjusted", rung.is_adjusted)
                    .add("steps", rung.steps)
                    .add("non_finite", rung.non_finite);
                }))
      .add("pairs",
           Json(analysis.pairs,
                [](const Analysis::Pair &pair) {
                  return JsonObject()
                    .add("attempts", pair.attempts)
                    .add("accepted", pair.accepted)
                    .add("acceptance", pair.acceptance)
                    .add("non_finite", pair.non_finite)
                    .add("overlap", pair.overlap)
                    .add("extra_evaluations", pair.cross_evaluations)
                    .add("penalties", pair.penalties);
                }))
      .add("swaps", analysis.has_swaps)
      .add("communication_barrier", analysis.barrier)
      .add("round_trips", analysis.round_trips)
      .add("swap_times", analysis.swap_times)
      .add("round_trip_rate", analysis.round_trip_rate)
      .add("best_round_trip_rate", analysis.best_round_trip_rate)
      .add("replica_r_hat", analysis.replica_r_hat)
      .add("fit", fit_json(analysis.fit))
      .add("checks", checks_json(analysis.checks))
      .add("levels",
           Json(analysis.levels,
                [](const Analysis::Level &level) {
                  return JsonObject()
                    .add("name", level.name)
                    .add("evaluations", level.evaluations);
                }))
      .add("damages", analysis.damages)
      .add("warnings", Json(analysis.warnings, [](const Warning &warning) {
             return JsonObject()
               .add("kind", to_text(warning.kind))
               .add("severity", to_text(warning.severity))
               .add("what", warning.what)
               .add("remedy", warning.remedy);
           }));
    return result.get_text() + "\n";
  }
} // namespace Tempera
