// SPDX-License-Identifier: LGPL-2.1-or-later

// MALA is exact: see moments_of_kernels.h. SGLD on a quadratic energy has the
// stationary variance (tau + eta g^2/2) / (lambda (1 - eta lambda/2)).

#include "sampler/moments_of_kernels.h"

#include <tempera/analytic/decorators.h>
#include <tempera/sampler/langevin.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Steps that end at a wall are not accepted ones, though the state moves. */
  void
  check_acceptance_at_walls()
  {
    // Flat between 0 and 1: each proposal inside is accepted.
    Gaussian::Parameters parameters;
    parameters.mean       = {0.};
    parameters.covariance = {{1e16}};
    ReferenceParameters reference;
    reference.lower_bounds = std::vector<double>{0.};
    reference.upper_bounds = std::vector<double>{1.};
    const double     size  = 0.3; // of a step, the square root of twice eta
    KernelParameters kernel_parameters;
    kernel_parameters.types      = {"SGLD"};
    kernel_parameters.step_sizes = {0.5 * size * size};
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = std::vector<double>{1.};
    RunParameters run_parameters;
    run_parameters.burn_in    = 1000;
    run_parameters.iterations = 101000;
    ReplicaExchange sampler(
      run_parameters,
      SwapParameters(),
      Ladder(ladder_parameters,
             kernel_parameters,
             {{"fine", std::make_shared<Gaussian>(parameters, reference)}}),
      {{0.5}});
    sampler.run();
    // From a uniform state a step of length s ends outside with probability
    // min(|s|, 1).
    const double outside =
      size * std::sqrt(2. / M_PI) * (1. - std::exp(-0.5 / (size * size))) +
      std::erfc(1. / (size * std::sqrt(2.)));
    const double acceptance = sampler.report().rungs[0].acceptance();
    check("SGLD counts what is reflected as not accepted",
          std::abs(acceptance - (1. - outside)) < 0.01,
          std::to_string(acceptance) + " instead of " +
            std::to_string(1. - outside));
  }
} // namespace


int
main()
{
  check_acceptance_at_walls();
  {
    KernelParameters decaying;
    decaying.of<SGLD>().decay_offset   = 4.;
    decaying.of<SGLD>().decay_exponent = 0.5;
    check("SGLD's step decays as (b + k)^(-gamma)",
          SGLD(decaying).step_factor(21) == 0.2 &&
            SGLD(KernelParameters()).step_factor(21) == 1.);
  }
  check_exact_kernel("MALA", Setting());
  {
    const GaussianCase gaussian = gaussian_case();
    Setting            preconditioned;
    preconditioned.preconditioner = std::vector<double>{2., 1., 0.5};
    check_moments("MALA with given preconditioner, gaussian",
                  gaussian.energy,
                  preconditioned,
                  gaussian.moments);
    preconditioned.preconditioner = "adapt";
    check_moments("MALA with adapted preconditioner, gaussian",
                  gaussian.energy,
                  preconditioned,
                  gaussian.moments);
    preconditioned.preconditioner = "adapt dense";
    check_moments("MALA with dense preconditioner, gaussian",
                  gaussian.energy,
                  preconditioned,
                  gaussian.moments);
  }
  {
    // SGLD reflects: its bias is of the order of the step size.
    Gaussian::Parameters parameters;
    parameters.mean       = {-1.};
    parameters.covariance = {{1.}};
    ReferenceParameters reference;
    reference.lower_bounds = std::vector<double>{0.};
    reference.upper_bounds = std::vector<double>{0.8};
    const auto density     = [](const double x) {
      return std::exp(-0.5 * x * x) / std::sqrt(2. * M_PI);
    };
    const double mass = normal_cdf(1.8) - normal_cdf(1.);
    const double mean = -1. + (density(1.) - density(1.8)) / mass;
    Setting      sgld;
    sgld.kernel    = "SGLD";
    sgld.step_size = 1e-4;
    sgld.rounds    = 2000000;
    sgld.start     = {0.4};
    check_moments("SGLD between two walls",
                  std::make_shared<Gaussian>(parameters, reference),
                  sgld,
                  {{"mean", power(0, 1), mean}},
                  200.);
  }
  {
    const double         lambda = 2., gradient_noise = 3., temperature = 1.5;
    Gaussian::Parameters parameters;
    parameters.mean       = {0.};
    parameters.covariance = {{1. / lambda}};
    const auto noisy =
      std::make_shared<NoisyEnergy>(std::make_shared<Gaussian>(parameters),
                                    0.,
                                    gradient_noise);
    for (const double eta : {0.05, 0.2, 0.6})
      {
        Setting setting;
        setting.kernel      = "SGLD";
        setting.step_size   = eta;
        setting.temperature = temperature;
        setting.rounds      = 1000000;
        check_moments("SGLD with step size " + std::to_string(eta).substr(0, 4),
                      noisy,
                      setting,
                      {{"mean", power(0, 1), 0.},
                       {"variance",
                        power(0, 2),
                        (temperature +
                         eta * gradient_noise * gradient_noise / 2.) /
                          (lambda * (1. - eta * lambda / 2.))}});
      }
  }
  return result();
}
