// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/base/words.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/swap_rule.h>

#include <cmath>

namespace Tempera
{
  namespace
  {
    const Words<PairChoice> words_for_pairs = {{"even-odd",
                                                PairChoice::even_odd},
                                               {"random", PairChoice::random}};

    const Registration<SwapRuleRegistry, NoSwaps>
      register_none("none", "No swaps: the rungs are independent chains.");

    const Registration<SwapRuleRegistry, CorrectedSwap> register_corrected(
      "corrected",
      "reSGLD: rungs share one energy; corrected for its noise.");

    const Registration<SwapRuleRegistry, MultiVarianceSwap>
      register_multi_variance(
        "multi-variance",
        "m-reSGLD, the paper's rule: a weighted mean of two fidelities, corrected for their noise, not for their bias.");

    const Registration<SwapRuleRegistry, ExactSwap> register_exact(
      "exact",
      "Metropolis' rule between two fidelities: exact whatever the coarse one's bias; in two stages by default.");


    double
    inverse_temperature_gap(const Rung &cold_rung, const Rung &hot_rung)
    {
      return cold_rung.exponents.potential - hot_rung.exponents.potential;
    }

    /**
     * Log-ratio of the swap if both rungs had the energy of the rung
     * @p energy_of: \f$\tau_\delta(U(\beta_i) - U(\beta_j))\f$.
     */
    double
    shared_log_ratio(const Side    energy_of,
                     const Rung   &cold_rung,
                     const Rung   &hot_rung,
                     PairEnergies &energies)
    {
      const Evaluation &at_cold = energies(energy_of, cold);
      const Evaluation &at_hot  = energies(energy_of, hot);
      return (cold_rung.exponents.reference - hot_rung.exponents.reference) *
               (at_cold.reference - at_hot.reference) +
             inverse_temperature_gap(cold_rung, hot_rung) *
               (at_cold.potential - at_hot.potential);
    }

    /**
     * What remains to the exact ratio after shared_log_ratio() with the hot
     * rung's energy: \f$[D(\beta_i) - D(\beta_j)]/\tau_i\f$.
     */
    double
    mismatch_log_ratio(const Rung &cold_rung, PairEnergies &energies)
    {
      const auto mismatch = [&](const Side state_of) {
        return energies(cold, state_of).tempered(cold_rung.exponents) -
               energies(hot, state_of).tempered(cold_rung.exponents);
      };
      return mismatch(cold) - mismatch(hot);
    }

    /** Variance of \f$a\,x - b\,y\f$, \f$x, y\f$ correlated by \f$\rho\f$. */
    double
    variance_of_difference(const double a, const double b, const double rho)
    {
      return a * a - 2. * rho * a * b + b * b;
    }

    bool
    share_energy(const Rung &cold_rung, const Rung &hot_rung)
    {
      return cold_rung.level == hot_rung.level;
    }

    std::array<double, 2>
    checked_weights(const std::vector<double> &weights)
    {
      if (weights.size() != 2 || weights[0] < 0. || weights[1] < 0. ||
          std::abs(weights[0] + weights[1] - 1.) > 1e-12)
        throw UserError(
          "The parameter 'Sampler/Swaps/Weights' is '" + join(weights) +
          "', but it must hold two weights that are not negative and sum to "
          "1: that of the cold rung's energy and that of the hot rung's.");
      return {{weights[0], weights[1]}};
    }
  } // namespace



