// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_swap_rule_h
#define tempera_sampler_swap_rule_h

#include <tempera/base/number_list.h>
#include <tempera/base/registry.h>
#include <tempera/sampler/energy.h>

#include <array>
#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  struct Rung;

  /** Which neighbours are tested when swaps are. */
  enum class PairChoice
  {
    /** (0,1), (2,3), ... and (1,2), (3,4), ... in turns. */
    even_odd,
    /** One pair at random. */
    random
  };


  /** The parameters of the swaps. */
  struct SwapParameters
  {
    std::string         rule  = "exact";
    unsigned int        every = 1;
    NumberList          intensity{"maximal"};
    PairChoice          pairs = PairChoice::even_odd;
    std::vector<double> weights{0.5, 0.5};
    double              correlation = 1.;
    bool                two_stage   = true;
    NumberList          noise{"estimate"};

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** One of the two rungs of a pair. */
  enum Side : unsigned int
  {
    cold = 0,
    hot  = 1
  };


  /**
   * The energies that a swap of the states \f$\beta_i\f$ (cold) and
   * \f$\beta_j\f$ (hot) of two neighbouring rungs may need. Each is computed
   * when first asked for.
   */
  class PairEnergies
  {
  public:
    virtual ~PairEnergies() = default;

    /** The energy function of rung @p energy_of at the state of @p state_of. */
    virtual const Evaluation &
    operator()(const Side energy_of, const Side state_of) = 0;
  };


  /**
   * How a swap between two neighbouring rungs is decided: in one or two
   * stages, each of which passes with probability \f$\min(1, \hat S)\f$.
   *
   * A rule gives \f$\log\hat S\f$ and its noise penalty separately, as pure
   * functions; who evaluates the energies and draws the numbers is not its
   * business. The formulas are derived in doc/swap_rules.md.
   */
  class SwapRule
  {
  public:
    virtual ~SwapRule() = default;

    /** Throw a UserError if the rule cannot serve these two rungs. */
    virtual void
    check(const Rung &cold_rung, const Rung &hot_rung) const
    {
      (void)cold_rung;
      (void)hot_rung;
    }

    /** Number of stages; zero for a rule that never swaps. */
    virtual unsigned int
    n_stages(const Rung &cold_rung, const Rung &hot_rung) const
    {
      (void)cold_rung;
      (void)hot_rung;
      return 1;
    }

    /** Whether a deterministic solver's error may be given as its noise. */
    virtual bool
    takes_bias_for_noise() const
    {
      return false;
    }

    /** \f$\log\hat S\f$ of a stage, without the penalty for noise. */
    virtual double
    log_ratio(const unsigned int stage,
              const Rung        &cold_rung,
              const Rung        &hot_rung,
              PairEnergies      &energies) const = 0;

    /**
     * Half the variance of the noise of log_ratio(), from the rungs' noise
     * \f$\sigma\f$: noise independent between the states and correlated by
     * \f$\rho\f$ between the levels.
     */
    virtual double
    noise_penalty(const unsigned int stage,
                  const Rung        &cold_rung,
                  const Rung        &hot_rung) const = 0;
  };


  /** No swaps: independent chains. */
  class NoSwaps : public SwapRule
  {
  public:
    explicit NoSwaps(const SwapParameters &parameters);

    unsigned int
    n_stages(const Rung &cold_rung, const Rung &hot_rung) const override;

    double
    log_ratio(const unsigned int stage,
              const Rung        &cold_rung,
              const Rung        &hot_rung,
              PairEnergies      &energies) const override;

    double
    noise_penalty(const unsigned int stage,
                  const Rung        &cold_rung,
                  const Rung        &hot_rung) const override;
  };


  /**
   * reSGLD's rule for rungs that share one energy:
   * \f$\log\hat S = \tau_\delta(\hat U(\beta_i) - \hat U(\beta_j))\f$ with
   * \f$\tau_\delta = 1/\tau_i - 1/\tau_j\f$, penalty
   * \f$\tau_\delta^2\sigma^2\f$.
   */
  class CorrectedSwap : public SwapRule
  {
  public:
    explicit CorrectedSwap(const SwapParameters &parameters);

    void
    check(const Rung &cold_rung, const Rung &hot_rung) const override;

    double
    log_ratio(const unsigned int stage,
              const Rung        &cold_rung,
              const Rung        &hot_rung,
              PairEnergies      &energies) const override;

    double
    noise_penalty(const unsigned int stage,
                  const Rung        &cold_rung,
                  const Rung        &hot_rung) const override;
  };


  /**
   * The paper's rule (with the sign of its proof):
   * \f$\log\hat S = \tau_\delta[a_1(\hat U_i(\beta_i) - \hat U_i(\beta_j)) +
   * a_2(\hat U_j(\beta_i) - \hat U_j(\beta_j))]\f$, \f$a_1 + a_2 = 1\f$.
   * It treats the difference of the solvers as noise, so a coarse solver's
   * bias enters the result.
   *
   * In two stages, the hot rung's energy screens the swap as in ExactSwap, and
   * \f$\log S_2 = \tau_\delta a_1[D(\beta_i) - D(\beta_j)]\f$ with
   * \f$D = U_i - U_j\f$ is the rest: both change sign when the swap is undone,
   * so what is left invariant is the same. Noise that is given as a number may
   * be a solver's error, for which this does not hold: then there is one stage.
   */
  class MultiVarianceSwap : public SwapRule
  {
  public:
    explicit MultiVarianceSwap(const SwapParameters &parameters);

    bool
    takes_bias_for_noise() const override
    {
      return true;
    }

    unsigned int
    n_stages(const Rung &cold_rung, const Rung &hot_rung) const override;

    double
    log_ratio(const unsigned int stage,
              const Rung        &cold_rung,
              const Rung        &hot_rung,
              PairEnergies      &energies) const override;

    double
    noise_penalty(const unsigned int stage,
                  const Rung        &cold_rung,
                  const Rung        &hot_rung) const override;

  private:
    const bool two_stage;
    /** \f$a_1\f$ and \f$a_2\f$ */
    const std::array<double, 2> weights;
    /** \f$\rho\f$ */
    const double correlation;
  };


  /**
   * Metropolis' rule for two different energies:
   * \f$\log S = (U_i(\beta_i) - U_i(\beta_j))/\tau_i + (U_j(\beta_j) -
   * U_j(\beta_i))/\tau_j\f$. It leaves the targets of both rungs invariant,
   * whatever the coarse solver's bias.
   *
   * In two stages, the hot rung's own energy screens the swap with
   * \f$\log S_1 = \tau_\delta(U_j(\beta_i) - U_j(\beta_j))\f$; only a swap that
   * passes costs the cold energy, \f$\log S_2 = [D(\beta_i) -
   * D(\beta_j)]/\tau_i\f$ with \f$D = U_i - U_j\f$.
   */
  class ExactSwap : public SwapRule
  {
  public:
    explicit ExactSwap(const SwapParameters &parameters);

    unsigned int
    n_stages(const Rung &cold_rung, const Rung &hot_rung) const override;

    double
    log_ratio(const unsigned int stage,
              const Rung        &cold_rung,
              const Rung        &hot_rung,
              PairEnergies      &energies) const override;

    double
    noise_penalty(const unsigned int stage,
                  const Rung        &cold_rung,
                  const Rung        &hot_rung) const override;

  private:
    const bool   two_stage;
    const double correlation;
  };


  /** The swap rules that a parameter file can name. */
  using SwapRuleRegistry = Registry<SwapRule, const SwapParameters &>;
} // namespace Tempera

#endif
