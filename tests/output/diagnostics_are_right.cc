// SPDX-License-Identifier: LGPL-2.1-or-later

// The effective size of a process x' = phi x + normal is n (1-phi)/(1+phi); two
// chains of unit variance at distance 1 have R-hat sqrt(4/3) when split. Chains
// that disagree in place, scale or time are seen, stuck ones never pass, and
// nothing costs n^2.

#include "tests.h"

#include <tempera/output/diagnostics.h>
#include <tempera/output/marginal.h>
#include <tempera/sampler/random.h>

#include <cmath>
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


  /**
   * Two chains of 17 draws that wander, with two ties. The figures are those
   * of the definitions, followed step by step in plain sums: halves without
   * the draw in the middle; ranks with their mean for ties; scores (r - 3/8) /
   * (S + 1/4); autocovariances lag by lag; pairs of lags cut at the first that
   * is not positive and made monotone, plus the next lag; beta quantiles by
   * summing the density in 4e5 steps. Worked out in 60 lines of Python without
   * a library.
   */
  void
  check_by_hand()
  {
    const std::vector<std::vector<double>> chains = {{1.0,
                                                      1.5,
                                                      2.2,
                                                      2.0,
                                                      3.1,
                                                      3.6,
                                                      3.0,
                                                      2.7,
                                                      2.1,
                                                      1.4,
                                                      0.9,
                                                      1.2,
                                                      0.4,
                                                      1.1,
                                                      1.9,
                                                      2.5,
                                                      2.9},
                                                     {2.4,
                                                      2.6,
                                                      3.3,
                                                      4.1,
                                                      4.6,
                                                      3.9,
                                                      4.4,
                                                      3.2,
                                                      2.3,
                                                      1.7,
                                                      1.5,
                                                      2.8,
                                                      3.4,
                                                      3.7,
                                                      2.6,
                                                      1.6,
                                                      1.8}};
    const Diagnostics                      found  = diagnose(chains);
    const auto                             compare =
      [&](const std::string &name, const double value, const double truth) {
        check("by hand: " + name,
              std::abs(value - truth) < 1e-9 * std::abs(truth),
              std::to_string(value) + " instead of " + std::to_string(truth));
      };
    compare("bulk R-hat", found.r_hat_bulk, 1.35837265019);
    compare("folded R-hat", found.r_hat_folded, 0.972603106597);
    compare("R-hat is the larger one", found.r_hat, found.r_hat_bulk);
    compare("bulk size", found.bulk_size, 4.95517097972);
    compare("size for the mean", found.mean_size, 5.01231000975);
    // Both indicators have one pair of lags and end at its sum 1.
    compare("tail size", found.tail_size, 16.);
    compare("mean", found.mean.value, 2.45294117647);
    compare("deviation", found.standard_deviation.value, 1.0575085913);
    compare("error of the mean", found.mean.error, 0.47235111216);
    compare("error of the deviation",
            found.standard_deviation.error,
            0.134943762258);
    compare("5 %", found.quantile_5.value, 0.965);
    compare("its error", found.quantile_5.error, 0.5);
    compare("50 %", found.median.value, 2.45);
    compare("its error", found.median.error, 0.45);
    compare("95 %", found.quantile_95.value, 4.205);
    compare("its error", found.quantile_95.error, 0.5);

    const Convergence less = convergence(chains);
    check("by hand: the short form is the same",
          less.r_hat == found.r_hat && less.effective_size == found.bulk_size);

    // One chain 0 1 2 3 4 5 6 7: halves with means 1.5 and 5.5 and the
    // variance 5/3 each, so that the mean's size sees 3/4 5/3 + 8 = 9.25 in
    // all. At lag 1 the covariance of each is the sum of products
    // (-1.5)(-0.5) + (-0.5)(0.5) + (0.5)(1.5) = 1.25, over 4.
    const std::vector<double> correlation =
      autocorrelations({{0., 1., 2., 3., 4., 5., 6., 7.}}, 100);
    check("by hand: autocorrelation",
          correlation.size() == 4 && correlation[0] == 1. &&
            std::abs(correlation[1] - (1. - (5. / 3. - 1.25 / 4.) / 9.25)) <
              1e-12);

    // Better than independent draws, but no more than S log10(S).
    std::vector<double> oscillating = process(0., 1000, 1);
    for (std::size_t i = 0; i < oscillating.size(); ++i)
      oscillating[i] = (i % 2 == 0 ? 1. : -1.) + 0.01 * oscillating[i];
    check("the effective size is at most S log10 S",
          std::abs(diagnose({oscillating}).mean_size - 3000.) < 1e-9);
  }


  /** Errors are right if the estimates deviate by as much, over many runs. */
  void
  check_errors()
  {
    constexpr unsigned int n_runs = 400, n = 500;
    constexpr double       phi = 0.7;
    // Mean, deviation, quantiles of the standard normal law.
    const double z          = 1.6448536269514722;
    const double truths[]   = {0., 1., -z, 0., z};
    double       squares[5] = {}, squared_errors[5] = {};
    for (unsigned int run = 0; run < n_runs; ++run)
      {
        const Diagnostics found = diagnose(
          {process(phi, n, 2 * run + 1000), process(phi, n, 2 * run + 1001)});
        const EstimatedValue values[] = {found.mean,
                                         found.standard_deviation,
                                         found.quantile_5,
                                         found.median,
                                         found.quantile_95};
        for (unsigned int i = 0; i < 5; ++i)
          {
            squares[i] += std::pow(values[i].value - truths[i], 2);
            squared_errors[i] += std::pow(values[i].error, 2);
          }
      }
    const char *names[] = {"mean", "deviation", "5 %", "50 %", "95 %"};
    // The mean of 400 squares of normal numbers has the standard error 0.07;
    // four of them.
    for (unsigned int i = 0; i < 5; ++i)
      check(std::string("standard error of ") + names[i],
            std::abs(squares[i] / squared_errors[i] - 1.) < 0.28,
            std::to_string(squares[i] / squared_errors[i]));
  }


  /** One chain of a ladder in the plane: 600 draws that hardly depend on each
   * other. */
  void
  check_short_chains()
  {
    constexpr unsigned int n_runs = 400;
    unsigned int           n_mean = 0, n_spread = 0;
    const auto is_within = [](const EstimatedValue &found, const double truth) {
      return std::abs(found.value - truth) < 2. * found.error;
    };
    for (unsigned int run = 0; run < n_runs; ++run)
      {
        const Diagnostics found = diagnose({process(0.3, 600, 3000 + run)});
        n_mean += is_within(found.mean, 0.);
        n_spread += is_within(found.standard_deviation, 1.);
      }
    for (const auto &[name, n] : {std::make_pair("mean", n_mean),
                                  std::make_pair("deviation", n_spread)})
      check(std::string("a short chain: twice the error of the ") + name +
              " holds in 91 to 98 %",
            n >= 0.91 * n_runs && n <= 0.98 * n_runs,
            std::to_string(n) + " of " + std::to_string(n_runs));
  }


  void
  check_long_chains()
  {
    constexpr double                 phi = 0.9;
    constexpr std::size_t            n   = 500000;
    std::vector<std::vector<double>> chains;
    for (unsigned int chain = 0; chain < 4; ++chain)
      chains.push_back(process(phi, n, 50 + chain));
    const double       exact   = 4. * n * (1. - phi) / (1. + phi);
    const std::clock_t begin   = std::clock();
    const Diagnostics  found   = diagnose(chains);
    const double       seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
    check("four chains of 500000: effective sizes within 5 %",
          std::abs(found.mean_size / exact - 1.) < 0.05 &&
            std::abs(found.bulk_size / exact - 1.) < 0.05,
          std::to_string(found.mean_size / exact) + " " +
            std::to_string(found.bulk_size / exact));
    // The exact R-hat is 1; it varies by about chains / size.
    check("and R-hat", std::abs(found.r_hat - 1.) < 1e-3);
    check("and time", seconds < 4., std::to_string(seconds) + " s");
    const std::vector<double> correlation = autocorrelations(chains, 30);
    double                    largest     = 0.;
    for (unsigned int lag = 0; lag <= 30; ++lag)
      largest =
        std::max(largest, std::abs(correlation[lag] - std::pow(phi, lag)));
    check("and correlations phi^lag",
          correlation.size() == 31 && largest < 0.02,
          std::to_string(largest));
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
  check_by_hand();
  check_errors();
  check_short_chains();
  check_long_chains();
  check_time();
  check_distance();
  return result();
}
