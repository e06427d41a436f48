// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_information_h
#define tempera_inference_information_h

#include <tempera/forward/forward_model.h>
#include <tempera/inference/likelihood.h>
#include <tempera/inference/prior.h>

#include <deal.II/lac/full_matrix.h>

#include <functional>
#include <vector>

namespace Tempera
{
  /**
   * What the data tell in units of what the prior tells: the Gauss-Newton
   * information \f$H = L J^T C^{-1} J L\f$ with the Jacobian \f$J\f$ of the
   * predictions, their information \f$C^{-1}\f$ (Likelihood) and the standard
   * deviations \f$L\f$ of the prior (Prior::deviation_at()), averaged over
   * draws. See doc/identifiability.md.
   */
  struct Information
  {
    /** \f$H\f$, by unknown. */
    dealii::FullMatrix<double> matrix;
    /**
     * The average of \f$|H_{ij}|\f$: ties between unknowns that change their
     * sign from draw to draw do not cancel in it.
     */
    dealii::FullMatrix<double> ties;

    /** Of \f$H\f$, largest first. */
    std::vector<double> eigenvalues;
    /** The unit vectors that belong to them. */
    std::vector<std::vector<double>> directions;

    /**
     * How many eigenvalues of a single draw's \f$H\f$ are above 1, on average.
     * Fewer than of the average where ties turn from draw to draw.
     */
    double n_informed_at_a_draw = 0.;
    /** The same of those that are #negligible: directions that no prediction
     * depends on, near that draw. */
    double n_silent_at_a_draw = 0.;
    /** Information that makes a prior narrower by 5 %. */
    static constexpr double negligible = 0.1;

    /** Draws in the average. */
    std::size_t n_draws = 0;
    /** Draws left out: predictions or derivatives were not finite. */
    std::size_t n_skipped = 0;

    /** Whether there is anything at all. */
    bool
    is_known() const
    {
      return n_draws > 0;
    }
  };


  /** The average over the matrices \f$H\f$ of draws. */
  Information
  average_information(const std::vector<dealii::FullMatrix<double>> &matrices);


  /** How the Jacobian of a model is computed. */
  enum class JacobianMethod
  {
    /** The one that takes fewer solves. */
    cheaper,
    /** \f$J^T\f$ of unit vectors: a derivative for each prediction. */
    transposed,
    /** Central differences: two solves for each parameter. */
    differences
  };


  /**
   * The information that the data hold about the unknowns, averaged over
   * draws from the posterior. Unknown numbers of the errors are the last of the
   * unknowns.
   *
   * @param is_stopped Asked before every draw; if it says yes, nothing is
   * known, since an average over the first draws would be of some other law.
   */
  Information
  average_information(
    const std::vector<Unknown>             &unknowns,
    const Likelihood                       &likelihood,
    const ForwardModel                     &model,
    const std::vector<std::vector<double>> &draws,
    const JacobianMethod                    method = JacobianMethod::cheaper,
    const std::function<bool()>            &is_stopped = [] { return false; });
} // namespace Tempera

#endif
