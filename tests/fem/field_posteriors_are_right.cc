// SPDX-License-Identifier: LGPL-2.1-or-later

// The initial temperature of a plate from later measurements: linear, so that
// the posterior of the field is Gaussian and known. Kernels have its mean and
// its variance everywhere, pCN-Langevin with large errors of the data or long
// chains, gpCN with small ones; acceptance is the same on all meshes.

#include "fem/warm_plate.h"
#include "tests.h"

#include <tempera/output/diagnostics.h>
#include <tempera/sampler/replica_exchange.h>

#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** What was measured, beside the output. */
  std::ofstream figures("figures.txt");

  /** What chains say of one number, and what is true. */
  double
  deviation(const std::vector<std::vector<double>> &chains, const double truth)
  {
    const EstimatedValue mean = diagnose(chains).mean;
    return std::abs(mean.value - truth) / mean.error;
  }


  /**
   * Four chains from draws of the prior. Standard errors come from the memory
   * of the chains and from the distances between them: batches of a given
   * length would not notice a memory that is longer.
   */
  void
  check_posterior(const std::string  &kernel,
                  const unsigned int  n_nodes,
                  const double        noise,
                  const std::uint64_t burn_in,
                  const std::uint64_t rounds,
                  const std::uint64_t thinning)
  {
    constexpr unsigned int n_chains = 4;

    const WarmPlate plate(n_nodes, noise);
    const auto [means, deviations] = exact_posterior(plate);
    // By node and chain.
    std::vector<std::vector<std::vector<double>>> values(
      means.size(), std::vector<std::vector<double>>(n_chains));
    double acceptance = 0.;
    for (unsigned int chain = 0; chain < n_chains; ++chain)
      {
        RunParameters run_parameters;
        run_parameters.chain      = chain;
        run_parameters.burn_in    = burn_in;
        run_parameters.iterations = burn_in + rounds;
        run_parameters.thinning   = thinning;
        RandomKey key;
        key.chain = chain;
        ReplicaExchange sampler(run_parameters,
                                SwapParameters(),
                                plate.ladder(kernel, 0.1, true),
                                {plate.prior->sample(key)});
        sampler.signals.draw.connect([&](const Draw &draw) {
          if (!draw.is_burn_in)
            for (std::size_t i = 0; i < values.size(); ++i)
              values[i][chain].push_back(draw.position[i]);
        });
        sampler.run();
        acceptance += sampler.report().rungs[0].acceptance() / n_chains;
      }

    double of_means = 0., of_squares = 0., r_hat = 0., least_size = 1e9;
    for (std::size_t i = 0; i < values.size(); ++i)
      {
        const Diagnostics diagnostics = diagnose(values[i]);
        r_hat                         = std::max(r_hat, diagnostics.r_hat);
        least_size = std::min(least_size, diagnostics.mean_size);
        of_means   = std::max(of_means, deviation(values[i], means[i]));
        for (std::vector<double> &chain : values[i])
          for (double &value : chain)
            value = std::pow(value - means[i], 2);
        of_squares = std::max(of_squares,
                              deviation(values[i], std::pow(deviations[i], 2)));
      }
    const std::string name = kernel + ", " + std::to_string(means.size()) +
                             " nodes, errors of " +
                             std::to_string(noise).substr(0, 4) + ": ";
    const std::string details =
      "means " + std::to_string(of_means) + ", variances " +
      std::to_string(of_squares) + ", R-hat " + std::to_string(r_hat) +
      ", effective size " + std::to_string(least_size) + ", acceptance " +
      std::to_string(acceptance);
    figures << name << details << std::endl;
    check(name + "means within 4 standard errors everywhere",
          of_means < 4.,
          details);
    check(name + "variances within 4 standard errors everywhere",
          of_squares < 4.,
          details);
    check(name + "chains agree everywhere",
          r_hat < 1.01 && least_size > 400.,
          details);
    // Of a linear problem the Laplace approximation is the posterior.
    if (kernel == "gpCN")
      check(name + "everything is accepted", acceptance > 0.999, details);
  }


  /** With the same step, whatever the mesh. */
  void
  check_acceptance()
  {
    std::vector<double> acceptances;
    for (const unsigned int n_nodes : {17, 33, 65})
      {
        const WarmPlate plate(n_nodes, 0.5);
        RunParameters   run_parameters;
        run_parameters.burn_in    = 500;
        run_parameters.iterations = 4500;
        ReplicaExchange     sampler(run_parameters,
                                SwapParameters(),
                                plate.ladder("pCN-Langevin", 0.05, false),
                                {exact_posterior(plate).first});
        double              moved = 0., n = 0.;
        std::vector<double> last;
        sampler.signals.draw.connect([&](const Draw &draw) {
          const std::vector<double> here(draw.position.begin(),
                                         draw.position.end());
          if (!draw.is_burn_in)
            {
              moved += here != last;
              n += 1.;
            }
          last = here;
        });
        sampler.run();
        acceptances.push_back(moved / n);
      }
    const auto [least, most] =
      std::minmax_element(acceptances.begin(), acceptances.end());
    check("the acceptance does not depend on the mesh",
          *most < 1.1 * *least && *most < 0.95 && *least > 0.1,
          std::to_string(*least) + " to " + std::to_string(*most));
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  check_posterior("pCN-Langevin", 9, 0.1, 20000, 200000, 20);
  check_posterior("pCN-Langevin", 33, 0.5, 2000, 10000, 5);
  check_posterior("gpCN", 33, 0.05, 500, 3000, 1);
  check_acceptance();
  return result();
}
