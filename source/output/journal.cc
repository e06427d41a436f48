// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/journal.h>

#include <cerrno>
#include <ostream>

namespace Tempera
{
  Journal::Journal(std::ostream    &terminal,
                   const RunFolder &folder,
                   const bool       go_on)
    : terminal(terminal)
    , path(folder.file("log.txt"))
    , log(path, go_on ? std::ios::app : std::ios::out)
  {
    if (!log)
      throw_write_error(path);
  }



  void
  Journal::write(const std::string &text)
  {
    terminal << text << std::flush;
    errno = 0;
    if (!(log << text << std::flush))
      throw_write_error(path);
  }
} // namespace Tempera
