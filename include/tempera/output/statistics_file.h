// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_statistics_file_h
#define tempera_output_statistics_file_h

#include <tempera/output/recorded_run.h>
#include <tempera/output/run_folder.h>
#include <tempera/sampler/signals.h>

#include <deal.II/base/table_handler.h>

namespace Tempera
{
  /**
   * Keeps the file `statistics`: a table with numbered columns and one row
   * for each hundredth of the run. Figures are of the current phase, burn-in
   * or sampling, so far. No times are in it, so that a run that is repeated
   * gives the same file.
   */
  class StatisticsFile
  {
  public:
    explicit StatisticsFile(const RunFolder &folder);

    void
    connect(Signals &signals);

    /** Begin with the rows that the record of a run gives. */
    void
    add_from(const RecordedRun &run);

  private:
    void
    add_row(const RunReport &report);

    void
    write() const;

    const RunFolder     &folder;
    dealii::TableHandler table;
  };
} // namespace Tempera

#endif
