// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_run_process_layout_h
#define tempera_run_process_layout_h

#include <tempera/sampler/peers.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /** How several processes share a run. */
  struct ParallelParameters
  {
    /** A word, a number, or numbers by level; see declare(). */
    std::string processes_per_replica = "automatic";

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** What the processes of a run have to do. */
  struct ParallelDemand
  {
    /** By rung: the name of its level. */
    std::vector<std::string> levels;
    unsigned int             n_chains = 1;
    /** What an evaluation costs, roughly, by level. */
    std::map<std::string, double> costs;
    /** Why one mesh cannot be spread over several processes; empty if it can.
     */
    std::string obstacle;
  };


  /**
   * Number of processes of each group, one after the other, and what a level
   * asks for. The processes of a group work on one mesh; the groups have rungs
   * of their own.
   */
  struct GroupSizes
  {
    std::vector<unsigned int>           sizes;
    std::map<std::string, unsigned int> processes_of_level;
  };

  /**
   * Split processes into groups as the parameters say; what does not fit is a
   * UserError.
   */
  GroupSizes
  split_processes(const unsigned int        n_processes,
                  const ParallelParameters &parameters,
                  const ParallelDemand     &demand);


  /** The processes of a run, and what this one is among them. */
  class ProcessLayout
  {
  public:
    /** One process, which does everything. */
    ProcessLayout();

    /** The same, for whoever needs no other. */
    static const ProcessLayout &
    alone();

    /** All processes of MPI, as one group. */
    static ProcessLayout
    one_group();

    /** All processes of MPI. */
    ProcessLayout(const ParallelParameters &parameters,
                  const ParallelDemand     &demand);

    ProcessLayout(ProcessLayout &&other) noexcept;

    ~ProcessLayout();

    /** Those who have rungs, the first process of each group; only for them. */
    const Peers &
    get_peers() const
    {
      return *peers;
    }

    /** The processes of this one's group. */
    MPI_Comm
    group_communicator() const
    {
      return group;
    }

    /** Whether this process only helps the first one of its group. */
    bool
    is_helper() const
    {
      return peers == nullptr;
    }

    /** Whether this process speaks to the user. */
    bool
    is_first() const
    {
      return !is_helper() && peers->is_first();
    }

    unsigned int
    n_groups() const
    {
      return groups.sizes.size();
    }

    /** Whether there is more than this process. */
    bool
    is_parallel() const
    {
      return n_groups() > 1 || groups.sizes[0] > 1;
    }

    /** Whether a group has the size that a level asks for. */
    bool
    may_have(const unsigned int group, const std::string &level) const;

    unsigned int
    size_of_group(const unsigned int group) const
    {
      return groups.sizes[group];
    }

  private:
    /** Make the communicators. */
    void
    split();

    GroupSizes             groups;
    MPI_Comm               group = MPI_COMM_SELF, first_ones = MPI_COMM_NULL;
    std::unique_ptr<Peers> peers;
  };


  /** Number of processes that MPI has started; 1 without MPI. */
  unsigned int
  n_processes();

  /** Which of them this is. */
  unsigned int
  this_process();
} // namespace Tempera

#endif
