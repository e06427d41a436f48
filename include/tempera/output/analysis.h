// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_analysis_h
#define tempera_output_analysis_h

#include <tempera/output/checks.h>
#include <tempera/output/diagnostics.h>
#include <tempera/output/evidence.h>
#include <tempera/output/level_estimates.h>
#include <tempera/output/missed_modes.h>
#include <tempera/output/model_fit.h>
#include <tempera/output/modes.h>
#include <tempera/output/prior_conflict.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/run_times.h>
#include <tempera/output/warnings.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /**
   * What a record says of a run: the figures of the summary, of its JSON, of
   * the report and of comparisons. Numbers that are not known are not numbers.
   */
  struct Analysis
  {
    /** An unknown, a derived number or the energy at the coldest rung. */
    struct Column
    {
      std::string name;
      bool        is_derived = false;
      /** Mean and deviation of all draws, the rest of the subset. */
      Diagnostics diagnostics;
      /**
       * R-hat between the replicas of a chain at the coldest rung, the largest
       * of the chains. If no replica moves between two answers, swaps mix the
       * answers there perfectly, with shares that mean nothing; only here it
       * shows. Not a number where replicas cannot be compared.
       */
      double replica_r_hat = std::numeric_limits<double>::quiet_NaN();
      /** A histogram of 20 characters. */
      std::string sketch;
      /** Bulk size per forward solve of the coldest level, and per second. */
      double size_per_work   = std::numeric_limits<double>::quiet_NaN(),
             size_per_second = std::numeric_limits<double>::quiet_NaN();
    };

    struct Rung
    {
      std::string level, kernel;
      /** Mean of the chains; temperatures may be adapted in each. */
      double temperature = 0., step_size = 0.;
      double lowest_temperature = 0., highest_temperature = 0.;
      /** Of all chains; not a number if it is not known. */
      double        acceptance  = 0.;
      bool          is_adjusted = true;
      std::uint64_t steps = 0, non_finite = 0;
    };

    /** An end of an unknown's draws where the kernel hardly moves. */
    struct Unreachable
    {
      std::string name;
      bool        is_above = false;
      double      bound    = 0.;
      /** Of steps there, and of all. */
      double acceptance = 0., all_acceptance = 0.;
    };

    /** Counts of all chains. */
    struct Pair
    {
      std::uint64_t attempts = 0, accepted = 0, non_finite = 0;
      /** Not a number without attempts. */
      double acceptance = 0.;
      /** Evaluations that only swaps needed, by level. */
      std::vector<std::uint64_t> cross_evaluations;
      /** Penalty for noise by stage, mean of the chains. */
      std::vector<double> penalties;
      /** log S of `multi-variance` less that of `exact`, where both known. */
      std::uint64_t n_differences   = 0;
      double        difference_mean = 0., difference_deviation = 0.,
             difference_largest = 0.;
      /**
       * Sum over bins of the smaller of the shares of the two rungs' energies:
       * 1 if they have the same law, 0 if they share no value.
       */
      double overlap = 0.;
    };

    struct Level
    {
      std::string   name;
      std::uint64_t evaluations = 0;
    };

    std::string folder, version, family, title;
    /** "complete", "interrupted" or "not complete" (killed, or still going). */
    std::string state;

    unsigned int  n_chains = 0, n_rungs = 0;
    std::uint64_t seed = 0, n_rounds = 0, burn_in = 0, thinning = 1;
    /** Rounds that every chain has done. */
    std::uint64_t rounds = 0;
    /** Draws of all chains after burn-in, and in burn-in. */
    std::uint64_t n_draws = 0, n_burn_in_draws = 0;
    /** Draws of all chains that the diagnostics were made of: one in so many.
     */
    std::uint64_t n_used = 0, stride = 1;

    /** Unknowns, then derived numbers; empty without draws. */
    std::vector<Column> columns;
    /** Of the coldest rung; its name is "energy". */
    Column energy;

    /** Of the unknowns, or of the derived numbers if there are none. */
    Modes modes;
    /** The columns of the centres of modes. */
    std::vector<std::string> mode_columns;

    /** From the draws of all levels; empty without such draws. */
    LevelEstimates level_estimates;

    /** Of a ladder down to the prior; otherwise why there is none. */
    Evidence evidence;

    MissedModes missed_modes;
    /** The worst end, if there is one: what lies beyond is not sampled. */
    std::vector<Unreachable> unreachable;

    std::vector<Rung>  rungs;
    std::vector<Pair>  pairs;
    std::vector<Level> levels;

    /** Whether swaps were tested at all. */
    bool has_swaps = false;
    /** \f$\Lambda\f$, the sum of 1 - acceptance over the pairs. */
    double barrier;
    /** Trips cold-hot-cold of all replicas and chains, after burn-in. */
    std::uint64_t round_trips = 0;
    /**
     * Times at which swaps were tested, of all chains. With pairs tested in
     * turns, even and odd, it takes two for each pair to be tested once. So
     * they are counted, also where there is but one pair.
     */
    double swap_times;
    /** Trips per swap time, of all replicas of a chain together. */
    double round_trip_rate;
    /**
     * 1 / (2 + 2 sum r / (1 - r)) with r = 1 - acceptance: the rate of pairs
     * tested in turns if energies between two swaps were forgotten (Syed,
     * Bouchard-Cote, Deligiannidis and Doucet, 2022).
     */
    double best_round_trip_rate;

    /** In forward solves of the coldest level, burn-in included, all chains. */
    double work, set_up_work;
    /** Of the pilots before the run, which found its ladder. */
    double pilot_work = 0.;
    /** Phases and their seconds; empty if not known. */
    PhaseTimes times;
    /** Of sampling, or of everything if that is not told apart. */
    double seconds;

    /** The largest of the columns. */
    double replica_r_hat;
    /** Whether measurements and predictions fit. */
    ModelFit fit;
    /** Unknowns whose priors the data contradict. */
    std::vector<PriorConflict> prior_conflicts;
    /** What was found out with solves of its own when the run was over. */
    Checks checks;

    /** What of the record could not be read. */
    std::vector<std::string> damages;

    /** The worst first. */
    std::vector<Warning> warnings;

    /** Above that no mean over the draws is to be believed. */
    static constexpr double bad_r_hat = 1.1;
    /** Above that replicas sit in different places. */
    static constexpr double bad_replica_r_hat = 1.2;

    /** Estimate from all levels, with the solves that checks have. */
    void
    estimate_levels(const RecordedRun &run, const Checks &checks);

    /** Take over what studies have found, and all that follows from it. */
    void
    set_checks(const Checks &checks);

    /** Whether no R-hat of a column is as bad as that. */
    bool
    chains_agree() const;
  };


  /**
   * Looks at a run: complete, interrupted or still going. Memory is bounded:
   * of many draws a subset is used.
   */
  Analysis
  analyse(const RecordedRun &run);

  /** The same for who knows what is kept beside the record. */
  Analysis
  analyse(const RecordedRun &run,
          const PhaseTimes  &times,
          const Checks      &checks);
} // namespace Tempera

#endif
