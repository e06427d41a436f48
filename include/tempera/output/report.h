// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_report_h
#define tempera_output_report_h

#include <string>

namespace Tempera
{
  struct Analysis;
  class RecordedRun;

  /** Name of the file in the folder of a run. */
  extern const char *const report_name;

  /**
   * The report of a run: one page that needs no other file and no network, with
   * the warnings, the diagnostics and interactive charts. Its size is bounded,
   * however many draws there are. The same record gives the same page.
   *
   * The charts are drawn by Chart.js, which is read when the report is made:
   * the file that the environment variable `TEMPERA_CHART_JS` names, or the one
   * of Debian's package. A UserError if it is not there.
   */
  std::string
  report_html(const RecordedRun &run);

  /**
   * The same for who has looked at the run already.
   *
   * @param refresh Seconds after which a browser loads the page anew; zero for
   * never.
   */
  std::string
  report_html(const RecordedRun &run,
              const Analysis    &analysis,
              const double       refresh = 0.);
} // namespace Tempera

#endif
