// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_report_data_h
#define tempera_output_report_data_h

#include <string>

namespace Tempera
{
  struct Analysis;
  class RecordedRun;

  /**
   * What a report shows, as a text of JSON: all that the page's script needs to
   * draw its charts. Draws are thinned and long lists are cut, so that the size
   * is bounded; a note says so wherever it happens.
   */
  std::string
  report_data(const RecordedRun &run, const Analysis &analysis);
} // namespace Tempera

#endif
