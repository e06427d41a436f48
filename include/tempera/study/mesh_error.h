// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_mesh_error_h
#define tempera_study_mesh_error_h

#include <tempera/output/checks.h>
#include <tempera/target/forward_target.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * The error that the mesh and the time steps of the coldest rung's level
   * leave in the answer: draws are solved again on the level refined once, in
   * space and time, and \f$-\mathrm{Cov}(\Delta U, g)\f$ is how far the mean of
   * \f$g\f$ moves to first order, with \f$\Delta U = U_\text{refined} - U\f$
   * (posterior_shift.h has how a few draws do). The data are integrated with
   * more points, too. Small changes of many predictions add up, so that the
   * change of a single one says little; it is told, too, in units of the
   * standard deviation of its measurement.
   */
  class MeshError
  {
  public:
    /** Above this the posterior is likely to be another one, if its shift is
     * not known. */
    static constexpr double largest_difference =
      Checks::largest_prediction_change;

    /** Unless a number is asked for: draws, and the most of the run's work. */
    static constexpr unsigned int n_automatic_draws = 20;
    static constexpr double       share_of_work     = 0.1;
    /** In solves of the level, where sweeps are made once for all draws. */
    static constexpr double most_prepared_work = 30.;

    /** Fewer draws tell how predictions change, but no error of a mean. */
    static constexpr unsigned int fewest_draws = 8;

    /**
     * Refine the level and solve on it at the states.
     *
     * @param states Draws of the coldest rung, an unknown sigma included.
     * @param is_stopped Asked before each solve; what is known then is kept.
     * @param population Many draws, whose law is to shift; without them only
     * predictions are looked at.
     * @param most_work In forward solves of the level: if all states would
     * take more, fewer are solved.
     */
    MeshError(ForwardTarget                          &target,
              const std::string                      &level,
              const std::vector<std::vector<double>> &states,
              const std::function<bool()>            &is_stopped,
              const std::vector<std::vector<double>> &population = {},
              const double most_work = std::numeric_limits<double>::infinity());

    /** Whether there is a result. */
    bool
    is_known() const
    {
      return n_draws > 0;
    }

    bool
    is_fine_enough() const
    {
      return is_known() && integration_change <= largest_difference &&
             !(energy_spread > Checks::largest_energy_spread) &&
             (shifts.empty() ?
                largest <= largest_difference :
                largest_shift() <= Checks::largest_refinement_shift);
    }

    /** Largest change of a prediction by more integration points. */
    double
    get_integration_change() const
    {
      return integration_change;
    }

    /** How the posterior of each unknown shifts; empty if not known. */
    const std::vector<Checks::Shift> &
    get_shifts() const
    {
      return shifts;
    }

    /** Over measurements and draws: the largest difference in sigmas. */
    double
    get_largest() const
    {
      return largest;
    }

    /** The mean of the differences. */
    double
    get_mean() const
    {
      return mean;
    }

    /** Draws at which both levels could be solved. */
    unsigned int
    get_n_draws() const
    {
      return n_draws;
    }

    /** Where the largest difference is; counted from 0. */
    unsigned int
    get_measurement() const
    {
      return measurement;
    }

    /** Why there is no shift though there are draws; empty if there is one. */
    const std::string &
    get_objection() const
    {
      return objection;
    }

    /** Of the refined level, in forward solves of the level. */
    double
    get_work() const
    {
      return work;
    }

    /** A line for the log: a warning if the level is not fine enough. */
    std::string
    text() const;

    /** What is to be kept beside the record, and warned of. */
    void
    add_to(Checks &checks) const;

    /**
     * Header `quantity,value`, then largest, mean, n_draws, and measurement,
     * the number of the worst one counted from 1.
     */
    std::string
    csv() const;

  private:
    /** Of means and widths, in posterior standard deviations. */
    double
    largest_shift() const;

    /** Some of the states, if all would take too much work. */
    std::vector<std::vector<double>>
    affordable(const std::vector<std::vector<double>> &states,
               const double                            work_of_state,
               const double                            most_work);

    void
    find_shifts(const std::vector<std::vector<double>> &states,
                const std::vector<double>              &log_weights,
                const std::vector<std::vector<double>> &population,
                const std::vector<Unknown>             &unknowns);

    /** What more integration points change, at two states. */
    void
    compare_integrals(ForwardTarget                          &target,
                      const std::vector<std::vector<double>> &states);

    const std::string level;
    /** What would make the level finer. */
    const std::string advice;
    bool              is_interrupted = false;
    double            largest = 0., mean = 0.;
    /** In standard deviations of a measurement. */
    double                     integration_change = 0.;
    std::vector<Checks::Shift> shifts;
    unsigned int n_draws = 0, n_skipped = 0, n_left_out = 0, measurement = 0;
    /** Standard deviation of the change of the energy. */
    double      energy_spread = Checks::not_known;
    std::string objection;
    double      work = 0.;
    /** Place and time of the worst measurement. */
    std::string measurement_name;
    /** Why the level cannot be refined; empty if it can. */
    std::string obstacle;
  };
} // namespace Tempera

#endif
