// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/canvas.h>
#include <tempera/output/rank_histogram.h>

#include <deal.II/base/exceptions.h>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Tempera
{
  namespace
  {
    /** The most bins that the runs fill, which divide the ranks evenly. */
    unsigned int
    choose_bins(const unsigned int n_runs, const unsigned int n_ranks)
    {
      constexpr unsigned int least = 4, most = 20, runs_per_bin = 10;

      unsigned int bins =
        std::min({n_ranks, most, std::max(least, n_runs / runs_per_bin)});
      while (n_ranks % bins != 0)
        --bins;
      return bins;
    }

    /** Mean rank and its spread, in standard errors. */
    void
    measure_shape(const std::vector<unsigned int> &ranks,
                  const unsigned int               n_ranks,
                  RankHistogram                   &histogram)
    {
      // Of one even rank, measured from the middle in units of all ranks.
      double square = 0., fourth = 0.;
      for (unsigned int rank = 0; rank < n_ranks; ++rank)
        {
          const double distance = (rank + 0.5) / n_ranks - 0.5;
          square += distance * distance / n_ranks;
          fourth += std::pow(distance, 4) / n_ranks;
        }
      double mean = 0., mean_square = 0.;
      for (const unsigned int rank : ranks)
        {
          const double distance = (rank + 0.5) / n_ranks - 0.5;
          mean += distance / ranks.size();
          mean_square += distance * distance / ranks.size();
        }
      const double variance_of_square = fourth - square * square;
      histogram.location              = mean / std::sqrt(square / ranks.size());
      // With two ranks all are equally far from the middle.
      histogram.spread = variance_of_square > 1e-12 ?
                           (mean_square - square) /
                             std::sqrt(variance_of_square / ranks.size()) :
                           0.;
    }

    RankShape
    shape_of(const RankHistogram &histogram)
    {
      constexpr double least = 2.5;

      const double location = std::abs(histogram.location),
                   spread   = std::abs(histogram.spread);
      if (std::max(location, spread) < least)
        return RankShape::uneven;
      if (location > spread)
        return histogram.location > 0. ? RankShape::high : RankShape::low;
      return histogram.spread > 0. ? RankShape::extreme : RankShape::central;
    }

    /** Holm's correction. */
    void
    adjust_p_values(std::vector<RankHistogram> &histograms)
    {
      std::vector<std::size_t> order(histograms.size());
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(),
                order.end(),
                [&](const std::size_t a, const std::size_t b) {
                  return histograms[a].p_value < histograms[b].p_value;
                });
      double largest = 0.;
      for (std::size_t i = 0; i < order.size(); ++i)
        {
          RankHistogram &one = histograms[order[i]];
          largest =
            std::max(largest, std::min(1., (order.size() - i) * one.p_value));
          one.adjusted_p_value = largest;
        }
    }

    /** One word for the shape, for machines. */
    std::string
    word(const RankShape shape)
    {
      switch (shape)
        {
          case RankShape::even:
            return "even";
          case RankShape::extreme:
            return "extreme";
          case RankShape::central:
            return "central";
          case RankShape::low:
            return "low";
          case RankShape::high:
            return "high";
          default:
            return "uneven";
        }
    }

    std::string
    picture(const RankHistogram       &histogram,
            const std::vector<double> &band,
            const unsigned int         n_draws)
    {
      const unsigned int n_bins = histogram.counts.size();
      const double       highest =
        *std::max_element(histogram.counts.begin(), histogram.counts.end());
      const double ranks_per_bin = (n_draws + 1.) / n_bins;
      Canvas       canvas(Axis(0., n_draws + 1.),
                    Axis(0., 1.05 * std::max(highest, band[1])));
      canvas.axes("rank of the truth among " + std::to_string(n_draws) +
                    " draws",
                  "runs");
      canvas.body += "<g fill=\"" + curve_colour(0) + "\">\n";
      for (unsigned int bin = 0; bin < n_bins; ++bin)
        {
          const double left   = canvas.left_of(bin * ranks_per_bin),
                       right  = canvas.left_of((bin + 1) * ranks_per_bin),
                       height = canvas.top_of(histogram.counts[bin]);
          canvas.body += "<rect x=\"" + pixels(left + 1.) + "\" y=\"" +
                         pixels(height) + "\" width=\"" +
                         pixels(right - left - 2.) + "\" height=\"" +
                         pixels(canvas.top_of(0.) - height) + "\"/>\n";
        }
      canvas.body += "</g>\n";
      const std::vector<double> ends{0., n_draws + 1.};
      canvas.band(ends,
                  {band[0], band[0]},
                  {band[1], band[1]},
                  {curve_colour(6), ""});
      canvas.label(Canvas::margin,
                   34,
                   "start",
                   histogram.name + ": " + word(histogram.shape) +
                     ", p = " + to_text(histogram.p_value, 2) +
                     "; grey: 99 % band of even ranks");
      return canvas.svg();
    }
  } // namespace



  RankHistograms::RankHistograms(const std::vector<TruthRanks> &quantities,
                                 const unsigned int             n_draws)
    : n_runs(quantities.empty() ? 0 : quantities[0].ranks.size())
    , n_draws(n_draws)
    , bins(choose_bins(n_runs, n_draws + 1))
  {
    const unsigned int n_ranks = n_draws + 1;
    for (const TruthRanks &quantity : quantities)
      {
        AssertDimension(quantity.ranks.size(), n_runs);
        RankHistogram one;
        one.name = quantity.name;
        one.counts.assign(bins, 0);
        for (const unsigned int rank : quantity.ranks)
          {
            AssertIndexRange(rank, n_ranks);
            ++one.counts[std::size_t(rank) * bins / n_ranks];
          }
        if (can_be_judged() && bins > 1)
          {
            const double expected = double(n_runs) / bins;
            for (const unsigned int count : one.counts)
              one.chi_square +=
                (count - expected) * (count - expected) / expected;
            one.p_value = boost::math::cdf(
              boost::math::complement(boost::math::chi_squared(bins - 1),
                                      one.chi_square));
            measure_shape(quantity.ranks, n_ranks, one);
          }
        histograms.push_back(one);
      }
    adjust_p_values(histograms);
    for (RankHistogram &one : histograms)
      if (one.adjusted_p_value < level)
        one.shape = shape_of(one);
  }



  bool
  RankHistograms::are_even() const
  {
    return std::all_of(histograms.begin(),
                       histograms.end(),
                       [](const RankHistogram &one) {
                         return one.shape == RankShape::even;
                       });
  }



  std::vector<double>
  RankHistograms::band() const
  {
    using namespace boost::math::policies;
    // Outwards: at least so much probability lies within.
    using Whole = policy<discrete_quantile<integer_round_outwards>>;
    const boost::math::binomial_distribution<double, Whole> law(n_runs,
                                                                1. / bins);
    return {boost::math::quantile(law, 0.005),
            boost::math::quantile(law, 0.995)};
  }



  std::string
  RankHistograms::text() const
  {
    std::vector<std::vector<std::string>> rows{
      {"quantity", "chi-square", "p-value", "adjusted", "ranks are"}};
    std::vector<std::string> findings;
    double                   smallest = 1.;
    for (const RankHistogram &one : histograms)
      {
        rows.push_back({one.name,
                        to_text(one.chi_square, 4),
                        to_text(one.p_value, 2),
                        to_text(one.adjusted_p_value, 2),
                        word(one.shape)});
        smallest = std::min(smallest, one.adjusted_p_value);
        if (one.shape != RankShape::even)
          findings.push_back("   " + one.name + ": " + finding_text(one.shape) +
                             "\n");
      }
    std::string text = "\nRanks of " + counted(n_runs, "truth") + " among " +
                       counted(n_draws, "draw") + " each, in " +
                       counted(bins, "bin") + ":\n\n";
    if (!can_be_judged())
      return text + "   too few runs for a verdict: at least " +
             std::to_string(least_runs) + " are needed\n";
    text += aligned_table(rows) + "\n";
    if (findings.empty())
      return text + "No sign of a wrong posterior (smallest adjusted p-value " +
             to_text(smallest, 2) + "; below " + to_text(level) +
             " it would count as wrong).\n";
    return text + "The posterior is wrong:\n" + join(findings, "") +
           "A right one would be called wrong in " + to_text(100. * level) +
           " % of all calibrations.\n";
  }



  std::string
  RankHistograms::csv() const
  {
    std::string text = "quantity,runs,draws,bins,chi_square,p_value,"
                       "adjusted_p_value,location,spread,ranks\n";
    for (const RankHistogram &one : histograms)
      text += one.name + "," + std::to_string(n_runs) + "," +
              std::to_string(n_draws) + "," + std::to_string(bins) + "," +
              to_text(one.chi_square, 8) + "," + to_text(one.p_value, 8) + "," +
              to_text(one.adjusted_p_value, 8) + "," +
              to_text(one.location, 6) + "," + to_text(one.spread, 6) + "," +
              (can_be_judged() ? word(one.shape) : "undecided") + "\n";
    return text;
  }



  std::string
  RankHistograms::svg() const
  {
    constexpr unsigned int columns = 3;
    // A canvas of its full size is larger than a histogram needs.
    constexpr double scale = 0.6;
    constexpr double whole_width =
                       Canvas::margin + Canvas::size + Canvas::right,
                     whole_height = Canvas::top + Canvas::size + 64.;
    const unsigned int n          = histograms.size();
    const double width = scale * whole_width, height = scale * whole_height;
    const std::string size =
      "width=\"" + pixels(width * std::min(n, columns)) + "\" height=\"" +
      pixels(height * ((n + columns - 1) / columns)) + "\"";
    std::string result =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + ">\n";
    for (unsigned int i = 0; i < n; ++i)
      result += "<svg x=\"" + pixels(width * (i % columns)) + "\" y=\"" +
                pixels(height * (i / columns)) + "\" width=\"" + pixels(width) +
                "\" height=\"" + pixels(height) + "\" viewBox=\"0 0 " +
                pixels(whole_width) + " " + pixels(whole_height) + "\">\n" +
                picture(histograms[i], band(), n_draws) + "</svg>\n";
    return result + "</svg>\n";
  }



  std::string
  finding_text(const RankShape shape)
  {
    switch (shape)
      {
        case RankShape::even:
          return "no sign of a wrong posterior";
        case RankShape::extreme:
          return "ranks too extreme: the posterior is too narrow";
        case RankShape::central:
          return "ranks too central: the posterior is too wide";
        case RankShape::low:
          return "shifted: truths lie below the draws too often";
        case RankShape::high:
          return "shifted: truths lie above the draws too often";
        default:
          return "ranks uneven, in no simple way";
      }
  }
} // namespace Tempera
