// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_checks_h
#define tempera_output_checks_h

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * What was found out about a run when it was over and took solves of its
   * own, so that it cannot be made from the record again. It is kept beside the
   * record, in checks.json.
   */
  struct Checks
  {
    static constexpr double not_known =
      std::numeric_limits<double>::quiet_NaN();

    /** What the data say about an unknown. */
    struct Finding
    {
      std::string unknown;
      /** A word, as in identifiability.csv. */
      std::string verdict;
      std::string sentence;
      /** Whether it is left open. */
      bool is_open = false;
      /** As in identifiability.csv; not a number if not known. */
      double prior_deviation = not_known, posterior_deviation = not_known,
             distance = not_known, information = not_known;
    };

    /**
     * How much the law of a recorded column differs from what it should be: in
     * its posterior standard deviations.
     */
    struct Shift
    {
      std::string column;
      /** Right mean less the mean of the draws. */
      double mean = 0.;
      /** Right standard deviation over that of the draws, less 1. */
      double width = 0.;
      /** Standard errors of the two; not a number if not known. */
      double mean_error = not_known, width_error = not_known;
    };

    /** The finer energy at a draw of another level (RecordedLevelDraw). */
    struct LevelSolve
    {
      std::uint64_t chain = 0, rung = 0, own_round = 0;
      /** Of the draw's own level, by which it is known again. */
      double energy       = 0.;
      double finer_energy = 0.;
    };

    /** A local minimum of the energy that no chain has visited. */
    struct Place
    {
      std::vector<double> point;
      /** Energy there less the least of the visited places. */
      double energy = 0.;
      /** Its share of the posterior, in a Gaussian approximation. */
      double share = 0.;
      /** Energy to climb on the straight way to the nearest draw. */
      double barrier = 0.;
    };

    /** Shifts below these are of no concern, nor are those within their noise.
     */
    static constexpr double largest_refinement_shift = 0.25,
                            largest_swap_shift       = 0.2;
    /** Above this a prediction has changed enough to be told. */
    static constexpr double largest_prediction_change = 0.3;
    /**
     * Above this standard deviation of the difference of two energies, a few
     * draws cannot tell how one posterior follows from the other.
     */
    static constexpr double largest_energy_spread = 0.5;

    /** Rounds of the run: if it has more now, all this is of the past. */
    std::uint64_t rounds = 0;

    std::vector<Finding> findings;
    /** A combination of unknowns on which the data are silent; or empty. */
    std::string open_combination;

    /** The level of the coldest rung; empty if it was not refined. */
    std::string refined_level;
    /** In words; empty if not known. */
    std::string refinement;
    /** Largest |change of a prediction| / sigma on the refined level. */
    double prediction_change = not_known;
    /** The mean of all such changes, over so many draws. */
    double        mean_prediction_change = not_known;
    std::uint64_t n_refinement_draws     = 0;
    /** Number of the measurement that changes most, counted from 1. */
    std::uint64_t worst_measurement = 0;
    /** The same by more integration points on the level itself. */
    double integration_change = not_known;
    /** How the refined level would shift the posterior: the mesh's error. */
    std::vector<Shift> refinement_shifts;
    /** Standard deviation of U_refined - U over the draws. */
    double energy_spread = not_known;
    /** Why there are no such shifts, though draws were solved; or empty. */
    std::string mesh_objection;
    /** Work of it, in forward solves of the level. */
    double refinement_work = not_known;

    /** How `exact` would shift what `multi-variance` has sampled. */
    std::vector<Shift> swap_shifts;

    /** By missed mode that a rung on another level expects: its share with
     * the energies of the coldest rung's level. */
    std::vector<double> fine_shares;

    /** Solves at draws of other levels, for estimates from all of them. */
    std::vector<LevelSolve> level_solves;
    /** In forward solves of the coldest level. */
    double level_solve_work = not_known;

    std::vector<Place> places;
    /** From how many points minima were looked for. */
    std::uint64_t n_searches = 0;

    bool
    is_known() const
    {
      return rounds > 0;
    }
  };


  /** Which is kept where. */
  constexpr const char *checks_file = "checks.json";

  std::string
  checks_to_json(const Checks &checks);

  /** Of a run's folder; empty if there are none, or unreadable ones. */
  Checks
  read_checks(const std::string &folder);
} // namespace Tempera

#endif
