// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_level_estimates_h
#define tempera_output_level_estimates_h

#include <tempera/output/diagnostics.h>
#include <tempera/output/modes.h>
#include <tempera/output/recorded_run.h>

#include <string>
#include <vector>

namespace Tempera
{
  /**
   * Estimates from the draws of all levels at the coldest temperature.
   *
   * With draws of a coarse posterior and the weights \f$w \propto
   * \exp(U_c - U_f)\f$, of mean 1, at those of them whose fine energy is known
   * whatever they are, \f$E_f[g] = E_c[g] + E_c[(w - 1) g]\f$. The first term
   * is known from all draws of the cheap level; the second varies little where
   * the levels are close to each other. More levels are chained. See
   * doc/ladder.md.
   */
  struct LevelEstimates
  {
    /** From one level to the next finer one. */
    struct Step
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

    /** Of one column. */
    struct Column
    {
      std::string    name;
      EstimatedValue mean, standard_deviation, quantile_5, median, quantile_95;
      /** Of the mean of the coarsest level alone, without any correction. */
      double uncorrected = 0.;
    };

    /** The coarsest level first; empty if there is but one level. */
    std::vector<Step>   steps;
    std::vector<Column> columns;
    /** Share of each mode of the analysis; empty if there is but one. */
    std::vector<EstimatedValue> shares;

    /** Why the estimates are not to be used; empty if they are. */
    std::string objection;
    /** Whether that is since the weights between levels are bad. */
    bool levels_differ = false;

    bool
    is_empty() const
    {
      return steps.empty();
    }

    /** Whether they may stand beside those of the coldest rung's draws. */
    bool
    is_good() const
    {
      return !is_empty() && objection.empty();
    }

    /** Below this efficiency the levels differ too much. */
    static constexpr double least_efficiency = 0.8;
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

  /**
   * @param cold Diagnostics of each column at the coldest rung.
   * @param modes Of the coldest rung, in the columns @p mode_columns.
   */
  LevelEstimates
  estimate_from_levels(const RecordedRun              &run,
                       const std::vector<Diagnostics> &cold,
                       const Modes                    &modes,
                       const std::vector<std::size_t> &mode_columns);
} // namespace Tempera

#endif
