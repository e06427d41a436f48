// SPDX-License-Identifier: LGPL-2.1-or-later

// Two normal laws in one to five dimensions. The cold rung sits in one of them
// (a mode is missed) or has both with their shares (nothing is missed); hotter
// rungs are sampled by a plain Metropolis walk from the tempered law. Over 400
// cases each, with other seeds than these, all are caught and none is false;
// here are some of them.

#include "tests.h"

#include <tempera/output/missed_modes.h>

#include <random>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** What a rung says in one synthetic case. */
  struct Case
  {
    Case(const unsigned int number,
         const bool         is_missed,
         const unsigned int n_chains,
         const unsigned int n_draws = 3000)
      : random(7919 * number + is_missed)
      , dimension(1 + number % 5)
      , distance(4. + 6. * uniform())
      , share(is_missed ? 0.2 + 0.6 * uniform() : 0.05 + 0.9 * uniform())
      , direction(dimension, 0.)
    {
      // Along the first unknown, or across all of them.
      if (number % 2 == 0)
        direction[0] = 1.;
      else
        direction.assign(dimension, 1. / std::sqrt(double(dimension)));
      for (unsigned int i = 0; i < dimension; ++i)
        names.push_back("x" + std::to_string(i));
      for (unsigned int chain = 0; chain < n_chains; ++chain)
        chains.push_back({cold_rung(is_missed, n_draws),
                          hot_rung(3., n_draws),
                          hot_rung(8., n_draws)});
    }

    double
    uniform()
    {
      return std::uniform_real_distribution<>()(random);
    }

    double
    normal()
    {
      return std::normal_distribution<>()(random);
    }

    double
    log_density(const std::vector<double> &x) const
    {
      double square[2] = {};
      for (unsigned int i = 0; i < dimension; ++i)
        for (const int side : {0, 1})
          square[side] +=
            std::pow(x[i] + (side == 0 ? 0.5 : -0.5) * distance * direction[i],
                     2);
      const double one     = std::log(1. - share) - 0.5 * square[0],
                   other   = std::log(share) - 0.5 * square[1],
                   largest = std::max(one, other);
      return largest +
             std::log(std::exp(one - largest) + std::exp(other - largest));
    }

    RungSample
    cold_rung(const bool is_missed, const unsigned int n_draws)
    {
      RungSample          sample;
      std::vector<double> x(dimension, 0.);
      bool                second = !is_missed && uniform() < share;
      sample.columns.resize(dimension);
      for (unsigned int draw = 0; draw < n_draws; ++draw)
        {
          if (!is_missed && uniform() < 0.02)
            second = uniform() < share;
          for (unsigned int i = 0; i < dimension; ++i)
            {
              x[i] = 0.9 * x[i] + std::sqrt(0.19) * normal();
              sample.columns[i].push_back(x[i] + (second ? 0.5 : -0.5) *
                                                   distance * direction[i]);
            }
        }
      return sample;
    }

    RungSample
    hot_rung(const double temperature, const unsigned int n_draws)
    {
      constexpr unsigned int burn_in = 2000, thinning = 5;

      const double step = 2.4 * std::sqrt(temperature / dimension);
      RungSample   sample;
      sample.columns.resize(dimension);
      std::vector<double> x(dimension, 0.), y;
      double              here = log_density(x);
      for (unsigned int i = 0; i < burn_in + thinning * n_draws; ++i)
        {
          y = x;
          for (double &entry : y)
            entry += step * normal();
          const double there = log_density(y);
          if (std::log(uniform()) < (there - here) / temperature)
            {
              x    = y;
              here = there;
            }
          if (i >= burn_in && i % thinning == 0)
            {
              for (unsigned int k = 0; k < dimension; ++k)
                sample.columns[k].push_back(x[k]);
              // U = -log density: exp(-(1 - 1/tau) U).
              sample.log_weights.push_back((1. - 1. / temperature) * here);
            }
        }
      return sample;
    }

    MissedModes
    look() const
    {
      return find_missed_modes(names, chains);
    }

    std::mt19937_64                      random;
    const unsigned int                   dimension;
    const double                         distance, share;
    std::vector<double>                  direction;
    std::vector<std::string>             names;
    std::vector<std::vector<RungSample>> chains;
  };


  void
  check_rates()
  {
    constexpr unsigned int n_cases = 40;
    for (const unsigned int n_chains : {1, 4})
      {
        unsigned int n_caught = 0, n_false = 0, n_able = 0;
        for (unsigned int number = 0; number < n_cases; ++number)
          {
            const MissedModes missed = Case(number, true, n_chains).look(),
                              good   = Case(number, false, n_chains).look();
            n_caught += !missed.missed.empty();
            n_false += !good.missed.empty();
            n_able += missed.can_tell(1) && good.can_tell(2);
          }
        const std::string chains = n_chains == 1 ? "one chain" : "four chains";
        check(chains + ": every missed mode is noticed",
              n_caught == n_cases,
              std::to_string(n_caught) + " of " + std::to_string(n_cases));
        check(chains + ": no alarm without reason",
              n_false == 0,
              std::to_string(n_false) + " of " + std::to_string(n_cases));
        check(chains + ": the rungs could tell", n_able == n_cases);
      }
  }


  void
  check_what_is_said()
  {
    // Case 0: one dimension, the second mode is above.
    const Case        one(0, true, 1);
    const MissedModes missed = one.look();
    bool              right  = !missed.missed.empty();
    for (const MissedMode &mode : missed.missed)
      right = right && mode.direction == "x0" && mode.is_above &&
              mode.found < 0.1 * mode.expected &&
              std::abs(mode.expected - one.share) < 0.1 &&
              std::abs(mode.bound) < 0.5 * one.distance;
    check("where it is, and how much", right);

    // Ten draws worth of weight are not enough to tell.
    Case poor(0, true, 1);
    for (std::size_t rung = 1; rung < 3; ++rung)
      for (std::size_t i = 0; i < poor.chains[0][rung].log_weights.size(); ++i)
        poor.chains[0][rung].log_weights[i] = i < 10 ? 0. : -100.;
    const MissedModes silent = poor.look();
    check("few draws with weight cannot tell",
          silent.missed.empty() && !silent.can_tell(1) && !silent.can_tell(2) &&
            std::abs(silent.kish_sizes[1] - 10.) < 1e-6);

    // All weight beyond 3 comes from one excursion, a hundredth of the time.
    std::vector<std::vector<RungSample>> chains(1);
    RungSample                           cold, hot;
    cold.columns.resize(1);
    hot.columns.resize(1);
    Case noise(1, true, 1, 10);
    for (unsigned int i = 0; i < 4000; ++i)
      {
        const bool away = i >= 1000 && i < 1040;
        cold.columns[0].push_back(noise.normal());
        hot.columns[0].push_back((away ? 5. : 0.) + noise.normal());
        hot.log_weights.push_back(away ? 4. : 0.);
      }
    chains[0]                       = {cold, hot};
    const MissedModes one_excursion = find_missed_modes({"x"}, chains);
    check("one excursion is no evidence",
          one_excursion.missed.empty() && one_excursion.can_tell(1));

    // A non-finite energy has no weight; a constant column no half-line.
    Case broken(0, true, 1);
    broken.chains[0][1].log_weights[5] = std::nan("");
    broken.names.push_back("constant");
    for (RungSample &rung : broken.chains[0])
      rung.columns.push_back(std::vector<double>(rung.columns[0].size(), 1.));
    check("not a number, and constants",
          broken.look().missed.size() >= missed.missed.size() &&
            find_missed_modes({}, chains).missed.empty() &&
            find_missed_modes({"x"}, {}).missed.empty());
  }


  /**
   * Of what a hot rung has seen, all with the same weight, a share lies far
   * away; the cold rung has a part of that. Values are evenly spaced, so that
   * all shares of half-lines are exact.
   */
  bool
  is_noticed(const double expected, const double part_found)
  {
    constexpr unsigned int n = 40000;

    const auto sample = [](const double share) {
      RungSample result;
      result.columns.resize(1);
      double n_far = 0.;
      for (unsigned int i = 0; i < n; ++i)
        {
          const bool is_far = share * (i + 1) >= n_far + 1.;
          n_far += is_far;
          // Numbers in [0, 1) in an order that has all sizes at all times.
          const double even =
            std::fmod((is_far ? n_far : i - n_far) * 0.6180339887498949, 1.);
          result.columns[0].push_back((is_far ? 5. : 0.) + even);
          result.log_weights.push_back(0.);
        }
      return result;
    };
    return !find_missed_modes(
              {"x"}, {{sample(part_found * expected), sample(expected)}})
              .missed.empty();
  }

  void
  check_tenths()
  {
    check("less than a tenth of what is expected is missed",
          is_noticed(0.3, 0.09));
    check("more is not", !is_noticed(0.3, 0.11));
    check("a half-line with a tenth of all matters", is_noticed(0.16, 0.));
    check("one with less does not", !is_noticed(0.08, 0.));
  }
} // namespace

int
main()
{
  check_rates();
  check_what_is_said();
  check_tenths();
  return result();
}
