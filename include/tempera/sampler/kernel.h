// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_kernel_h
#define tempera_sampler_kernel_h

#include <tempera/base/number_list.h>
#include <tempera/base/registry.h>
#include <tempera/sampler/replica.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace boost
{
  namespace archive
  {
    class binary_iarchive;
    class binary_oarchive;
  } // namespace archive
} // namespace boost

namespace Tempera
{
  struct Rung;
  struct KernelParameters;
  class PriorMeasure;

  /**
   * What a kernel needs: of a state before it takes a step there, and of the
   * target. Where the target has no such thing, there is no run.
   */
  struct KernelNeeds
  {
    /** The energy. */
    bool values = true;
    /** Its gradient; none is computed for a kernel that does not need it. */
    bool gradients = true;
    /** Draws from the prior, PriorMeasure::sample(). */
    bool prior_draws = false;
    /** PriorMeasure::apply_covariance() and its root. */
    bool prior_covariance = false;
    /** A prior that is Gaussian, at a temperature that leaves it alone. */
    bool gaussian_prior = false;
  };


  /** What came of one step. */
  struct StepOutcome
  {
    /** Take note of an evaluation of the energy. */
    void
    count(const Request request)
    {
      ++evaluations[static_cast<unsigned int>(request)];
    }

    /** Evaluations of the energy, by Request. */
    std::array<unsigned int, 3> evaluations{{0, 0, 0}};
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


  /** Where a step is taken. */
  struct StepContext
  {
    const Rung   &rung;
    const Energy &energy;
    /** Has the round and the substep; the kernel sets the purpose. */
    RandomKey key;
    /** What a kernel learns, it learns in burn-in only. */
    bool in_burn_in = false;
    /**
     * The state may be taken away before its next step, and gradients are
     * expensive: a kernel that does not need them to decide leaves them out.
     */
    bool gradients_later = false;
    /** The law of the reference part; there if the kernel needs() it. */
    const PriorMeasure *prior = nullptr;
  };


  /**
   * What a kernel keeps at one rung from step to step: what it has learned, and
   * memory to work in. A kernel makes its own kind; see kernel_state.h.
   */
  class KernelState
  {
  public:
    virtual ~KernelState() = default;

    /** The step size \f$\eta\f$ that is in use, for tables. */
    virtual double
    step_size() const = 0;

    virtual void
    save(boost::archive::binary_oarchive &archive) const = 0;

    /** What cannot have been saved by such a state is an ArchiveError. */
    virtual void
    load(boost::archive::binary_iarchive &archive) = 0;
  };


  /**
   * Moves the state of a rung. A kernel itself never changes; what it keeps is
   * in the state that it makes for a rung, and that it gets back at every step.
   */
  class Kernel
  {
  public:
    virtual ~Kernel() = default;

    /** Throw a UserError if the kernel cannot sample this energy. */
    virtual void
    check(const Energy &energy) const
    {
      (void)energy;
    }

    virtual KernelNeeds
    needs() const
    {
      return KernelNeeds();
    }

    /**
     * Whether steps are accepted and rejected by Metropolis' rule. If not, the
     * reported acceptance is what that rule would have given.
     */
    virtual bool
    is_adjusted() const = 0;

    /** Whether the step size changes during burn-in. */
    virtual bool
    adapts_step_size() const
    {
      return false;
    }

    /** Whether anything is learned during burn-in. */
    virtual bool
    learns() const
    {
      return adapts_step_size();
    }

    /** Whether the kernel is of no use without a burn-in to learn in. */
    virtual bool
    needs_burn_in() const
    {
      return false;
    }

    /** Factor of the step size in a round (a decaying schedule). */
    virtual double
    step_factor(const std::uint64_t round) const
    {
      (void)round;
      return 1.;
    }

    /** What the kernel keeps at a rung. */
    virtual std::unique_ptr<KernelState>
    make_state(const Rung        &rung,
               const unsigned int dimension,
               const unsigned int n_levels) const = 0;

    /**
     * One step. On entry the evaluation of @p replica at the rung's level has
     * what the kernel needs(); on exit too, unless gradients come later.
     */
    virtual StepOutcome
    step(const StepContext &context,
         Replica           &replica,
         KernelState       &state) const = 0;

