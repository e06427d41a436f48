// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_report_statistics_h
#define tempera_output_report_statistics_h

#include <tempera/base/distribution.h>

#include <cstddef>
#include <string>
#include <vector>

namespace Tempera
{
  /** The numbers behind the charts of a report. */
  namespace ReportStatistics
  {
    /** At most @p most of the numbers 0 to n-1, evenly spaced, the ends too. */
    std::vector<std::size_t>
    evenly_spaced(const std::size_t n, const std::size_t most);

    /**
     * The quantile of a probability, between neighbours by a straight line; not
     * a number without values.
     */
    double
    quantile(const std::vector<double> &sorted, const double probability);

    /** The same of values in any order, for probabilities that increase. */
    std::vector<double>
    quantiles(const std::vector<double> &values,
              const std::vector<double> &probabilities);

    /** A density that is constant in each of some bins of equal width. */
    struct Histogram
    {
      double              low = 0., width = 0.;
      std::vector<double> density;
      /** How many values lie beyond the bins, and the ends of all values. */
      std::size_t n_beyond = 0;
      double      least = 0., largest = 0.;
    };

    /**
     * The density of the finite ones of some values. The bins reach over all of
     * them, and are as wide as all but one in a thousand at either end make
     * sense of. Only if that takes more than three times the bins, the farthest
     * are left out and counted, so that they do not hide the rest; the integral
     * lacks them. No bins without values.
     */
    Histogram
    histogram(std::vector<double> values);

    /** The density of a prior, to be drawn as a line. */
    struct PriorCurve
    {
      std::vector<double> x, density;
      /** Where nearly all of it is. */
      double low = 0., high = 0.;
    };

    /**
     * Points along the whole law, and as many between @p low and @p high, where
     * it is looked at more closely.
     */
    PriorCurve
    prior_curve(const Distribution &law, const double low, const double high);

    /** Correlation of draws that are so many draws apart. */
    struct Autocorrelation
    {
      std::vector<double> lags;
      /** For each number at each lag; not a number if it never changes. */
      std::vector<std::vector<double>> values;
    };

    /**
     * Autocorrelation of some numbers, averaged over chains, about the mean of
     * all chains, so that it does not fall to zero when chains disagree. The
     * lags reach as far as is needed to see all but the slowest fall.
     *
     * @param numbers The draws by number and chain.
     */
    Autocorrelation
    autocorrelation(
      const std::vector<std::vector<std::vector<double>>> &numbers);

    /**
     * Shares of each chain's draws in bins of equal width by their ranks among
     * all draws: all the same if the chains agree. Equal draws share their mean
     * rank.
     */
    std::vector<std::vector<double>>
    rank_histograms(const std::vector<std::vector<double>> &chains,
                    const unsigned int                      n_bins);
  } // namespace ReportStatistics
} // namespace Tempera

#endif
