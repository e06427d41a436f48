// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_posterior_maxima_h
#define tempera_study_posterior_maxima_h

#include <tempera/output/diagnostics.h>
#include <tempera/sampler/laplace.h>
#include <tempera/study/normal_coordinates.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace Tempera
{
  /** A maximum of the posterior density, and the Gaussian law around it. */
  struct PosteriorMaximum
  {
    LaplaceApproximation law;
    /** In NormalCoordinates. */
    std::vector<double> place;
    /** Misfit there. */
    double              potential = 0.;
    std::vector<double> predictions;
    /** Logarithm of the integral of the likelihood, were the law the right one.
     */
    double log_mass = 0.;
    /** Its part in the mass of all maxima. */
    double share = 1.;
    /** How many searches have ended here. */
    unsigned int n_searches = 1;

    /** Centre of the law. */
    std::vector<double>
    centre(const PriorMeasure &prior) const;
  };


  /** What was found by searches from many places. */
  struct PosteriorMaxima
  {
    /** Greatest mass first. */
    std::vector<PosteriorMaximum> maxima;
    /** Searches that did not come to an end at a maximum. */
    unsigned int n_failed = 0;
    /** Of solves of the level. */
    double work = 0.;
  };


  /** Called with how much is done, and of how much; may throw. */
  using ProgressSlot =
    std::function<void(const std::size_t, const std::size_t)>;

  /**
   * Search from the middle of the prior and from draws of it, by Gauss and
   * Newton's method. What is no maximum (a saddle between two answers) is left
   * downhill.
   *
   * @param seed Of the draws.
   */
  PosteriorMaxima
  find_maxima(const NormalCoordinates &posterior,
              const unsigned int       n_searches,
              const std::uint64_t      seed,
              const ProgressSlot      &progress);


  /** Draws of the laws around all maxima, weighted for the posterior. */
  struct ImportanceSample
  {
    /** Of the target, not its coordinates. */
    std::vector<std::vector<double>> states;
    /** Of sum 1. */
    std::vector<double> weights;
    EstimatedValue      log_evidence;
    /** \f$(\sum w)^2 / (n \sum w^2)\f$ */
    double efficiency = 0.;
    /** Of the tail of the weights. */
    double pareto_k = 0.;

    /** Whether the weighted draws are as good as their number seems to say. */
    bool
    is_good() const;

    /** Mean of an unknown, with its error. */
    EstimatedValue
    mean(const unsigned int unknown) const;

    double
    standard_deviation(const unsigned int unknown) const;
  };

  /** One solve for each draw. */
  ImportanceSample
  sample_around(const NormalCoordinates &posterior,
                PosteriorMaxima         &found,
                const unsigned int       n_draws,
                const std::uint64_t      seed,
                const ProgressSlot      &progress);
} // namespace Tempera

#endif
