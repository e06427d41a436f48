// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_replica_exchange_h
#define tempera_sampler_replica_exchange_h

#include <tempera/sampler/adaptation.h>
#include <tempera/sampler/ladder.h>
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
   */
  class ReplicaExchange
  {
  public:
    /**
     * @param start One start point for all rungs or one per rung.
     * @param swap_rule The rule to use; taken from @p swap_parameters by name
     * if none is given.
     */
    ReplicaExchange(const RunParameters                    &run_parameters,
                    const KernelParameters                 &kernel_parameters,
                    const SwapParameters                   &swap_parameters,
                    Ladder                                  ladder,
                    const std::vector<std::vector<double>> &start,
                    std::shared_ptr<const SwapRule> swap_rule = nullptr);

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

    /** The state at a rung. */
    const Replica &
    replica(const unsigned int rung) const
    {
      return replicas[rung];
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

    /** Advance all rungs by a round. */
    void
    do_round();

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
             work >= run_parameters.work_budget * work_unit;
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

    /** Compute again what is kept of solves but not saved. */
    void
    restore_linearisations();

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
    std::vector<Replica>            replicas;
    std::vector<Kernel::Workspace>  workspaces;
    std::vector<StepSizeAdaptation> step_size_adaptations;
    std::vector<RungReport>         rung_reports;

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

    /** By rung and unknown; empty if no preconditioner is adapted. */
    std::vector<std::vector<Moments>> position_moments;

    /** By pair. */
    std::vector<PairReport> pair_reports;
    std::vector<NoiseProbe> noise_probes;

    /** Stochastic energies of a swap, by energy and state. */
    std::array<Evaluation, 4> swap_evaluations;

    /** By level. */
    std::vector<std::uint64_t> evaluations;

    /** What all evaluations have cost, in the unit of the energies. */
    double work = 0.;
    /** A forward solve of the coldest rung's level. */
    const double work_unit;
    /** Of the work: making the energies. */
    double set_up_work = 0.;
  };
} // namespace Tempera

#endif
