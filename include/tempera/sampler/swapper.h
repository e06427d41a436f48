// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_swapper_h
#define tempera_sampler_swapper_h

#include <tempera/sampler/noise_probe.h>
#include <tempera/sampler/pair_energies.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * Exchanges the states of neighbouring rungs of a chain: which pairs are
   * tested when, by which rule, with which penalty for noise.
   */
  class Swapper
  {
    struct PairState
    {
      PairReport report;
      NoiseProbe probe;
      /** When it was tested; counted from 1. */
      std::uint64_t last_test = 0;
    };

  public:
    /**
     * @param rule The rule to use; taken from @p parameters by name if none is
     * given.
     */
    Swapper(ChainState                     &chain,
            const SwapParameters           &parameters,
            std::shared_ptr<const SwapRule> rule);

    /** Whether the state of a rung may be swapped in the current round. */
    bool
    may_swap(const unsigned int rung) const;

    /**
     * At the end of the current round, if it is one with swaps: measure noise,
     * attempt swaps. Returns those that this process took part in.
     */
    const std::vector<SwapAttempt> &
    do_swaps();

    /** Whether a pair was tested at the end of the present round. */
    bool
    is_tested(const unsigned int pair) const
    {
      return pairs[pair].last_test == chain.time() + 1;
    }

    /**
     * Space the temperatures for equal rejection, if enough swaps have been
     * tested since the last time.
     */
    void
    space_temperatures();

    /** Keep the measured noise, and count anew. */
    void
    end_burn_in();

    /** Reports of all pairs. */
    std::vector<PairReport>
    reports() const;

    /** Save or load all that belongs to a pair. */
    template <typename Archive>
    void
    serialize_pair(Archive &archive, const unsigned int pair);

    /** What changes with swaps, of some pairs up to the hottest. */
    struct Part
    {
      std::vector<PairState>   pairs;
      std::vector<SwapAttempt> attempts;
    };

    Part
    copy_part(const unsigned int first_pair) const
    {
      return {{pairs.begin() + first_pair, pairs.end()}, attempts};
    }

    /** Have another part instead of the present one, which becomes it. */
    void
    exchange_part(const unsigned int first_pair, Part &part)
    {
      std::swap_ranges(part.pairs.begin(),
                       part.pairs.end(),
                       pairs.begin() + first_pair);
      attempts.swap(part.attempts);
    }

    /** Whether a pair may be tested at the end of the present round. */
    bool
    may_be_tested(const unsigned int pair) const
    {
      return is_swap_round(pair) && n_stages(pair) > 0;
    }

    /**
     * Let two states change places; false if one has no finite energy there,
     * as far as this process has the rungs.
     */
    bool
    change_places(const unsigned int pair);

  private:
    /** Throw a UserError if the given noise makes no sense for a pair. */
    void
    check_noise(const unsigned int pair) const;

    /** Throw a UserError if a pair cannot be tested as often as it is said. */
    void
    check_intensity(const unsigned int pair) const;

    /** Whether a pair may be tested now, at the pace of its colder rung. */
    bool
    is_swap_round(const unsigned int pair) const
    {
      return chain.is_awake(pair) && chain.own_rounds(pair) % every == 0;
    }

    /** Attempt swaps of pairs of one pace. */
    void
    do_swaps(const unsigned int begin, const unsigned int end);

    /** Whether this process has a rung of a pair. */
    bool
    is_concerned(const unsigned int pair) const
    {
      return chain.placement.is_here(pair) || chain.placement.is_here(pair + 1);
    }

    CurrentPairEnergies
    energies(const unsigned int  pair,
             const Purpose       purpose,
             const std::uint32_t substep)
    {
      return CurrentPairEnergies(
        chain, pairs[pair].report, memory, pair, purpose, substep);
    }

    /** Number of stages of a pair; zero if it is never swapped. */
    unsigned int
    n_stages(const unsigned int pair) const
    {
      return rule->n_stages(chain.ladder[pair], chain.ladder[pair + 1]);
    }

    /** Probability \f$r\eta\f$ with which a pair is tested at all. */
    double
    test_probability(const unsigned int pair) const
    {
      return intensity == 0. ? 1. : intensity * chain.step_size(pair);
    }

    /**
     * Whether every state is taken: at the beginning, by a rung that lives by
     * swaps. It may have begun where the coarser level is far off, and would
     * never leave.
     */
    bool
    takes_all(const unsigned int pair) const
    {
      return chain.round < chain.run.burn_in / 2 &&
             chain.ladder[pair].n_steps == 0 &&
             chain.ladder.is_change_of_level(pair + 1);
    }

    /** Half the variance of the noise of a stage, given or measured. */
    double
    penalty(const unsigned int pair, const unsigned int stage) const;

    void
    measure_noise(const unsigned int pair);

    void
    attempt(const unsigned int pair);

    /** The same, if all that are concerned agree; otherwise nothing changes. */
    bool
    exchange(const unsigned int pair);

    void
    note_rule_difference(const unsigned int pair);

    ChainState                     &chain;
    const std::uint64_t             every;
    std::shared_ptr<const SwapRule> rule;
    /** For the report of how the two rules differ. */
    const MultiVarianceSwap multi_variance_rule;
    const ExactSwap         exact_rule;
    /** Whether the pair to test is drawn, or pairs take turns. */
    const bool random_pairs;
    /** Swap intensity \f$r\f$; zero for the largest possible. */
    const double           intensity;
    std::vector<PairState> pairs;
    SwapEvaluations        memory;
    /** Of the last do_swaps(). */
    std::vector<SwapAttempt> attempts;
  };
} // namespace Tempera

#endif
