// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/mesh_error_bar.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /** Whether draws were solved on a refined level. */
    bool
    was_refined(const Analysis &analysis)
    {
      return analysis.checks.is_known() &&
             analysis.checks.n_refinement_draws > 0;
    }

    /** Of the run's work; not a number if that is not known. */
    double
    share_of_work(const Analysis &analysis)
    {
      return analysis.work > 0. ?
               analysis.checks.refinement_work / analysis.work :
               Checks::not_known;
    }
  } // namespace



  std::vector<MeshErrorBar>
  mesh_error_bars(const Analysis &analysis)
  {
    std::vector<MeshErrorBar> result;
    if (!was_refined(analysis))
      return result;
    for (const Checks::Shift &shift : analysis.checks.refinement_shifts)
      {
        const auto column = std::find_if(analysis.columns.begin(),
                                         analysis.columns.end(),
                                         [&](const Analysis::Column &one) {
                                           return one.name == shift.column;
                                         });
        if (column == analysis.columns.end())
          continue;
        const std::size_t i    = column - analysis.columns.begin();
        const double deviation = column->diagnostics.standard_deviation.value;
        MeshErrorBar bar;
        bar.name  = shift.column;
        bar.mean  = analysis.level_estimates.is_good() ?
                      analysis.level_estimates.columns[i].mean :
                      column->diagnostics.mean;
        bar.shift = {shift.mean * deviation, shift.mean_error * deviation};
        bar.width = {shift.width, shift.width_error};
        result.push_back(bar);
      }
    return result;
  }



  std::string
  mesh_error_text(const Analysis &analysis)
  {
    if (!was_refined(analysis))
      return "";
    const Checks                   &checks = analysis.checks;
    const std::vector<MeshErrorBar> bars   = mesh_error_bars(analysis);
    const std::string               what =
      "level '" + checks.refined_level + "' refined once, " +
      counted(checks.n_refinement_draws, "draw") +
      (std::isnan(share_of_work(analysis)) ?
         std::string() :
         ", " + to_text(100. * share_of_work(analysis), 2) +
           " % of the run's work");
    if (bars.empty())
      return checks.mesh_objection.empty() ?
               "" :
               "\n   mesh error (" + what + "): not known, since " +
                 checks.mesh_objection + "\n";

    const auto entry = [](const double value, const unsigned int digits) {
      return std::isnan(value) ? "-" : to_text(value, digits);
    };
    std::vector<std::vector<std::string>> rows = {
      {"mean +- sampling +- mesh", "mean", "sampling", "mesh", "known to"}};
    // 'tempera summary --json' has all.
    constexpr std::size_t most_rows = 20;
    for (std::size_t i = 0; i < std::min(most_rows, bars.size()); ++i)
      rows.push_back({bars[i].name,
                      entry(bars[i].mean.value, 5),
                      entry(bars[i].mean.error, 2),
                      entry(bars[i].shift.value, 2),
                      entry(bars[i].shift.error, 2)});
    return "\n" + aligned_table(rows) +
           "   mesh: by so much the mean moves on " + what +
           "; sd of the energies' difference " +
           entry(checks.energy_spread, 2) + "\n";
  }



  Json
  mesh_error_json(const Analysis &analysis)
  {
    if (!was_refined(analysis))
      return Json();
    const Checks &checks = analysis.checks;
    return JsonObject()
      .add("level", checks.refined_level)
      .add("words", checks.refinement)
      .add("draws", checks.n_refinement_draws)
      .add("work", checks.refinement_work)
      .add("share_of_work", share_of_work(analysis))
      .add("prediction_change", checks.prediction_change)
      .add("mean_prediction_change", checks.mean_prediction_change)
      .add("worst_measurement", checks.worst_measurement)
      .add("integration_change", checks.integration_change)
      .add("energy_sd", checks.energy_spread)
      .add("objection", checks.mesh_objection)
      .add("unknowns",
           Json(mesh_error_bars(analysis), [](const MeshErrorBar &one) {
             return JsonObject()
               .add("name", one.name)
               .add("mean", one.mean.value)
               .add("sampling", one.mean.error)
               .add("mesh", one.shift.value)
               .add("mesh_known_to", one.shift.error)
               .add("sd_change", one.width.value)
               .add("sd_change_known_to", one.width.error);
           }));
  }
} // namespace Tempera
