// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_posterior_shift_h
#define tempera_output_posterior_shift_h

#include <tempera/output/checks.h>

#include <string>
#include <vector>

namespace Tempera
{
  /**
   * How mean and width of each unknown shift if the density of a law is
   * multiplied by a weight that is known at some of its draws: to first order
   * by the covariance of \f$\log w\f$ with the unknown.
   *
   * Weights of a few draws are noisy averages, but the weight is a smooth
   * function of the state: a polynomial (quadratic, if there are draws enough
   * for it) is fitted to its logarithm, and a large population of draws is
   * weighted by that; what it leaves adds its covariance over the few draws.
   * If no polynomial fits, the draws alone are used.
   *
   * @param states At which the weight is known.
   * @param population Many draws of the same law.
   * @param names Of the unknowns.
   */
  std::vector<Checks::Shift>
  shifts_by_weights(const std::vector<std::vector<double>> &states,
                    const std::vector<double>              &log_weights,
                    const std::vector<std::vector<double>> &population,
                    const std::vector<std::string>         &names);

  /**
   * The same with errors, by a jackknife: what changes if one of some groups of
   * states is left out, and a part of the population with it.
   */
  std::vector<Checks::Shift>
  shifts_with_errors(const std::vector<std::vector<double>> &states,
                     const std::vector<double>              &log_weights,
                     const std::vector<std::vector<double>> &population,
                     const std::vector<std::string>         &names);
} // namespace Tempera

#endif
