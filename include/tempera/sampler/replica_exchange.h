// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_replica_exchange_h
#define tempera_sampler_replica_exchange_h

#include <tempera/sampler/adaptation.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/outbox.h>
#include <tempera/sampler/peers.h>
#include <tempera/sampler/signals.h>
#include <tempera/sampler/swap_rule.h>

#include <array>
#include <atomic>
#include <memory>
#include <vector>

namespace Tempera
{
  /** How long to run, and with which random numbers. */
  struct RunParameters
  {
    std::uint64_t seed       = 1;
    std::uint64_t iterations = 100000;
    std::uint64_t burn_in    = 10000;
    std::uint64_t thinning   = 1;
    /** In forward solves of the coldest rung's level; zero for no budget. */
    double work_budget = 0.;
    /** Which of several independent ladders this is. */
    std::uint32_t chain = 0;
  };


  /**
   * Replica exchange on a ladder of rungs: the sampler.
   *
   * A round advances every rung by its kernel steps, then attempts swaps, then
   * tells the subscribers. The result depends on the seed alone, not on the
   * order in which rungs are advanced. Everything that is adapted (step sizes,
   * preconditioners, temperatures, noise) is frozen at the end of burn-in.
   *
   * The rungs may be shared by several processes (Placement). A process then
   * has the states of its own rungs; those of the others, and all that was
   * counted there, are as old as the last load_parts(). The result is the same
   * bit by bit: two processes whose rungs are neighbours show each other their
   * states, each computes the energies of its own rung, and both decide with
   * the same random numbers.
   */
  class ReplicaExchange
  {
  public:
    /**
     * @param start One start point for all rungs or one per rung.
     * @param swap_rule The rule to use; taken from @p swap_parameters by name
     * if none is given.
     * @param placement Which process has which rung.
     */
    ReplicaExchange(const RunParameters                    &run_parameters,
                    const KernelParameters                 &kernel_parameters,
                    const SwapParameters                   &swap_parameters,
                    Ladder                                  ladder,
                    const std::vector<std::vector<double>> &start,
                    std::shared_ptr<const SwapRule>         swap_rule = nullptr,
                    const Placement &placement = Placement());

    ~ReplicaExchange();

    /**
     * Run all rounds, or until @p stop becomes true; a stop is obeyed at the
     * end of a round.
     */
    void
    run(const std::atomic<bool> &stop);

    void
    run();

    /** Kernel steps of one rung in the current round; any order of rungs. */
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

    /** What this process knows better than the others. */
    std::string
    save_part() const;

    /** Take over what save_part() gave, by process. */
    void
    load_parts(const std::vector<std::string> &parts);

    /** Draws and swaps that wait for load_parts(), as bytes. */
    std::string
    take_events()
    {
      return outbox.take();
    }

    /** What subscribers of other processes, who are not here, listen to. */
    void
    set_remote_listeners(const bool to_draws, const bool to_swaps)
    {
      remote_draws = to_draws;
      remote_swaps = to_swaps;
    }

    /** Work of this process since the last load_parts(). */
    double
    get_own_work() const
    {
      return own_work;
    }

    /** Tell what all processes have done since then. */
    void
    set_work_since_parts(const double all_work)
    {
      work_elsewhere = all_work - own_work;
    }

    /** The state at a rung. */
    const Replica &
    replica(const unsigned int rung) const
    {
      return replicas[rung];
    }

    /** What the kernel of a rung keeps. */
    const KernelState &
    kernel_state(const unsigned int rung) const
    {
      return *kernel_states[rung];
    }

    /** Put a state at a rung. */
    void
    set_position(const unsigned int rung, const std::vector<double> &position);

    const Ladder &
    get_ladder() const
    {
      return ladder;
    }

    /** How the run stands. */
    RunReport
    report() const;

    /** Advance all rungs of this process by a round. */
    void
    do_round();

    /** Kernel steps of all rungs of this process in the current round. */
    void
    advance_all();

    /** Whether all rounds are done, or the budget is used up. */
    bool
    is_done() const
    {
      return round >= run_parameters.iterations || is_out_of_work();
    }

    std::uint64_t
    get_round() const
    {
      return round;
    }

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

    /**
     * Save everything that the next rounds depend on with an archive of
     * Boost.Serialization, or load it: a sampler made from the same parameters
     * then goes on as the saved one would have. What cannot have been saved
     * there is an ArchiveError.
     */
    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int version);

    /** Subscribe here. */
    Signals signals;

  private:
    class CurrentPairEnergies;
    struct NoiseProbe;

    /** Whether the budget is used up. */
    bool
    is_out_of_work() const
    {
      return run_parameters.work_budget > 0. &&
             work + work_elsewhere >= run_parameters.work_budget * work_unit;
    }

    /** Whether swaps are tested at the end of the current round. */
    bool
    is_swap_round() const
    {
      return ladder.size() > 1 && (round + 1) % swap_parameters.every == 0;
    }

    /** Whether a rung has a neighbour to swap with. */
    bool
    takes_part_in_swaps(const unsigned int rung) const;

