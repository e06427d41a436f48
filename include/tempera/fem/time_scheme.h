// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_time_scheme_h
#define tempera_fem_time_scheme_h

#include <array>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * Equal time steps from 0 to the final time. A stationary equation has one
   * step of length 1 in which no time passes.
   */
  struct TimeGrid
  {
    /** For a stationary equation. */
    TimeGrid()
      : n_steps(1)
      , step(1.)
      , is_stationary(true)
    {}


    /**
     * As few steps as are not longer than @p longest_step; no step at all is a
     * UserError.
     */
    TimeGrid(const double final_time, const double longest_step);

    double
    time(const unsigned int level) const
    {
      return is_stationary ? 0. : level * step;
    }

    unsigned int n_steps;
    double       step;
    bool         is_stationary = false;
  };


  /**
   * A linear multistep scheme. With \f$u_j = u^{n-j}\f$ it replaces
   * \f$u_t = v\f$ by
   * \f$\frac1{\Delta t}\sum_j \alpha_j u_j = \sum_j \theta_j v_j\f$.
   */
  struct TimeScheme
  {
    /** Number of old values. */
    unsigned int n_old;
    /** \f$\alpha_j\f$ */
    std::array<double, 3> alpha;
    /** \f$\theta_j\f$ */
    std::array<double, 3> theta;

    static std::vector<std::string>
    names();

    /** The scheme of a name. */
    static TimeScheme
    named(const std::string &name);

    /** The scheme for the first step. */
    static TimeScheme
    for_first_step(const std::string &name);
  };
} // namespace Tempera

#endif
