// SPDX-License-Identifier: LGPL-2.1-or-later

// What weights that are known at a few draws do to a law, where it is known
// exactly: a normal law times exp(a x) is the same law, moved by a; times
// exp(-c x^2 / 2) it is narrower by 1 / sqrt(1 + c).

#include "tests.h"

#include <tempera/output/posterior_shift.h>

#include <random>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  using Numbers = std::vector<double>;
  using Weight  = std::function<double(const Numbers &)>;

  constexpr double correlation = 0.6;

  /** Draws of two correlated normal numbers, of mean 3 and -1 and deviation 2
   * and 0.1. */
  std::vector<Numbers>
  draws(const unsigned int n, const std::uint64_t seed)
  {
    std::mt19937_64            random(seed);
    std::normal_distribution<> normal;
    std::vector<Numbers>       result;
    for (unsigned int i = 0; i < n; ++i)
      {
        const double x = normal(random),
                     y = correlation * x +
                         std::sqrt(1. - correlation * correlation) *
                           normal(random);
        result.push_back({3. + 2. * x, -1. + 0.1 * y});
      }
    return result;
  }

  /** Shifts by a weight whose logarithm is a function of x and y above. */
  std::vector<Checks::Shift>
  shifts(const unsigned int n, const Weight &log_weight)
  {
    const auto population = draws(20000, 1), states = draws(n, 2);
    Numbers    log_weights;
    for (const Numbers &state : states)
      log_weights.push_back(
        log_weight({(state[0] - 3.) / 2., (state[1] + 1.) / 0.1}));
    return shifts_by_weights(states, log_weights, population, {"x", "y"});
  }

  void
  check_shifts(const std::string                &name,
               const std::vector<Checks::Shift> &found,
               const Numbers                    &means,
               const Numbers                    &widths,
               const double                      tolerance)
  {
    bool        holds = found.size() == 2;
    std::string text;
    for (std::size_t i = 0; i < found.size(); ++i)
      {
        holds = holds && found[i].column == (i == 0 ? "x" : "y") &&
                std::abs(found[i].mean - means[i]) < tolerance &&
                std::abs(found[i].width - widths[i]) < tolerance;
        text += std::to_string(found[i].mean) + " " +
                std::to_string(found[i].width) + "; ";
      }
    check(name, holds, text);
  }
} // namespace

int
main()
{
  check_shifts("equal weights shift nothing",
               shifts(20, [](const Numbers &) { return -7.; }),
               {0., 0.},
               {0., 0.},
               0.03);
  // Moments of 20,000 draws have errors of 0.01.
  check_shifts("a linear one moves what it is about, and what depends on it",
               shifts(20, [](const Numbers &z) { return 0.5 * z[0]; }),
               {0.5, correlation * 0.5},
               {0., 0.},
               0.05);
  const double width = 1. / std::sqrt(2.);
  check_shifts("a square makes it narrower",
               shifts(40, [](const Numbers &z) { return -0.5 * z[0] * z[0]; }),
               {0., 0.},
               {width - 1.,
                std::sqrt(1. - correlation * correlation / 2.) - 1.},
               0.05);
  // With five draws there is a straight line only; the mean is right with it.
  check_shifts("so does a line through few draws",
               shifts(6, [](const Numbers &z) { return 0.5 * z[0]; }),
               {0.5, correlation * 0.5},
               {0., 0.},
               0.08);
  check_shifts("noise is no shift",
               shifts(100,
                      [](const Numbers &z) {
                        return 0.2 * std::sin(1e4 * (z[0] + z[1]));
                      }),
               {0., 0.},
               {0., 0.},
               0.1);
  // No polynomial: x above its mean has no weight.
  const auto half =
    shifts(2000, [](const Numbers &z) { return z[0] > 0. ? -30. : 0.; });
  check("without a polynomial the draws alone are weighted",
        half.size() == 2 &&
          std::abs(half[0].mean + std::sqrt(2. / dealii::numbers::PI)) < 0.1 &&
          std::abs(half[0].width -
                   (std::sqrt(1. - 2. / dealii::numbers::PI) - 1.)) < 0.1,
        half.empty() ? "" : std::to_string(half[0].mean));
  // What 20 draws state, over many such sets: the true shift is 0.3, and
  // sin(3 x) / 5 is no polynomial.
  unsigned int           n_near = 0, n_far = 0;
  double                 sum = 0., stated = 0.;
  const auto             population = draws(2000, 1);
  constexpr unsigned int n_sets     = 200;
  for (unsigned int set = 0; set < n_sets; ++set)
    {
      const auto states = draws(20, 100 + set);
      Numbers    log_weights;
      for (const Numbers &state : states)
        {
          const double x = (state[0] - 3.) / 2.;
          log_weights.push_back(0.3 * x + 0.2 * std::sin(3. * x));
        }
      const auto found =
        shifts_with_errors(states, log_weights, population, {"x", "y"});
      // Of the weights in the population itself.
      static const double truth = [&]() {
        double weights = 0., mean = 0.;
        for (unsigned int i = 0; i < 20000; ++i)
          {
            const double x = -6. + 12. * (i + 0.5) / 20000.;
            const double weight =
              std::exp(-0.5 * x * x + 0.3 * x + 0.2 * std::sin(3. * x));
            weights += weight;
            mean += weight * x;
          }
        return mean / weights;
      }();
      const double error = std::abs(found[0].mean - truth);
      n_near += error < 2. * found[0].mean_error;
      n_far += error > 4. * found[0].mean_error;
      sum += error * error;
      stated += found[0].mean_error * found[0].mean_error;
    }
  check("stated errors are honest",
        n_near >= 0.88 * n_sets && n_far <= 0.02 * n_sets && stated < 4. * sum,
        std::to_string(n_near) + ", " + std::to_string(n_far) + " of " +
          std::to_string(n_sets) + "; " +
          std::to_string(std::sqrt(sum / n_sets)) + " instead of " +
          std::to_string(std::sqrt(stated / n_sets)));
  // With more unknowns than draws there is no polynomial, but a covariance.
  {
    std::mt19937_64            random(5);
    std::normal_distribution<> normal;
    std::vector<Numbers>       many, some;
    std::vector<std::string>   names;
    Numbers                    log_weights;
    for (unsigned int i = 0; i < 2000; ++i)
      {
        many.emplace_back();
        for (unsigned int k = 0; k < 100; ++k)
          many.back().push_back(normal(random));
        if (i % 20 == 0)
          {
            some.push_back(many.back());
            log_weights.push_back(0.4 * many.back()[0]);
          }
      }
    for (unsigned int k = 0; k < 100; ++k)
      names.push_back("x" + std::to_string(k));
    const auto   found   = shifts_with_errors(some, log_weights, many, names);
    unsigned int n_wrong = 0;
    for (unsigned int k = 1; k < 100; ++k)
      n_wrong += std::abs(found[k].mean) > 3. * found[k].mean_error;
    check("of more unknowns than draws, too",
          std::abs(found[0].mean - 0.4) < 3. * found[0].mean_error &&
            found[0].mean > 4. * found[0].mean_error && n_wrong <= 2,
          std::to_string(found[0].mean) + " +- " +
            std::to_string(found[0].mean_error) + ", wrong " +
            std::to_string(n_wrong));
  }
  check("two draws say nothing",
        shifts(2, [](const Numbers &z) { return z[0]; }).empty());
  return result();
}
