// SPDX-License-Identifier: LGPL-2.1-or-later

// Unknown fields from a parameter file: a run leaves mean and deviation as
// pictures, resumes, and gives the same draws again; fields and numbers go
// together; what cannot be is told.

#include "driver/command.h"

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  const std::string field    = "  subsection Fields\n    subsection k\n"
                               "      set Subdivisions = 4\n"
                               "      set Map = exp\n"
                               "      set Correlation length = 0.5\n"
                               "      set Truth = x - y\n"
                               "      set Threshold = 1.5\n"
                               "    end\n  end\n";
  const std::string equation = "  subsection Equation\n"
                               "    set Capacity = 0\n"
                               "    set Diffusion = k\n"
                               "    set Dirichlet value = 0: 1; 1: 0\n"
                               "  end\n";

  std::string
  file(const std::string &problem = field + equation,
       const std::string &sampler = "",
       const std::string &kernel  = "pCN-Langevin",
       const std::string &noise   = "0.02")
  {
    return "set Chains = 2\nset Iterations = 400\nset Burn-in = 100\n"
           "subsection Problem\n  set Type = expressions\n" +
           problem +
           "end\nsubsection Observations\n"
           "  set Sensors = 0.2, 0.2; 0.5, 0.5; 0.8, 0.3\n"
           "  set Synthetic data = fine\n  set Noise = " +
           noise +
           "\nend\nsubsection Levels\n"
           "  subsection fine\n    set Subdivisions = 8\n  end\n"
           "  subsection coarse\n    set Subdivisions = 4\n  end\nend\n"
           "subsection Sampler\n  subsection Ladder\n"
           "    set Temperatures = 1, 5\n    set Levels = fine, coarse\n"
           "    set Temper = likelihood\n" +
           sampler + "  end\n  subsection Kernel\n    set Type = " + kernel +
           "\n  end\nend\n";
  }

  std::string
  replaced(std::string text, const std::string &old, const std::string &now)
  {
    text.replace(text.find(old), old.size(), now);
    return text;
  }

  /** Of a field in blocks: medians and probabilities say the same. */
  void
  check_probabilities(const std::string &folder)
  {
    std::istringstream map(read_file(folder + "/fields/unknown_k_map.csv"));
    std::string        line;
    std::getline(map, line);
    bool         are_right = true;
    unsigned int n_above = 0, n = 0;
    while (std::getline(map, line))
      {
        // x, y, mean, deviations, truth, quantiles, probability
        std::istringstream  cells(line);
        std::vector<double> numbers;
        for (std::string cell; std::getline(cells, cell, ',');)
          numbers.push_back(std::strtod(cell.c_str(), nullptr));
        const double median = numbers.at(7), share = numbers.at(9);
        are_right = are_right && numbers[6] <= median && median <= numbers[8] &&
                    (median > std::log(1.5) ? share >= 0.5 : share <= 0.5);
        n_above += share > 0.5;
        ++n;
      }
    check("probabilities are on the side of the median",
          are_right && n_above > 0 && n_above < n,
          folder + ": " + std::to_string(n_above) + " of " + std::to_string(n));
  }

  void
  check_run()
  {
    write_file("field.prm", file());
    CommandResult result =
      command({"run", "field.prm", "--output", "one", "--overwrite"});
    check("a run with a field",
          result.exit_code == 0 && contains(result.out, "field k: 25 nodal"),
          result.error + result.out);
    const std::string map = read_file("one/fields/unknown_k_map.csv");
    check("its pictures are there",
          map.find("x,y,mean,standard deviation,prior standard deviation,"
                   "truth,5 %,median,95 %,probability above 1.5,draw 0,draw 1,"
                   "draw 2\n") == 0 &&
            std::count(map.begin(), map.end(), '\n') == 3601 &&
            contains(read_file("one/fields/unknown_k.vtu"), "mean") &&
            contains(read_file("one/report.html"), "\"unknownFields\": [{"),
          map.substr(0, 300));

    command({"run", "field.prm", "--output", "two", "--overwrite"});
    check("the same file, the same draws",
          recorded_draws("one") == recorded_draws("two") &&
            recorded_draws("one").size() > 1000);

    // The law that gpCN has learned is in its checkpoint.
    write_file("laplace.prm", file(field + equation, "", "gpCN"));
    command({"run", "laplace.prm", "--output", "whole", "--overwrite"});
    command({"run",
             "laplace.prm",
             "--output",
             "parts",
             "--overwrite",
             "--set",
             "Iterations = 250"});
    result = command({"run", "laplace.prm", "--output", "parts", "--resume"});
    check("gpCN goes on where it was",
          result.exit_code == 0 &&
            recorded_draws("whole") == recorded_draws("parts") &&
            recorded_draws("whole").size() > 1000,
          result.error + result.out);

    result = command({"check-gradient", "field.prm"});
    check("gradients are those of differences",
          result.exit_code == 0,
          result.error + result.out);

    write_file("both.prm",
               file("  subsection Unknowns\n    set a = normal(0, 1)\n  end\n" +
                      field + replaced(equation, "= k", "= k*exp(a)") +
                      "  subsection Equation\n    set Reaction = a^2\n  end\n",
                    "",
                    "pCN-Langevin",
                    "0.02"));
    // The truth of numbers and fields comes together.
    result = command({"run",
                      "both.prm",
                      "--overwrite",
                      "--output",
                      "both",
                      "--set",
                      "Observations/Truth = 0.3"});
    check("numbers and fields",
          result.exit_code == 0 && contains(result.out, "unknown a: normal"),
          result.error + result.out);

    write_file("blocks.prm",
               file(replaced(field,
                             "      set Correlation length = 0.5\n",
                             "      set Values = blocks\n") +
                      equation,
                    "",
                    "MALA"));
    result =
      command({"run", "blocks.prm", "--output", "blocks", "--overwrite"});
    check("blocks",
          result.exit_code == 0 && contains(result.out, "field k: 16 blocks"),
          result.error + result.out);
    check_probabilities("blocks");
    result =
      command({"map", "field.prm", "--output", "maximum", "--overwrite"});
    check("the maximum of a field, and the normal law around it",
          result.exit_code == 0 && contains(result.out, "3 of 25") &&
            read_file("maximum/fields/map_k_map.csv")
                .find("x,y,maximum,standard deviation,prior standard "
                      "deviation,truth\n") == 0,
          result.error + result.out);
    write_file("sigma.prm",
               file(field + equation, "", "MALA", "log-normal(0.02, 0.3)"));
    result = command({"run", "sigma.prm", "--output", "sigma", "--overwrite"});
    check("a field and an unknown noise",
          result.exit_code == 0,
          result.error + result.out);
  }

  void
  check_mistake(const std::string              &name,
                const std::string              &content,
                const std::vector<std::string> &message)
  {
    write_file("broken.prm", content);
    const CommandResult result = command({"validate", "broken.prm"});
    bool                right  = result.exit_code == 1 && result.out.empty();
    for (const std::string &part : message)
      right = right && contains(result.error, part);
    check(name, right, result.error + result.out);
  }
} // namespace


