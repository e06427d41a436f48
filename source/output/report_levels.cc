// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/report_levels.h>

#include <cmath>
#include <string>
#include <vector>

namespace Tempera
{
  Json
  level_estimates_of_report(const LevelEstimates &estimates,
                            const std::size_t     most_columns)
  {
    if (estimates.is_empty())
      return Json();
    std::vector<Json> rows;
    for (const LevelEstimates::Column &column : estimates.columns)
      if (rows.size() < most_columns)
        rows.push_back(JsonObject()
                         .add("name", column.name)
                         .add("mean", column.mean.value)
                         .add("error", column.mean.error)
                         .add("sd", column.standard_deviation.value)
                         .add("sdError", column.standard_deviation.error)
                         .add("low", column.quantile_5.value)
                         .add("median", column.median.value)
                         .add("high", column.quantile_95.value));
    for (std::size_t i = 0; i < estimates.shares.size(); ++i)
      rows.push_back(JsonObject()
                       .add("name", "share of answer " + std::to_string(i + 1))
                       .add("mean", estimates.shares[i].value)
                       .add("error", estimates.shares[i].error));
    std::vector<double> predictions, errors;
    for (const LevelPrediction &one : estimates.predictions)
      {
        predictions.push_back(one.of_levels.value);
        errors.push_back(one.of_levels.error);
      }
    return JsonObject()
      .add("objection", estimates.objection)
      .add("coarse", estimates.steps.front().coarse)
      .add("fine", estimates.steps.back().fine)
      .add("draws", estimates.steps.front().n_draws)
      .add("weighted", estimates.steps.back().n_weighted)
      .add("spread", estimates.steps.back().spread)
      .add("rows", rows)
      .add("predictions", Json::rounded(predictions))
      .add("predictionErrors", Json::rounded(errors));
  }



  ReportStatistics::Histogram
  corrected_histogram(const LevelEstimates::Column      &column,
                      const ReportStatistics::Histogram &raw)
  {
    // A law that reaches much farther is cut there.
    const double most_bins = 2. * raw.density.size();
    const auto   n_bins_to = [&](const double distance) {
      return static_cast<std::size_t>(
        std::max(0., std::min(most_bins, std::ceil(distance / raw.width))));
    };
    const double high = raw.low + raw.width * raw.density.size(),
                 law_high =
                   column.law_low + column.law_width * (column.law.size() - 1);
    const std::size_t n_below = n_bins_to(raw.low - column.law_low),
                      n_above = n_bins_to(law_high - high);

    ReportStatistics::Histogram result = raw;
    result.low -= n_below * raw.width;
    result.density.assign(n_below + raw.density.size() + n_above, 0.);
    double last = column.share_below(result.low);
    for (std::size_t i = 0; i < result.density.size(); ++i)
      {
        const double next =
          column.share_below(result.low + (i + 1.) * raw.width);
        result.density[i] = (next - last) / raw.width;
        last              = next;
      }
    return result;
  }
} // namespace Tempera
