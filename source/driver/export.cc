// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/commands.h>
#include <tempera/output/exporter.h>
#include <tempera/output/recorded_run.h>

#include <filesystem>
#include <ostream>

namespace Tempera
{
  void
  export_run(const std::string              &folder,
             const std::vector<std::string> &formats,
             std::ostream                   &out,
             const std::string              &target)
  {
    if (!std::filesystem::is_directory(folder))
      throw UserError("There is no folder '" + folder +
                      "'. Give the folder that 'tempera run' has written.");
    const RecordedRun run(folder);
    for (const std::string &damage : run.get_damages())
      out << "-- warning: " << damage << "\n";

    std::string what;
    for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
      {
        const std::uint64_t n = run.n_draws(chain);
        what += (chain == 0 ? "" : ", ") + std::to_string(n);
      }
    out << "-- " << counted(run.n_chains(), "chain") << " with " << what
        << " draws after burn-in";
    for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
      if (run.n_draws(chain) != run.n_common_draws())
        {
          out << "; of each the first " << run.n_common_draws()
              << " are written";
          break;
        }
    out << "\n";

    const std::string place = target.empty() ? folder : target;
    std::error_code   error;
    std::filesystem::create_directories(place, error);
    for (const std::string &name : formats)
      for (const std::string &path :
           ExporterRegistry::create(name)->write(run, nullptr, place))
        out << "-- " << name << " in " << path << "\n";
  }
} // namespace Tempera
