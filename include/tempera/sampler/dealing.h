// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_dealing_h
#define tempera_sampler_dealing_h

#include <functional>
#include <vector>

namespace Tempera
{
  /** Which peer has which rung, by chain and rung, and what that means. */
  struct Deal
  {
    std::vector<std::vector<unsigned int>> peer_of;
    /** Cost of a round, by peer. */
    std::vector<double> loads;
  };


  /**
   * Deal the rungs of several equal ladders to peers so that the most loaded
   * one has as little to do as possible: the most expensive rungs first, each
   * to whoever has least; cheap ones fill the gaps. Whole chains go to one peer
   * where that is about as even, since then nobody waits for anybody. The
   * coldest rung of the first chain is at peer 0.
   *
   * A rung that lives by swaps is solved when they are tested, while others
   * wait, unless all hotter rungs are at one peer, which then looks ahead
   * (LookAhead). That is preferred where it takes no longer.
   *
   * @param costs Of a round, by rung.
   * @param may_have Whether a peer may have a rung.
   * @param n_swapped So many of the coldest rungs live by swaps.
   */
  Deal
  deal_rungs(const std::vector<double>                          &costs,
             const unsigned int                                  n_chains,
             const unsigned int                                  n_peers,
             const std::function<bool(const unsigned int peer,
                                      const unsigned int rung)> &may_have,
             const unsigned int                                  n_swapped = 0);
} // namespace Tempera

#endif
