// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_diagnostics_h
#define tempera_output_diagnostics_h

#include <cstddef>
#include <functional>
#include <limits>
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

  /** R-hat alone, as in Convergence. */
  double
  rank_r_hat(const std::vector<std::vector<double>> &chains);

  /** An estimate and its Monte Carlo standard error (MCSE). */
  struct EstimatedValue
  {
    double value = std::numeric_limits<double>::quiet_NaN();
    double error = std::numeric_limits<double>::quiet_NaN();
  };


  /**
   * All that is said of one number; after the same authors, and for errors as
   * in their R package "posterior". Not a number where the draws do not allow
   * one; mean, deviation and quantiles are there as soon as there is a draw.
   */
  struct Diagnostics
  {
    /** Of ranks (places differ), and of ranks of distances from the median
     * (widths differ). */
    double r_hat_bulk   = std::numeric_limits<double>::quiet_NaN(),
           r_hat_folded = std::numeric_limits<double>::quiet_NaN();
    /** The larger of the two. */
    double r_hat = std::numeric_limits<double>::quiet_NaN();

    /** Effective size of the rank-normalised draws. */
    double bulk_size = std::numeric_limits<double>::quiet_NaN();
    /**
     * The smaller of the effective sizes of "below the 5 % quantile" and
     * "below the 95 % quantile".
     */
    double tail_size = std::numeric_limits<double>::quiet_NaN();
    /** Effective size for the mean: of the draws as they are. */
    double mean_size = std::numeric_limits<double>::quiet_NaN();

    /** Error: deviation / sqrt(mean_size). */
    EstimatedValue mean;
    /** Error: first order in that of the variance. */
    EstimatedValue standard_deviation;
    /**
     * Of 5, 50 and 95 %, interpolated. Error: half the distance between the
     * order statistics at 16 % and 84 % of the beta law that the share of draws
     * below the quantile has, with the effective size of that share.
     */
    EstimatedValue quantile_5, median, quantile_95;
  };

  /**
   * The diagnostics of one number. Takes about 30 bytes a draw besides @p
   * chains, and 80 if the draws are correlated throughout.
   *
   * @param chains As for convergence().
   */
  Diagnostics
  diagnose(const std::vector<std::vector<double>> &chains);

  /**
   * Correlation of the draws with those @p n_lags and fewer later, from lag 0
   * on, as the effective size of the mean sees it: chains that differ in place
   * are correlated throughout. Shorter if the chains are; empty if there is
   * none.
   */
  std::vector<double>
  autocorrelations(const std::vector<std::vector<double>> &chains,
                   const std::size_t                       n_lags);

  /** Effective size for the mean alone, as in Diagnostics. */
  double
  effective_size_of_mean(const std::vector<std::vector<double>> &chains);

  /**
   * Distance of Kolmogorov and Smirnov, the largest difference between the
   * distribution functions of the draws and of a law; not a number without
   * draws.
   */
  double
  distance_from_law(const std::vector<double>                 &draws,
                    const std::function<double(const double)> &cdf);
} // namespace Tempera

#endif
