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

    double
    sum(const std::vector<double> &costs,
        const unsigned int         begin,
        const unsigned int         end)
    {
      return std::accumulate(costs.begin() + begin, costs.begin() + end, 0.);
    }

    /**
     * Every chain to two peers, of which the one with the rungs from @p cut on
     * looks ahead; nothing if there are not so many peers.
     */
    Deal
    deal_two_parts(const std::vector<double> &costs,
                   const unsigned int         n_chains,
                   const unsigned int         n_peers,
                   const MayHave             &may_have,
                   const unsigned int         cut)
    {
      Deal result;
      result.loads.assign(n_peers, 0.);
      result.peer_of.assign(n_chains, std::vector<unsigned int>(costs.size()));
      std::vector<bool> is_free(n_peers, true);
      for (const bool is_cold : {true, false})
        for (std::vector<unsigned int> &ladder : result.peer_of)
          {
            const unsigned int begin = is_cold ? 0 : cut,
                               end   = is_cold ? cut : costs.size();
            const auto may_all       = [&](const unsigned int peer) {
              for (unsigned int rung = begin; rung < end; ++rung)
                if (!may_have(peer, rung))
                  return false;
              return true;
            };
            unsigned int peer = 0;
            while (peer < n_peers && !(is_free[peer] && may_all(peer)))
              ++peer;
            if (peer == n_peers)
              return Deal();
            is_free[peer] = false;
            std::fill(ladder.begin() + begin, ladder.begin() + end, peer);
            result.loads[peer] = sum(costs, begin, end);
          }
      return result;
    }

    /** How long a round takes, if swapped rungs are solved while others wait.
     */
    double
    time_with_waiting(const Deal                &deal,
                      const std::vector<double> &costs,
                      const unsigned int         n_swapped)
    {
      std::vector<double> loads = deal.loads, swapped(loads.size());
      for (const std::vector<unsigned int> &ladder : deal.peer_of)
        for (unsigned int rung = 0; rung < n_swapped; ++rung)
          {
            loads[ladder[rung]] -= costs[rung];
            swapped[ladder[rung]] += costs[rung];
          }
      return largest(loads) + largest(swapped);
    }
  } // namespace



  Deal
  deal_rungs(const std::vector<double> &costs,
             const unsigned int         n_chains,
             const unsigned int         n_peers,
             const MayHave             &may_have,
             const unsigned int         n_swapped)
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
    double time = time_with_waiting(result, costs, n_swapped);
    for (unsigned int cut = std::min<unsigned int>(n_swapped, costs.size() - 1);
         cut > 0;
         --cut)
      {
        Deal parts = deal_two_parts(costs, n_chains, n_peers, may_have, cut);
        if (!parts.loads.empty() && largest(parts.loads) <= time)
          {
            time   = largest(parts.loads);
            result = std::move(parts);
          }
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
