// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_pair_energies_h
#define tempera_sampler_pair_energies_h

#include <tempera/sampler/chain_state.h>
#include <tempera/sampler/swap_rule.h>

#include <array>

namespace Tempera
{
  /** Memory for stochastic energies of a swap, by energy and state. */
  using SwapEvaluations = std::array<Evaluation, 4>;


  /**
   * Energies of the two states of a pair. Deterministic ones are kept with the
   * state; stochastic ones are drawn afresh, with one random key per state, so
   * that two levels at one state see the same noise where they can.
   *
   * Where the rungs of the pair are at two processes, each computes the
   * energies of its own rung and tells the other.
   */
  class CurrentPairEnergies : public PairEnergies
  {
  public:
    /**
     * @param memory What it holds is forgotten.
     * @param purpose Of the random numbers of stochastic energies.
     */
    CurrentPairEnergies(ChainState         &chain,
                        PairReport         &report,
                        SwapEvaluations    &memory,
                        const unsigned int  pair,
                        const Purpose       purpose,
                        const std::uint32_t substep);

    const Evaluation &
    operator()(const Side energy_of, const Side state_of) override;

    /** Whether all four energies are deterministic and already known. */
    bool
    are_known() const;

  private:
    ChainState         &chain;
    PairReport         &report;
    SwapEvaluations    &memory;
    const unsigned int  pair;
    const Purpose       purpose;
    const std::uint32_t substep;
  };
} // namespace Tempera

#endif
