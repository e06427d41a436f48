// SPDX-License-Identifier: LGPL-2.1-or-later

// Laws with a known number of modes: a ring, a banana, a funnel, heavy tails
// and normal laws have one; mixtures of normal laws, eight or more standard
// deviations apart, have as many as they have parts, down to parts of 3 %.
// The numbers of the method were chosen with other seeds than these.

#include "tests.h"

#include <tempera/output/modes.h>

#include <random>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  using Random = std::mt19937_64;
  using Law    = std::function<std::vector<double>(Random &)>;
  /** By chain and column. */
  using Chains = std::vector<std::vector<std::vector<double>>>;

  double
  normal(Random &random)
  {
    return std::normal_distribution<>()(random);
  }

  double
  uniform(Random &random)
  {
    return std::uniform_real_distribution<>()(random);
  }

  Chains
  draw(const Law         &law,
       const unsigned int seed,
       const std::size_t  n        = 2000,
       const unsigned int n_chains = 1)
  {
    Random random(seed);
    Chains chains(n_chains);
    for (auto &chain : chains)
      for (std::size_t i = 0; i < n; ++i)
        {
          const std::vector<double> x = law(random);
          chain.resize(x.size());
          for (std::size_t k = 0; k < x.size(); ++k)
            chain[k].push_back(x[k]);
        }
    return chains;
  }

  /** Normal laws at multiples of @p distance along the first unknowns. */
  Law
  mixture(const unsigned int         dimension,
          const std::vector<double> &shares,
          const double               distance)
  {
    return [=](Random &random) {
      std::vector<double> x;
      for (unsigned int i = 0; i < dimension; ++i)
        x.push_back(normal(random));
      double       number = uniform(random);
      unsigned int part   = 0;
      while (part + 1 < shares.size() && number > shares[part])
        number -= shares[part++];
      x[0] += distance * (part % 2);
      if (dimension > 1)
        x[1] += distance * (part / 2);
      return x;
    };
  }

  Law
  ring(const double width)
  {
    return [=](Random &random) {
      const double angle  = 2. * 3.14159265358979 * uniform(random),
                   radius = 1. + width * normal(random);
      return std::vector<double>{radius * std::cos(angle),
                                 radius * std::sin(angle)};
    };
  }

  Law
  funnel(const unsigned int dimension)
  {
    return [=](Random &random) {
      std::vector<double> x = {3. * normal(random)};
      while (x.size() < dimension)
        x.push_back(std::exp(0.5 * x[0]) * normal(random));
      return x;
    };
  }


  void
  check_number(const std::string &name, const Law &law, const std::size_t n)
  {
    constexpr unsigned int n_seeds = 5;
    unsigned int           n_right = 0;
    for (unsigned int seed = 0; seed < n_seeds; ++seed)
      n_right += find_modes(draw(law, 77000 + seed)).modes.size() == n;
    check(name, n_right == n_seeds, std::to_string(n_right));
  }


  void
  check_shares()
  {
    // The shares of independent draws have the error sqrt(p (1 - p) / n).
    const Modes found =
      find_modes(draw(mixture(2, {0.7, 0.2, 0.06, 0.04}, 10.), 5, 5000, 4));
    const std::vector<double> shares = {0.7, 0.2, 0.06, 0.04};
    bool                      right  = found.modes.size() == 4;
    for (unsigned int i = 0; right && i < 4; ++i)
      {
        const Mode  &mode  = found.modes[i];
        const double error = std::sqrt(shares[i] * (1. - shares[i]) / 20000.);
        right              = std::abs(mode.share - shares[i]) < 4. * error &&
                std::abs(mode.error / error - 1.) < 0.3 && mode.r_hat < 1.01 &&
                std::abs(mode.centre[0] - 10. * (i % 2)) < 0.2 &&
                std::abs(mode.centre[1] - 10. * (i / 2)) < 0.2;
      }
    check("shares, errors and centres, the largest first", right);

    bool labels = found.labels.size() == 4 && found.labels[0].size() == 5000;
    // Half way at 5 standard deviations: nobody is beyond.
    const Chains draws =
      draw(mixture(2, {0.7, 0.2, 0.06, 0.04}, 10.), 5, 5000, 4);
    std::size_t n_wrong = 0;
    for (std::size_t i = 0; labels && i < 5000; ++i)
      n_wrong += found.labels[2][i] !=
                 unsigned(draws[2][0][i] > 5.) + 2 * (draws[2][1][i] > 5.);
    check("every draw belongs to its mode",
          labels && n_wrong < 3,
          std::to_string(n_wrong));

    // Two chains, each in a mode of its own: the shares are not known.
    const Chains one  = draw(mixture(2, {1.}, 0.), 6, 2000),
                 two  = draw(mixture(2, {0., 1.}, 10.), 7, 2000);
    const Modes stuck = find_modes({one[0], two[0]});
    check("chains that never change modes have no error",
          stuck.modes.size() == 2 && std::isnan(stuck.modes[0].error) &&
            std::isinf(stuck.modes[0].r_hat));
  }


  void
  check_odd_draws()
  {
    check("no draws",
          find_modes({}).modes.empty() && find_modes({{{}}}).modes.empty());
    check("few draws are one mode",
          find_modes({{{1., 2., 30., 31.}}}).modes.size() == 1);
    check("all draws equal",
          find_modes({{std::vector<double>(500, 1.)}}).modes.size() == 1);

    // Rejections repeat draws; a constant says nothing.
    Chains              repeated = draw(mixture(1, {0.5, 0.5}, 10.), 8, 2000);
    const auto         &column   = repeated[0][0];
    std::vector<double> values;
    for (std::size_t i = 0; i < 6000; ++i)
      values.push_back(column[i / 3]);
    repeated[0] = {values, std::vector<double>(6000, 3.)};
    check("repeated draws, and a constant",
          find_modes(repeated).modes.size() == 2);

    // A heap at a wall, and one value that is taken often.
    Random              random(9);
    std::vector<double> wall, often;
    for (unsigned int i = 0; i < 3000; ++i)
      {
        wall.push_back(std::abs(normal(random)));
        often.push_back(i % 2 == 0 ? 0. : normal(random));
      }
    check("a heap at a wall", find_modes({{wall}}).modes.size() == 1);
    check("one value that is taken often",
          find_modes({{often}}).modes.size() == 1);
  }
} // namespace

