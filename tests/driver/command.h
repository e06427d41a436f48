// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_tests_command_h
#define tempera_tests_command_h

// Calls the program's command line from within, in the test's own folder.

#include "tests.h"

#include <tempera/driver/command_line.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace Tempera
{
  namespace Testing
  {
    struct CommandResult
    {
      int         exit_code;
      std::string out, error;
    };

    inline CommandResult
    command(const std::vector<std::string> &arguments,
            const std::atomic<bool>        *stop = nullptr)
    {
      static const std::atomic<bool> never(false);
      std::ostringstream             out, error;
      const int                      exit_code =
        run_command_line(arguments,
                         Environment{out, error, stop ? *stop : never, false});
      return {exit_code, out.str(), error.str()};
    }

    inline void
    write_file(const std::string &path, const std::string &content)
    {
      std::ofstream(path) << content;
    }

    inline std::string
    read_file(const std::string &path)
    {
      std::ifstream file(path, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    }

    inline bool
    contains(const std::string &text, const std::string &part)
    {
      return text.find(part) != std::string::npos;
    }
  } // namespace Testing
} // namespace Tempera

#endif