    /** The rung is at @p position at the end of a round of the burn-in. */
    virtual void
    observe(const std::vector<double> &position, KernelState &state) const
    {
      (void)position;
      (void)state;
    }

    /**
     * At the end of a window and of the burn-in, before all else: look at what
     * the kernel of the next hotter rung keeps, of whatever kind it is.
     */
    virtual void
    learn_from_hotter(const KernelState &hotter, KernelState &state) const
    {
      (void)hotter;
      (void)state;
    }

    /**
     * A window of the burn-in is over (see is_end_of_adaptation_window()).
     *
     * @param is_retempered The temperature of the rung may have changed.
     */
    virtual void
    end_window(const bool is_retempered, KernelState &state) const
    {
      (void)is_retempered;
      (void)state;
    }

    /** From now on nothing changes. */
    virtual void
    end_burn_in(KernelState &state) const
    {
      (void)state;
    }
  };


  /** Declares the parameters of one kind of kernel, and makes it. */
  class KernelType
  {
  public:
    virtual ~KernelType() = default;

    /** A copy, with the values of the parameters. */
    virtual std::unique_ptr<KernelType>
    clone() const = 0;

    /**
     * Declare the parameters in the section of all kernels; a new kernel opens
     * a subsection of its own name for them.
     */
    virtual void
    declare(dealii::ParameterHandler &prm) = 0;

    /** @param parameters Those of all kernels, these among them. */
    virtual std::unique_ptr<Kernel>
    make(const KernelParameters &parameters) const = 0;
  };


  /** The type of a kernel that has a struct of parameters. */
  template <class KernelClass>
  class KernelTypeOf : public KernelType
  {
  public:
    std::unique_ptr<KernelType>
    clone() const override
    {
      return std::make_unique<KernelTypeOf>(*this);
    }

    void
    declare(dealii::ParameterHandler &prm) override
    {
      parameters.declare(prm);
    }

    std::unique_ptr<Kernel>
    make(const KernelParameters &all) const override
    {
      return std::make_unique<KernelClass>(all);
    }

    typename KernelClass::Parameters parameters;
  };


  /** The kernels that a parameter file can name. */
  using KernelRegistry = Registry<KernelType>;

  template <class KernelClass>
  using KernelRegistration =
    Registration<KernelRegistry, KernelTypeOf<KernelClass>>;


  /** The parameters that kernels share, and with them those of each kernel. */
  struct KernelParameters
  {
    KernelParameters();
    KernelParameters(const KernelParameters &other);
    KernelParameters &
    operator=(const KernelParameters &other);

    /** Names of kernels; several that take turns at a rung with + between. */
    std::vector<std::string>  types{"MALA"};
    std::vector<double>       step_sizes{0.1};
    std::vector<unsigned int> steps_per_round{1};
    bool                      adapt_step_size = true;
    NumberList                preconditioner{"none"};

    /** Declare the parameters in the current section, of all kernels. */
    void
    declare(dealii::ParameterHandler &prm);

    /**
     * Set parameters as a parameter file does in the section of the kernels,
     * for programs: "set Type = HMC", for instance.
     */
    void
    read(const std::string &text);

    /** The parameters of one kernel. */
    template <class KernelClass>
    typename KernelClass::Parameters &
    of()
    {
      return const_cast<typename KernelClass::Parameters &>(
        std::as_const(*this).of<KernelClass>());
    }

    template <class KernelClass>
    const typename KernelClass::Parameters &
    of() const
    {
      for (const auto &kind : kinds)
        if (const auto *type = dynamic_cast<const KernelTypeOf<KernelClass> *>(
              kind.second.get()))
          return type->parameters;
      throw UserError(
        "There are parameters of a kernel that is not registered.");
    }

    /** The kernel, or several that take turns, of an entry of `types`. */
    std::shared_ptr<const Kernel>
    make(const std::string &names) const;

  private:
    /** The kernels that are known when parameters are made or declared. */
    void
    take_registered();

    std::map<std::string, std::unique_ptr<KernelType>> kinds;
  };
} // namespace Tempera

#endif
