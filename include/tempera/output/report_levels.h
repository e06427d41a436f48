// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_report_levels_h
#define tempera_output_report_levels_h

#include <tempera/output/json.h>
#include <tempera/output/level_estimates.h>
#include <tempera/output/report_statistics.h>

// What a report shows of the estimates from all levels.

namespace Tempera
{
  /** The table of estimates; null without them. */
  Json
  level_estimates_of_report(const LevelEstimates &estimates,
                            const std::size_t     most_columns);

  /**
   * The density of a column from all levels, in the bins of a histogram of the
   * coldest rung's draws and as many beyond them as it reaches.
   */
  ReportStatistics::Histogram
  corrected_histogram(const LevelEstimates::Column      &column,
                      const ReportStatistics::Histogram &raw);
} // namespace Tempera

#endif
