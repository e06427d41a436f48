// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_level_draws_h
#define tempera_output_level_draws_h

#include <tempera/output/checks.h>
#include <tempera/output/diagnostics.h>
#include <tempera/output/recorded_run.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /** From one level to the next finer one. */
  struct LevelStep
  {
    std::string coarse, fine;
    /** Draws of the coarse level; those whose weight is known. */
    std::uint64_t n_draws = 0, n_weighted = 0;
    /** Standard deviation of log w. */
    double spread = 0.;
    /** \f$(\text{mean } w)^2 / \text{mean } w^2\f$ */
    double efficiency = 0.;
    /** Of the tail of the weights: a variance exists below 1/2. */
    double pareto_k = 0.;
    /** Logarithm of the ratio of the evidences, fine over coarse. */
    EstimatedValue log_evidence_ratio;
  };


  /**
   * The draws of the levels that follow the finest one at its temperature, with
   * weights whose sum of g is the estimate of its mean at the finest level: 1 /
   * N for each of the N draws of the coarsest level, and (w - 1) / n for each
   * of the n draws of a level whose weight w is known. So weights have the sum
   * 1, and some are negative.
   */
  class LevelDraws
  {
  public:
    /** @param solves Further energies at finer levels. */
    explicit LevelDraws(const RecordedRun                     &run,
                        const std::vector<Checks::LevelSolve> &solves = {});

    /** Whether there are such levels, and rounds enough to say anything. */
    bool
    are_enough() const;

    /** A draw that counts. */
    struct WeightedDraw
    {
      unsigned int chain = 0;
      /** Of the coldest rung, counted from 0 after burn-in. */
      std::uint64_t            round = 0;
      const RecordedLevelDraw *draw  = nullptr;
      /** The w of above, of mean 1 and with a smooth tail; or no number. */
      double ratio = 0.;
      /** Its part in an estimate. */
      double weight = 0.;
    };

    /** All draws of rounds that all chains have done, chain by chain. */
    void
    visit(const std::function<void(const WeightedDraw &)> &visitor) const;

    /**
     * A number for each round of each chain, whose mean is the estimate of
     * each of some functions of the values of a draw.
     *
     * @param centres Near the means, so that the numbers do not vary more than
     * they must.
     * @param functions Takes the values of a draw, fills the numbers.
     */
    std::vector<std::vector<std::vector<double>>>
    series(const std::vector<double> &centres,
           const std::function<void(const double *, std::vector<double> &)>
             &functions) const;

    /** Draws that visit() visits. */
    std::uint64_t
    n_draws() const;

    const RecordedRun &run;
    const unsigned int n_levels;
    std::uint64_t      n_rounds;
    /** By rung, from the finest on. */
    std::vector<LevelStep> steps;

  private:
    /** Which of the solves are of a draw, by chain, rung and round. */
    using SolveKey = std::array<std::uint64_t, 3>;

    std::uint64_t
    round_of(const RecordedLevelDraw &draw) const;

    /** The draws of rounds that all chains have done, with further energies. */
    void
    for_each(
      const unsigned int                                    chain,
      const std::function<void(const RecordedLevelDraw &)> &visitor) const;

    void
    find_length();

    void
    read_weights();

    std::map<SolveKey, Checks::LevelSolve> solves;
    /** By rung and chain, of the weighted draws: w, of mean 1. */
    std::vector<std::vector<std::vector<double>>> weights;
  };


  /** A distribution function from draws with signed weights of sum 1. */
  class CorrectedLaw
  {
  public:
    /** @param weighted Values and weights, in any order. */
    explicit CorrectedLaw(std::vector<std::pair<double, double>> weighted);

    double
    quantile(const double share) const;

    /** The share up to a value. */
    double
    share_below(const double value) const;

  private:
    /** Values and shares up to them, which do not fall. */
    std::vector<std::pair<double, double>> points;
  };


  /**
   * The shape of a generalised Pareto law that fits the tail of positive
   * numbers (Zhang and Stephens, 2009), with the prior of Vehtari, Simpson,
   * Gelman, Yao and Gabry (2024) for few; the tail is then made smooth: the
   * largest numbers, in @p weights, are replaced by quantiles of that law.
   * Infinite if there are too few numbers.
   */
  double
  smooth_pareto_tail(std::vector<double> &weights);
} // namespace Tempera

#endif
