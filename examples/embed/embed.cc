// SPDX-License-Identifier: LGPL-2.1-or-later

// Two runs without a parameter file: an energy that is a function, and a model
// with two fidelities. Each leaves a whole folder, as 'tempera run' does.

#include <tempera/run/run.h>
#include <tempera/target/energy_target.h>
#include <tempera/target/forward_target.h>

#include <cmath>
#include <iostream>

using namespace Tempera;

/** What is left of something at six times, by some steps of Euler's method. */
struct Decay : FunctionModel
{
  Decay(const unsigned int n)
    : FunctionModel(2, 6, [n](const auto &theta, const auto &left) {
      for (unsigned int i = 0; i < 6; ++i)
        left[i] = theta[0] * std::pow(1. - theta[1] * 0.2 * (i + 1) / n, n);
    })
  {}
};

int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  RunSettings                                    settings;
  settings.run.iterations = 20000;
  settings.run.burn_in    = 2000;
  const RunOptions options{OldRun::overwrite};

  EnergyTarget ring("ring", {{"x"}, {"y"}}, [](const auto &p, const auto &g) {
    const double radius = std::hypot(p[0], p[1]), misfit = (radius - 1.) / 0.1;
    for (unsigned int i = 0; i < g.size(); ++i)
      g[i] = misfit / 0.1 * p[i] / radius;
    return 0.5 * misfit * misfit;
  });
  settings.folder       = "output/ring";
  settings.start.points = {{1., 0.}};
  run(ring, settings, std::cout, options);

  ForwardTarget decay({{"fine", std::make_shared<Decay>(100)},
                       {"coarse", std::make_shared<Decay>(5)}},
                      {{"amount", Prior::log_normal(1., 1.)},
                       {"rate", Prior::uniform(0., 2.)}},
                      {1.63, 1.36, 1.07, 0.9, 0.75, 0.58},
                      0.03);
  settings.folder        = "output/decay";
  settings.start.points  = {};
  settings.ladder.levels = {"fine", "coarse"};
  run(decay, settings, std::cout, options);
}
