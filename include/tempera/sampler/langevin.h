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

    /** Evaluate the proposal; returns whether the result is finite. */
    static bool
    evaluate_proposal(const Rung   &rung,
                      const Energy &energy,
                      const Request request,
                      RandomKey     key,
                      Workspace    &workspace);

    /**
     * Metropolis' acceptance probability of the evaluated proposal, which has
     * not been reflected.
     */
    static double
    acceptance(const Rung      &rung,
               const double     step_size,
               const Replica   &replica,
               const Workspace &workspace);
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
