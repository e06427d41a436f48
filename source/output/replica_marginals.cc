// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/diagnostics.h>
#include <tempera/output/replica_marginals.h>

namespace Tempera
{
  ReplicaMarginals::ReplicaMarginals(const RunDescription &description)
    : indices(description.indices)
    , marginals(description.kernels.size(),
                std::vector<Marginal>(description.indices.size()))
  {}



  void
  ReplicaMarginals::connect(Signals &signals)
  {
    signals.draw.connect([this](const Draw &draw) {
      if (draw.rung == 0 && !draw.is_burn_in)
        for (std::size_t i = 0; i < indices.size(); ++i)
          marginals[draw.replica][i].add(draw.position[indices[i]]);
    });
  }



  std::vector<double>
  ReplicaMarginals::r_hats() const
  {
    // A replica that was hardly ever there says nothing.
    constexpr std::size_t fewest_draws = 200;

    std::vector<double> result(indices.size(), 1.);
    for (std::size_t i = 0; i < indices.size(); ++i)
      {
        std::vector<std::vector<double>> chains;
        for (const std::vector<Marginal> &replica : marginals)
          if (replica[i].get_subset().size() >= fewest_draws)
            chains.push_back(replica[i].get_subset());
        if (chains.size() > 1)
          result[i] = convergence(chains).r_hat;
      }
    return result;
  }
} // namespace Tempera
