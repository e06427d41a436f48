// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_journal_h
#define tempera_output_journal_h

#include <tempera/output/run_folder.h>

#include <fstream>
#include <iosfwd>
#include <string>

namespace Tempera
{
  /** Says things on the terminal and writes the same to `log.txt`. */
  class Journal
  {
  public:
    /** @param go_on Whether to write behind what the log says already. */
    Journal(std::ostream    &terminal,
            const RunFolder &folder,
            const bool       go_on = false);

    void
    write(const std::string &text);

    /** The terminal alone, for what need not be kept. */
    std::ostream &
    get_terminal()
    {
      return terminal;
    }

  private:
    std::ostream     &terminal;
    const std::string path;
    std::ofstream     log;
  };
} // namespace Tempera

#endif
