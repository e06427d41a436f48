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
    const CommandResult run = command(
      {"run", "sensors.prm", "--output", "one", "--overwrite"});
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
} // namespace


int
main()
{
  check_sensors();
  check_settings();
  return result();
}
