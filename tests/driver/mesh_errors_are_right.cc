// SPDX-License-Identifier: LGPL-2.1-or-later

// The error of the mesh that a run states, against the posteriors of the level
// and of the refined one on a grid: the shift of each mean is within a few of
// its stated errors, and would not be with the other sign. A cooled rod of
// linear elements with two unknowns, each of which moves. With an argument: so
// many seeds.

#include "driver/command.h"

#include <tempera/driver/parameters.h>
#include <tempera/output/mesh_error_bar.h>
#include <tempera/output/summary_text.h>
#include <tempera/study/posterior_grid.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  const std::string rod =
    "set Iterations = 5000\nset Burn-in = 1000\n"
    "subsection Problem\n  set Type = expressions\n"
    "  set Dimension = 1\n  subsection Unknowns\n"
    "    set leak = uniform(2.5, 5.5)\n    set warmth = uniform(0.9, 1.1)\n"
    "  end\n  subsection Equation\n    set Capacity = 0\n"
    "    set Diffusion = 1\n    set Reaction = leak\n"
    "    set Dirichlet value = 0: warmth\n  end\nend\n"
    // Between the nodes, where linear elements are wrong; cosh(2 (1 - x)) /
    // cosh 2 with some noise.
    "subsection Observations\n"
    "  set Sensors = 0.06; 0.19; 0.31; 0.44; 0.56; 0.69; 0.81; 0.94\n"
    "  set Values = 0.9023, 0.6912, 0.5560, 0.4619, 0.3728, 0.3229, 0.2834, "
    "0.2655\n  set Noise = 0.01\nend\n"
    "subsection Levels\n  subsection fine\n    set Subdivisions = 14\n"
    "    set Degree = 1\n  end\nend\n"
    "subsection Sampler\n  subsection Ladder\n    set Number of rungs = 1\n"
    "  end\n  subsection Kernel\n    set Preconditioner = adapt\n  end\nend\n";

  std::vector<std::pair<double, double>>
  truth(const std::string &refinements)
  {
    ParameterFile file("run.prm");
    file.add_from_command_line("Levels/fine/Refinements = " + refinements);
    const Parameters parameters(file);
    const auto       target = parameters.make_target();
    return PosteriorGrid(*target->energy("fine"), 60, 3, {}).moments();
  }
} // namespace

int
main(int argc, char **argv)
{
  const unsigned int n_runs = argc > 1 ? std::stoi(argv[1]) : 4;
  write_file("run.prm", rod);
  const auto   here = truth("0"), refined = truth("1");
  unsigned int n = 0, n_near = 0, n_near_turned = 0, n_far = 0;
  std::string  words;
  for (unsigned int seed = 1; seed <= n_runs; ++seed)
    {
      const CommandResult run =
        command({"run",
                 "run.prm",
                 "--output",
                 "run",
                 "--overwrite",
                 "--set",
                 "Random seed = " + std::to_string(seed),
                 "--set",
                 "Output/Report = false"});
      if (run.exit_code != 0)
        std::cout << run.error << std::endl;
      const Analysis analysis = analyse(RecordedRun("run"));
      const auto     bars     = mesh_error_bars(analysis);
      if (seed == 1)
        check("means have two errors, in words and for machines",
              contains(run.out, "mean +- sampling +- mesh") &&
                contains(summary_json(analysis), "\"mesh_known_to\""),
              run.out);
      for (unsigned int i = 0; i < bars.size(); ++i)
        {
          const double shift = refined[i].first - here[i].first;
          ++n;
          n_near +=
            std::abs(bars[i].shift.value - shift) < 2. * bars[i].shift.error;
          n_far +=
            std::abs(bars[i].shift.value - shift) > 4. * bars[i].shift.error;
          n_near_turned +=
            std::abs(-bars[i].shift.value - shift) < 4. * bars[i].shift.error;
          words += bars[i].name + ": " + std::to_string(shift) + " stated " +
                   std::to_string(bars[i].shift.value) + " +- " +
                   std::to_string(bars[i].shift.error) + " of " +
                   std::to_string(here[i].second) + "\n";
        }
    }
  check("every run states them", n == 2 * n_runs, words);
  check("what they state is right", n_near >= 0.75 * n && n_far == 0, words);
  check("and is not with the other sign", n_near_turned == 0, words);
  if (argc > 1)
    std::cout << words << "within twice the stated error: " << n_near << " of "
              << n << std::endl;
  return result();
}
