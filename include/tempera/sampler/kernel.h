// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_kernel_h
#define tempera_sampler_kernel_h

#include <tempera/base/number_list.h>
#include <tempera/base/registry.h>
#include <tempera/sampler/replica.h>

#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  struct Rung;

  /** The parameters of the kernels. */
  struct KernelParameters
  {
    std::vector<std::string>  types{"MALA"};
    std::vector<double>       step_sizes{0.1};
    std::vector<unsigned int> steps_per_round{1};
    double                    decay_offset      = 1.;
    double                    decay_exponent    = 0.;
    bool                      adapt_step_size   = true;
    double                    target_acceptance = 0.574;
    NumberList                preconditioner{"none"};
    double                    rmsprop_decay  = 0.99;
    double                    rmsprop_offset = 1e-5;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** What came of one step. */
  struct StepOutcome
  {
    /** The energy was evaluated. */
    bool evaluated = false;
    /** For what. */
    Request request = Request::values_and_gradients;
    /** The state is a new one. */
    bool moved = false;
    /** The proposal had a non-finite energy or gradient and was rejected. */
    bool non_finite = false;
    /**
     * Probability of acceptance; for an unadjusted kernel the one that
     * Metropolis' rule would have given to its step, if that is known.
     */
    double acceptance       = 0.;
    bool   knows_acceptance = true;
  };


  /**
   * Moves the state of a rung. A kernel has no state of its own; the rung's
   * workspace lends it memory.
   */
  class Kernel
  {
  public:
    /** Memory for a step. */
    struct Workspace
    {
      Workspace(const unsigned int dimension, const unsigned int n_levels);

      /** The proposed state; exchanged with the rung's own on acceptance. */
      Replica proposal;
      /** Standard normal numbers of a short state (see long_array). */
      std::vector<double> normals;
      /** The way to the proposal of a long state; see LangevinKernels. */
      std::vector<float> way;
      /** Finite only if the proposal is. */
      double magnitude = 0.;
      /** Sum of the squares of the normal numbers. */
      double squared_normals = 0.;

      /** Averages of squared gradients, for a kernel that takes them. */
      std::vector<double> squared_gradients;
      /** Sum of the weights in these averages. */
      double weight_of_averages = 0.;
    };

    virtual ~Kernel() = default;

    /** Throw a UserError if the kernel cannot sample this energy. */
    virtual void
    check(const Energy &energy) const
    {
      (void)energy;
    }

    /**
     * Whether steps are accepted and rejected by Metropolis' rule. If not, the
     * reported acceptance is what that rule would have given.
     */
    virtual bool
    is_adjusted() const = 0;

    /** Whether the acceptance drives the step size during burn-in. */
    virtual bool
    adapts_step_size() const
    {
      return false;
    }

    /** Whether adapt() makes the rung's preconditioner during burn-in. */
    virtual bool
    adapts_preconditioner() const
    {
      return false;
    }

    /**
     * Called before each step of the burn-in if adapts_preconditioner(). The
     * evaluation of @p replica at the rung's level has gradients.
     */
    virtual void
    adapt(Rung &rung, const Replica &replica, Workspace &workspace) const
    {
      (void)rung;
      (void)replica;
      (void)workspace;
    }

    /** Factor of the step size in a round (a decaying schedule). */
    virtual double
    step_factor(const std::uint64_t round) const
    {
      (void)round;
      return 1.;
    }

    /**
     * One step of length @p step_size. On entry the evaluation of @p replica
     * at the rung's level has values and gradients; on exit too, unless
     * @p gradients_later. @p key has the round and the substep; the kernel sets
     * the purpose.
     *
     * @param gradients_later The state may be taken away before its next step,
     * and gradients are expensive: a kernel that does not need them to decide
     * leaves them out.
     */
    virtual StepOutcome
    step(const Rung   &rung,
         const Energy &energy,
         const double  step_size,
         const bool    gradients_later,
         RandomKey     key,
         Replica      &replica,
         Workspace    &workspace) const = 0;
  };


  /** The kernels that a parameter file can name. */
  using KernelRegistry = Registry<Kernel, const KernelParameters &>;
} // namespace Tempera

#endif
