// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_adaptation_h
#define tempera_sampler_adaptation_h

#include <cstdint>
#include <vector>

namespace Tempera
{
  /** How a step size is adapted. */
  enum class StepRule
  {
    /** Of Nesterov, in the form of Hoffman and Gelman (2014). */
    dual_averaging,
    /**
     * Of Robbins and Monro, with a mean over most of the window: for kernels
     * whose acceptance differs much from state to state, or may not fall to the
     * target at all.
     */
    robbins_monro
  };


  /** Drives the acceptance of a kernel to a target. */
  class StepSizeAdaptation
  {
  public:
    StepSizeAdaptation(const double   step_size,
                       const double   target,
                       const StepRule rule = StepRule::dual_averaging);

    /** Take note of an acceptance; returns the step size to use next. */
    double
    update(const double acceptance);

    /** Begin anew from a step size, after what is sampled has changed. */
    void
    restart(const double step_size);

    /** The averaged step size, to be kept after burn-in. */
    double
    averaged() const;

    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      archive &centre &count &mean_error &mean_log_step;
    }

  private:
    double   target;
    StepRule rule;
    /** Logarithm of the step that iterates are drawn to, or in use. */
    double centre        = 0.;
    double count         = 0.;
    double mean_error    = 0.;
    double mean_log_step = 0.;
  };


  /**
   * Temperatures between the same two ends for which every pair of neighbours
   * would have the same rejection, by linear interpolation of the cumulated
   * rejections over the logarithm of the temperature (over its inverse, on the
   * way to infinity). Neighbours of one temperature keep it in common.
   */
  std::vector<double>
  equal_rejection_temperatures(const std::vector<double> &temperatures,
                               const std::vector<double> &rejections);


  /**
   * A diagonal preconditioner from the variances of the unknowns, all positive,
   * that so many draws have: shrunk towards their geometric mean and scaled to
   * geometric mean one, so that the step size keeps its meaning.
   */
  std::vector<double>
  preconditioner_from_variances(const std::vector<double> &variances,
                                const std::uint64_t        n_draws);


  /**
   * The rounds of a burn-in at which temperatures and preconditioners are set
   * anew: windows that grow, so that early states are forgotten. In the last
   * quarter only step sizes and noise are still measured.
   */
  bool
  is_end_of_adaptation_window(const std::uint64_t rounds_done,
                              const std::uint64_t burn_in);
} // namespace Tempera

#endif
