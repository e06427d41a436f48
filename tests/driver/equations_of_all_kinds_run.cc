// SPDX-License-Identifier: LGPL-2.1-or-later

// Quasi-gas dynamics, the nonlinear reaction and equations written in the
// parameter file: what runs say of the paper's cases, what becomes of values
// for which there is no solution, and what is said of mistakes.

#include "driver/command.h"

#include <tempera/inference/csv_table.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  const std::string folder = TEMPERA_SOURCE_DIR "/prm/";

  CommandResult
  run(const std::string              &file,
      const std::string              &output,
      const std::vector<std::string> &settings)
  {
    std::vector<std::string> arguments{
      "run", file, "--output", output, "--overwrite"};
    for (const std::string &setting : settings)
      {
        arguments.push_back("--set");
        arguments.push_back(setting);
      }
    return command(arguments);
  }

  void
  check_both_sources()
  {
    unsigned int found = 0;
    for (unsigned int seed = 1; seed <= 10; ++seed)
      {
        const auto result = run(folder + "paper/qgd_sources.prm",
                                "sources",
                                {"Random seed = " + std::to_string(seed),
                                 "Output/Information draws = 0"});
        if (result.exit_code != 0)
          continue;
        const auto x = recorded_column("sources", "x"),
                   y = recorded_column("sources", "y");
        double left = 0., right = 0.;
        for (std::size_t i = 0; i < x.size(); ++i)
          {
            left += std::hypot(x[i] - 0.3, y[i] - 0.45) < 0.1;
            right += std::hypot(x[i] - 0.7, y[i] - 0.45) < 0.1;
          }
        found += left > 0.1 * x.size() && right > 0.1 * x.size();
      }
    check("both sources of quasi-gas dynamics, 10 seeds of 10",
          found == 10,
          std::to_string(found));
  }

  void
  check_what_data_tell()
  {
    const auto short_horizon =
      run(folder + "paper/qgd_short_horizon.prm", "short", {});
    check("at T = 0.001 the data say nothing about alpha",
          short_horizon.exit_code == 0 &&
            contains(short_horizon.out, "the data say nothing about alpha"),
          short_horizon.out + short_horizon.error);
    const auto long_horizon =
      run(folder + "paper/qgd_alpha.prm", "long", {"Iterations = 7000"});
    const auto alpha  = estimate(recorded_column("long", "alpha"));
    double     square = 0.;
    const auto draws  = recorded_column("long", "alpha");
    for (const double draw : draws)
      square += (draw - alpha.mean) * (draw - alpha.mean) / draws.size();
    check("at T = 1 alpha is learned",
          long_horizon.exit_code == 0 &&
            contains(long_horizon.out, "the data narrow alpha") &&
            std::abs(alpha.mean - 1.) < 3. * std::sqrt(square) &&
            std::abs(alpha.mean - 1.) < 0.05,
          std::to_string(alpha.mean) + " " + long_horizon.out +
            long_horizon.error);
  }

  void
  check_no_solution()
  {
    // For a strongly negative alpha there is no solution.
    const auto result     = run(folder + "paper/nonlinear_reaction.prm",
                            "none",
                            {"Problem/Unknowns/alpha = uniform(-6, 6)",
                                 "Observations/Noise = 3",
                                 "Sampler/Kernel/Type = MALA",
                                 "Sampler/Kernel/Step sizes = 3",
                                 "Iterations = 400",
                                 "Burn-in = 100"});
    bool       all_finite = true;
    RecordedRun("none").for_each_draw(0, [&](const RecordedDraw &draw) {
      for (const RecordedRung &rung : draw.rungs)
        all_finite = all_finite && std::isfinite(rung.values[0]) &&
                     std::isfinite(rung.reference + rung.potential);
    });
    // The count stands at the end of the line of the cold rung.
    const std::size_t line = result.out.find("   0       fine    MALA");
    const std::string row =
      line == std::string::npos ?
        "" :
        result.out.substr(line, result.out.find('\n', line) - line);
    check("values without a solution are rejected and counted",
          result.exit_code == 0 && all_finite && !row.empty() &&
            row.substr(row.rfind(' ') + 1) != "0",
          result.out + result.error);
  }

  /**
   * The source is a^2 and a has a symmetric prior. The rungs are too cold for a
   * replica to change the sign of a, but swaps bring both signs to the cold
   * rung, in shares that mean nothing.
   */
  void
  check_stuck_replicas()
  {
    write_file("square.prm",
               "set Chains = 1\nset Iterations = 6000\nset Burn-in = 1000\n"
               "subsection Problem\n  set Type = expressions\n"
               "  set Dimension = 1\n"
               "  subsection Unknowns\n    set a = normal(0, 1)\n  end\n"
               "  subsection Equation\n    set Capacity = 0\n"
               "    set Source = 5*a^2\n  end\nend\n"
               "subsection Observations\n  set Sensors = 0.5\n"
               "  set Synthetic data = fine\n  set Truth = 1\n"
               "  set Noise = 0.02\nend\n"
               "subsection Levels\n  subsection fine\n"
               "    set Subdivisions = 10\n  end\nend\n"
               "subsection Sampler\n  set Start = 1; -1; 1\n"
               "  subsection Ladder\n    set Temperatures = 1, 2, 4\n"
               "  end\nend\n");
    const auto stuck = run("square.prm", "square", {});
    check("replicas that stay on their sides are noticed",
          stuck.exit_code == 0 &&
            contains(stuck.out, "undecided about a: the replicas differ"),
          stuck.out + stuck.error);
    const auto hot = run("square.prm",
                         "square",
                         {"Sampler/Ladder/Number of rungs = 6",
                          "Sampler/Ladder/Temperatures = 1, 5, 25, 125, 600, "
                          "3000",
                          "Sampler/Start = 1",
                          "Iterations = 30000"});
    check("and are not where they move",
          hot.exit_code == 0 && !contains(hot.out, "the replicas differ"),
          hot.out + hot.error);
  }

  void
  check_mistake(const std::string              &name,
                const std::string              &file,
                const std::vector<std::string> &settings,
                const std::vector<std::string> &message)
  {
    std::vector<std::string> arguments{"validate", folder + file};
    for (const std::string &setting : settings)
      {
        arguments.push_back("--set");
        arguments.push_back(setting);
      }
    const CommandResult result = command(arguments);
    bool                right  = result.exit_code == 1 && result.out.empty();
    for (const std::string &part : message)
      right = right && contains(result.error, part);
    check(name, right, result.error + result.out);
  }

  void
  check_mistakes()
  {
    const std::string rod      = "examples/cooled_rod.prm";
    const std::string gas      = "paper/qgd_alpha.prm";
    const std::string reaction = "paper/nonlinear_reaction.prm";
    const std::string equation = "Problem/Equation/";
    const std::string sources  = "paper/qgd_sources.prm";
    check_mistake("a formula with a misspelt name",
                  rod,
                  {equation + "Reaction = leek"},
                  {"'leek'", "'Problem/Equation/Reaction'", "leak, cooling"});
    check_mistake("a formula that is not closed",
                  gas,
                  {equation + "Source = sin(x"},
                  {"'sin(x'", "'Problem/Equation/Source'"});
    check_mistake("an unknown with the name of a coordinate",
                  rod,
                  {"Problem/Unknowns/x = 1"},
                  {"'Problem/Unknowns/x'", "coordinate", "'x0'"});
    check_mistake("an unknown with a space in it",
                  rod,
                  {"Problem/Unknowns/my leak = 1"},
                  {"'Problem/Unknowns/my leak'", "letters, digits"});
    check_mistake("a name that is nearly right",
                  rod,
                  {equation + "Reaction = leaks"},
                  {"Did you mean 'leak'?"});
    check_mistake("a coefficient that varies in time",
                  "examples/two_sources_in_formulas.prm",
                  {equation + "Diffusion = 1 + t"},
                  {"'Problem/Equation/Diffusion'", "varies in time"});
    check_mistake("a misspelt name in a coefficient",
                  "examples/two_sources_in_formulas.prm",
                  {equation + "Diffusion = 1 + tau"},
                  {"'1 + tau'", "It may contain x, y, x0, y0, width, numbers"});
    check_mistake("a diffusivity that its unknown makes negative",
                  rod,
                  {equation + "Diffusion = x - leak",
                   "Observations/Synthetic data = none",
                   "Observations/Synthetic noise = 0",
                   "Observations/Values = 1, 2, 3, 4",
                   "Observations/Truth =",
                   "Chains = 1",
                   "Sampler/Start = 4, 1"},
                  {"start point (4, 1)",
                   "'Diffusion' is -3.",
                   "at (0.",
                   "for leak = 4.",
                   "above 0",
                   "Choose priors"});
    check_mistake("a truth with a negative diffusivity",
                  rod,
                  {equation + "Diffusion = 1 - leak"},
                  {"'Observations/Truth'", "'Diffusion' is -2 for leak = 3."});
    check_mistake("too many components of the convection",
                  rod,
                  {equation + "Convection = 1; 2"},
                  {"'Problem/Equation/Convection' has 2 formulas",
                   "1 dimension"});
    check_mistake("several formulas without their boundaries",
                  rod,
                  {equation + "Dirichlet value = 1; 2"},
                  {"'Problem/Equation/Dirichlet value'", "boundaries"});
    check_mistake("times in a stationary equation",
                  rod,
                  {"Observations/Times = 1"},
                  {"'Observations/Times'", "stationary"});
    check_mistake("a final time in a stationary equation",
                  reaction,
                  {"Problem/Final time = 1"},
                  {"'Problem/Final time'", "stationary"});
    check_mistake("CHOLMOD with convection",
                  rod,
                  {"Solver/Linear solver = CHOLMOD"},
                  {"needs a symmetric operator", "'UMFPACK'"});
    check_mistake("a precomputed adjoint of a nonlinear equation",
                  reaction,
                  {"Solver/Gradient = precomputed adjoint"},
                  {"linear equation", "'adjoint'"});
    check_mistake("an entry that another problem has",
                  reaction,
                  {equation + "Reaction = 1"},
                  {"no parameter 'Reaction'", "'Problem/Equation'"});
    check_mistake("corners in three dimensions",
                  reaction,
                  {"Problem/Lower corner = 0, 0, 0"},
                  {"'Problem/Lower corner' has 3 numbers", "1 dimension"});
    check_mistake("corners that are the wrong way round",
                  reaction,
                  {"Problem/Upper corner = -2"},
                  {"'Problem/Upper corner'", "above"});
    check_mistake("boxes that do not fit",
                  sources,
                  {equation + "Diffusivity values = 1, 2, 3",
                   equation + "Diffusivity boxes = 2, 2"},
                  {"'Problem/Equation/Diffusivity values' has 3 numbers",
                   "2 dimensions"});
    check_mistake("a diffusivity below zero",
                  sources,
                  {equation + "Diffusivity = -1"},
                  {"'kappa' is -1 at (", "above 0"});
    check_mistake("a place that is none",
                  "examples/two_sources_in_formulas.prm",
                  {equation + "Place = x1, y0"},
                  {"no parameter 'x1'", "'x0'"});
    check_mistake("a boundary that does not exist",
                  rod,
                  {equation + "Dirichlet value = 7: 1"},
                  {"boundary 7"});
    check_mistake("a boundary that is named twice",
                  rod,
                  {equation + "Dirichlet value = 0: 1; 0: 2"},
                  {"boundary 0 twice"});
    check_mistake("boundaries without a comma",
                  rod,
                  {equation + "Dirichlet value = 0 1: 1"},
                  {"'0 1'", "commas"});
    check_mistake("an exchange where Dirichlet values hold",
                  rod,
                  {equation + "Dirichlet value = 1"},
                  {"'Exchange'", "Dirichlet values hold"});
    check_mistake("a decimal comma",
                  rod,
                  {equation + "Diffusion = 1,5"},
                  {"'1,5'", "'Problem/Equation/Diffusion'", "point"});
    check_mistake("a single =",
                  rod,
                  {equation + "Diffusion = if(x=0.5, 1, 2)"},
                  {"'if(x=0.5, 1, 2)'", "Write =="});
    check_mistake("t in a stationary equation",
                  rod,
                  {equation + "Source = t"},
                  {"'Problem/Equation/Source' contains t", "stationary"});
    check_mistake("an initial value of a stationary equation",
                  rod,
                  {equation + "Initial value = 1"},
                  {"'Problem/Equation/Initial value'", "stationary"});
    check_mistake("an initial velocity without inertia",
                  "examples/two_sources_in_formulas.prm",
                  {equation + "Initial velocity = 1"},
                  {"'Problem/Equation/Initial velocity'", "no inertia"});
    check_mistake("an unknown in no formula",
                  rod,
                  {"Problem/Unknowns/idle = uniform(0, 1)"},
                  {"'Problem/Unknowns/idle' is in no formula"});
    check_mistake("an unknown with the name of a function",
                  rod,
                  {"Problem/Unknowns/exp = uniform(0, 1)"},
                  {"'Problem/Unknowns/exp'", "function"});
    check_mistake("an empty formula",
                  rod,
                  {equation + "Dirichlet value ="},
                  {"'Problem/Equation/Dirichlet value' is empty", "'none'"});
    check_mistake("half a place",
                  "examples/two_sources_in_formulas.prm",
                  {equation + "Place = x0"},
                  {"'Problem/Equation/Place' has 1 name", "2 coordinates"});
    check_mistake("data that are not finite",
                  gas,
                  {equation + "Initial value = 1/x"},
                  {"'initial value' is not finite everywhere"});
    check_mistake("a truth without a solution",
                  reaction,
                  {"Problem/Unknowns/alpha = uniform(-50, 50)",
                   "Observations/Truth = -40",
                   "Observations/Synthetic data = fine"},
                  {"cannot be solved at 'Observations/Truth'"});
    check_mistake("t where there is no time",
                  reaction,
                  {equation + "Source = t"},
                  {"'t'", "'Problem/Equation/Source'"});
  }
} // namespace

int
main()
{
  check_mistakes();
  check_no_solution();
  check_what_data_tell();
  check_both_sources();
  check_stuck_replicas();
  return result();
}
