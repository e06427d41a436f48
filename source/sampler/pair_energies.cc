// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/pair_energies.h>

#include <utility>

namespace Tempera
{
  CurrentPairEnergies::CurrentPairEnergies(ChainState         &chain,
                                           PairReport         &report,
                                           SwapEvaluations    &memory,
                                           const unsigned int  pair,
                                           const Purpose       purpose,
                                           const std::uint32_t substep)
    : chain(chain)
    , report(report)
    , memory(memory)
    , pair(pair)
    , purpose(purpose)
    , substep(substep)
  {
    for (Evaluation &evaluation : memory)
      evaluation.invalidate();
  }



  const Evaluation &
  CurrentPairEnergies::operator()(const Side energy_of, const Side state_of)
  {
    const unsigned int level = chain.ladder[pair + energy_of].level;
    // One energy has one noise, whichever of its two rungs asks.
    const Side slot = chain.ladder[pair].level == level ? cold : energy_of;
    const unsigned int state_rung = pair + state_of;
    const Energy      &energy     = *chain.ladder.get_levels()[level].energy;
    Replica           &replica    = chain.rungs[state_rung].replica;

    Evaluation &evaluation = energy.is_stochastic() ?
                               memory[2 * slot + state_of] :
                               replica.evaluations[level];
    if (!evaluation.has_values)
      {
        const bool is_here = chain.placement.is_here(pair + energy_of);
        if (is_here)
          {
            energy.evaluate(dealii::make_array_view(
                              std::as_const(replica.position)),
                            chain.key(state_rung, purpose, substep),
                            Request::values,
                            evaluation);
            evaluation.has_values = true;
            chain.work.count(level, 1, energy.work(Request::values));
          }
        else if (chain.while_waiting)
          chain.while_waiting(pair);
        chain.placement.share(pair, is_here, evaluation);
        ++report.cross_evaluations[level];
      }
    return evaluation;
  }



  bool
  CurrentPairEnergies::are_known() const
  {
    for (const unsigned int energy_rung : {pair, pair + 1})
      for (const unsigned int state_rung : {pair, pair + 1})
        if (chain.ladder.energy(energy_rung).is_stochastic() ||
            !chain.rungs[state_rung]
               .replica.evaluations[chain.ladder[energy_rung].level]
               .has_values)
          return false;
    return true;
  }
} // namespace Tempera
