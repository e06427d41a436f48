// SPDX-License-Identifier: LGPL-2.1-or-later

// Files that say nothing of the sampler: a ladder is designed for them, its
// settings repeat the run bit by bit, and the posterior is that of a grid. Two
// places far from each other, of unequal shares, are both found.

#include "driver/command.h"

#include <cmath>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Three sensors that have smelt one source; the share of x < 0.5 is 0.34. */
  const std::string sensors =
    "subsection Problem\nset Type = pollution source\n"
    "subsection Unknowns\nset x = uniform(0, 1)\nset y = uniform(0, 1)\n"
    "end\nend\n"
    "subsection Observations\nset Times = 0.03\n"
    "set Sensors = 0.5, 0.3; 0.5, 0.6; 0.4, 0.7\n"
    "set Values = 2.0902697394, 2.0902697394, 0.2\nset Noise = 0.35\nend\n"
    "subsection Levels\nsubsection fine\nset Subdivisions = 50\n"
    "set Time step = 0.0005\nend\nend\n";

  /** By `tempera truth`, 800 x 800 points; see doc/ladder.md. */
  constexpr double mean_of_x = 0.542605, mean_of_y = 0.44886;

  double
  number_after(const std::string &text, const std::string &words)
  {
    const std::size_t place = text.find(words);
    return place == std::string::npos ?
             std::nan("") :
             std::stod(text.substr(place + words.size()));
  }

  /** Mean of an unknown less its truth, in standard errors. */
  double
  distance_of(const std::string &json,
              const std::string &name,
              const double       truth)
  {
    const std::size_t place = json.find("\"unknowns\"");
    const std::string of_name =
      json.substr(json.find("\"name\": \"" + name + "\"", place));
    return (number_after(of_name, "\"mean\": ") - truth) /
           number_after(of_name, "\"mcse_mean\": ");
  }

  void
  check_sensors()
  {
    write_file("sensors.prm", sensors);
    const CommandResult run =
      command({"run", "sensors.prm", "--output", "one", "--overwrite"});
    const std::string json = command({"summary", "one", "--json"}).out;
    check("a run with a ladder of its own", run.exit_code == 0, run.error);
    check("it says what it has decided",
          contains(run.out, "work per effective draw (predicted)") &&
            contains(run.out, "(not taken)"),
          run.out);
    const double x = distance_of(json, "x", mean_of_x),
                 y = distance_of(json, "y", mean_of_y);
    check("the posterior is that of the grid",
          std::abs(x) < 5. && std::abs(y) < 5.,
          std::to_string(x) + " " + std::to_string(y));
    // Of ladders on the fine mesh alone, 70 times 1,000 effective draws.
    check("for little work",
          number_after(json, "\"work\": ") < 7000.,
          std::to_string(number_after(json, "\"work\": ")));

    const CommandResult again =
      command({"run", "one/parameters.prm", "--output", "two", "--overwrite"});
    check("its parameters repeat it bit by bit",
          again.exit_code == 0 &&
            recorded_draws("one") == recorded_draws("two"),
          again.error);
  }

  void
  check_settings()
  {
    const CommandResult shown =
      command({"design", "sensors.prm", "--write", "designed.prm"});
    check("settings are written",
          shown.exit_code == 0 &&
            contains(read_file("designed.prm"), "set Temperatures = 1, 1,") &&
            contains(read_file("designed.prm"), "infinity"),
          shown.error + read_file("designed.prm"));
    write_file("both.prm", "include sensors.prm\ninclude designed.prm\n");
    check("and can be included",
          command({"validate", "both.prm"}).exit_code == 0,
          command({"validate", "both.prm"}).error);
    const CommandResult refused = command({"design", "both.prm"});
    check("a file that says how to sample is not for this",
          refused.exit_code == 1 && contains(refused.error, "'Sampler'"),
          refused.error);
    write_file("noisy.prm",
               "subsection Levels\nsubsection fine\nset Noise = 1\nend\nend\n");
    const CommandResult noisy = command({"design", "noisy.prm"});
    check("stochastic energies have no pilots",
          noisy.exit_code == 1 && contains(noisy.out, "stochastic"),
          noisy.out + noisy.error);
  }


  /** Pilots are stopped, and runs that they have begun are resumed. */
  void
  check_stops()
  {
    const std::string mixture = "set Effective draws = 200\n"
                                "subsection Output\nset Report = false\nend\n";
    write_file("mixture.prm", "set Ladder = automatic\n" + mixture);
    write_file("unsaid.prm", mixture);
    std::filesystem::remove_all("stopped");
    std::filesystem::remove("stopped.prm");
    const std::atomic<bool> stop(true);
    const CommandResult     stopped =
      command({"run", "mixture.prm", "--output", "stopped"}, &stop);
    check("a stop during the pilots leaves nothing",
          stopped.exit_code == 130 && !std::filesystem::exists("stopped") &&
            contains(stopped.out, "stopped while pilots"),
          stopped.out + stopped.error);
    check("nor a file of settings",
          command({"design", "mixture.prm", "--write", "stopped.prm"}, &stop)
                .exit_code == 130 &&
            !std::filesystem::exists("stopped.prm"));

    std::filesystem::remove_all("late");
    const CommandResult whole =
      command({"run", "mixture.prm", "--output", "whole", "--overwrite"});
    const CommandResult late = command(
      {"run", "mixture.prm", "--output", "late", "--set", "Time limit = 1e-9"});
    const CommandResult resumed =
      command({"run", "mixture.prm", "--output", "late", "--resume"});
    check("a run that designed its ladder is resumed without pilots",
          whole.exit_code == 0 && late.exit_code == 130 &&
            resumed.exit_code == 0 && !contains(resumed.out, "pilot:") &&
            recorded_draws("late") == recorded_draws("whole"),
          whole.error + late.error + resumed.error);
    check("and knows what they have cost",
          number_after(command({"summary", "late", "--json"}).out,
                       "\"pilot_work\": ") > 0.);

    const CommandResult by_hand = command({"run",
                                           "unsaid.prm",
                                           "--output",
                                           "by_hand",
                                           "--overwrite",
                                           "--set",
                                           "Sampler/Kernel/Type = MALA",
                                           "--set",
                                           "Iterations = 300",
                                           "--set",
                                           "Burn-in = 100"});
    check("who says on the command line how to sample needs no pilots",
          by_hand.exit_code == 0 && !contains(by_hand.out, "pilot:"),
          by_hand.out + by_hand.error);
    const CommandResult few =
      command({"run", "unsaid.prm", "--set", "Effective draws = 20"});
    check("mistakes are told before pilots",
          few.exit_code == 1 && contains(few.error, "'Effective draws'") &&
            !contains(few.out, "pilot:"),
          few.out + few.error);
    const CommandResult short_run = command({"run",
                                             "unsaid.prm",
                                             "--output",
                                             "short",
                                             "--overwrite",
                                             "--set",
                                             "Iterations = 500"});
    check("a number of rounds needs no burn-in beside it",
          short_run.exit_code == 0 && contains(short_run.out, "pilot:"),
          short_run.out + short_run.error);
    const CommandResult prior = command({"run",
                                         "sensors.prm",
                                         "--output",
                                         "prior",
                                         "--overwrite",
                                         "--set",
                                         "Target = prior",
                                         "--set",
                                         "Effective draws = 200"});
    check("draws of the prior alone are enough, too, without pilots",
          prior.exit_code == 0 && !contains(prior.out, "pilot:") &&
            contains(prior.out, "'Effective draws' are reached"),
          prior.out + prior.error);
    check("a file is validated with a word on its ladder",
          contains(command({"validate", "unsaid.prm"}).out,
                   "pilots find a ladder first"));
  }

  /**
   * Two modes 60 deviations apart, with shares of 0.3 and 0.7. With two of
   * these seeds all that short pilots saw was one mode, and a coldest rung that
   * knows that one well was taken for the answer once.
   */
  void
  check_far_modes()
  {
    write_file("far.prm",
               "set Effective draws = 200\nset Ladder = automatic\n"
               "subsection Energy\nset Lower bounds = -200\n"
               "set Upper bounds = 200\nsubsection Gaussian mixture\n"
               "set Weights = 0.3, 0.7\nset Means = -120; 120\n"
               "set Standard deviations = 1, 4\nend\nend\n"
               "subsection Output\nset Report = false\nend\n");
    std::string shares;
    bool        are_right = true;
    for (const std::string seed : {"1217", "1218", "1219"})
      {
        const CommandResult       run   = command({"run",
                                                   "far.prm",
                                                   "--output",
                                                   "far",
                                                   "--overwrite",
                                                   "--set",
                                                   "Random seed = " + seed});
        const std::vector<double> draws = recorded_column("far", "x");
        double                    left  = 0.;
        for (const double one : draws)
          left += one < 0.;
        const double share = left / draws.size();
        shares += std::to_string(share) + " ";
        // Of 200 effective draws: 0.03; beyond five of these.
        are_right =
          are_right && run.exit_code == 0 && std::abs(share - 0.3) < 0.16;
      }
    check("two modes that are far apart are found with their shares",
          are_right,
          shares);
  }
} // namespace


int
main()
{
  check_sensors();
  check_far_modes();
  check_settings();
  check_stops();
  return result();
}
