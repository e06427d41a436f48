// SPDX-License-Identifier: LGPL-2.1-or-later

// Whole runs of small problems that are set up wrongly, each in one way, and
// the same ones set up well: what is wrong is told, by its name, and nothing
// else is. The rod has the solution cosh(2 (1 - x)) / cosh 2, to which noise
// was added by hand.

#include "driver/command.h"

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** The summary of a run, as JSON. */
  std::string
  summary_of(const std::string              &content,
             const std::vector<std::string> &settings = {})
  {
    write_file("run.prm", content);
    std::vector<std::string> arguments = {"run",
                                          "run.prm",
                                          "--output",
                                          "run",
                                          "--overwrite",
                                          "--set",
                                          "Output/Report = false"};
    for (const std::string &setting : settings)
      {
        arguments.push_back("--set");
        arguments.push_back(setting);
      }
    const CommandResult run = command(arguments);
    return run.exit_code != 0 ? run.error :
                                command({"summary", "run", "--json"}).out;
  }

  /** All its warnings. */
  std::string
  warnings_of(const std::string &content)
  {
    const std::string json  = summary_of(content);
    const std::size_t begin = json.find("\"warnings\"");
    return begin == std::string::npos ? json : json.substr(begin);
  }

  std::string
  kind(const std::string &name)
  {
    return "\"kind\": \"" + name + "\"";
  }

  void
  check_silent(const std::string &name, const std::string &content)
  {
    const std::string warnings = warnings_of(content);
    check(name, !contains(warnings, "\"kind\""), warnings);
  }

  void
  check_told(const std::string &name,
             const std::string &content,
             const std::string &expected,
             const std::string &words)
  {
    const std::string warnings = warnings_of(content);
    check(name,
          contains(warnings, kind(expected)) && contains(warnings, words),
          warnings);
  }


  /** Two normal laws, eight deviations apart. */
  std::string
  two_modes(const std::string &ladder)
  {
    return "set Iterations = 6000\nset Burn-in = 1000\n"
           "subsection Energy\n  set Type = gaussian mixture\n"
           "  subsection Gaussian mixture\n"
           "    set Means = -8, 0; 8, 0\n    set Weights = 0.5, 0.5\n"
           "    set Standard deviations = 1, 1\n  end\nend\n"
           "subsection Sampler\n  set Start = -8, 0\n"
           "  subsection Kernel\n    set Preconditioner = adapt\n  end\n"
           "  subsection Ladder\n" +
           ladder + "  end\nend\n";
  }

  /** A cooled rod; data with noise of 0.01 on average. */
  std::string
  rod(const std::string &noise,
      const std::string &coarse,
      const std::string &rule,
      const std::string &prior = "uniform(0, 10)",
      const std::string &fine  = "10")
  {
    return "set Iterations = 5000\nset Burn-in = 1000\n"
           "subsection Problem\n  set Type = expressions\n"
           "  set Dimension = 1\n  subsection Unknowns\n"
           "    set leak = " +
           prior +
           "\n  end\n  subsection Equation\n    set Capacity = 0\n"
           "    set Diffusion = 1\n    set Reaction = leak\n"
           "    set Dirichlet value = 0: 1\n  end\nend\n"
           "subsection Observations\n"
           "  set Sensors = 0.1; 0.2; 0.3; 0.4; 0.5; 0.6; 0.7; 0.8; 0.9; 1\n"
           // cosh(2 (1 - x)) / cosh 2, leak = 4, with some noise.
           "  set Values = 0.8365, 0.6757, 0.5818, 0.4772, 0.4214, 0.3453, "
           "0.3223, 0.2786, 0.2786, 0.2565\n  set Noise = " +
           noise +
           "\nend\nsubsection Levels\n  subsection fine\n"
           "    set Subdivisions = " +
           fine +
           "\n    set Degree = 2\n  end\n  subsection coarse\n"
           "    set Subdivisions = " +
           coarse +
           "\n  end\nend\nsubsection Sampler\n  subsection Ladder\n"
           "    set Temperatures = 1, 3\n    set Levels = fine, coarse\n"
           "  end\n  subsection Swaps\n    set Rule = " +
           rule +
           "\n  end\n  subsection Kernel\n    set Preconditioner = adapt\n"
           "  end\nend\n";
  }
} // namespace

int
main()
{
  check_told("a mode that a single rung cannot see",
             two_modes("    set Number of rungs = 1\n"),
             "missed mode",
             "No chain has visited a place");
  check_silent("is found by hot ones",
               two_modes("    set Number of rungs = 6\n"
                         "    set Highest temperature = 60\n"));

  check_silent("a rod in order", rod("0.01", "5", "exact"));
  check_silent("a biased coarse level under 'exact' harms nothing",
               rod("0.01", "2", "exact"));
  // In two stages it swaps too rarely to be shifted by so much.
  check_told("but does under 'multi-variance'",
             rod("0.01", "2", "multi-variance\n    set Two-stage = false"),
             "coarse bias",
             "'exact' would shift");
  check_silent("which needs a better one", rod("0.01", "20", "multi-variance"));
  check_told("noise that is larger than was said",
             rod("0.002", "20", "exact"),
             "fit",
             "times as large as the noise");
  check_told("and smaller",
             rod("0.08", "20", "exact"),
             "fit",
             "smaller than the noise");
  check_told("a prior that excludes the answer",
             rod("0.01", "20", "exact", "uniform(0, 2)"),
             "prior",
             "pressed against the upper bound 2");
  check_told("a prior that contradicts the data",
             rod("0.01", "20", "exact", "normal(1, 0.3)"),
             "prior",
             "contradict each other");
  // The mean is 4.11 with such cells and 4.00 with fine ones; its deviation is
  // 0.06.
  const std::string linear =
    summary_of(rod("0.01", "20", "exact"),
               {"Levels/fine/Subdivisions = 3", "Levels/fine/Degree = 1"});
  check("a mesh that is too coarse",
        contains(linear, kind("resolution")) &&
          contains(linear, "a refined one has another posterior"),
        linear);

  // What chains that stay where they began would do is no posterior's shift.
  const std::string in_order = rod("0.01", "20", "exact"),
                    moving   = summary_of(in_order),
                    stuck    = summary_of(in_order,
                                       {"Iterations = 200",
                                           "Burn-in = 0",
                                           "Sampler/Kernel/Step sizes = 1e-12",
                                           "Sampler/Kernel/Adapt step size = "
                                              "false"});
  check("chains that agree are asked how a finer level shifts them",
        contains(moving,
                 "\"objection\": \"\", \"unknowns\": [{\"name\": \"leak\""),
        moving);
  check("others are not",
        contains(stuck,
                 "the chains disagree, or do not sample the posterior") &&
          contains(stuck, "The chains disagree") &&
          !contains(stuck, "\"prediction_change\": null"),
        stuck);
}
