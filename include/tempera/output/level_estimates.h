// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_level_estimates_h
#define tempera_output_level_estimates_h

#include <tempera/output/diagnostics.h>
#include <tempera/output/level_draws.h>
#include <tempera/output/level_predictions.h>
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
    using Step = LevelStep;

    /** Of one column. */
    struct Column
    {
      std::string    name;
      EstimatedValue mean, standard_deviation, quantile_5, median, quantile_95;
      /** Of the mean of the coarsest level alone, without any correction. */
      double uncorrected = 0.;
      /**
       * The distribution function, which does not fall: shares up to places
       * that are evenly spaced.
       */
      double              law_low = 0., law_width = 0.;
      std::vector<double> law;

      /** The share up to a value, between those places on straight lines. */
      double
      share_below(const double value) const;
    };

    /** The coarsest level first; empty if there is but one level. */
    std::vector<Step>   steps;
    std::vector<Column> columns;
    /** Share of each mode of the analysis; empty if there is but one. */
    std::vector<EstimatedValue> shares;

    /** By measurement; empty where no predictions are recorded. */
    std::vector<LevelPrediction> predictions;

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
   * @param solves Finer energies that were asked for when the run was over.
   * @param cold Diagnostics of each column at the coldest rung.
   * @param modes Of the coldest rung, in the columns @p mode_columns.
   */
  LevelEstimates
  estimate_from_levels(const RecordedRun                     &run,
                       const std::vector<Checks::LevelSolve> &solves,
                       const std::vector<Diagnostics>        &cold,
                       const Modes                           &modes,
                       const std::vector<std::size_t>        &mode_columns);
} // namespace Tempera

#endif
