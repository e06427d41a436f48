// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_peers_h
#define tempera_sampler_peers_h

#include <deal.II/base/mpi.h>

#include <string>
#include <vector>

namespace Tempera
{
  struct Evaluation;
  struct Replica;

  /**
   * The processes that share the rungs of a run; each may have helpers that
   * solve its equations with it, of which nobody knows here. All that is sent
   * are bytes. Messages between two peers arrive in the order in which they
   * were sent.
   */
  class Peers
  {
  public:
    /** A process alone. */
    Peers() = default;

    /** @param communicator One process per peer; must outlive this object. */
    explicit Peers(const MPI_Comm communicator);

    unsigned int
    size() const
    {
      return n_peers;
    }

    /** Which one this process is; 0 keeps the record of the run. */
    unsigned int
    me() const
    {
      return rank;
    }

    bool
    is_first() const
    {
      return rank == 0;
    }

    void
    send(const unsigned int to, const std::string &bytes) const;

    std::string
    receive(const unsigned int from) const;

    /** Whether a peer has sent something that was not yet received. */
    bool
    has_sent(const unsigned int from) const;

    /** Send bytes to a peer that sends some in turn. */
    std::string
    exchange(const unsigned int with, const std::string &bytes) const;

    /** All peers get the bytes of all, in order. */
    std::vector<std::string>
    gather(const std::string &bytes) const;

    /** All peers get the sums. */
    std::vector<double>
    sum(std::vector<double> values) const;

    /** All peers get what the first one says. */
    std::string
    broadcast(const std::string &bytes) const;

    /** Seconds that this process has waited for others. */
    double
    waited() const
    {
      return seconds_waited;
    }

  private:
    MPI_Comm       communicator   = MPI_COMM_SELF;
    unsigned int   n_peers        = 1;
    unsigned int   rank           = 0;
    mutable double seconds_waited = 0.;
  };


  /**
   * Which peer has which rung, for one ladder, and what the peers of two
   * neighbouring rungs tell each other. A pair are the rungs @p pair and
   * @p pair + 1; where both are here, nothing need be told.
   */
  class Placement
  {
  public:
    /** All rungs are here. */
    Placement() = default;

    /** @param peers Must outlive this object. */
    Placement(const Peers &peers, std::vector<unsigned int> peer_of_rung);

    bool
    is_shared() const
    {
      return peers != nullptr;
    }

    bool
    is_here(const unsigned int rung) const
    {
      return peers == nullptr || peer_of_rung[rung] == peers->me();
    }

    unsigned int
    peer_of(const unsigned int rung) const
    {
      return peers == nullptr ? 0 : peer_of_rung[rung];
    }

    /** Which peer this process is. */
    unsigned int
    me() const
    {
      return peers == nullptr ? 0 : peers->me();
    }

    /** Whether the rungs of a pair are at two processes. */
    bool
    is_split(const unsigned int pair) const
    {
      return peer_of(pair) != peer_of(pair + 1);
    }

    /** Make the states of both rungs known at both processes. */
    void
    show(const unsigned int pair,
         Replica           &cold_replica,
         Replica           &hot_replica) const
    {
      if (is_split(pair))
        exchange(pair, cold_replica, hot_replica);
    }

    /** Tell the other process an evaluation, or get it from there. */
    void
    share(const unsigned int pair,
          const bool         is_known_here,
          Evaluation        &evaluation) const;

    /** Whether the other process of a pair has sent what it had to compute. */
    bool
    has_answer(const unsigned int pair) const
    {
      return peers->has_sent(partner(pair));
    }

    /** Whether both processes find that all is well. */
    bool
    agree(const unsigned int pair, const bool is_well) const;

  private:
    /** The process that has the other rung of a pair. */
    unsigned int
    partner(const unsigned int pair) const
    {
      return peer_of(is_here(pair) ? pair + 1 : pair);
    }

    void
    exchange(const unsigned int pair,
             Replica           &cold_replica,
             Replica           &hot_replica) const;

    const Peers              *peers = nullptr;
    std::vector<unsigned int> peer_of_rung;
  };
} // namespace Tempera

#endif
