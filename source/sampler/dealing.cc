// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/dealing.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace Tempera
{
  namespace
  {
    using MayHave = std::function<bool(const unsigned int, const unsigned int)>;

    double
    largest(const std::vector<double> &loads)
    {
      return *std::max_element(loads.begin(), loads.end());
    }

    /** Every chain as a whole to whoever has least. */
    Deal
    deal_chains(const std::vector<double> &costs,
                const unsigned int         n_chains,
                const unsigned int         n_peers)
    {
      const double all = std::accumulate(costs.begin(), costs.end(), 0.);
      Deal         result;
      result.loads.assign(n_peers, 0.);
      for (unsigned int chain = 0; chain < n_chains; ++chain)
        {
          const auto least =
            std::min_element(result.loads.begin(), result.loads.end());
          result.peer_of.emplace_back(costs.size(),
                                      least - result.loads.begin());
          *least += all;
        }
      return result;
    }

    Deal
    deal_single_rungs(const std::vector<double> &costs,
                      const unsigned int         n_chains,
                      const unsigned int         n_peers,
                      const MayHave             &may_have)
    {
      // Chain by chain within a rung, so that equal rungs are spread.
      std::vector<std::pair<unsigned int, unsigned int>> items;
      for (unsigned int chain = 0; chain < n_chains; ++chain)
        for (unsigned int rung = 0; rung < costs.size(); ++rung)
          items.emplace_back(chain, rung);
      std::stable_sort(items.begin(),
                       items.end(),
                       [&](const auto &a, const auto &b) {
                         return costs[a.second] > costs[b.second];
                       });

      constexpr unsigned int nobody = -1;
      Deal                   result;
      result.loads.assign(n_peers, 0.);
      result.peer_of.assign(n_chains,
                            std::vector<unsigned int>(costs.size(), nobody));
      for (const auto &item : items)
        {
          std::vector<unsigned int> &ladder = result.peer_of[item.first];
          const unsigned int         rung   = item.second;
          // Neighbours at the same peer need no message.
          const auto is_neighbour = [&](const unsigned int peer) {
            return (rung > 0 && ladder[rung - 1] == peer) ||
                   (rung + 1 < ladder.size() && ladder[rung + 1] == peer);
          };
          unsigned int best = nobody;
          for (unsigned int peer = 0; peer < n_peers; ++peer)
            if (may_have(peer, rung) &&
                (best == nobody || result.loads[peer] < result.loads[best] ||
                 (result.loads[peer] == result.loads[best] &&
                  is_neighbour(peer) && !is_neighbour(best))))
              best = peer;
          ladder[rung] = best;
          result.loads[best] += costs[rung];
        }
      return result;
    }
  } // namespace



  Deal
  deal_rungs(const std::vector<double> &costs,
             const unsigned int         n_chains,
             const unsigned int         n_peers,
             const MayHave             &may_have)
  {
    // How much less even the simpler way may be.
    constexpr double tolerance = 1.05;

    Deal result  = deal_single_rungs(costs, n_chains, n_peers, may_have);
    bool all_may = true;
    for (unsigned int peer = 0; peer < n_peers; ++peer)
      for (unsigned int rung = 0; rung < costs.size(); ++rung)
        all_may = all_may && may_have(peer, rung);
    if (all_may && n_chains >= n_peers)
      {
        Deal chains = deal_chains(costs, n_chains, n_peers);
        if (largest(chains.loads) <= tolerance * largest(result.loads))
          result = std::move(chains);
      }

    // Peer 0 has the coldest rung of the first chain.
    const unsigned int coldest = result.peer_of[0][0];
    if (coldest != 0)
      {
        for (std::vector<unsigned int> &ladder : result.peer_of)
          for (unsigned int &peer : ladder)
            peer = peer == 0 ? coldest : peer == coldest ? 0 : peer;
        std::swap(result.loads[0], result.loads[coldest]);
      }
    return result;
  }
} // namespace Tempera
