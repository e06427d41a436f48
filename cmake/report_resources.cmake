# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Page, style and script of reports become text within the library. Chart.js is
# only looked for: it goes into a report when that is made.

set(report_folder ${PROJECT_SOURCE_DIR}/source/output/report)
foreach(name html css js)
  file(READ ${report_folder}/report.${name} report_${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${report_folder}/report.${name})
endforeach()
find_file(CHART_JS chart.min.js
  PATHS /usr/share/javascript/chart.js NO_DEFAULT_PATH)
if(NOT CHART_JS)
  message(STATUS "Chart.js not found (Debian: libjs-chart.js): no reports")
endif()
configure_file(${report_folder}/report_resources.cc.in
  ${PROJECT_BINARY_DIR}/source/report_resources.cc @ONLY)
list(APPEND tempera_sources ${PROJECT_BINARY_DIR}/source/report_resources.cc)
