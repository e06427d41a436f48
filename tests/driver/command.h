// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_tests_command_h
#define tempera_tests_command_h

// Calls the program's command line from within, in the test's own folder.

#include "tests.h"

#include <tempera/driver/command_line.h>
#include <tempera/output/recorded_run.h>

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
    /** All numbers that are recorded of the draws of a run, as text. */
    inline std::string
    recorded_draws(const std::string &folder)
    {
      const RecordedRun  run(folder);
      const std::size_t  n_columns = run.description().columns().size();
      std::ostringstream text;
      text.precision(17);
      for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
        run.for_each_draw(chain, [&](const RecordedDraw &draw) {
          text << chain << ' ' << draw.round << ' ' << draw.is_burn_in << ' '
               << draw.round_trips;
          for (const RecordedSwaps &pair : draw.swaps)
            text << ' ' << pair.attempts << ' ' << pair.accepted;
          for (const RecordedRung &rung : draw.rungs)
            {
              text << ' ' << rung.reference << ' ' << rung.potential << ' '
                   << rung.step_size << ' ' << rung.acceptance << ' '
                   << rung.non_finite << ' ' << rung.replica;
              for (std::size_t i = 0; i < n_columns; ++i)
                text << ' ' << rung.values[i];
            }
          text << '\n';
        });
      return text.str();
    }

    /** An unknown at the coldest rung after burn-in, chain after chain. */
    inline std::vector<double>
    recorded_column(const std::string &folder, const std::string &name)
    {
      const RecordedRun run(folder);
      const auto        names = run.description().columns();
      const std::size_t column =
        std::find(names.begin(), names.end(), name) - names.begin();
      std::vector<double> result;
      for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
        run.for_each_draw(chain, [&](const RecordedDraw &draw) {
          if (!draw.is_burn_in)
            result.push_back(draw.rungs[0].values[column]);
        });
      return result;
    }
  } // namespace Testing
} // namespace Tempera

#endif
