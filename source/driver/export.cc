// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/commands.h>
#include <tempera/output/cmdstan_csv.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/samples_netcdf.h>

#include <filesystem>
#include <ostream>

namespace Tempera
{
  void
  export_run(const std::string &folder,
             const bool         csv,
             std::ostream      &out,
             const std::string &target)
  {
    if (!std::filesystem::is_directory(folder))
      throw UserError("tempera export: there is no folder '" + folder +
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
    const std::string samples =
      (std::filesystem::path(place) / "samples.nc").string();
    write_samples_netcdf(run, samples);
    out << "-- samples in " << samples << "\n";
    if (csv)
      for (const std::string &path : write_cmdstan_csv(run, place))
        out << "-- draws in " << path << "\n";
  }
} // namespace Tempera
