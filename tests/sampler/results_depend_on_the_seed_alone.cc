// SPDX-License-Identifier: LGPL-2.1-or-later

// Same seed, same bits, whatever the order in which rungs are advanced;
// another seed, another chain or another rung gives other numbers.

#include "tests.h"

#include <tempera/analytic/decorators.h>
#include <tempera/analytic/gaussian_mixture.h>
#include <tempera/sampler/replica_exchange.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  constexpr unsigned int n_rungs = 4;

  /** All positions of all rungs in 3,000 rounds, 1,000 of them burn-in. */
  std::vector<double>
  trajectory(const std::uint64_t              seed,
             const std::uint32_t              chain,
             const std::vector<unsigned int> &order,
             const bool                       noisy)
  {
    const auto mixture =
      std::make_shared<GaussianMixture>(GaussianMixture::Parameters());
    const auto coarse = std::make_shared<BiasedEnergy>(mixture, 0.3, 2.);
    std::vector<Level> levels = {{"fine", mixture}, {"coarse", coarse}};
    if (noisy)
      for (unsigned int i = 0; i < 2; ++i)
        levels[i].energy =
          std::make_shared<NoisyEnergy>(levels[i].energy, 0.5, 0.5, 0.5, i);

    LadderParameters ladder_parameters;
    ladder_parameters.n_rungs      = n_rungs;
    ladder_parameters.temperatures = "automatic";
    ladder_parameters.levels       = {"fine", "fine", "coarse", "coarse"};
    KernelParameters kernel_parameters;
    kernel_parameters.preconditioner  = "adapt";
    kernel_parameters.steps_per_round = {1, 2, 3, 1};
    kernel_parameters.types           = {noisy ? "SGLD" : "MALA"};
    RunParameters run_parameters;
    run_parameters.seed       = seed;
    run_parameters.chain      = chain;
    run_parameters.burn_in    = 1000;
    run_parameters.iterations = 3000;
    ReplicaExchange sampler(run_parameters,
                            SwapParameters(),
                            Ladder(ladder_parameters,
                                   kernel_parameters,
                                   levels),
                            {{0.}});

    std::vector<double> positions;
    sampler.signals.draw.connect([&](const Draw &draw) {
      positions.push_back(draw.position[0]);
      positions.push_back(draw.energy());
    });
    for (unsigned int round = 0; round < run_parameters.iterations; ++round)
      {
        for (const unsigned int rung : order)
          sampler.advance(rung);
        sampler.finish_round();
      }
    return positions;
  }
} // namespace


int
main()
{
  for (const bool noisy : {false, true})
    {
      const std::string name = noisy ? "stochastic: " : "deterministic: ";
      const auto        base = trajectory(5, 0, {0, 1, 2, 3}, noisy);
      check(name + "same again", base == trajectory(5, 0, {0, 1, 2, 3}, noisy));
      check(name + "backwards", base == trajectory(5, 0, {3, 2, 1, 0}, noisy));
      check(name + "mixed", base == trajectory(5, 0, {2, 0, 3, 1}, noisy));
      check(name + "another seed",
            base != trajectory(6, 0, {0, 1, 2, 3}, noisy));
      check(name + "another chain",
            base != trajectory(5, 1, {0, 1, 2, 3}, noisy));
    }
  return result();
}
