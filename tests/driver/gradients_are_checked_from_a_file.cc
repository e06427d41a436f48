// SPDX-License-Identifier: LGPL-2.1-or-later

// `tempera check-gradient` finds right gradients right, on an equation and on
// analytic energies, and the comparison behind it finds wrong ones wrong.

#include "driver/command.h"

#include <tempera/analytic/analytic_energy.h>
#include <tempera/study/gradient_check.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** The paper's Experiment 1 on small meshes. */
  const std::string experiment =
    "subsection Problem\n  set Type = pollution source\nend\n"
    "subsection Observations\n"
    "  set Sensors = 0.5, 0.3; 0.5, 0.6\n  set Times = 0.03\n"
    "  set Values = 2.0902697394, 2.0902697394\n  set Noise = 0.35\n"
    "end\n"
    "subsection Levels\n"
    "  subsection fine\n    set Subdivisions = 20\n"
    "    set Time step = 0.001\n  end\n"
    "  subsection coarse\n    set Subdivisions = 10\n"
    "    set Time step = 0.003\n  end\n"
    "end\n"
    "subsection Sampler\n  subsection Ladder\n"
    "    set Temperatures = 1, 12\n    set Levels = fine, coarse\n"
    "  end\nend\n";

  unsigned int
  count(const std::string &text, const std::string &part)
  {
    unsigned int result = 0;
    for (auto at = text.find(part); at != std::string::npos;
         at      = text.find(part, at + 1))
      ++result;
    return result;
  }

  void
  check_equation()
  {
    write_file("experiment.prm", experiment);
    const CommandResult all = command({"check-gradient", "experiment.prm"});
    check("all methods agree on Experiment 1",
          all.exit_code == 0 && contains(all.out, "gradients are right") &&
            count(all.out, "\nfine ") == 9 &&
            count(all.out, "\ncoarse ") == 9 &&
            contains(all.out, "precomputed adjoint") &&
            !contains(all.out, "wrong"),
          all.out + all.error);
    check("and show the order 2",
          count(all.out, "  2\n") + count(all.out, "  2.0") +
              count(all.out, "  1.99") >=
            6,
          all.out);
    check("the same seed gives the same table, another one another",
          command({"check-gradient", "experiment.prm"}).out == all.out &&
            command({"check-gradient", "experiment.prm", "--seed", "2"}).out !=
              all.out);

    const CommandResult in_operator =
      command({"check-gradient",
               "experiment.prm",
               "--points",
               "2",
               "--set",
               "Problem/Unknowns/diffusivity = log-normal(1, 1)",
               "--set",
               "Observations/Noise = log-normal(0.3, 0.5)"});
    check("unknowns in the operator and sigma: no precomputed adjoint",
          in_operator.exit_code == 0 &&
            !contains(in_operator.out, "precomputed") &&
            count(in_operator.out, "\nfine ") == 4,
          in_operator.out + in_operator.error);

    const CommandResult nowhere =
      command({"check-gradient",
               "experiment.prm",
               "--set",
               "Problem/Unknowns/mass = uniform(1e200, 2e200)"});
    check("points without a finite energy are skipped, and said",
          nowhere.exit_code == 1 && contains(nowhere.out, "skipped") &&
            contains(nowhere.error, "No point could be checked") &&
            contains(nowhere.error, "--seed"),
          nowhere.out + nowhere.error);
  }

  void
  check_analytic_energies()
  {
    write_file("plain.prm", "");
    std::string wrong;
    for (const std::string &name : AnalyticRegistry::names())
      {
        const CommandResult result = command({"check-gradient",
                                              "plain.prm",
                                              "--set",
                                              "Energy/Type = " + name,
                                              "--set",
                                              "Levels/fine/Bias = 0.3"});
        if (result.exit_code != 0 || count(result.out, "\nfine ") != 6)
          wrong += name + ": " + result.out + result.error;
      }
    check("every analytic energy is right, also with a bias",
          wrong.empty(),
          wrong);
    const CommandResult noisy = command({"check-gradient",
                                         "plain.prm",
                                         "--set",
                                         "Levels/fine/Noise = 1",
                                         "--set",
                                         "Sampler/Kernel/Type = SGLD"});
    check("a stochastic energy is refused",
          noisy.exit_code == 1 && contains(noisy.error, "'fine'") &&
            contains(noisy.error, "are random") &&
            contains(noisy.error, "'Levels/fine/Noise'"),
          noisy.out + noisy.error);
    check(
      "no points are too few",
      contains(command({"check-gradient", "plain.prm", "--points", "0"}).error,
               "--points"));
  }

  /** What is found of a derivative of exp(x) that is off by a factor. */
  std::vector<GradientFinding>
  findings(const double factor, const double constant = 0.)
  {
    const auto energy = std::make_shared<FormulaEnergy>(
      [=](const double x) { return constant + std::exp(x); },
      [=](const double x) { return factor * std::exp(x); });
    GradientPoint point;
    point.state     = {0.3};
    point.direction = {1.};
    point.scales    = {1.};
    return compare_gradients({{"formula", energy},
                              finite_differences_of(energy, {1.})},
                             point);
  }

  void
  check_comparison()
  {
    const auto right = findings(1.);
    check("a right gradient has order 2",
          right.size() == 2 && right[0].is_right() && right[1].is_right() &&
            std::abs(right[0].order - 2.) < 0.1 && right[0].difference < 1e-8,
          std::to_string(right[0].order));
    for (const double error : {1e-4, 1e-2, -2.})
      {
        const auto wrong = findings(1. + error);
        check("an error of " + std::to_string(error) + " is found",
              wrong[0].has_wrong_order() && !wrong[0].is_right() &&
                std::abs(wrong[0].difference - std::abs(error)) <
                  1e-3 * std::abs(error) &&
                std::abs(wrong[0].order - 1.) < 0.2 &&
                !wrong[1].has_wrong_order(),
              std::to_string(wrong[0].order) + ", " +
                std::to_string(wrong[0].difference));
      }
    // A constant so large that only about five digits are left.
    const auto drowned = findings(1., 1e11);
    check("where rounding hides the order, nothing is held against it",
          std::isnan(drowned[0].order) && drowned[0].is_right(),
          std::to_string(drowned[0].order));
    const auto drowned_and_wrong = findings(-1., 1e11);
    check("but a gross error is found all the same",
          !drowned_and_wrong[0].is_right(),
          std::to_string(drowned_and_wrong[0].difference));
    check("what is not finite is not compared",
          findings(1., std::numeric_limits<double>::infinity()).empty());
  }
} // namespace


int
main()
{
  check_equation();
  check_analytic_energies();
  check_comparison();
  return result();
}
