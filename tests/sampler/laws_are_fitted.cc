// SPDX-License-Identifier: LGPL-2.1-or-later

// Kernels that fit a law to the states of the burn-in, and draw from it: the
// fit is nearly the law itself, its density is that of its draws, and steps are
// worth far more than those of a walk, also where scales differ by decades.
// That steps keep their law is in one_step_keeps_the_law.

#include "sampler/effective_draws.h"
#include "tests.h"

#include <tempera/analytic/banana.h>
#include <tempera/sampler/fitted_mixture.h>

#include <random>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Two normal laws in the plane; one has a tenth of the width. */
  std::vector<double>
  draws_of_two(const unsigned int n)
  {
    std::mt19937_64                  random(7);
    std::normal_distribution<double> normal;
    std::vector<double>              result;
    for (unsigned int k = 0; k < n; ++k)
      {
        const bool   is_wide = random() % 2 == 0;
        const double x = normal(random), y = normal(random);
        result.push_back(is_wide ? 5. + x : -5. + 0.1 * x);
        result.push_back(is_wide ? x + 0.1 * y : 0.1 * y);
      }
    return result;
  }

  double
  log_density_of_two(const double x, const double y)
  {
    const double wide   = 10. * std::exp(-0.5 * (std::pow(x - 5., 2) +
                                               100. * std::pow(y - x + 5., 2))),
                 narrow = 100. * std::exp(-50. * (std::pow(x + 5., 2) + y * y));
    return std::log(0.5 * wide + 0.5 * narrow);
  }

  void
  check_fit()
  {
    const FittedMixture two(draws_of_two(500), 2);
    check("two laws are two parts or a few",
          two.n_parts() > 1 && two.n_parts() < 8,
          std::to_string(two.n_parts()));
    // Mean logarithm of the law over the fit, at new states: the divergence of
    // Kullback and Leibler, of which the wide tails alone are -log 0.7 = 0.36.
    const std::vector<double> states = draws_of_two(4000);
    double                    here   = 0.;
    for (unsigned int k = 2000; k < 4000; ++k)
      here += log_density_of_two(states[2 * k], states[2 * k + 1]) / 2000.;
    const double divergence =
      here - two.mean_log_density({states.begin() + 4000, states.end()});
    check("which are nearly those laws",
          divergence > 0.2 && divergence < 0.4,
          std::to_string(divergence));
    check("as the fit expects",
          std::abs(two.expected_log_density() - here + divergence) < 0.2,
          std::to_string(two.expected_log_density()));
    check("few states make no law",
          FittedMixture(draws_of_two(20), 2).is_empty());

    // The integral of the law, by draws of the fit.
    double        sum = 0., squares = 0.;
    constexpr int n = 100000;
    RandomKey     key;
    for (int k = 0; k < n; ++k)
      {
        std::vector<double> place(2);
        key.round = k;
        two.draw(key, place);
        // Both leave the factor 1 / (2 pi) out.
        const double weight = std::exp(log_density_of_two(place[0], place[1]) -
                                       two.log_density(place));
        sum += weight / n;
        squares += weight * weight / n;
      }
    const double error = std::sqrt((squares - sum * sum) / n);
    check("the density is that of the draws",
          std::abs(sum - 1.) < 5. * error && error < 0.01,
          std::to_string(sum) + " +- " + std::to_string(error));
  }


  void
  check_worth()
  {
    const Banana         bent{Banana::Parameters()};
    const EffectiveDraws walk =
      effective_draws(bent, "set Type = differences", 4000, 20000, 4);
    const EffectiveDraws fitted =
      effective_draws(bent, "set Type = differences + mixture", 4000, 20000, 4);
    check("on a banana a fitted law makes far more effective draws",
          fitted.least > 2.5 * walk.least,
          std::to_string(fitted.least) + " and " + std::to_string(walk.least));

    // No walk would find these scales in so short a burn-in.
    const CorrelatedGaussian decades(geometric_deviations(20, 1e4), 0.99);
    const EffectiveDraws     laplace =
      effective_draws(decades, "set Type = Laplace", 32, 4000, 2);
    check("the law at the maximum knows all scales at once",
          laplace.least > 1500.,
          std::to_string(laplace.least) + " of 4000, " + laplace.of);
  }
} // namespace


int
main()
{
  check_fit();
  check_worth();
  return result();
}
