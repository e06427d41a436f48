// SPDX-License-Identifier: LGPL-2.1-or-later

// The effective size of a process x' = phi x + normal is n (1-phi)/(1+phi); two
// chains of unit variance at distance 1 have R-hat sqrt(4/3) when split. Chains
// that disagree in place, scale or time are seen, stuck ones never pass, and
// nothing costs n^2.

#include "tests.h"

#include <tempera/output/diagnostics.h>
#include <tempera/output/marginal.h>
#include <tempera/sampler/random.h>

#include <ctime>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** A stationary autoregressive process with variance 1. */
  std::vector<double>
  process(const double phi, const std::size_t n, const unsigned int chain)
  {
    std::vector<double> values(n);
    RandomKey           key;
    key.chain = chain;
    fill_normals(key, dealii::make_array_view(values));
    for (std::size_t i = 1; i < n; ++i)
      values[i] = phi * values[i - 1] + std::sqrt(1. - phi * phi) * values[i];
    return values;
  }

  std::vector<double>
  transformed(std::vector<double>                        values,
              const std::function<double(const double)> &map)
  {
    std::transform(values.begin(), values.end(), values.begin(), map);
    return values;
  }

  std::string
  text(const Convergence &convergence)
  {
    return "R-hat " + std::to_string(convergence.r_hat) + ", size " +
           std::to_string(convergence.effective_size);
  }


  void
  check_effective_size()
  {
    for (const double phi : {0., 0.5, 0.9, 0.98, -0.5})
      {
        constexpr unsigned int n = 20000, n_repetitions = 40;
        double                 mean = 0., square = 0.;
        for (unsigned int k = 0; k < n_repetitions; ++k)
          {
            const double ratio =
              convergence({process(phi, n, 2 * k), process(phi, n, 2 * k + 1)})
                .effective_size /
              (2. * n * (1. - phi) / (1. + phi));
            mean += ratio / n_repetitions;
            square += ratio * ratio / n_repetitions;
          }
        const double standard_error =
          std::sqrt((square - mean * mean) / n_repetitions);
        // Cutting off where the estimates become noise costs a few percent.
        check("effective size for phi = " + std::to_string(phi).substr(0, 5),
              std::abs(mean - 1.) < 0.04 + 6. * standard_error &&
                standard_error < 0.03,
              std::to_string(mean) + " +- " + std::to_string(standard_error));
      }

    const std::vector<double> one = process(0.7, 5001, 1);
    const auto exponential        = [](const double x) { return std::exp(x); };
    check("the effective size does not depend on the scale",
          convergence({one}).effective_size ==
            convergence({transformed(one, exponential)}).effective_size);
  }


  void
  check_r_hat()
  {
    const std::vector<double> one = process(0., 4000, 1),
                              two = process(0., 4000, 2);

    const Convergence good = convergence({one, two});
    check("independent draws pass",
          good.is_good() && good.r_hat > 0.999 && good.effective_size > 7000.,
          text(good));

    const Convergence apart = convergence(
      {one, transformed(two, [](const double x) { return x + 1.; })});
    check("chains at different places",
          std::abs(apart.r_hat - std::sqrt(4. / 3.)) < 0.02 && !apart.is_good(),
          text(apart));

    const Convergence wider = convergence(
      {one, transformed(two, [](const double x) { return 3. * x; })});
    check("chains of different widths",
          wider.r_hat > 1.05 && !wider.is_good(),
          text(wider));

    std::vector<double> drifting = one;
    for (std::size_t i = 0; i < drifting.size(); ++i)
      drifting[i] += 2. * i / drifting.size();
    check("a single chain that drifts",
          convergence({drifting}).r_hat > 1.05,
          text(convergence({drifting})));

    const Convergence slow = convergence({process(0.999, 4000, 3)});
    check("a single chain that is slow",
          slow.effective_size < 50. && !slow.is_good(),
          text(slow));

    // Exactly as many of one value as of the other.
    std::vector<double> sorted = one;
    std::sort(sorted.begin(), sorted.end());
    const double      median = sorted[sorted.size() / 2];
    const Convergence coin = convergence({transformed(one, [&](const double x) {
      return x < median ? -1. : 1.;
    })});
    check("two values that are equally frequent",
          coin.is_good() && coin.effective_size > 3000.,
          text(coin));

    std::vector<double> longer(1000, 100.);
    longer.insert(longer.end(), one.begin(), one.end());
    check("of chains that differ in length the last draws count",
          convergence({longer, two}).r_hat == good.r_hat);
  }


  void
  check_degenerate()
  {
    const std::vector<double> constant(1000, 1.), other(1000, 2.),
      moving                    = process(0., 1000, 1);
    const Convergence all_equal = convergence({constant, constant});
    check("draws that are all equal have no R-hat",
          std::isnan(all_equal.r_hat) && !all_equal.is_good());
    const Convergence stuck = convergence({constant, other});
    check("chains that are stuck at different places",
          std::isinf(stuck.r_hat) && !stuck.is_good());
    const Convergence half = convergence({constant, moving});
    check("one stuck chain among others", half.r_hat > 1.1, text(half));

    std::vector<double> broken = moving;
    broken[5]                  = std::nan("");
    check("draws that are not finite, too few, or none",
          std::isnan(convergence({broken}).r_hat) &&
            std::isnan(convergence({{1., 2., 3., 4., 5., 6., 7.}}).r_hat) &&
            std::isnan(convergence({moving, {}}).r_hat) &&
            std::isnan(convergence({}).r_hat) && !convergence({}).is_good());
  }


  void
  check_time()
  {
    // Half the draws at one place, half at another: correlated throughout.
    constexpr std::size_t n = 131072;
    std::vector<double>   stuck(n, 0.);
    std::fill(stuck.begin() + n / 4, stuck.begin() + n / 2, 1.);
    std::fill(stuck.begin() + 3 * n / 4, stuck.end(), 1.);
    const std::vector<double> slow  = process(0.9999, n, 1);
    const std::clock_t        begin = std::clock();
    const Convergence one = convergence({stuck}), two = convergence({slow});
    const double      seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
    check("131072 draws take less than a second, however slow the chain",
          seconds < 2. && !one.is_good() && !two.is_good(),
          std::to_string(seconds) + " s for two");
  }


  void
  check_distance()
  {
    const auto identity = [](const double x) { return x; };
    check("distance of one draw from a law",
          distance_from_law({0.25}, identity) == 0.75);
    std::vector<double> middles;
    for (int i = 9; i >= 0; --i)
      middles.push_back((i + 0.5) / 10.);
    check("distance of evenly spaced draws",
          std::abs(distance_from_law(middles, identity) - 0.05) < 1e-12);
    check("no draws, no distance", std::isnan(distance_from_law({}, identity)));

    Marginal marginal;
    for (int i = 0; i < 1000000; ++i)
      marginal.add(i);
    const std::vector<double> &subset = marginal.get_subset();
    bool                       even   = subset[0] == 0.;
    for (std::size_t i = 1; i < subset.size(); ++i)
      even = even && subset[i] - subset[i - 1] == subset[1];
    check("a marginal keeps draws in order, evenly spaced, in bounded memory",
          even && subset.size() <= 131072 && subset.size() > 65536 &&
            subset.back() + subset[1] >= 1000000.,
          std::to_string(subset.size()));
  }
} // namespace

int
main()
{
  check_effective_size();
  check_r_hat();
  check_degenerate();
  check_time();
  check_distance();
  return result();
}
