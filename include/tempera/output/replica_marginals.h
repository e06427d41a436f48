// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_replica_marginals_h
#define tempera_output_replica_marginals_h

#include <tempera/output/marginal.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/run_description.h>

#include <vector>

namespace Tempera
{
  /**
   * The draws of the coldest rung, told apart by the replica that was there.
   * If no replica moves between two answers, swaps mix the answers in the cold
   * rung perfectly, with shares that mean nothing; only here it shows.
   */
  class ReplicaMarginals
  {
  public:
    explicit ReplicaMarginals(const RunDescription &description);

    void
    add(const unsigned int chain, const RecordedRung &coldest);

    /**
     * R-hat between the replicas, by recorded unknown; 1 if there is nothing to
     * compare.
     */
    std::vector<double>
    r_hats() const;

  private:
    const unsigned int n_unknowns, n_rungs;
    /** By replica of each chain and recorded unknown. */
    std::vector<std::vector<Marginal>> marginals;
  };
} // namespace Tempera

#endif
