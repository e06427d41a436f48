// SPDX-License-Identifier: LGPL-2.1-or-later

// On the mixture 0.4 N(-4, 0.7^2) + 0.6 N(3, 0.5^2), replica exchange at
// temperatures 1 and 10 recovers the weight 0.4: with one energy, with a biased
// energy in the hot rung, with random pairs between three rungs of unequal
// work, and with noisy energies whose noise is estimated. A single chain does
// not leave its mode, and noise without its penalty spoils the weight.

#include "tests.h"

#include <tempera/analytic/decorators.h>
#include <tempera/analytic/gaussian_mixture.h>
#include <tempera/sampler/replica_exchange.h>

#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  struct Setting
  {
    LadderParameters   ladder;
    KernelParameters   kernel;
    SwapParameters     swaps;
    std::vector<Level> levels;
    std::uint64_t      rounds = 1000000;
  };

  /** A ladder at temperatures 1 and 10 on one level. */
  Setting
  two_rungs(const std::shared_ptr<const Energy> &energy)
  {
    Setting setting;
    setting.ladder.temperatures = std::vector<double>{1., 10.};
    setting.levels              = {{"fine", energy}};
    return setting;
  }

  Estimate
  weight_of_left_mode(const std::string &name, const Setting &setting)
  {
    RunParameters run_parameters;
    run_parameters.burn_in    = 10000;
    run_parameters.iterations = run_parameters.burn_in + setting.rounds;
    ReplicaExchange     sampler(run_parameters,
                            setting.swaps,
                            Ladder(setting.ladder,
                                   setting.kernel,
                                   setting.levels),
                            {{3.}});
    std::vector<double> is_left;
    sampler.signals.draw.connect([&](const Draw &draw) {
      if (draw.rung == 0 && !draw.is_burn_in)
        is_left.push_back(draw.position[0] < -0.5 ? 1. : 0.);
    });
    sampler.run();

    const Estimate result = estimate(is_left);
    std::ofstream("estimates.txt", std::ios::app)
      << name << ": " << result.text(0.4) << std::endl;
    return result;
  }

  void
  check_weight(const std::string &name, const Setting &setting)
  {
    const Estimate weight = weight_of_left_mode(name, setting);
    check(name,
          weight.deviation(0.4) < 6. && weight.effective_size > 1e4,
          weight.text(0.4));
  }
} // namespace


int
main()
{
  // The figures behind the verdicts.
  std::ofstream("estimates.txt") << "weight of the left mode" << std::endl;

  const auto mixture =
    std::make_shared<GaussianMixture>(GaussianMixture::Parameters());
  const auto biased = std::make_shared<BiasedEnergy>(mixture, 0.5, 4.);
  {
    Setting setting = two_rungs(mixture);
    check_weight("exact, one energy", setting);
    setting.swaps.rule = "corrected";
    check_weight("corrected, one energy", setting);
  }
  {
    Setting setting = two_rungs(mixture);
    setting.levels.push_back({"coarse", biased});
    setting.ladder.levels = {"fine", "coarse"};
    check_weight("exact, biased hot energy", setting);

    setting.ladder.temperatures    = std::vector<double>{1., 3., 10.};
    setting.ladder.levels          = {"fine", "coarse", "coarse"};
    setting.kernel.steps_per_round = {1, 2, 3};
    setting.swaps.pairs            = PairChoice::random;
    setting.swaps.every            = 2;
    check_weight("exact, random pairs and several steps per round", setting);
  }
  {
    // SGLD has a bias of its own, of the order of the step size.
    Setting setting =
      two_rungs(std::make_shared<NoisyEnergy>(mixture, 1.5, 0.5));
    setting.rounds            = 3000000;
    setting.kernel.types      = {"SGLD"};
    setting.kernel.step_sizes = {0.005, 0.02};
    const Estimate estimated  = weight_of_left_mode("noise estimated", setting);
    check("exact, noise estimated",
          std::abs(estimated.mean - 0.4) <
              0.01 + 6. * estimated.standard_error &&
            estimated.standard_error < 0.01,
          estimated.text(0.4));
    setting.swaps.noise = std::vector<double>{0.};
    const Estimate without =
      weight_of_left_mode("noise without penalty", setting);
    check("noise without its penalty is caught",
          std::abs(without.mean - 0.4) > 0.01 + 6. * without.standard_error,
          without.text(0.4));
  }
  {
    Setting setting             = two_rungs(mixture);
    setting.ladder.temperatures = std::vector<double>{1.};
    const Estimate single       = weight_of_left_mode("single chain", setting);
    check("a single chain stays in its mode",
          single.mean == 0.,
          single.text(0.));
  }
  return result();
}
