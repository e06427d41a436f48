// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/driver/commands.h>
#include <tempera/output/analysis.h>
#include <tempera/output/summary_text.h>

#include <ostream>

namespace Tempera
{
  void
  show_summary(const std::string &folder, const bool json, std::ostream &out)
  {
    const Analysis analysis = analyse(RecordedRun(folder));
    out << (json ? summary_json(analysis) : summary_text(analysis));
  }
} // namespace Tempera
