// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_report_statistics_h
#define tempera_output_report_statistics_h

#include <cstddef>
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
    };

    /**
     * The density of the finite ones of some values. The bins reach over all
     * but one in a thousand of them at either end, so that a far one does not
     * hide the rest; the integral lacks what is left out. No bins without
     * values.
     */
    Histogram
    histogram(std::vector<double> values);

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
