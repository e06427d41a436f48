// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/diagnostics.h>
#include <tempera/output/replica_marginals.h>

namespace Tempera
{
  ReplicaMarginals::ReplicaMarginals(const RunDescription &description)
    : n_unknowns(description.names.size())
    , n_rungs(description.kernels.size())
    , marginals(description.n_chains * n_rungs,
                std::vector<Marginal>(n_unknowns))
  {}



  void
  ReplicaMarginals::add(const unsigned int chain, const RecordedRung &coldest)
  {
    std::vector<Marginal> &replica =
      marginals[chain * n_rungs + coldest.replica];
    for (unsigned int i = 0; i < n_unknowns; ++i)
      replica[i].add(coldest.values[i]);
  }



  std::vector<double>
  ReplicaMarginals::r_hats() const
  {
    // A replica that was hardly ever there says nothing.
    constexpr std::size_t fewest_draws = 200;

    std::vector<double> result(n_unknowns, 1.);
    for (unsigned int i = 0; i < n_unknowns; ++i)
      {
        std::vector<std::vector<double>> chains;
        for (const std::vector<Marginal> &replica : marginals)
          if (replica[i].get_subset().size() >= fewest_draws)
            chains.push_back(replica[i].get_subset());
        if (chains.size() > 1)
          result[i] = rank_r_hat(chains);
      }
    return result;
  }
} // namespace Tempera
