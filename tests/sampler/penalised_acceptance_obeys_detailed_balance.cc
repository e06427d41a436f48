// SPDX-License-Identifier: LGPL-2.1-or-later

// With noise of variance v on log S and the penalty v/2, the probability that
// a swap is accepted is A(delta) = Phi(delta/s - s/2) + e^delta Phi(-delta/s -
// s/2), s^2 = v, which obeys A(delta) = e^delta A(-delta): detailed balance.
// The values are those of the issue, computed with 10 digits elsewhere.

#include "swap_pair.h"

#include <tempera/analytic/decorators.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  double
  acceptance_formula(const double delta, const double v)
  {
    const double s = std::sqrt(v);
    return normal_cdf(delta / s - s / 2.) +
           std::exp(delta) * normal_cdf(-delta / s - s / 2.);
  }

  struct Case
  {
    double delta, v, acceptance;
  };

  /** Deviation in standard errors of the measured acceptance. */
  double
  deviation(ReplicaExchange &sampler, const double x, const double expected)
  {
    constexpr unsigned int n = 200000;
    for (unsigned int i = 0; i < n; ++i)
      {
        sampler.set_position(0, {x});
        sampler.set_position(1, {0.});
        sampler.finish_round();
      }
    const double measured = sampler.report().pairs[0].acceptance();
    return std::abs(measured - expected) /
           std::sqrt(expected * (1. - expected) / n);
  }
} // namespace


int
main()
{
  const std::vector<Case> cases = {{0., 1., 0.6170750775},
                                   {1., 1., 0.8730632625},
                                   {-1., 1., 0.3211820251},
                                   {0., 4., 0.3173105079},
                                   {2., 8., 0.3649755482},
                                   {-3., 8., 0.0246789581}};

  const auto linear =
    std::make_shared<FormulaEnergy>([](const double x) { return x; },
                                    [](const double) { return 1.; });
  const auto twice =
    std::make_shared<FormulaEnergy>([](const double x) { return 2. * x; },
                                    [](const double) { return 2.; });

  for (const Case &c : cases)
    {
      const std::string name = "delta " + std::to_string(c.delta).substr(0, 4) +
                               ", v " + std::to_string(c.v).substr(0, 3) + ": ";
      check(name + "formula",
            std::abs(acceptance_formula(c.delta, c.v) - c.acceptance) < 1e-10);
      check(name + "formula obeys detailed balance",
            std::abs(acceptance_formula(c.delta, c.v) -
                     std::exp(c.delta) * acceptance_formula(-c.delta, c.v)) <
              1e-12);
      {
        // One energy, temperatures 1 and 2: log S = (U(x) - U(0)) / 2 with
        // noise of variance sigma^2 / 2.
        const double   sigma = std::sqrt(2. * c.v);
        SwapParameters parameters;
        parameters.rule  = "corrected";
        parameters.noise = std::vector<double>{sigma};
        const auto noisy = std::make_shared<NoisyEnergy>(linear, sigma, 0.);
        ReplicaExchange sampler =
          make_swap_pair(noisy, noisy, 1., 2., parameters);
        const double d = deviation(sampler, 2. * c.delta, c.acceptance);
        check(name + "corrected", d < 6., std::to_string(d));
      }
      {
        // Energies x and 2x: log S = x - 2x / 4, one stage; noise sigma and 2
        // sigma, correlated by 0.5, has v / 2 = sigma^2 (1 - 0.5 + 0.25).
        const double   sigma = std::sqrt(c.v / 2. / 0.75);
        SwapParameters parameters;
        parameters.rule         = "exact";
        parameters.two_stage    = false;
        parameters.correlation  = 0.5;
        parameters.noise        = std::vector<double>{sigma, 2. * sigma};
        ReplicaExchange sampler = make_swap_pair(
          std::make_shared<NoisyEnergy>(linear, sigma, 0., 0.5, 0),
          std::make_shared<NoisyEnergy>(twice, 2. * sigma, 0., 0.5, 1),
          1.,
          4.,
          parameters);
        const double d = deviation(sampler, 2. * c.delta, c.acceptance);
        check(name + "exact", d < 6., std::to_string(d));
      }
    }
  return result();
}
