// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_langevin_h
#define tempera_sampler_langevin_h

#include <tempera/sampler/tuned_kernel.h>

namespace Tempera
{
  /** What Langevin kernels keep at a rung. */
  struct LangevinState : public KernelStateOf<LangevinState, TunedState>
  {
    LangevinState(const StepTuning  &tuning,
                  const unsigned int dimension,
                  const unsigned int n_levels);

    template <typename Archive>
    void
    serialize(Archive &archive)
    {
      TunedState::serialize(archive);
      serialize_optional(archive, squared_gradients, normals.size());
      archive &weight_of_averages;
      if constexpr (Archive::is_loading::value)
        for (const double square : squared_gradients)
          if (!(square >= 0.))
            throw ArchiveError("a square is negative");
    }

    /** Averages of squared gradients, of pSGLD. */
    std::vector<double> squared_gradients;
    /** Sum of the weights in these averages. */
    double weight_of_averages = 0.;

    /** Standard normal numbers of a short state (see long_array). */
    std::vector<double> normals;
    /** The way to the proposal of a long state; see LangevinLoops. */
    std::vector<float> way;
    /** The way back to the present state in units of L, if G is dense. */
    std::vector<double> way_back;
    /** Finite only if the proposal is. */
    double magnitude = 0.;
    /** Sum of the squares of the normal numbers. */
    double squared_normals = 0.;
  };


  /**
   * A step of discretised Langevin dynamics with the preconditioner
   * \f$G = LL^T\f$ (the identity by default, diagonal or dense),
   * \f[ \beta' = \beta - h G \nabla V(\beta) + \sqrt{2h}L\varepsilon, \f]
   * where \f$V\f$ is the tempered energy and \f$h = \eta\tau\f$. For a
   * tempered posterior, \f$V = U/\tau\f$, this is the paper's
   * \f$\beta - \eta\nabla U + \sqrt{2\eta\tau}\,\varepsilon\f$.
   *
   * Long states (see long_array) are moved by vector units; short ones one
   * unknown after the other, in an order that never changes, so that their
   * results do not depend on the processor.
   */
  class LangevinKernel : public TunedKernel
  {
  public:
    std::unique_ptr<KernelState>
    make_state(const Rung        &rung,
               const unsigned int dimension,
               const unsigned int n_levels) const override;

  protected:
    using TunedKernel::TunedKernel;

    /**
     * Put the proposal into the state's replica, unevaluated. Returns whether
     * it lies in the support.
     */
    static bool
    propose(const StepContext &context,
            const double       step_size,
            const Replica     &replica,
            LangevinState     &state);

    /** What is known of an evaluated proposal. */
    struct Verdict
    {
      /** Whether the energy and, if asked for, its gradients are finite. */
      bool is_finite = false;
      /**
       * Metropolis' acceptance probability, if gradients were asked for and
       * the proposal has not been reflected.
       */
      double acceptance = 0.;
    };

    /** Evaluate the proposal. */
    static Verdict
    evaluate_proposal(const StepContext &context,
                      const double       step_size,
                      const Request      request,
                      const Replica     &replica,
                      LangevinState     &state);
  };


  /**
   * Stochastic gradient Langevin dynamics: every step is taken. Its stationary
   * law is off by \f$O(\eta)\f$; the acceptance that it reports is the one
   * that MALA would have given. Walls reflect. The step size may decay as
   * \f$a(b+k)^{-\gamma}\f$ with the round \f$k\f$.
   */
  class SGLD : public LangevinKernel
  {
  public:
    struct Parameters
    {
      double decay_offset   = 1.;
      double decay_exponent = 0.;

      /** Declare the parameters in the current section. */
      void
      declare(dealii::ParameterHandler &prm);
    };

    explicit SGLD(const KernelParameters &parameters);

    /** Any energy will do. */
    void
    check(const Energy &) const override
    {}

    KernelNeeds
    needs() const override;

    bool
    is_adjusted() const override
    {
      return false;
    }

    double
    step_factor(const std::uint64_t round) const override;

    StepOutcome
    step(const StepContext &context,
         Replica           &replica,
         KernelState       &state) const override;

  private:
    /** \f$b\f$ */
    const double decay_offset;
    /** \f$\gamma\f$ */
    const double decay_exponent;
  };


  /**
   * SGLD with the preconditioner of RMSprop (Li, Chen, Carlson and Carin,
   * 2016),
   * \f[ G = \frac{1}{\lambda + \sqrt{V}}, \qquad
   *     V \leftarrow dV + (1-d)\,g^2, \f]
   * component by component, with the weights of \f$V\f$ scaled to sum one.
   * \f$g = \tau\nabla V_\tau\f$ is what SGLD multiplies by \f$\eta\f$, where
   * \f$V_\tau\f$ is the tempered energy: \f$\nabla U\f$ for a tempered
   * posterior, \f$\tau\nabla R + \nabla P\f$ for a tempered likelihood, where
   * \f$\nabla U\f$ would miss most of the force of the prior on a hot rung and
   * allow steps that are too long.
   *
   * \f$G\f$ is not scaled to a mean of one: as with RMSprop, the drift of an
   * unknown is then about \f$\eta\f$ per step, whatever the scale of the
   * energy, also at the start of a run, where gradients are much larger than
   * later. For a Gaussian with standard deviation \f$\sigma\f$, \f$G =
   * \sigma\f$: steps are stable for \f$\eta < 2\sigma\f$ instead of
   * \f$2\sigma^2\f$.
   *
   * \f$G\f$ changes at every step of the burn-in and is frozen afterwards; a
   * \f$G\f$ that follows the state would need the divergence of \f$G\f$ in
   * the drift to sample the right law.
   */
  class PreconditionedSGLD : public SGLD
  {
  public:
    /** Besides those of SGLD. */
    struct Parameters
    {
      double rmsprop_decay  = 0.99;
      double rmsprop_offset = 1e-5;

      /** Declare the parameters in the current section. */
      void
      declare(dealii::ParameterHandler &prm);
    };

    explicit PreconditionedSGLD(const KernelParameters &parameters);

    bool
    learns() const override
    {
      return true;
    }

    bool
    needs_burn_in() const override
    {
      return true;
    }

    StepOutcome
    step(const StepContext &context,
         Replica           &replica,
         KernelState       &state) const override;

    /** Learn from the gradients at a state. */
    void
    adapt(const Rung &rung, const Replica &replica, LangevinState &state) const;

  private:
    /** \f$d\f$ */
    const double decay;
    /** \f$\lambda\f$ */
    const double offset;
  };


  /**
   * Metropolis-adjusted Langevin algorithm: a step is accepted with the
   * probability that leaves the target invariant exactly. Needs a
   * deterministic energy. Proposals outside the support are rejected.
   */
  class MALA : public LangevinKernel
  {
  public:
    struct Parameters
    {
      double target_acceptance = 0.574;

      /** Declare the parameters in the current section. */
      void
      declare(dealii::ParameterHandler &prm);
    };

    explicit MALA(const KernelParameters &parameters);

    StepOutcome
    step(const StepContext &context,
         Replica           &replica,
         KernelState       &state) const override;
  };
} // namespace Tempera

#endif
