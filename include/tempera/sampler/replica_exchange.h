// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_replica_exchange_h
#define tempera_sampler_replica_exchange_h

#include <tempera/sampler/explorer.h>
#include <tempera/sampler/look_ahead.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace Tempera
{
  /**
   * Replica exchange on a ladder of rungs: the sampler.
   *
   * A round advances every rung by its kernel steps, then attempts swaps, then
   * tells the subscribers. Where rungs have paces, a round is one of the
   * coldest rung, and fast rungs have several rounds of their own in it, with
   * swaps among themselves; all that is done in a round is then done once for
   * each of its sub-rounds, by those who have a round of their own. The result
   * depends on the seed alone, not on the order in which rungs are advanced.
   * Everything that is adapted (step sizes, preconditioners, temperatures,
   * noise) is frozen at the end of burn-in.
   *
   * The rungs may be shared by several processes (Placement). A process then
   * has the states of its own rungs; those of the others, and all that was
   * counted there, are as old as the last load_parts(). The result is the same
   * bit by bit: two processes whose rungs are neighbours show each other their
   * states, each computes the energies of its own rung, and both decide with
   * the same random numbers. Meanwhile one of them may look ahead (LookAhead).
   */
  class ReplicaExchange
  {
  public:
    /**
     * @param start One start point for all rungs or one per rung.
     * @param swap_rule The rule to use; taken from @p swap_parameters by name
     * if none is given.
     * @param placement Which process has which rung.
     * @param another_start Where a rung begins instead, if its energy is not
     * finite at the start point.
     */
    ReplicaExchange(const RunParameters                    &run_parameters,
                    const SwapParameters                   &swap_parameters,
                    Ladder                                  ladder,
                    const std::vector<std::vector<double>> &start,
                    std::shared_ptr<const SwapRule>         swap_rule = nullptr,
                    const Placement    &placement     = Placement(),
                    const AnotherStart &another_start = nullptr);

    /**
     * Run all rounds, or until @p stop becomes true, as an Ensemble of this one
     * chain does.
     */
    void
    run(const std::atomic<bool> &stop);

    void
    run();

    /** A round: every rung explores, states are swapped, kernels learn. */
    void
    do_round();

    /** So many times explore() and finish_round() make a round. */
    unsigned int
    n_sub_rounds() const
    {
      return chain.n_sub_rounds;
    }

    /** Kernel steps of all rungs of this process in the current round. */
    void
    explore();

    /** Kernel steps of one rung; any order of rungs. */
    void
    advance(const unsigned int rung);

    /** Swaps, signals and adaptation at the end of the current round. */
    void
    finish_round();

    /** The parts of finish_round(): first swaps and draws. */
    void
    end_moves();

    /** Whether pass_milestone() has something to do. */
    bool
    is_at_milestone() const;

    /**
     * Then, at some rounds, reports and adaptation. These need all rungs: with
     * several processes, load_parts() comes before.
     */
    void
    pass_milestone();

    /**
     * Whether all rounds are done, the budget is used up, or what was drawn is
     * enough.
     */
    bool
    is_done() const
    {
      return is_enough || chain.is_done();
    }

    std::uint64_t
    get_round() const
    {
      return chain.round;
    }

    const Ladder &
    get_ladder() const
    {
      return chain.ladder;
    }

    /** The state at a rung. */
    const Replica &
    replica(const unsigned int rung) const
    {
      return chain.rungs[rung].replica;
    }

    /** What the kernel of a rung keeps. */
    const KernelState &
    kernel_state(const unsigned int rung) const
    {
      return *chain.rungs[rung].kernel;
    }

    /** Put a state at a rung. */
    void
    set_position(const unsigned int rung, const std::vector<double> &position)
    {
      ahead.forget();
      chain.set_position(rung, position);
    }

    /** How the run stands. */
    RunReport
    report() const;

    /** Rounds from one report to the next. */
    static std::uint64_t
    hundredth_of(const std::uint64_t iterations)
    {
      return iterations / 100 + (iterations % 100 != 0);
    }

    /** Tell the subscribers that the run is over, or was interrupted. */
    void
    end_run();

    /** Take note that the run ends before it is done, or that it goes on. */
    void
    set_interrupted(const bool is_interrupted)
    {
      interrupted = is_interrupted;
    }

    /** Take note that the run needs no more rounds, or that it goes on. */
    void
    set_enough(const bool is_enough_now)
    {
      is_enough = is_enough_now;
    }

    /**
     * Save everything that the next rounds depend on with an archive of
     * Boost.Serialization, or load it: a sampler made from the same parameters
     * then goes on as the saved one would have. What cannot have been saved
     * there is an ArchiveError.
     */
    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int version);

    /**
     * @name With several processes
     * @{
     */
    /** What this process knows better than the others. */
    std::string
    save_part() const;

    /** Take over what save_part() gave, by process. */
    void
    load_parts(const std::vector<std::string> &parts);

    /** Whether this process has a rung. */
    bool
    has_rung_here() const;

    /**
     * Go on while another process computes an energy for a swap, where that
     * pays. The process must have nothing of another chain, for which others
     * might wait.
     */
    void
    allow_look_ahead();

    /** Rounds of the fastest rung in the current round. */
    unsigned int
    get_sub_round() const
    {
      return chain.sub_round;
    }

    /** Be where looking ahead has led, if that was right. */
    void
    catch_up()
    {
      ahead.adopt();
    }

    const LookAhead::Counts &
    get_look_ahead_counts() const
    {
      return ahead.get_counts();
    }

    /** Draws and swaps that wait for load_parts(), as bytes. */
    std::string
    take_events()
    {
      return outbox.take();
    }

    /** What subscribers of other processes, who are not here, listen to. */
    void
    set_remote_listeners(const bool to_draws,
                         const bool to_level_draws,
                         const bool to_potentials,
                         const bool to_swaps)
    {
      remote_draws       = to_draws;
      remote_level_draws = to_level_draws;
      remote_potentials  = to_potentials;
      remote_swaps       = to_swaps;
    }

    /** Work of this process since the last load_parts(). */
    double
    get_own_work() const
    {
      return chain.work.get_own();
    }

    /** Tell what all processes have done since then. */
    void
    set_work_since_parts(const double all_work)
    {
      chain.work.set_all_since_meeting(all_work);
    }
    /** @} */

    /** Subscribe here. */
    Signals signals;

  private:
    void
    emit_swaps(const std::vector<SwapAttempt> &attempts);

    void
    emit_draws();

    void
    emit_level_draws();

    void
    emit_potentials();

    /** After the swaps of a round of the fastest rung. */
    void
    end_sub_round();

    /** See LookAhead. */
    void
    look_ahead(const unsigned int pair);

    /** Whether something is adapted when so many rounds are done. */
    bool
    is_adapted_at(const std::uint64_t round) const;

    /** Kernels look at what those of hotter rungs keep. */
    void
    learn_from_hotter();

    void
    end_adaptation_window();

    void
    end_burn_in();

    ChainState chain;
    Explorer   explorer;
    Swapper    swapper;

    /** Rounds from one report to the next. */
    const std::uint64_t hundredth;
    bool                interrupted = false, is_enough = false;
    /**
     * So many rungs after the coldest have its target at other levels, each
     * next to the one that it is compared with.
     */
    unsigned int n_level_rungs = 0;

    /** By rung. */
    std::vector<unsigned int> potential_strides;

    /** What subscribers at the first of several processes wait for. */
    Outbox    outbox;
    LookAhead ahead;
    /** Whether somebody listens there. */
    bool remote_draws = false, remote_level_draws = false,
         remote_potentials = false, remote_swaps = false;
  };
} // namespace Tempera

#endif
