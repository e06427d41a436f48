// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_report_resources_h
#define tempera_output_report_resources_h

namespace Tempera
{
  /**
   * The files of source/output/report as texts within the library; see
   * cmake/report_resources.cmake.
   */
  namespace ReportResources
  {
    /** The page with places, such as `@TITLE@`, for what is filled in. */
    extern const char *const page;
    extern const char *const style;
    extern const char *const script;
    /** Where Chart.js was when the program was configured. */
    extern const char *const chart_library;
  } // namespace ReportResources
} // namespace Tempera

#endif
