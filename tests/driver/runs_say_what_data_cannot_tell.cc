// SPDX-License-Identifier: LGPL-2.1-or-later

// A run says what the data tell about each unknown: nothing if the noise
// drowns everything; y alone if two sensors on a line x = 0.5 see two sources
// in mirror symmetry and the run is too short to decide about x; nothing is
// said at another temperature than 1; a stopped run leaves out what takes
// solves.

#include "driver/command.h"

#include <thread>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** One rung; a source of pollution in the unit square. */
  const std::string file = R"(
set Chains = 1
set Iterations = 20000
set Burn-in = 1000
subsection Problem
  set Type = pollution source
end
subsection Observations
  set Sensors = 0.5, 0.3; 0.5, 0.6
  set Times = 0.03
  set Values = 2.0902697394, 2.0902697394
  set Noise = 0.35
end
subsection Levels
  subsection fine
    set Subdivisions = 10
    set Time step = 0.002
  end
end
subsection Sampler
  set Start = 0.37, 0.45
  subsection Ladder
    set Number of rungs = 1
    set Levels = fine
  end
  subsection Kernel
    set Type = MALA
    set Step sizes = 1e-4
  end
end
)";

  CommandResult
  run(const std::vector<std::string> &settings,
      const std::atomic<bool>        *stop = nullptr)
  {
    std::vector<std::string> arguments{
      "run", "run.prm", "--output", "run", "--overwrite"};
    for (const std::string &setting : settings)
      {
        arguments.push_back("--set");
        arguments.push_back(setting);
      }
    return command(arguments, stop);
  }
} // namespace

int
main()
{
  write_file("run.prm", file);

  const CommandResult drowned = run({"Observations/Noise = 1000"});
  check("noise drowns everything",
        contains(drowned.out, "   the data say nothing about x\n") &&
          contains(drowned.out, "   the data say nothing about y\n") &&
          contains(drowned.out, "than the prior: 0 of 2\n") &&
          contains(drowned.out, "mean of 50 draws"),
        drowned.out + drowned.error);
  const std::string csv = read_file("run/identifiability.csv");
  check("and the file says so",
        std::count(csv.begin(), csv.end(), '\n') == 3 &&
          contains(csv, "\nx,0.288675,") && contains(csv, ",nothing\n"),
        csv);
  check("the log has it, too",
        contains(read_file("run/log.txt"), "say nothing about x"));

  const CommandResult one = run({});
  check("a chain that stays at one of two answers narrows y",
        contains(one.out, "   the data narrow y: its standard deviation is ") &&
          contains(one.out, "no chain has found"),
        one.out + one.error);

  const CommandResult brief = run({"Iterations = 1300"});
  check("a short run is undecided",
        contains(brief.out, "   undecided about x: R-hat is ") &&
          !contains(brief.out, "than the prior: "),
        brief.out + brief.error);

  // One rung of a chain hardly ever leaves the answer that it has found: two
  // answers are found by different chains.
  const CommandResult apart = run({"Chains = 8", "Iterations = 3000"});
  const std::string   table = read_file("run/identifiability.csv"),
                    json    = command({"summary", "run", "--json"}).out;
  // Of x, in the sixth column of the second line.
  std::size_t place = table.find('\n');
  for (unsigned int i = 0; i < 5; ++i)
    place = table.find(',', place + 1);
  const double r_hat   = std::atof(table.c_str() + place + 1);
  const double summary = std::atof(json.c_str() + json.find("\"r_hat\"") + 9);
  check("chains that disagree decide nothing, as the summary says",
        r_hat > 1.5 && std::abs(r_hat - summary) < 1e-5 * r_hat &&
          contains(apart.out, "   undecided about x: R-hat is "),
        apart.out + apart.error + table);

  const CommandResult without =
    run({"Observations/Noise = 1000", "Output/Information draws = 0"});
  check("without information",
        contains(without.out,
                 "the data say nothing about x by itself; whether they tie it "
                 "to others was not computed\n") &&
          !contains(without.out, "eigenvalues"),
        without.out + without.error);

  const CommandResult hot =
    run({"Iterations = 1300", "Sampler/Ladder/Temperatures = 2"});
  check("nothing is said at temperature 2",
        contains(hot.out, "the coldest temperature is 2") &&
          !contains(hot.out, "undecided") &&
          !std::filesystem::exists("run/identifiability.csv"),
        hot.out + hot.error);

  std::filesystem::remove_all("run");
  std::atomic<bool>   stop(false), has_ended(false);
  std::thread         stopper([&]() {
    // 85,000 bytes of description, and 80 per round: well after burn-in.
    while (!has_ended &&
           (!std::filesystem::exists("run/chain.0.record") ||
            std::filesystem::file_size("run/chain.0.record") < 300000))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    stop = true;
  });
  const CommandResult stopped = run({"Iterations = 1000000000"}, &stop);
  has_ended                   = true;
  stopper.join();
  check("a stopped run compares marginals, without information",
        stopped.exit_code == 130 && contains(stopped.out, "What the data") &&
          !contains(stopped.out, "eigenvalues"),
        stopped.out + stopped.error);
  return result();
}