    bool
    in_burn_in() const
    {
      return round < run_parameters.burn_in;
    }

    RandomKey
    key(const unsigned int  rung,
        const Purpose       purpose,
        const std::uint32_t substep = 0) const;

    /**
     * Give the replica at a rung its values and, if asked for, gradients
     * there; returns whether they are finite.
     */
    bool
    complete_evaluation(const unsigned int rung,
                        const Purpose      purpose,
                        const bool         with_gradients,
                        Replica           &replica);

    /** Throw a UserError if the given noise makes no sense for a pair. */
    void
    check_noise(const unsigned int pair) const;

    void
    attempt_swap(const unsigned int pair);

    /** Probability \f$r\eta\f$ with which a pair is tested at all. */
    double
    test_probability(const unsigned int pair) const;

    /** Half the variance of the noise of a stage, given or measured. */
    double
    penalty(const unsigned int pair, const unsigned int stage) const;

    void
    measure_noise(const unsigned int pair);

    void
    note_rule_difference(const unsigned int pair);

    void
    end_adaptation_window();

    void
    end_burn_in();

    void
    emit_draws();

    /** Throw an ArchiveError if what was loaded makes no sense. */
    void
    check_loaded() const;

    template <typename Archive>
    void
    serialize_rung(Archive &archive, const unsigned int rung);

    template <typename Archive>
    void
    serialize_pair(Archive &archive, const unsigned int pair);

    /** The step size of a rung in the current round. */
    double
    step_size(const unsigned int rung) const
    {
      return kernel_states[rung]->step_size() *
             ladder[rung].kernel->step_factor(round);
    }

    /** Take note of evaluations that were made here. */
    void
    count(const unsigned int level,
          const unsigned int n_new,
          const double       its_work);

    /**
     * Show the state of this process's rung of a pair to the process that has
     * the other one, and get to know that one's.
     */
    void
    exchange_replicas(const unsigned int pair);

    /** Whether both processes of a pair agree that all is well. */
    bool
    agree(const unsigned int pair, const bool is_well) const;

    /** The process that has the other rung of a pair. */
    unsigned int
    partner(const unsigned int pair) const
    {
      return placement.peer_of(placement.is_here(pair) ? pair + 1 : pair);
    }

    /** Whether the rungs of a pair are at two processes. */
    bool
    is_split(const unsigned int pair) const
    {
      return placement.peer_of(pair) != placement.peer_of(pair + 1);
    }

    /** Throw a UserError if a rung has not moved since the last call. */
    void
    check_that_rungs_move();

    const RunParameters  run_parameters;
    const SwapParameters swap_parameters;

    Ladder                          ladder;
    std::shared_ptr<const SwapRule> swap_rule;

    /** For the report of how the two rules differ. */
    const MultiVarianceSwap multi_variance_rule;
    const ExactSwap         exact_rule;

    /** Whether the pair to test is drawn, or pairs take turns. */
    const bool random_pairs;
    /** Swap intensity \f$r\f$; zero for the largest possible. */
    const double swap_intensity;

    /** Rounds from one report to the next. */
    const std::uint64_t hundredth;

    std::uint64_t round       = 0;
    bool          interrupted = false;

    /** By rung. */
    std::vector<Replica>                      replicas;
    std::vector<std::unique_ptr<KernelState>> kernel_states;
    std::vector<RungReport>                   rung_reports;

    /** What a rung has done since it was last looked at, by rung. */
    struct StuckWatch
    {
      std::uint64_t steps = 0, non_finite = 0;
    };
    std::vector<StuckWatch> stuck_watches;

    /** What has happened at a rung since its last draw, by rung. */
    struct SinceDraw
    {
      double        acceptance_sum   = 0.;
      std::uint64_t acceptance_count = 0;
      std::uint32_t non_finite       = 0;

      void
      add(const StepOutcome &outcome)
      {
        acceptance_sum += outcome.acceptance;
        acceptance_count += outcome.knows_acceptance;
        non_finite += outcome.non_finite;
      }
    };
    std::vector<SinceDraw> since_draws;

    /** By pair. */
    std::vector<PairReport> pair_reports;
    std::vector<NoiseProbe> noise_probes;

    /** Stochastic energies of a swap, by energy and state. */
    std::array<Evaluation, 4> swap_evaluations;

    /** By level. */
    std::vector<std::uint64_t> evaluations;

    /** What all evaluations have cost, in the unit of the energies. */
    double work = 0.;
    /** Of the work and the evaluations: here, since the last load_parts(). */
    double                     own_work = 0.;
    std::vector<std::uint64_t> own_evaluations;
    /** Work of others since then, as far as it is known. */
    double work_elsewhere = 0.;

    const Placement placement;
    Outbox          outbox;
    /** Whether somebody listens at the first process. */
    bool remote_draws = false, remote_swaps = false;

    /** A forward solve of the coldest rung's level. */
    const double work_unit;
    /** Of the work: making the energies. */
    double set_up_work = 0.;
  };
} // namespace Tempera

#endif
