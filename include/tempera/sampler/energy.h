// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_energy_h
#define tempera_sampler_energy_h

#include <tempera/sampler/random.h>
#include <tempera/sampler/state_space.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /** What an evaluation of an energy shall deliver. */
  enum class Request
  {
    values,
    /** The values are known already (see Evaluation::linearisation). */
    gradients,
    values_and_gradients
  };


  /**
   * The powers to which a rung raises the two factors of the posterior: its
   * target is \f$\exp(-w_R R - w_P P)\f$ with reference part \f$R\f$ and
   * potential \f$P\f$.
   */
  struct Exponents
  {
    double reference = 1.;
    double potential = 1.;
  };


  /** The result of evaluating an Energy at one state. */
  struct Evaluation
  {
    /** Reference (prior) part \f$R\f$. */
    double reference = 0.;
    /** Potential (misfit) part \f$P\f$. */
    double potential = 0.;

    std::vector<double> reference_gradient;
    std::vector<double> potential_gradient;

    bool has_values    = false;
    bool has_gradients = false;

    /**
     * Whatever an expensive energy wants to keep from computing the values
     * (a trajectory, a factorisation) so that the gradients cost no second
     * forward solve. Unused by cheap energies.
     */
    std::shared_ptr<void> linearisation;

    /**
     * The values come from a file or another process, and what their energy
     * may have kept for gradients is not here.
     */
    bool is_from_elsewhere = false;

    /** What a forward model predicts at the state; empty without one. */
    std::vector<double> predictions;

    /** The energy \f$U = R + P\f$. */
    double
    energy() const
    {
      return reference + potential;
    }

    /** Minus the logarithm of a rung's unnormalised density. */
    double
    tempered(const Exponents &exponents) const
    {
      return exponents.reference * reference + exponents.potential * potential;
    }

    /** Forget everything but the memory. */
    void
    invalidate()
    {
      has_values = has_gradients = is_from_elsewhere = false;
      if (linearisation)
        linearisation.reset();
    }

    /** Whether all that is there is finite. */
    bool
    is_finite() const;
  };


  /** The values of an energy at a state. */
  struct EnergyValues
  {
    double reference, potential;

    /** The energy \f$U = R + P\f$. */
    double
    energy() const
    {
      return reference + potential;
    }
  };


  /**
   * The negative logarithm of an unnormalised density, \f$U = R + P\f$: the
   * one thing that the sampler knows of a problem.
   *
   * An energy is pure: its result is a function of the state and, if it is
   * stochastic, of the random key, and of nothing else. Outside the box of its
   * space it is never asked.
   */
  class Energy
  {
  public:
    virtual ~Energy() = default;

    /** Names and bounds of the unknowns. */
    virtual const StateSpace &
    space() const = 0;

    /** Whether the result depends on the random key (minibatches, noise). */
    virtual bool
    is_stochastic() const
    {
      return false;
    }

    /**
     * Whether gradients alone depend on the random key (minibatches), while
     * values are exact. Such gradients are asked for without values, and never
     * kept for another step.
     */
    virtual bool
    has_noisy_gradients() const
    {
      return false;
    }

    /**
     * Whether gradients cost about as much again as values, so that it pays to
     * ask for them as late as possible. Only for deterministic energies.
     */
    virtual bool
    gradients_are_separate() const
    {
      return false;
    }

    /**
     * What an evaluation costs. The unit is the same for all energies of a
     * run; nothing that is timed goes into it.
     */
    virtual double
    work(const Request request) const
    {
      return request == Request::values_and_gradients ? 2. : 1.;
    }

    /** What it took to make this energy, in the same unit. */
    virtual double
    set_up_work() const
    {
      return 0.;
    }

    /** Whether \f$\exp(-w_R R - w_P P)\f$ has a finite integral. */
    virtual bool
    is_integrable(const Exponents &exponents) const = 0;

    /**
     * Fill the requested members of @p evaluation, whose gradient vectors have
     * the right size. The caller keeps the flags. On Request::gradients,
     * @p evaluation holds what an earlier call with the same state and key
     * left in it.
     */
    virtual void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const = 0;

    /** How many states values_at() likes to get. */
    virtual unsigned int
    n_together() const
    {
      return 1;
    }

    /**
     * The values of a deterministic energy at several states, which may take
     * less time than one after the other. What is found at one does not depend
     * on the others, bit by bit; it may differ from that of evaluate() by
     * rounding.
     */
    virtual std::vector<EnergyValues>
    values_at(const std::vector<std::vector<double>> &states) const;

    /** Whether there are sensitivities(). */
    virtual bool
    has_sensitivities() const
    {
      return false;
    }

    /**
     * The rows of some matrix \f$W\f$ with \f$P = \frac12|r|^2\f$ and \f$W =
     * \partial r/\partial x\f$, up to a constant: one row per measurement, in
     * units of its error. \f$W^TW\f$ is the Hessian of the potential after
     * Gauss and Newton. Costs a value and as many gradients as there are rows;
     * there are none where the potential is not finite.
     */
    virtual std::vector<std::vector<double>>
    sensitivities(const dealii::ArrayView<const double> &state) const
    {
      (void)state;
      return {};
    }
  };
} // namespace Tempera

#endif
