// SPDX-License-Identifier: LGPL-2.1-or-later

// Models are chosen by their evidence: runs of two models of the same data have
// evidences as on a grid, in the summary, its JSON and the report; `compare`
// makes Bayes factors and probabilities of them, and refuses what makes no
// sense; runs that have no evidence say what to set.

#include "driver/command.h"

#include <cmath>
#include <sstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  const std::string folder = TEMPERA_SOURCE_DIR "/prm/benchmarks/model_choice_";

  /** The number after some words. */
  double
  number_after(const std::string &text, const std::string &words)
  {
    const std::size_t place = text.find(words);
    if (place == std::string::npos)
      return std::nan("");
    return std::stod(text.substr(place + words.size()));
  }

  /** Runs a model; returns its log evidence less that of the grid, in errors.
   */
  double
  distance_of(const std::string &model)
  {
    const CommandResult run = command({"run",
                                       folder + model + ".prm",
                                       "--set",
                                       "Iterations = 400",
                                       "--output",
                                       model,
                                       "--overwrite"});
    if (run.exit_code != 0)
      std::cout << run.error << std::endl;
    const std::string   json  = command({"summary", model, "--json"}).out;
    const CommandResult truth = command({"truth", folder + model + ".prm"});
    const std::size_t   place = json.find("\"evidence\"");
    if (place == std::string::npos)
      return std::nan("");
    const std::string found = json.substr(place);
    return (number_after(found, "\"log_evidence\": ") -
            number_after(truth.out, "log evidence: ")) /
           number_after(found, "\"error\": ");
  }

  void
  check_evidence()
  {
    for (const std::string model : {"no_decay", "decay"})
      {
        const double distance = distance_of(model);
        check(model + ": the evidence is that of the grid",
              std::abs(distance) < 4.,
              std::to_string(distance));
      }
    const std::string text = command({"summary", "decay"}).out;
    check("the summary has it by pairs",
          contains(text, "Evidence, its logarithm") &&
            contains(text, "another level") && contains(text, "backward"),
          text);
    check("the report has it by parts of the draws",
          contains(read_file("decay/report.html"), "\"parts\""));
  }

  void
  check_choice()
  {
    const CommandResult equal = command({"compare", "no_decay", "decay"});
    check("models are compared",
          equal.exit_code == 0 && contains(equal.out, "log Bayes factor") &&
            contains(equal.out, "probability"),
          equal.error + equal.out);
    const auto probability = [](const std::string &text) {
      std::istringstream       stream(text.substr(text.find("Models, by")));
      std::string              line;
      std::vector<std::string> words;
      while (std::getline(stream, line))
        if (contains(line, "no_decay"))
          {
            std::istringstream entries(line);
            for (std::string one; entries >> one;)
              words.push_back(one);
          }
      return words.size() == 8 ? std::stod(words[6]) : std::nan("");
    };
    const double p = probability(equal.out);
    check("the right one is preferred", p > 0.5 && p < 1., equal.out);
    const CommandResult given =
      command({"compare", "no_decay", "decay", "--weights", "1", "9"});
    check("prior weights count",
          std::abs(probability(given.out) - p / (p + 9. * (1. - p))) < 2e-3,
          given.out);

    const CommandResult few =
      command({"compare", "no_decay", "decay", "--weights", "1"});
    check("too few weights are a mistake",
          few.exit_code == 1 && contains(few.error, "--weights") &&
            contains(few.error, "2 runs"),
          few.error);
    const CommandResult nothing =
      command({"compare", "no_decay", "decay", "--weights", "1", "0"});
    check("a weight of nothing is a mistake",
          nothing.exit_code == 1 && contains(nothing.error, "positive"),
          nothing.error);
    command({"run",
             folder + "no_decay.prm",
             "--set",
             "Iterations = 200",
             "--set",
             "Observations/Values = 0.1, 0.1, 0.1, 0.1, 0.1, 0.1",
             "--output",
             "other_data",
             "--overwrite"});
    const CommandResult other = command({"compare", "no_decay", "other_data"});
    check("models of other data are not compared",
          other.exit_code == 0 && contains(other.out, "other measurements") &&
            !contains(other.out, "Bayes"),
          other.out);
  }

  void
  check_why_not()
  {
    command({"run",
             folder + "no_decay.prm",
             "--set",
             "Iterations = 200",
             "--set",
             "Sampler/Ladder/Temperatures = 1, 1, 2, 4, 8, 16, 32, 64, 128",
             "--output",
             "short_ladder",
             "--overwrite"});
    const std::string text = command({"summary", "short_ladder"}).out,
                      json = command({"summary", "short_ladder", "--json"}).out;
    check("a ladder that ends before the prior says so, and what to set",
          contains(text, "Evidence: none") && contains(text, "infinity"),
          text);
    check("so does the JSON",
          contains(json, "\"evidence\": null") &&
            contains(json, "does not reach the prior"),
          json);
  }
} // namespace


int
main()
{
  check_evidence();
  check_choice();
  check_why_not();
  return result();
}
