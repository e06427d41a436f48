// SPDX-License-Identifier: LGPL-2.1-or-later

// tempera map: both places of the paper's source, a noise that is unknown
// against a grid, fields as files, and mistakes.

#include "driver/command.h"

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** The number after some words. */
  double
  number_after(const std::string &text, const std::string &words)
  {
    const std::size_t place = text.find(words);
    return place == std::string::npos ?
             std::nan("") :
             std::strtod(text.c_str() + place + words.size(), nullptr);
  }

  void
  check_two_sources()
  {
    const CommandResult result =
      command({"map",
               TEMPERA_SOURCE_DIR "/prm/examples/two_sources_best.prm",
               "--output",
               "two_sources",
               "--overwrite"});
    const std::string json = read_file("two_sources/map.json");
    check("both sources are found, with half of the mass each",
          result.exit_code == 0 && contains(result.out, "2 maxima") &&
            std::abs(number_after(json, "\"share\": ") - 0.5) < 0.01,
          result.out + result.error);
    check("weighted draws know the evidence",
          std::abs(number_after(json, "\"log_evidence\": ") + 6.718) <
            4. * number_after(json, "\"log_evidence_error\": "),
          result.out);
    const std::string csv = read_file("two_sources/map_draws.csv");
    check("draws are there with their weights",
          csv.rfind("weight,x,y\n", 0) == 0 &&
            std::count(csv.begin(), csv.end(), '\n') == 201,
          csv.substr(0, 100));
  }

  const std::string rod =
    "subsection Problem\n  set Type = expressions\n  set Dimension = 1\n"
    "  subsection Unknowns\n    set leak = uniform(0, 10)\n  end\n"
    "  subsection Equation\n    set Capacity = 0\n    set Diffusion = 1\n"
    "    set Reaction = leak\n    set Dirichlet value = 0: 1; 1: 1\n  end\nend\n"
    "subsection Observations\n"
    "  set Sensors = 0.2; 0.4; 0.5; 0.6; 0.8; 0.9\n"
    "  set Values = 0.79, 0.62, 0.63, 0.65, 0.76, 0.92\n"
    "  set Noise = uniform(0.005, 0.1)\nend\n"
    "subsection Levels\n  subsection fine\n    set Subdivisions = 20\n  end\n"
    "end\n";

  void
  check_unknown_noise()
  {
    write_file("rod.prm", rod);
    const CommandResult map = command(
      {"map", "rod.prm", "--output", "rod", "--overwrite", "--draws", "2000"});
    const CommandResult truth    = command({"truth", "rod.prm"});
    const std::string   json     = read_file("rod/map.json");
    const double        evidence = number_after(json, "\"log_evidence\": "),
                 error = number_after(json, "\"log_evidence_error\": "),
                 exact = number_after(truth.out, "log evidence: ");
    check("an unknown noise: evidence as on a grid",
          map.exit_code == 0 &&
            std::abs(evidence - exact) < 4. * error + 0.01 && error < 0.05,
          map.out + map.error + truth.out);
  }

  void
  check_mistakes()
  {
    const auto tells = [](const CommandResult &result,
                          const std::string   &words) {
      check("told: " + words,
            result.exit_code == 1 && contains(result.error, words),
            result.error + result.out);
    };
    tells(command({"map", TEMPERA_SOURCE_DIR "/prm/examples/banana.prm"}),
          "no forward model");
    tells(command({"map", "rod.prm", "--draws", "3"}), "--draws");
    tells(command({"map", "rod.prm", "--searches", "0"}), "--searches");
    tells(command({"map", "rod.prm", "--output", "rod"}), "rod");
    const std::atomic<bool> stop(true);
    check("a stop is obeyed",
          command({"map", "rod.prm", "--output", "stopped", "--overwrite"},
                  &stop)
              .exit_code == 130);
  }
} // namespace

int
main()
{
  check_two_sources();
  check_unknown_noise();
  check_mistakes();
  return result();
}
