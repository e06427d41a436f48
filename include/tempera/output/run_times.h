// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_run_times_h
#define tempera_output_run_times_h

#include <tempera/output/run_folder.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /** Phases of a run, and their seconds. */
  using PhaseTimes = std::vector<std::pair<std::string, double>>;

  /** From `times.csv` of a folder; empty if there is none. */
  PhaseTimes
  read_times(const std::string &folder);


  /**
   * Where the time of a run goes, as `times.csv`. One phase is timed at a time;
   * the times of a run that is resumed add up.
   */
  class RunTimes
  {
  public:
    /** Nothing is timed yet. */
    RunTimes();

    /** From here on time counts for this phase. */
    void
    enter(const std::string &phase);

    /** Add what a folder says of earlier sessions of the run. */
    void
    add_from(const RunFolder &folder);

    void
    write(const RunFolder &folder);

    /** All phases so far. */
    PhaseTimes
    get();

    /** Seconds of a phase, earlier sessions included. */
    double
    seconds(const std::string &phase);

  private:
    double &
    entry(const std::string &phase);

    /** Add the time since the last call to the current phase. */
    void
    update();

    PhaseTimes                            phases;
    std::string                           current;
    std::chrono::steady_clock::time_point last;
  };
} // namespace Tempera

#endif
