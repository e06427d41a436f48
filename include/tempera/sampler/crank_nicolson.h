// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_crank_nicolson_h
#define tempera_sampler_crank_nicolson_h

#include <tempera/sampler/tuned_kernel.h>

#include <vector>

namespace Tempera
{
  /** What a CrankNicolsonKernel keeps at a rung. */
  class CrankNicolsonState
    : public KernelStateOf<CrankNicolsonState, TunedState>
  {
  public:
    using KernelStateOf::KernelStateOf;

    /** Memory. */
    std::vector<double> noise, move;
  };


  /**
   * What kernels have in common that are made for functions: with a Gaussian
   * law of mean \f$m\f$ and covariance \f$C = LL^T\f$, the prior or one with a
   * density with respect to it, they propose
   * \f[
   *   x' = m + \rho\,(x - m) - (1-\rho)\,d + \sqrt{1-\rho^2}\,L z,
   *   \qquad \rho = e^{-h}, \quad h = \eta\tau,
   * \f]
   * with a standard normal \f$z\f$ and perhaps a drift \f$d\f$. Without drift
   * that keeps the law, whatever the number of unknowns; to first order in
   * \f$h\f$ it is MALA's proposal with the preconditioner \f$C\f$.
   */
  class CrankNicolsonKernel : public TunedKernel
  {
  public:
    KernelNeeds
    needs() const override;

    std::unique_ptr<KernelState>
    make_state(const Rung        &rung,
               const unsigned int dimension,
               const unsigned int n_levels) const override;

    StepOutcome
    step(const StepContext &context,
         Replica           &replica,
         KernelState       &kernel_state) const override;

  protected:
    CrankNicolsonKernel(const std::string &name,
                        const bool         adapt_step_size,
                        const double       target_acceptance);

    /** \f$\rho\f$ */
    static double
    correlation(const Rung &rung, const TunedState &state);

    /** What is asked of an energy at a proposal. */
    virtual Request
    request() const = 0;

    /**
     * Turn the mean of the prior and a draw of \f$N(0, C)\f$ into those of
     * the law that proposals keep: the prior, unless a kernel knows better.
     */
    virtual void
    shape_law(const CrankNicolsonState &state,
              std::vector<double>      &mean,
              std::vector<double>      &move) const
    {
      (void)state;
      (void)mean;
      (void)move;
    }

    /** Fill the drift \f$d\f$ at a state; there is none without entries. */
    virtual void
    find_drift(const StepContext   &context,
               const Evaluation    &evaluation,
               std::vector<double> &drift) const
    {
      (void)context;
      (void)evaluation;
      (void)drift;
    }

    /**
     * By how much the logarithm of the acceptance ratio exceeds that of the
     * likelihoods, which is nothing where proposals keep the prior.
     *
     * @param state Has the proposal, with what was asked of it.
     * @param drift That of the replica.
     */
    virtual double
    correction(const StepContext         &context,
               const CrankNicolsonState  &state,
               const std::vector<double> &drift,
               const Replica             &replica) const
    {
      (void)context;
      (void)state;
      (void)drift;
      (void)replica;
      return 0.;
    }
  };
} // namespace Tempera

#endif
