// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/driver/commands.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/report.h>
#include <tempera/output/run_folder.h>

#include <ostream>

namespace Tempera
{
  void
  make_report(const std::string &folder, std::ostream &out)
  {
    const RecordedRun run(folder);
    const std::string path = folder + "/" + report_name;
    write_whole_file(path, report_html(run), "a copy of the folder");
    out << "-- report in " << path << "\n";
  }
} // namespace Tempera
