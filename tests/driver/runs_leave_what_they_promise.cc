// SPDX-License-Identifier: LGPL-2.1-or-later

// The files of a run; the recorded parameters repeat it byte by byte; a stop
// or a full disk loses nothing; the commands that only tell.

#include "driver/command.h"

#include <tempera/analytic/analytic_energy.h>
#include <tempera/output/record_file.h>
#include <tempera/problems/problem.h>
#include <tempera/sampler/kernel.h>
#include <tempera/sampler/swap_rule.h>

#include <deal.II/base/mpi.h>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

#include <csignal>
#include <sys/resource.h>
#include <thread>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  const std::string file = R"(
set Chains = 2
set Iterations = 3000
set Burn-in = 1e3
set Thinning = 2
subsection Energy
  set Names = left_right, up_down
  subsection Gaussian mixture
    set Means = -2, 0; 2, 0   # two of them
  end
end
subsection Sampler
  set Start = 2, 0
  subsection Ladder
    set Temperatures = automatic
    set Number of rungs = 3
    set Levels = fine, \
      coarse, coarse
  end
  subsection Kernel
    set Step sizes = 0.123456789012
    set Preconditioner = adapt
  end
end
subsection Levels
  subsection coarse
    set Bias = 0.3
  end
end
)";

  bool
  same_files(const std::string &one, const std::string &other)
  {
    const std::string draws      = recorded_draws(one),
                      statistics = read_file(one + "/statistics");
    return draws.size() > 1000 && draws == recorded_draws(other) &&
           !statistics.empty() &&
           statistics == read_file(other + "/statistics");
  }

  /** The lines of the recorded parameters but for folder and layout. */
  std::vector<std::string>
  settings(const std::string &folder)
  {
    std::istringstream       stream(read_file(folder + "/parameters.prm"));
    std::vector<std::string> result;
    for (std::string line; std::getline(stream, line);)
      {
        line = line.substr(0, line.find('#'));
        line.erase(std::remove(line.begin(), line.end(), ' '), line.end());
        if (!line.empty() && !contains(line, "Outputdirectory"))
          result.push_back(line);
      }
    return result;
  }

  std::size_t
  count_lines(const std::string &text)
  {
    return std::count(text.begin(), text.end(), '\n');
  }


  void
  check_files()
  {
    write_file("run.prm", file);
    const CommandResult result =
      command({"run", "run.prm", "--output", "first", "--overwrite"});
    check("a run succeeds", result.exit_code == 0, result.error);

    const RecordedRun run("first");
    check("draws are recorded, thinned, those of burn-in apart",
          run.n_chains() == 2 && run.n_draws(0) == 1000 &&
            run.n_draws(1) == 1000 && run.n_burn_in_draws(0) == 500 &&
            run.get_damages().empty() &&
            run.description().names ==
              std::vector<std::string>({"left_right", "up_down"}));
    for (const std::string name : {"samples.nc",
                                   "samples.svg",
                                   "report.html",
                                   "times.csv",
                                   "checkpoint",
                                   "checkpoint.previous"})
      check("there is " + name, std::filesystem::exists("first/" + name));
    const std::string statistics = read_file("first/statistics");
    check("statistics have numbered columns and a row per hundredth",
          contains(statistics, "# 1: Rounds\n") &&
            contains(statistics, "# 3: Rung 0: temperature\n") &&
            count_lines(statistics) -
                std::count(statistics.begin(), statistics.end(), '#') ==
              100,
          statistics);
    check("the log has what was said",
          read_file("first/log.txt") == result.out);
    for (const std::string part :
         {"left_right", "acceptance", "attempts", "non-finite", "round trips"})
      check("the closing table has '" + part + "'", contains(result.out, part));
    bool every_tenth = true;
    for (int tenth = 1; tenth <= 10; ++tenth)
      every_tenth =
        every_tenth &&
        contains(result.out, " " + std::to_string(10 * tenth) + " %, ");
    check("progress comes in a plain line for every tenth", every_tenth);
    check("progress is not a bar", !contains(result.out, "\r"));
  }


  void
  check_repetition()
  {
    check(
      "the recorded parameters run",
      command(
        {"run", "first/parameters.prm", "--output", "second", "--overwrite"})
          .exit_code == 0);
    check("and repeat the run byte by byte", same_files("first", "second"));
    command(
      {"run", "second/parameters.prm", "--output", "third", "--overwrite"});
    check("and again", same_files("first", "third"));
    check("the recorded parameters are complete",
          settings("first") == settings("second") &&
            settings("first").size() > 40);

    command({"run",
             "run.prm",
             "--set",
             "Random seed = 7",
             "--output",
             "fourth",
             "--overwrite"});
    check("another seed differs", !same_files("first", "fourth"));
    check("--set is recorded",
          contains(read_file("fourth/parameters.prm"), "= 7"));

    std::filesystem::create_directories("folder/inner");
    write_file("folder/inner/part.prm", file);
    write_file("folder/whole.prm",
               "include inner/part.prm\nset Random seed = 1\n");
    command({"run", "folder/whole.prm", "--output", "fifth", "--overwrite"});
    check("an include is found from the including file",
          same_files("first", "fifth"));
  }


  void
  check_stop()
  {
    std::filesystem::remove_all("stopped");
    std::atomic<bool>   stop(false);
    std::thread         stopper([&]() {
      while (std::filesystem::exists("stopped/chain.1.record") == false ||
             std::filesystem::file_size("stopped/chain.1.record") < 300000)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      stop = true;
    });
    const CommandResult result = command({"run",
                                          "run.prm",
                                          "--set",
                                          "Iterations = 1000000000",
                                          "--output",
                                          "stopped",
                                          "--overwrite"},
                                         &stop);
    stopper.join();
    check("a stopped run ends with code 130", result.exit_code == 130);
    check("and says so", contains(result.out, "interrupted"));
    check("and tells how to go on",
          contains(result.out,
                   "tempera run run.prm --set 'Iterations = 1000000000' "
                   "--output stopped --resume"),
          result.out);
    const RecordedRun run("stopped");
    check("and keeps all draws of all chains",
          run.n_draws(0) + run.n_burn_in_draws(0) > 1000 &&
            run.n_draws(0) == run.n_draws(1) && run.get_damages().empty());
    check("and gives the closing table", contains(result.out, "left_right"));
  }


  void
  check_full_disk()
  {
    std::filesystem::remove_all("full");
    std::filesystem::create_directory("full");
    std::filesystem::create_symlink("/dev/full", "full/chain.0.record");
    RunDescription description;
    description.kernels = {"MALA"};
    std::string message;
    try
      {
        RecordFile record("full/chain.0.record", description);
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    check("a full disk is an error in words",
          contains(message, "full/chain.0.record") &&
            contains(message, "No space left on device") &&
            contains(message, "kept"),
          message);

    // A disk that fills up later: a limit on the size of files stands in.
    rlimit old_limit, new_limit;
    getrlimit(RLIMIT_FSIZE, &old_limit);
    new_limit          = old_limit;
    new_limit.rlim_cur = 250000;
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &new_limit);
    const CommandResult result = command({"run",
                                          "run.prm",
                                          "--set",
                                          "Iterations = 1e6",
                                          "--output",
                                          "filled",
                                          "--overwrite"});
    setrlimit(RLIMIT_FSIZE, &old_limit);
    check("a disk that fills up ends the run with an error",
          result.exit_code == 1 && contains(result.error, "Cannot write"),
          result.error);
    const RecordedRun run("filled");
    check("and leaves a sound record",
          run.n_draws(0) + run.n_burn_in_draws(0) > 100 &&
            run.get_damages().empty(),
          std::to_string(run.n_draws(0)));
    check("and gives the closing table",
          contains(result.out, "left_right"),
          result.out);
  }


  void
  check_what_is_told()
  {
    const CommandResult list = command({"list"});
    bool                all  = list.exit_code == 0;
    for (const std::vector<std::string> &names : {AnalyticRegistry::names(),
                                                  KernelRegistry::names(),
                                                  ProblemRegistry::names(),
                                                  SwapRuleRegistry::names()})
      for (const std::string &name : names)
        all = all && contains(list.out, "  " + name + " ");
    check("list names everything that is registered", all);

    const CommandResult         text = command({"parameters"});
    const CommandResult         json = command({"parameters", "--json"});
    std::istringstream          stream(json.out);
    boost::property_tree::ptree tree;
    boost::property_tree::read_json(stream, tree);
    bool        documented = true;
    std::size_t count      = 0;
    for (const auto &entry : tree.get_child("parameters"))
      {
        const std::string sentence =
          entry.second.get<std::string>("documentation");
        documented =
          documented && sentence.size() > 10 && sentence.back() == '.' &&
          !entry.second.get<std::string>("pattern").empty() &&
          contains(text.out,
                   "  " + entry.second.get<std::string>("name") + " = " +
                     entry.second.get<std::string>("default"));
        ++count;
      }
    check("every parameter has a default, a pattern and a sentence",
          documented && count > 40,
          std::to_string(count));
    check("patterns are in words", !contains(text.out, "["));

    const CommandResult validate = command({"validate", "run.prm"});
    check("validate describes the ladder",
          validate.exit_code == 0 && contains(validate.out, "is valid") &&
            contains(validate.out, "rung 2") &&
            contains(validate.out, "a round of all chains takes about"),
          validate.out);
    check("help", contains(command({"--help"}).out, "tempera run FILE.prm"));
    check("help of a command",
          contains(command({"run", "--help"}).out, "--overwrite"));
    check("version", contains(command({"--version"}).out, "deal.II 9."));
  }


  void
  check_files_of_the_repository()
  {
    unsigned int count = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(
           TEMPERA_SOURCE_DIR "/prm"))
      // What needs a server is run by bridge/.
      if (entry.path().extension() == ".prm" &&
          entry.path().parent_path().filename() != "external")
        {
          ++count;
          std::vector<std::string> arguments{"run",
                                             entry.path().string(),
                                             "--output",
                                             "repository",
                                             "--overwrite"};
          std::vector<std::string> settings{"Iterations = 2000",
                                            "Burn-in = 1000",
                                            "Output/Mesh error = 1",
                                            "Output/Report = false"};
          // With a pace, a round is a hundred of the cheap rungs.
          for (const char *in_the_plane :
               {"_best", "three_", "showcase", "model_choice"})
            if (contains(entry.path().filename().string(), in_the_plane))
              {
                settings[0] = "Iterations = 130";
                settings[1] = "Burn-in = 100";
              }
          // A round of a network takes a thousand times as long.
          if (contains(entry.path().filename().string(), "pinn_"))
            settings = {"Iterations = 40",
                        "Burn-in = 20",
                        "Thinning = 1",
                        "Output/Report = false",
                        "Output/Information draws = 1",
                        "Network/Warm start/Iterations = 2"};
          for (const std::string &setting : settings)
            {
              arguments.push_back("--set");
              arguments.push_back(setting);
            }
          const CommandResult result = command(arguments);
          if (result.exit_code != 0)
            check(entry.path().filename().string() + " runs",
                  false,
                  result.error);
          const std::string text = read_file(entry.path().string());
          for (const std::string part : {"# Question:", "# Answer:", "# Time:"})
            if (!contains(text, part))
              check(entry.path().filename().string() + " says its " + part,
                    false);
        }
    check("every parameter file of the repository runs", count > 5);
  }
} // namespace


int
main(int argc, char **argv)
{
  // As the program does: the solvers of Trilinos need it.
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  check_files();
  check_repetition();
  check_stop();
  check_full_disk();
  check_what_is_told();
  check_files_of_the_repository();
  return result();
}
