// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_tuned_kernel_h
#define tempera_sampler_tuned_kernel_h

#include <tempera/sampler/kernel_state.h>
#include <tempera/sampler/step_tuning.h>

#include <cmath>
#include <string>

namespace Tempera
{
  /** What a TunedKernel keeps at a rung. */
  class TunedState : public KernelState
  {
  public:
    TunedState(const StepTuning  &tuning,
               const unsigned int dimension,
               const unsigned int n_levels)
      : tuning(tuning)
      , proposal(0, std::vector<double>(dimension), n_levels)
    {}

    double
    step_size() const override
    {
      return tuning.step_size();
    }

    template <typename Archive>
    void
    serialize(Archive &archive)
    {
      tuning.serialize(archive);
    }

    StepTuning tuning;
    /** The proposed state; exchanged with the rung's own on acceptance. */
    Replica proposal;
  };


  /**
   * A kernel whose step size and scales are learned in burn-in by StepTuning.
   * It accepts and rejects, unless it says otherwise.
   */
  class TunedKernel : public Kernel
  {
  public:
    /** Energies that are not deterministic are refused. */
    void
    check(const Energy &energy) const override;

    bool
    is_adjusted() const override
    {
      return true;
    }

    bool
    adapts_step_size() const override
    {
      return adapt_step_size;
    }

    bool
    learns() const override
    {
      return adapt_step_size || learning != Learning::nothing;
    }

    void
    observe(const std::vector<double> &position,
            KernelState               &state) const override;

    void
    end_window(const bool is_retempered, KernelState &state) const override;

    void
    end_burn_in(KernelState &state) const override;

  protected:
    /**
     * @param name For messages.
     * @param target_acceptance Of the step size, if that is adapted.
     */
    TunedKernel(const std::string &name,
                const bool         adapt_step_size,
                const double       target_acceptance,
                const Learning     learning,
                const StepRule     rule = StepRule::dual_averaging);

    StepTuning
    make_tuning(const Rung &rung, const unsigned int dimension) const
    {
      return StepTuning(
        rung, dimension, adapt_step_size, target_acceptance, learning, rule);
    }

    /** Make a random walk's move of standard normal numbers. */
    static void
    walk(const Rung &rung, const StepTuning &tuning, std::vector<double> &move);

    /**
     * Propose a move, and accept or reject it. Beyond a wall there is no
     * density, and nothing is evaluated.
     *
     * @param proposal Memory; exchanged with the replica on acceptance.
     * @param log_ratio_of_ways Logarithm of how much more likely the way back
     * is proposed than the move.
     */
    static StepOutcome
    decide(const StepContext         &context,
           const std::vector<double> &move,
           Replica                   &replica,
           Replica                   &proposal,
           const double               log_ratio_of_ways = 0.);

    /**
     * Make more of what has been measured: at the end of each window, after
     * the scales, and of the burn-in.
     */
    virtual void
    learn_more(KernelState &state) const
    {
      (void)state;
    }

    const std::string name;
    const bool        adapt_step_size;
    const double      target_acceptance;
    /** What is made of the states of the burn-in. */
    const Learning learning;
    const StepRule rule;
  };


  /**
   * Metropolis' acceptance probability. A NaN, of numbers that have overflowed
   * or a step size that has underflowed, counts as a rejection.
   */
  inline double
  metropolis(const double log_ratio)
  {
    return log_ratio >= 0. ? 1. : log_ratio < 0. ? std::exp(log_ratio) : 0.;
  }
} // namespace Tempera

#endif
