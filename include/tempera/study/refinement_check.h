// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_refinement_check_h
#define tempera_study_refinement_check_h

#include <tempera/output/checks.h>
#include <tempera/target/forward_target.h>

#include <functional>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * Whether the level of the coldest rung is fine enough: how much the
   * posterior shifts if the level is refined once, in space and time, and its
   * data are integrated with more points. Small changes of many predictions add
   * up, so that the change of a single one says little; it is told, too, in
   * units of the standard deviation of its measurement.
   */
  class RefinementCheck
  {
  public:
    /** Above this the posterior is likely to be another one, if its shift is
     * not known. */
    static constexpr double largest_difference =
      Checks::largest_prediction_change;

    /**
     * Refine the level and solve on it at the states.
     *
     * @param states Draws of the coldest rung, an unknown sigma included.
     * @param is_stopped Asked before each solve; what is known then is kept.
     * @param population Many draws, whose law is to shift; without them only
     * predictions are looked at.
     */
    RefinementCheck(ForwardTarget                          &target,
                    const std::string                      &level,
                    const std::vector<std::vector<double>> &states,
                    const std::function<bool()>            &is_stopped,
                    const std::vector<std::vector<double>> &population = {});

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
    unsigned int               n_draws = 0, n_skipped = 0, measurement = 0;
    /** Place and time of the worst measurement. */
    std::string measurement_name;
    /** Why the level cannot be refined; empty if it can. */
    std::string obstacle;
  };
} // namespace Tempera

#endif
