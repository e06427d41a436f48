// SPDX-License-Identifier: LGPL-2.1-or-later

// A run that ends itself when its draws say that they are enough could wait
// for a moment at which they flatter themselves. Looks are few, so that it does
// not: series with a known law, ended by the rule of 'Effective draws', have
// means without bias and errors that hold what they say. With the first
// argument as the number of seeds (the second: the first of them), the figures
// of doc/results.md.

#include "tests.h"

#include <tempera/output/draws_so_far.h>
#include <tempera/sampler/ensemble.h>

#include <random>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  using Random = std::mt19937_64;

  double
  normal(Random &random)
  {
    return std::normal_distribution<>()(random);
  }

  /** One chain that goes on. */
  using Chain = std::function<double(Random &)>;

  /** x is correlated with the next x by @p memory. */
  Chain
  autoregression(const double memory)
  {
    return [memory, x = 0., is_begun = false](Random &random) mutable {
      x        = is_begun ?
                   memory * x + std::sqrt(1. - memory * memory) * normal(random) :
                   normal(random);
      is_begun = true;
      return x;
    };
  }

  /** Two modes, 20 deviations apart; the share of the second one is 0.3. */
  Chain
  two_modes(const double rate)
  {
    return [rate, is_right = false, is_begun = false](Random &random) mutable {
      const double u = std::uniform_real_distribution<>()(random);
      is_right       = !is_begun ? u < 0.3 :
                       is_right  ? u > 0.7 * rate :
                                   u < 0.3 * rate;
      is_begun       = true;
      return (is_right ? 10. : -10.) + normal(random);
    };
  }

  /** Means in units of their stated errors, of runs that ended themselves. */
  struct Ends
  {
    std::vector<double> errors;
    unsigned int        n_too_long = 0;
    double              n_draws    = 0.;
  };

  Ends
  run_to_the_end(const std::function<Chain()> &make,
                 const double                  truth,
                 const double                  n_wanted,
                 const unsigned int            first,
                 const unsigned int            n_seeds)
  {
    constexpr unsigned int  n_chains    = 4;
    constexpr std::uint64_t most_rounds = 1000000;
    EarlyEnd                looks;
    looks.first_look = 100;

    Ends result;
    for (unsigned int seed = first; seed < first + n_seeds; ++seed)
      {
        Random                           random(seed);
        std::vector<Chain>               chains;
        std::vector<std::vector<double>> draws(n_chains), energies(n_chains);
        for (unsigned int c = 0; c < n_chains; ++c)
          chains.push_back(make());
        std::uint64_t round = 0;
        for (;;)
          {
            for (unsigned int c = 0; c < n_chains; ++c)
              {
                draws[c].push_back(chains[c](random));
                energies[c].push_back(0.5 * draws[c].back() * draws[c].back());
              }
            if (++round == most_rounds)
              {
                ++result.n_too_long;
                break;
              }
            if (!looks.is_look(round))
              continue;
            Analysis analysis;
            analysis.n_chains           = n_chains;
            analysis.n_draws            = n_chains * round;
            analysis.n_used             = analysis.n_draws;
            analysis.replica_r_hat      = std::nan("");
            analysis.energy.name        = "energy";
            analysis.energy.diagnostics = diagnose(energies);
            analysis.columns.resize(1);
            analysis.columns[0].name        = "x";
            analysis.columns[0].diagnostics = diagnose(draws);
            std::vector<std::vector<std::vector<double>>> columns;
            for (const std::vector<double> &chain : draws)
              columns.push_back({chain});
            analysis.modes = find_modes(columns);
            if (!DrawsSoFar(analysis).is_enough(n_wanted))
              continue;
            const EstimatedValue mean = analysis.columns[0].diagnostics.mean;
            result.errors.push_back((mean.value - truth) / mean.error);
            result.n_draws += double(analysis.n_draws) / n_seeds;
            break;
          }
      }
    return result;
  }

  void
  check_ends(const std::string            &name,
             const std::function<Chain()> &make,
             const double                  truth,
             const double                  n_wanted,
             const unsigned int            first,
             const unsigned int            n_seeds,
             const bool                    is_told)
  {
    const Ends   ends = run_to_the_end(make, truth, n_wanted, first, n_seeds);
    double       bias = 0.;
    unsigned int n_within = 0;
    for (const double error : ends.errors)
      {
        bias += error / ends.errors.size();
        n_within += std::abs(error) < 2.;
      }
    const double      n       = ends.errors.size();
    const double      covered = n_within / n;
    const std::string details =
      name + ": " + std::to_string(ends.errors.size()) + " runs of " +
      std::to_string(ends.n_draws) + " draws, bias " + std::to_string(bias) +
      " of the stated error (+-" + std::to_string(1. / std::sqrt(n)) +
      "), within two errors " + std::to_string(100. * covered) + " %";
    if (is_told)
      std::cout << details << std::endl;
    // What is asked for, and what so few seeds cannot know.
    const double unsure = 3.5 * std::sqrt(1. / n);
    check(name + ": every run ends",
          ends.n_too_long == 0,
          std::to_string(ends.n_too_long));
    check(name + ": no bias", std::abs(bias) < 0.2 + unsure, details);
    check(name + ": errors hold what they say",
          covered > 0.9 - 3.5 * std::sqrt(0.09 / n),
          details);
  }
} // namespace



int
main(int argc, char **argv)
{
  const unsigned int n_seeds = argc > 1 ? std::stoi(argv[1]) : 60,
                     first   = argc > 2 ? std::stoi(argv[2]) : 1;
  for (const double n_wanted : {100., 400., 1000.})
    {
      if (argc < 2 && n_wanted == 1000.)
        continue;
      const std::string number = std::to_string(int(n_wanted));
      check_ends(
        "AR(1), memory 0.9, " + number,
        []() { return autoregression(0.9); },
        0.,
        n_wanted,
        first,
        n_seeds,
        argc > 1);
      check_ends(
        "two modes, " + number,
        []() { return two_modes(0.1); },
        -4.,
        n_wanted,
        first,
        n_seeds,
        argc > 1);
    }
  return n_failed;
}
