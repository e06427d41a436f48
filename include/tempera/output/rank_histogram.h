// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_rank_histogram_h
#define tempera_output_rank_histogram_h

#include <string>
#include <vector>

namespace Tempera
{
  /**
   * Where the truths of many runs lie among the draws of the run that did not
   * know them.
   */
  struct TruthRanks
  {
    /** An unknown, or what else was ranked. */
    std::string name;
    /** By run: how many of the draws are below the truth. */
    std::vector<unsigned int> ranks;
  };


  /** How ranks are spread. */
  enum class RankShape
  {
    /** As the ranks of draws from the right posterior. */
    even,
    /** Truths lie outside the draws too often: draws are too narrow. */
    extreme,
    /** Truths lie amid the draws too often: draws are too wide. */
    central,
    /** Truths lie below the draws too often. */
    low,
    /** Truths lie above the draws too often. */
    high,
    /** Uneven in another way. */
    uneven
  };


  /** The histogram of one quantity's ranks and how it was judged. */
  struct RankHistogram
  {
    std::string name;
    /** Ranks in each bin. */
    std::vector<unsigned int> counts;
    /** Sum over the bins of squared deviations in units of the expected count.
     */
    double chi_square = 0.;
    /** Chance of a larger sum if the ranks are even. */
    double p_value = 1.;
    /** After Holm: for the question whether any of the quantities is wrong. */
    double adjusted_p_value = 1.;
    /** Mean rank, in standard errors from that of even ranks. */
    double location = 0.;
    /** The same for the squared distance from the middle. */
    double    spread = 0.;
    RankShape shape  = RankShape::even;
  };


  /**
   * Simulation-based calibration, the part that judges: if truth comes from the
   * prior, data from the truth and draws from the right posterior, the rank of
   * the truth among independent draws is uniform (Talts, Betancourt, Simpson,
   * Vehtari and Gelman 2018). Ranks are put into bins and compared with that by
   * Pearson's test, with Holm's correction for several quantities.
   */
  class RankHistograms
  {
  public:
    /** Ranks that are so uneven happen to a right posterior in one of so many
     * calibrations. */
    static constexpr double level = 0.01;

    /** With fewer runs there is nothing to judge. */
    static constexpr unsigned int least_runs = 20;

    /**
     * @param quantities All with the same number of runs.
     * @param n_draws Of each run: ranks are between 0 and this number. The
     * number of bins is a divisor of one more.
     */
    RankHistograms(const std::vector<TruthRanks> &quantities,
                   const unsigned int             n_draws);

    /** Whether there are enough runs. */
    bool
    can_be_judged() const
    {
      return n_runs >= least_runs;
    }

    /** Whether nothing speaks against any of the quantities. */
    bool
    are_even() const;

    const std::vector<RankHistogram> &
    get_histograms() const
    {
      return histograms;
    }

    unsigned int
    n_bins() const
    {
      return bins;
    }

    /** Between these counts lies a bin with even ranks, 99 times of 100. */
    std::vector<double>
    band() const;

    /** A table and the finding in words. */
    std::string
    text() const;

    /** The table for machines. */
    std::string
    csv() const;

    /** The histograms side by side, with the band. */
    std::string
    svg() const;

  private:
    unsigned int               n_runs = 0, n_draws = 0, bins = 1;
    std::vector<RankHistogram> histograms;
  };


  /** What a shape says of the posterior, in words. */
  std::string
  finding_text(const RankShape shape);
} // namespace Tempera

#endif
