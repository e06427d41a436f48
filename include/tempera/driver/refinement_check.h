// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_refinement_check_h
#define tempera_driver_refinement_check_h

#include <tempera/driver/parameters.h>

#include <functional>
#include <string>
#include <vector>

namespace Tempera
{
  class Inversion;

  /**
   * Whether the level of the coldest rung is fine enough: how much its
   * predictions change if it is refined once, in units of the standard
   * deviation of the measurements. What lies far below the errors of
   * measurement does not show in the posterior.
   */
  class RefinementCheck
  {
  public:
    /** Above this the posterior is likely to be another one. */
    static constexpr double largest_difference = 0.3;

    /**
     * Refine the level and solve on it at the states.
     *
     * @param states Draws of the coldest rung, an unknown sigma included.
     * @param is_stopped Asked before each solve; what is known then is kept.
     */
    RefinementCheck(const Inversion                        &inversion,
                    const Parameters                       &parameters,
                    const std::vector<std::vector<double>> &states,
                    const std::function<bool()>            &is_stopped);

    /** Whether there is a result. */
    bool
    is_known() const
    {
      return n_draws > 0;
    }

    bool
    is_fine_enough() const
    {
      return is_known() && largest <= largest_difference;
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

    /**
     * Header `quantity,value`, then largest, mean, n_draws, and measurement,
     * the number of the worst one counted from 1.
     */
    std::string
    csv() const;

  private:
    std::string  level;
    bool         is_stationary = false, is_interrupted = false;
    double       largest = 0., mean = 0.;
    unsigned int n_draws = 0, n_skipped = 0, measurement = 0;
    /** Place and time of the worst measurement. */
    std::string measurement_name;
    /** Why the level cannot be refined; empty if it can. */
    std::string obstacle;
  };
} // namespace Tempera

#endif
