// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_prior_conflict_h
#define tempera_output_prior_conflict_h

#include <tempera/base/distribution.h>

#include <string>
#include <vector>

namespace Tempera
{
  struct Diagnostics;

  /** An unknown whose prior does not fit to what the data say of it. */
  struct PriorConflict
  {
    std::string name;
    /** Whether the posterior is pressed against a bound of the prior. */
    bool is_wall = false;
    /** The bound; or the posterior's mean. */
    double value = 0.;
    /**
     * Of the posterior's mean from the prior's in that coordinate, in the
     * standard deviation that this distance has if the prior is right.
     */
    double distance = 0.;
    bool   is_upper = false;
  };


  /**
   * Looks at one unknown.
   *
   * In the coordinate in which the prior is standard normal
   * (Distribution::normal_number()), the posterior's mean is
   * \f$N(0, 1 - s^2)\f$ with its standard deviation \f$s\f$ if the prior is
   * right. A bounded prior, in the coordinate in which it is uniform: if the
   * data want to be beyond the bound by many of their standard deviations, the
   * distance of the draws from it is exponentially distributed, with a mean
   * square of twice the squared mean; if they agree with the bound it is half a
   * normal law, with \f$\pi/2\f$. Of a uniform prior, which often is wider
   * than anybody believes, only that is asked.
   *
   * @param draws Of the coldest rung, after burn-in.
   * @param effective_size Of them.
   * @param n_unknowns Looked at in all.
   * @return Whether there is a conflict.
   */
  bool
  find_prior_conflict(const std::vector<double> &draws,
                      const double               effective_size,
                      const Distribution        &prior,
                      const unsigned int         n_unknowns,
                      PriorConflict             &conflict);
} // namespace Tempera

#endif
