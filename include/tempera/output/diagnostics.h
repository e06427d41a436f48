// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_diagnostics_h
#define tempera_output_diagnostics_h

#include <functional>
#include <vector>

namespace Tempera
{
  /**
   * How far draws can be trusted: split chains, rank-normalised draws, after
   * Vehtari, Gelman, Simpson, Carpenter and Buerkner, Bayesian Analysis 16
   * (2021). A value is not a number where the draws do not allow one: less than
   * four in half a chain, draws that are not finite, all draws equal.
   */
  struct Convergence
  {
    /**
     * \f$\hat R\f$: how much wider all chains together are than each half of
     * one; the larger of that for the draws and for their distances from the
     * median. Infinite if chains are stuck at different places.
     */
    double r_hat;

    /** As many independent draws would know the bulk of the law as well. */
    double effective_size;

    /**
     * What the authors recommend before draws are believed. It cannot see a
     * part of the law that no chain has found.
     */
    static constexpr double largest_r_hat = 1.01, least_effective_size = 400.;

    /** Not so if one of the two is not a number. */
    bool
    is_good() const
    {
      return r_hat < largest_r_hat && effective_size >= least_effective_size;
    }
  };


  /**
   * The diagnostics of one number.
   *
   * @param chains The draws of each chain in their order; of chains that
   * differ in length, the last draws.
   */
  Convergence
  convergence(const std::vector<std::vector<double>> &chains);

  /**
   * Distance of Kolmogorov and Smirnov, the largest difference between the
   * distribution functions of the draws and of a law; not a number without
   * draws.
   */
  double
  distance_from_law(std::vector<double>                        draws,
                    const std::function<double(const double)> &cdf);
} // namespace Tempera

#endif
