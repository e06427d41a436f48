// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_ensemble_h
#define tempera_sampler_ensemble_h

#include <tempera/sampler/replica_exchange.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * What may end a run before all its rounds are done. Only the first of
   * several processes is asked.
   */
  struct EarlyEnd
  {
    /**
     * Whether what was drawn is enough. To ask often would be to wait for a
     * lucky moment, so it is asked after @p first_look rounds that follow
     * burn-in, and whenever their number has doubled.
     */
    std::function<bool()> is_enough;
    std::uint64_t         first_look = 0;

    /** Whether to stop as if somebody had asked for it; a few times a second.
     */
    std::function<bool()> is_late;

    /** Whether is_enough is to be asked. */
    bool
    is_look(const std::uint64_t rounds_after_burn_in) const
    {
      const std::uint64_t n =
        first_look > 0 ? rounds_after_burn_in / first_look : 0;
      return n > 0 && n * first_look == rounds_after_burn_in &&
             (n & (n - 1)) == 0;
    }
  };


  /**
   * Several independent ladders, the chains of a run. They advance together,
   * round by round, so that they are equally long whenever the run ends. What
   * one ladder cannot see of itself, that it has missed a part of the
   * posterior, shows in how they differ.
   *
   * Their rungs may be shared by several processes. Then every process has an
   * ensemble and calls run(); the subscribers of the first one are told what
   * they would be told by one process alone, only later: a few times a second
   * all meet, tell what they have, and agree on whether to stop.
   */
  class Ensemble
  {
  public:
    /**
     * At least one chain, all with the same number of rounds.
     *
     * @param peers The processes that share the rungs; must outlive this
     * object.
     */
    explicit Ensemble(std::vector<std::unique_ptr<ReplicaExchange>> chains,
                      const Peers &peers = alone());

    /** Of one chain, which somebody else has. */
    explicit Ensemble(ReplicaExchange &chain);

    unsigned int
    size() const
    {
      return chains.size();
    }

    ReplicaExchange &
    operator[](const unsigned int chain)
    {
      return *chains[chain];
    }

    const ReplicaExchange &
    operator[](const unsigned int chain) const
    {
      return *chains[chain];
    }

    /**
     * Run all rounds, or until @p stop becomes true; a stop is obeyed at the
     * end of a round.
     *
     * @param rounds_per_checkpoint After so many rounds checkpoint_due is
     * emitted; zero for never.
     * @param early_end What else may end the run; all processes have the same
     * first_look.
     */
    void
    run(const std::atomic<bool> &stop,
        const std::uint64_t      rounds_per_checkpoint = 0,
        const EarlyEnd          &early_end             = EarlyEnd());

    /** How all chains together stand. */
    RunReport
    report() const;

    /**
     * With several processes, which call this together: get to know what the
     * others have done.
     */
    void
    collect();

    /**
     * Of all chains together, with the sums of their counts. Draws and swaps
     * are told by the signals of each chain, and so are its own reports.
     */
    Signals signals;

    /**
     * All chains are at the end of the same round, and nothing is said of the
     * run's end yet: the time to save them. Emitted before the run ends, too;
     * then it is the last one.
     */
    Signal<void(const bool is_last)> checkpoint_due;

  private:
    static const Peers &
    alone();

    bool
    is_done() const;

    bool
    is_shared() const
    {
      return peers.size() > 1;
    }

    /** A round of all chains that are not done yet, which become `moved`. */
    void
    do_moves();

    /** Tell the processes what the subscribers of the first listen to. */
    void
    announce_listeners();

    /** What the first process says, where there are several. */
    bool
    is_agreed(const std::function<bool()> &question) const;

    /**
     * Meet the other processes: tell and take over all that has happened.
     *
     * @param stop Whether this process wants to stop; on return whether any
     * does.
     */
    void
    meet(bool &stop);

    Ensemble(std::vector<ReplicaExchange *> chains, const Peers &peers);

    /** The chains, if they are not somebody else's. */
    std::vector<std::unique_ptr<ReplicaExchange>> owned;
    const std::vector<ReplicaExchange *>          chains;
    const Peers                                  &peers;
    const bool                                    has_budget;

    /** Chains that took part in the last round. */
    std::vector<ReplicaExchange *> moved;

    /** The last report of each chain at a hundredth of the run. */
    std::vector<RunReport>                          hundredth_reports;
    std::vector<boost::signals2::scoped_connection> connections;
  };

} // namespace Tempera

#endif
