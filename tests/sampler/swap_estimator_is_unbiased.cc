// SPDX-License-Identifier: LGPL-2.1-or-later

// The mean of exp(log S - penalty) over Gaussian noise is the S of the exact
// energies: for the rule `multi-variance` with any correlation of the levels'
// noise. The two errata of the paper are shown to fail the same test: the
// printed minus sign, and the correction for correlation 1 where it is not 1.

#include "tests.h"

#include <tempera/sampler/ladder.h>
#include <tempera/sampler/swap_rule.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Both levels have the energies of the two states, with noise. */
  class NoisyPair : public PairEnergies
  {
  public:
    const Evaluation &
    operator()(const Side energy_of, const Side state_of) override
    {
      return evaluations[energy_of][state_of];
    }

    Evaluation evaluations[2][2];
  };

  struct Case
  {
    double a1, a2, sigma1, sigma2, tau1, tau2, rho, energy_difference;
  };

  constexpr unsigned int n_samples = 400000;

  /** Deviation of the mean of S from its truth, in standard errors. */
  double
  deviation(const Case  &c,
            const double sign_of_second,
            const double rho_assumed)
  {
    SwapParameters parameters;
    parameters.weights     = {c.a1, c.a2};
    parameters.correlation = rho_assumed;
    const MultiVarianceSwap rule(parameters);

    Rung cold_rung, hot_rung;
    hot_rung.level                = 1;
    cold_rung.noise               = c.sigma1;
    hot_rung.noise                = c.sigma2;
    cold_rung.exponents.potential = cold_rung.exponents.reference = 1. / c.tau1;
    hot_rung.exponents.potential = hot_rung.exponents.reference = 1. / c.tau2;
    const double gap = 1. / c.tau1 - 1. / c.tau2;

    const double state_energies[2] = {c.energy_difference, 0.};
    const double sigmas[2]         = {c.sigma1, c.sigma2};

    RandomKey key;
    key.seed = 1234;
    std::vector<double> normals(4);
    NoisyPair           pair;
    std::vector<double> ratios;
    for (key.round = 0; key.round < n_samples; ++key.round)
      {
        fill_normals(key, dealii::make_array_view(normals));
        for (const Side state : {cold, hot})
          for (const Side level : {cold, hot})
            {
              // The hot level's noise is correlated with the cold one's.
              const double noise =
                level == cold ?
                  normals[2 * state] :
                  c.rho * normals[2 * state] +
                    std::sqrt(1. - c.rho * c.rho) * normals[2 * state + 1];
              pair.evaluations[level][state].potential =
                state_energies[state] + sigmas[level] * noise;
            }
        double log_ratio = rule.log_ratio(0, cold_rung, hot_rung, pair);
        if (sign_of_second < 0.)
          log_ratio -= 2. * gap * c.a2 *
                       (pair.evaluations[hot][cold].potential -
                        pair.evaluations[hot][hot].potential);
        ratios.push_back(
          std::exp(log_ratio - rule.noise_penalty(0, cold_rung, hot_rung)));
      }
    return estimate(ratios).deviation(std::exp(gap * c.energy_difference));
  }
} // namespace


int
main()
{
  const std::vector<Case> cases = {{0.5, 0.5, 0.5, 1.0, 1., 2., 1.0, 0.7},
                                   {0.5, 0.5, 0.5, 1.0, 1., 2., 0.3, 0.7},
                                   {0.9, 0.1, 0.4, 1.5, 1., 10., 1.0, -0.5},
                                   {0.9, 0.1, 0.4, 1.5, 1., 10., 0.0, -0.5},
                                   {0.2, 0.8, 0.3, 0.8, 0.5, 1., 0.5, 1.3},
                                   {1.0, 0.0, 0.6, 5.0, 1., 5., 0.7, 1.0},
                                   {0.3, 0.7, 1.0, 0.5, 2., 20., -0.4, 2.0}};

  for (unsigned int i = 0; i < cases.size(); ++i)
    {
      const Case       &c    = cases[i];
      const std::string name = "case " + std::to_string(i) + ": ";

      const double right = deviation(c, 1., c.rho);
      check(name + "unbiased", right < 6., std::to_string(right));
      if (c.a2 > 0.)
        {
          const double wrong_sign = deviation(c, -1., c.rho);
          check(name + "biased with the printed minus sign",
                wrong_sign > 20.,
                std::to_string(wrong_sign));
        }
      if (c.a2 > 0. && c.rho < 0.5)
        {
          const double wrong_correlation = deviation(c, 1., 1.);
          check(name + "biased if correlation 1 is assumed",
                wrong_correlation > 8.,
                std::to_string(wrong_correlation));
        }
    }

  bool refused = false;
  try
    {
      SwapParameters parameters;
      parameters.weights = {0.5, 0.6};
      const MultiVarianceSwap rule(parameters);
    }
  catch (const UserError &)
    {
      refused = true;
    }
  check("weights that do not sum to 1 are refused", refused);
  return result();
}
