// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/driver/launch.h>
#include <tempera/driver/parameters.h>
#include <tempera/run/checkpoint.h>
#include <tempera/run/process_layout.h>
#include <tempera/run/version.h>

#include <deal.II/base/mpi.h>

#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>

#include <cstdlib>
#include <map>

namespace Tempera
{
  namespace
  {
    /** The first entry in which two maps differ, in words. */
    std::string
    difference(const std::map<std::string, std::string> &mine,
               const std::map<std::string, std::string> &first)
    {
      const auto value = [](const std::map<std::string, std::string> &values,
                            const std::string                        &name) {
        const auto place = values.find(name);
        return place == values.end() ? std::string("not there") :
                                       "'" + place->second + "'";
      };
      for (const auto *values : {&mine, &first})
        for (const auto &one : *values)
          if (value(mine, one.first) != value(first, one.first))
            return "'" + one.first + "' is " + value(mine, one.first) +
                   " there and " + value(first, one.first) + " on process 0";
      return "";
    }
  } // namespace



  bool
  has_launcher()
  {
    // Open MPI, PMIx, PMI 1 and 2 (Hydra, SLURM), srun, ALPS, PALS, jsrun,
    // Flux.
    for (const char *name : {"OMPI_COMM_WORLD_SIZE",
                             "OMPI_COMM_WORLD_RANK",
                             "PMIX_RANK",
                             "PMIX_NAMESPACE",
                             "PMI_RANK",
                             "PMI_SIZE",
                             "PMI_FD",
                             "SLURM_STEP_ID",
                             "SLURM_STEPID",
                             "ALPS_APP_PE",
                             "PALS_RANKID",
                             "JSM_NAMESPACE_RANK",
                             "FLUX_TASK_RANK"})
      if (std::getenv(name) != nullptr)
        return true;
    return false;
  }



  void
  isolate_without_launcher()
  {
    if (has_launcher())
      return;
    constexpr int keep = 0;
    setenv("OMPI_MCA_ess_singleton_isolated", "1", keep);
    setenv("OMPI_MCA_btl", "self", keep);
    // All such processes would have one, which some make while others remove
    // it.
    setenv("OMPI_MCA_orte_create_session_dirs", "0", keep);
  }



  void
  check_that_processes_agree(const std::string &command,
                             const Parameters  &parameters)
  {
    if (n_processes() == 1)
      return;
    std::map<std::string, std::string> mine =
      parameter_values(parameters.effective_file());
    mine.erase("Output directory");
    const std::vector<InputFile> &files = parameters.settings.files;
    for (const InputFile &file : files)
      mine[file.parameter].clear();
    for (const InputFile &file : files)
      mine[file.parameter] += "a file of " + file.digest;
    mine["command"] = command;
    mine["version"] = version();

    using namespace dealii::Utilities::MPI;
    const auto first = broadcast(MPI_COMM_WORLD, mine);
    const auto differences =
      all_gather(MPI_COMM_WORLD, difference(mine, first));
    for (std::size_t process = 0; process < differences.size(); ++process)
      if (!differences[process].empty())
        throw UserError("Process " + std::to_string(process) +
                        " was started with something else than process 0: " +
                        differences[process] +
                        ". Give all processes the same command line and the "
                        "same files.");
  }
} // namespace Tempera