int
main()
{
  check_run();

  const std::string length = "      set Correlation length = 0.5\n";
  check_mistake("no length",
                replaced(file(), length, ""),
                {"'Problem/Fields/k/Correlation length' is missing"});
  check_mistake("a length of blocks",
                replaced(file(),
                         length,
                         length + "      set Values = blocks\n"),
                {"blocks are independent"});
  check_mistake("a length of zero",
                replaced(file(), "= 0.5", "= 0"),
                {"'Problem/Fields/k/Correlation length' must be above 0"});
  check_mistake("a field that ends too early",
                replaced(file(),
                         length,
                         length + "      set Upper corner = 0.7\n"),
                {"'Problem/Fields/k'", "Enlarge"});
  check_mistake("the name of a coordinate",
                replaced(file(), "subsection k", "subsection x"),
                {"'Problem/Fields/x'", "name of a coordinate"});
  check_mistake("a name taken twice",
                replaced(file(),
                         "  subsection Fields",
                         "  subsection Unknowns\n    set k = 1\n  end\n"
                         "  subsection Fields"),
                {"'Problem/Fields/k'", "two things"});
  check_mistake("a field in no formula",
                replaced(file(), "= k\n", "= 1\n"),
                {"'Problem/Fields/k' is in no formula"});
  check_mistake("an equation without formulas",
                replaced(file(),
                         "Type = expressions",
                         "Type = pollution source"),
                {"'Problem/Fields/k'", "Problem/Type = expressions"});
  check_mistake("a tempered prior",
                replaced(file(), "Temper = likelihood", "Temper = posterior"),
                {"'Sampler/Ladder/Temper = likelihood'"});
  check_mistake("a prior that is not normal",
                file(field + equation, "", "pCN", "log-normal(0.02, 0.3)"),
                {"not all priors are normal"});
  check_mistake("gpCN without a model",
                "subsection Energy\n  set Type = gaussian\nend\n"
                "subsection Sampler\n  subsection Kernel\n"
                "    set Type = gpCN\n  end\nend\n",
                {"gpCN needs the derivative"});
  check_mistake("an adapted mesh",
                replaced(file(),
                         "    set Subdivisions = 8\n",
                         "    set Subdivisions = 8\n"
                         "    set Adaptive refinements = 2\n"),
                {"'Levels/fine/Adaptive refinements'"});
  check_mistake("a map that is none",
                replaced(file(), "Map = exp", "Map = log"),
                {"Map"});
  return result();
}
