// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_langevin_h
#define tempera_sampler_langevin_h

#include <tempera/sampler/kernel.h>

namespace Tempera
{
  /**
   * A step of discretised Langevin dynamics with the diagonal preconditioner
   * \f$G\f$ (the identity by default),
   * \f[ \beta' = \beta - h G \nabla V(\beta) + \sqrt{2hG}\,\varepsilon, \f]
   * where \f$V\f$ is the tempered energy and \f$h = \eta\tau\f$. For a
   * tempered posterior, \f$V = U/\tau\f$, this is the paper's
   * \f$\beta - \eta\nabla U + \sqrt{2\eta\tau}\,\varepsilon\f$.
   *
   * Long states (see long_array) are moved by vector units; short ones one
   * unknown after the other, in an order that never changes, so that their
   * results do not depend on the processor.
   */
  class LangevinKernel : public Kernel
  {
  protected:
    /**
     * Put the proposal into the workspace's replica, unevaluated. Returns
     * whether it lies in the support.
     */
    static bool
    propose(const Rung      &rung,
            const Energy    &energy,
            const double     step_size,
            const RandomKey &key,
            const Replica   &replica,
            Workspace       &workspace);

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
    evaluate_proposal(const Rung    &rung,
                      const Energy  &energy,
                      const double   step_size,
                      const Request  request,
                      RandomKey      key,
                      const Replica &replica,
                      Workspace     &workspace);
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
    explicit SGLD(const KernelParameters &parameters);

    bool
    is_adjusted() const override
    {
      return false;
    }

    double
    step_factor(const std::uint64_t round) const override;

    StepOutcome
    step(const Rung   &rung,
         const Energy &energy,
         const double  step_size,
         const bool    gradients_later,
         RandomKey     key,
         Replica      &replica,
         Workspace    &workspace) const override;

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
    explicit PreconditionedSGLD(const KernelParameters &parameters);

    bool
    adapts_preconditioner() const override
    {
      return true;
    }

    void
    adapt(Rung          &rung,
          const Replica &replica,
          Workspace     &workspace) const override;

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
    explicit MALA(const KernelParameters &parameters);

    bool
    is_adjusted() const override
    {
      return true;
    }

    void
    check(const Energy &energy) const override;

    bool
    adapts_step_size() const override;

    StepOutcome
    step(const Rung   &rung,
         const Energy &energy,
         const double  step_size,
         const bool    gradients_later,
         RandomKey     key,
         Replica      &replica,
         Workspace    &workspace) const override;

  private:
    const bool adapt;
  };
} // namespace Tempera

#endif
