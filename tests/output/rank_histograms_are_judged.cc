// SPDX-License-Identifier: LGPL-2.1-or-later

// Truths from a normal law, one measurement each, and draws from the posterior,
// which is known in closed form: truth ~ N(0,1), y = truth + N(0,1), posterior
// N(y/2, 1/2). Its ranks pass as often as they should; draws that are too
// narrow, too wide or shifted do not, and are told apart. Chi-square, Holm's
// correction and the band are checked against sums by hand.

#include "tests.h"

#include <tempera/output/rank_histogram.h>
#include <tempera/sampler/random.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  bool
  contains(const std::string &text, const std::string &part)
  {
    return text.find(part) != std::string::npos;
  }

  /** Draws have the posterior's deviation times @p width, and are shifted. */
  TruthRanks
  ranks_of(const double       width,
           const double       shift,
           const unsigned int n_runs,
           const unsigned int n_draws,
           const unsigned int seed)
  {
    TruthRanks          result{"x", {}};
    std::vector<double> normals(2 + n_draws);
    for (unsigned int run = 0; run < n_runs; ++run)
      {
        RandomKey key;
        key.seed  = seed;
        key.round = run;
        fill_normals(key, dealii::make_array_view(normals));
        const double truth = normals[0], value = truth + normals[1];
        unsigned int rank = 0;
        for (unsigned int k = 0; k < n_draws; ++k)
          rank +=
            0.5 * value + std::sqrt(0.5) * (width * normals[2 + k] + shift) <
            truth;
        result.ranks.push_back(rank);
      }
    return result;
  }

  void
  check_shapes()
  {
    struct Case
    {
      std::string name;
      double      width, shift;
      RankShape   shape;
    };
    for (const Case &one :
         {Case{"draws of the posterior", 1., 0., RankShape::even},
          Case{"draws that are too narrow", 0.5, 0., RankShape::extreme},
          Case{"draws that are too wide", 2., 0., RankShape::central},
          Case{"draws that are too high", 1., 0.7, RankShape::low},
          Case{"draws that are too low", 1., -0.7, RankShape::high}})
      {
        unsigned int           n_right = 0;
        constexpr unsigned int n_seeds = 20;
        std::string            text;
        for (unsigned int seed = 0; seed < n_seeds; ++seed)
          {
            const RankHistograms histograms(
              {ranks_of(one.width, one.shift, 200, 63, seed)}, 63);
            n_right += histograms.get_histograms()[0].shape == one.shape;
            text = histograms.text();
          }
        // One of 20 may be the one in a hundred.
        check(one.name,
              n_right >= n_seeds - 1 &&
                (one.shape == RankShape::even ?
                   contains(text, "No sign of a wrong posterior") :
                   contains(text, "The posterior is wrong") &&
                     contains(text, finding_text(one.shape))),
              std::to_string(n_right) + " of " + std::to_string(n_seeds) +
                text);
      }
  }

  void
  check_level()
  {
    // The quantities of a right posterior are called wrong in 1 % of all
    // calibrations, however many there are; five standard errors are allowed.
    constexpr unsigned int n_repetitions = 4000, n_runs = 128, n_draws = 63;
    unsigned int           n_wrong = 0;
    for (unsigned int k = 0; k < n_repetitions; ++k)
      {
        std::vector<TruthRanks> quantities;
        for (unsigned int q = 0; q < 3; ++q)
          {
            RandomKey key;
            key.seed = k;
            key.rung = q;
            std::vector<double> uniforms(n_runs);
            fill_uniforms(key, dealii::make_array_view(uniforms));
            TruthRanks one{"x", {}};
            for (const double uniform : uniforms)
              one.ranks.push_back((n_draws + 1) * uniform);
            quantities.push_back(one);
          }
        n_wrong += !RankHistograms(quantities, n_draws).are_even();
      }
    const double rate = double(n_wrong) / n_repetitions;
    check("even ranks are called wrong once in a hundred times",
          std::abs(rate - 0.01) < 5. * std::sqrt(0.01 * 0.99 / n_repetitions),
          std::to_string(rate));
  }

  TruthRanks
  with_counts(const std::string &name, const std::vector<unsigned int> &counts)
  {
    TruthRanks result{name, {}};
    for (unsigned int rank = 0; rank < counts.size(); ++rank)
      result.ranks.insert(result.ranks.end(), counts[rank], rank);
    return result;
  }

  void
  check_numbers()
  {
    const RankHistograms histograms({with_counts("a", {5, 10, 10, 15}),
                                     with_counts("b", {10, 10, 10, 10}),
                                     with_counts("c", {4, 10, 10, 16}),
                                     with_counts("d", {0, 0, 0, 40})},
                                    3);
    const auto          &all = histograms.get_histograms();
    // With three degrees of freedom the chance has a closed form.
    const auto chance = [](const double x) {
      return std::erfc(std::sqrt(0.5 * x)) +
             std::sqrt(2. * x / 3.14159265358979323846) * std::exp(-0.5 * x);
    };
    check("chi-square and its p-value",
          histograms.n_bins() == 4 &&
            std::abs(all[0].chi_square - 5.) < 1e-12 &&
            std::abs(all[2].chi_square - 7.2) < 1e-12 &&
            std::abs(all[3].chi_square - 120.) < 1e-12 &&
            std::abs(all[0].p_value - chance(5.)) < 1e-12 &&
            std::abs(all[2].p_value - chance(7.2)) < 1e-12 &&
            all[1].p_value == 1.);
    check("Holm's correction",
          std::abs(all[3].adjusted_p_value - 4. * chance(120.)) < 1e-12 &&
            std::abs(all[2].adjusted_p_value - 3. * chance(7.2)) < 1e-12 &&
            std::abs(all[0].adjusted_p_value - 2. * chance(5.)) < 1e-12 &&
            all[1].adjusted_p_value == 1. && all[3].shape == RankShape::high &&
            !histograms.are_even());
    // Ranks -3/8, -1/8, 1/8, 3/8 have the variance 5/64; the mean of d is 3/8.
    check("mean and spread in standard errors",
          std::abs(all[3].location - 0.375 / std::sqrt(5. / 64. / 40.)) <
              1e-10 &&
            std::abs(all[1].spread) < 1e-10 &&
            std::abs(all[1].location) < 1e-10);

    const auto   band   = histograms.band();
    double       within = 0., below = 0.;
    const double n = 40., p = 0.25;
    for (unsigned int k = 0; k <= 40; ++k)
      {
        const double chance_of_k = std::exp(
          std::lgamma(n + 1.) - std::lgamma(k + 1.) - std::lgamma(n - k + 1.) +
          k * std::log(p) + (n - k) * std::log(1. - p));
        if (k >= band[0] && k <= band[1])
          within += chance_of_k;
        if (k < band[0])
          below += chance_of_k;
      }
    check("the band holds 99 % and little more",
          within >= 0.99 && within < 0.999 && below <= 0.005,
          std::to_string(within));
  }

  void
  check_files()
  {
    const RankHistograms few({with_counts("x", {5, 5, 4, 4})}, 3);
    check("too few runs have no verdict",
          !few.can_be_judged() && contains(few.text(), "too few runs") &&
            contains(few.csv(), "undecided"),
          few.text());
    // Ten bins do not divide 64 ranks; eight do. The last rank has a bin.
    TruthRanks last = ranks_of(1., 0., 100, 63, 1);
    last.ranks[0]   = 63;
    last.name       = "a<b";
    const RankHistograms histograms({last, last, last, last}, 63);
    unsigned int         sum = 0;
    for (const unsigned int count : histograms.get_histograms()[0].counts)
      sum += count;
    check("bins divide the ranks", histograms.n_bins() == 8 && sum == 100);
    const std::string svg = histograms.svg();
    check("a picture with every histogram",
          contains(svg, "a&lt;b") && !contains(svg, "a<b") &&
            svg.compare(svg.size() - 7, 7, "</svg>\n") == 0);
  }
} // namespace

int
main()
{
  check_shapes();
  check_level();
  check_numbers();
  check_files();
  return result();
}
