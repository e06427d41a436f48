// SPDX-License-Identifier: LGPL-2.1-or-later

// On the mixture 0.4 N(-4, 0.7^2) + 0.6 N(3, 0.5^2), replica exchange at
// temperatures 1 and 10 recovers the weight 0.4, also with a biased energy in
// the hot rung, and with pairs at random between three rungs of unequal work; a
// single chain does not leave its mode.

#include "tests.h"

#include <tempera/analytic/decorators.h>
#include <tempera/analytic/gaussian_mixture.h>
#include <tempera/sampler/replica_exchange.h>

#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  Estimate
  weight_of_left_mode(const std::vector<double>           &temperatures,
                      const std::shared_ptr<const Energy> &hot_energy,
                      const std::shared_ptr<const Energy> &cold_energy,
                      const bool                           random = false)
  {
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = temperatures;
    if (temperatures.size() > 1)
      {
        ladder_parameters.levels = {"fine", "coarse"};
        ladder_parameters.levels.resize(temperatures.size(), "coarse");
      }
    KernelParameters kernel_parameters;
    SwapParameters   swap_parameters;
    if (random)
      {
        kernel_parameters.steps_per_round = {1, 2, 3};
        swap_parameters.pairs             = "random";
        swap_parameters.every             = 2;
      }
    RunParameters run_parameters;
    run_parameters.burn_in    = 10000;
    run_parameters.iterations = 1010000;
    ReplicaExchange     sampler(run_parameters,
                            kernel_parameters,
                            swap_parameters,
                            Ladder(ladder_parameters,
                                   kernel_parameters,
                                   {{"fine", cold_energy},
                                        {"coarse", hot_energy}}),
                            {{3.}});
    std::vector<double> is_left;
    sampler.signals.draw.connect([&](const Draw &draw) {
      if (draw.rung == 0 && !draw.is_burn_in)
        is_left.push_back(draw.position[0] < -0.5 ? 1. : 0.);
    });
    sampler.run();
    return estimate(is_left);
  }
} // namespace


int
main()
{
  const auto mixture =
    std::make_shared<GaussianMixture>(GaussianMixture::Parameters());
  const auto biased = std::make_shared<BiasedEnergy>(mixture, 0.5, 4.);

  const Estimate same = weight_of_left_mode({1., 10.}, mixture, mixture);
  check("weight with one energy",
        same.deviation(0.4) < 6. && same.effective_size > 1e4,
        same.text(0.4));

  const Estimate different = weight_of_left_mode({1., 10.}, biased, mixture);
  check("weight with a biased hot energy",
        different.deviation(0.4) < 6. && different.effective_size > 1e4,
        different.text(0.4));

  const Estimate random =
    weight_of_left_mode({1., 3., 10.}, biased, mixture, true);
  check("weight with random pairs and several steps per round",
        random.deviation(0.4) < 6. && random.effective_size > 1e4,
        random.text(0.4));

  const Estimate single = weight_of_left_mode({1.}, mixture, mixture);
  check("a single chain stays in its mode", single.mean == 0., single.text(0.));

  // For the curious; too long for a line of output that is compared.
  std::ofstream("estimates.txt")
    << "one energy: " << same.text(0.4)
    << "\nbiased hot energy: " << different.text(0.4)
    << "\nrandom pairs: " << random.text(0.4) << std::endl;
  return result();
}