  void
  SwapParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter("Rule",
                      rule,
                      "How a swap is decided. 'tempera list' describes them.",
                      one_of(SwapRuleRegistry::names()));
    prm.add_parameter(
      "Every",
      every,
      "Rounds from one time at which swaps are tested to the next.",
      Integer(1));
    declare_number_list(
      prm,
      "Intensity",
      intensity,
      {"maximal"},
      0.,
      true,
      "Swap intensity r: a tested pair swaps with probability r eta min(1, S), eta the step size of its colder rung; r eta must not exceed 1. 'maximal' is r eta = 1.",
      false);
    declare_choice(
      prm,
      "Pairs",
      pairs,
      words_for_pairs,
      "Which neighbours are tested: 'even-odd' takes turns between the pairs (0,1), (2,3), ... and (1,2), (3,4), ...; 'random' takes one pair at random.");
    prm.add_parameter(
      "Weights",
      weights,
      "Weights a1, a2 of the cold and of the hot rung's energy in the rule 'multi-variance'; they sum to 1.",
      List(Double(), 2, 2));
    prm.add_parameter(
      "Correlation",
      correlation,
      "Correlation of the noise of two levels at one state, for given 'Noise'.",
      Double(-1., 1.));
    prm.add_parameter(
      "Two-stage",
      two_stage,
      "Whether the rules 'exact' and 'multi-variance' first screen a swap with the hot rung's energy alone, so that most failing swaps cost no fine evaluation; 'multi-variance' does not where 'Noise' is a number above 0.");
    declare_number_list(
      prm,
      "Noise",
      noise,
      {"estimate"},
      0.,
      false,
      "Standard deviation of the noise of each rung's energy, or one for all. 'estimate' measures it during burn-in where the energy is stochastic; deterministic energies have none.");
  }



  NoSwaps::NoSwaps(const SwapParameters &)
  {}



  unsigned int
  NoSwaps::n_stages(const Rung &, const Rung &) const
  {
    return 0;
  }



  double
  NoSwaps::log_ratio(const unsigned int,
                     const Rung &,
                     const Rung &,
                     PairEnergies &) const
  {
    return -std::numeric_limits<double>::infinity();
  }



  double
  NoSwaps::noise_penalty(const unsigned int, const Rung &, const Rung &) const
  {
    return 0.;
  }



  CorrectedSwap::CorrectedSwap(const SwapParameters &)
  {}



  void
  CorrectedSwap::check(const Rung &cold_rung, const Rung &hot_rung) const
  {
    if (!share_energy(cold_rung, hot_rung))
      throw UserError(
        "The swap rule 'corrected' needs rungs that share one energy, and "
        "neighbouring rungs here have different levels. Set "
        "'Sampler/Swaps/Rule = exact' (or 'multi-variance'), or give every "
        "rung the same level in 'Sampler/Ladder/Levels'.");
  }



  double
  CorrectedSwap::log_ratio(const unsigned int,
                           const Rung   &cold_rung,
                           const Rung   &hot_rung,
                           PairEnergies &energies) const
  {
    return shared_log_ratio(cold, cold_rung, hot_rung, energies);
  }



  double
  CorrectedSwap::noise_penalty(const unsigned int,
                               const Rung &cold_rung,
                               const Rung &hot_rung) const
  {
    return std::pow(inverse_temperature_gap(cold_rung, hot_rung) *
                      cold_rung.noise,
                    2);
  }



  MultiVarianceSwap::MultiVarianceSwap(const SwapParameters &parameters)
    : two_stage(parameters.two_stage)
    , weights(checked_weights(parameters.weights))
    , correlation(parameters.correlation)
  {}



  unsigned int
  MultiVarianceSwap::n_stages(const Rung &cold_rung, const Rung &hot_rung) const
  {
    return two_stage && !share_energy(cold_rung, hot_rung) &&
               weights[cold] != 0. && cold_rung.noise == 0. &&
               hot_rung.noise == 0. ?
             2 :
             1;
  }



  double
  MultiVarianceSwap::log_ratio(const unsigned int stage,
                               const Rung        &cold_rung,
                               const Rung        &hot_rung,
                               PairEnergies      &energies) const
  {
    if (n_stages(cold_rung, hot_rung) == 2)
      {
        const double screening =
          shared_log_ratio(hot, cold_rung, hot_rung, energies);
        return stage == 0 ?
                 screening :
                 weights[cold] *
                   (shared_log_ratio(cold, cold_rung, hot_rung, energies) -
                    screening);
      }
    double result = 0.;
    for (const Side side : {cold, hot})
      if (weights[side] != 0.)
        result +=
          weights[side] * shared_log_ratio(side, cold_rung, hot_rung, energies);
    return result;
  }



  double
  MultiVarianceSwap::noise_penalty(const unsigned int,
                                   const Rung &cold_rung,
                                   const Rung &hot_rung) const
  {
    // One stage: with two there is no noise, or it is measured.
    // The sum of the two terms is their difference with one sign turned.
    return std::pow(inverse_temperature_gap(cold_rung, hot_rung), 2) *
           variance_of_difference(weights[cold] * cold_rung.noise,
                                  -weights[hot] * hot_rung.noise,
                                  share_energy(cold_rung, hot_rung) ?
                                    1. :
                                    correlation);
  }



  ExactSwap::ExactSwap(const SwapParameters &parameters)
    : two_stage(parameters.two_stage)
    , correlation(parameters.correlation)
  {}



  unsigned int
  ExactSwap::n_stages(const Rung &cold_rung, const Rung &hot_rung) const
  {
    return two_stage && !share_energy(cold_rung, hot_rung) ? 2 : 1;
  }



  double
  ExactSwap::log_ratio(const unsigned int stage,
                       const Rung        &cold_rung,
                       const Rung        &hot_rung,
                       PairEnergies      &energies) const
  {
    if (share_energy(cold_rung, hot_rung))
      return shared_log_ratio(hot, cold_rung, hot_rung, energies);
    if (n_stages(cold_rung, hot_rung) == 1)
      return shared_log_ratio(hot, cold_rung, hot_rung, energies) +
             mismatch_log_ratio(cold_rung, energies);
    return stage == 0 ? shared_log_ratio(hot, cold_rung, hot_rung, energies) :
                        mismatch_log_ratio(cold_rung, energies);
  }



  double
  ExactSwap::noise_penalty(const unsigned int stage,
                           const Rung        &cold_rung,
                           const Rung        &hot_rung) const
  {
    const double gap       = inverse_temperature_gap(cold_rung, hot_rung);
    const double screening = std::pow(gap * hot_rung.noise, 2);
    if (share_energy(cold_rung, hot_rung))
      return screening;
    if (n_stages(cold_rung, hot_rung) == 1)
      return variance_of_difference(cold_rung.exponents.potential *
                                      cold_rung.noise,
                                    hot_rung.exponents.potential *
                                      hot_rung.noise,
                                    correlation);
    return stage == 0 ? screening :
                        std::pow(cold_rung.exponents.potential, 2) *
                          variance_of_difference(cold_rung.noise,
                                                 hot_rung.noise,
                                                 correlation);
  }
} // namespace Tempera
