// SPDX-License-Identifier: LGPL-2.1-or-later

// Effective draws of HMC against those of MALA, where trajectories pay (a
// hundred unknowns of different scales, unit mass) and where the mass does (a
// needle). Of all x, x^2 and the energy the least counts; sizes are means over
// seeds. tests/sampler/hmc_is_exact_and_far_sighted has a short form.
//
// Usage: hmc_benchmark [SEEDS [FIRST_SEED]]

#include "sampler/effective_draws.h"

#include <cstdio>
#include <cstdlib>

namespace
{
  using namespace Tempera;
  using namespace Tempera::Testing;

  void
  print(const std::string    &name,
        const EffectiveDraws &draws,
        const std::uint64_t   rounds)
  {
    std::printf("%-44s %9.1f effective draws (%s), %9.0f gradients, "
                "%.3g per gradient, %.3f per draw, acceptance %.3f\n",
                name.c_str(),
                draws.least,
                draws.of.c_str(),
                draws.gradients,
                draws.per_gradient(),
                draws.least / rounds,
                draws.acceptance);
    std::fflush(stdout);
  }
} // namespace


int
main(int argc, char **argv)
{
  const unsigned int n_seeds    = argc > 1 ? std::atoi(argv[1]) : 20;
  const unsigned int first_seed = argc > 2 ? std::atoi(argv[2]) : 1;

  {
    const CorrelatedGaussian energy(geometric_deviations(100, 100.), 0.);
    const EffectiveDraws     hmc =
      effective_draws(energy,
                      "set Type = HMC\nsubsection HMC\nset Mass = unit\nend",
                      2000,
                      4000,
                      n_seeds,
                      first_seed);
    print("100 unknowns, condition 1e4, HMC, unit mass", hmc, 4000);
    const EffectiveDraws mala = effective_draws(
      energy, "set Type = MALA", 200000, 1000000, n_seeds, first_seed);
    print("100 unknowns, condition 1e4, MALA", mala, 1000000);
    std::printf("ratio per gradient %.1f\n",
                hmc.per_gradient() / mala.per_gradient());
  }

  for (const unsigned int dimension : {2u, 20u})
    for (const std::string settings :
         {"set Type = HMC\nsubsection HMC\nset Mass = dense\nend",
          "set Type = MALA\nset Preconditioner = adapt dense"})
      {
        double least[2];
        for (const unsigned int k : {0u, 1u})
          {
            const double             correlation = k == 0 ? 0. : 0.9994;
            const CorrelatedGaussian energy(std::vector<double>(dimension, 1.),
                                            correlation);
            const EffectiveDraws     draws = effective_draws(
              energy, settings, 4000, 10000, n_seeds, first_seed);
            print(std::to_string(dimension) + " unknowns, " +
                    settings.substr(11, settings.find('\n') - 11) +
                    ", correlation " + std::to_string(correlation).substr(0, 6),
                  draws,
                  10000);
            least[k] = draws.least;
          }
        std::printf("share of the effective draws %.3f\n", least[1] / least[0]);
      }
}