int
main()
{
  for (const unsigned int dimension : {1, 2, 5, 10})
    check_number("normal law in " + std::to_string(dimension) + " dimensions",
                 mixture(dimension, {1.}, 0.),
                 1);
  check_number("a ring", ring(0.1), 1);
  check_number("a thin ring", ring(0.03), 1);
  check_number(
    "a banana",
    [](Random &random) {
      const double x = normal(random);
      return std::vector<double>{x, x * x + 0.2 * normal(random)};
    },
    1);
  check_number("a funnel in 2 dimensions", funnel(2), 1);
  check_number("a funnel in 5 dimensions", funnel(5), 1);
  check_number(
    "heavy tails",
    [](Random &random) {
      const double scale =
        std::sqrt(std::chi_squared_distribution<>(3)(random) / 3.);
      return std::vector<double>{normal(random) / scale,
                                 normal(random) / scale};
    },
    1);
  check_number(
    "a uniform law",
    [](Random &random) {
      return std::vector<double>{uniform(random), uniform(random)};
    },
    1);
  for (const unsigned int dimension : {1, 2, 10})
    {
      const std::string where =
        " in " + std::to_string(dimension) + " dimensions";
      check_number("two halves" + where, mixture(dimension, {0.5, 0.5}, 8.), 2);
      check_number("3 % far away" + where,
                   mixture(dimension, {0.97, 0.03}, 15.),
                   2);
    }
  check_number("four quarters in 5 dimensions",
               mixture(5, {0.25, 0.25, 0.25, 0.25}, 8.),
               4);
  check_shares();
  check_odd_draws();
  return result();
}
