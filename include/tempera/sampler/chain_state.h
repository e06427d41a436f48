// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_chain_state_h
#define tempera_sampler_chain_state_h

#include <tempera/sampler/ladder.h>
#include <tempera/sampler/peers.h>
#include <tempera/sampler/signals.h>
#include <tempera/sampler/work_meter.h>

#include <functional>
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

    /** Throw a UserError if these numbers do not fit together. */
    void
    check() const;
  };


  /**
   * Where else the state of a rung may begin, if so many starts had no finite
   * energy: a function of these numbers alone, as any process may ask it.
   */
  using AnotherStart =
    std::function<std::vector<double>(const unsigned int rung,
                                      const unsigned int n_tried)>;


  /** What is at a rung: a state, what its kernel keeps, and counts. */
  struct RungState
  {
    /** Steps and failed ones since somebody looked whether the rung moves. */
    struct StuckWatch
    {
      std::uint64_t steps = 0, non_finite = 0;
    };

    /** What has happened since the last draw. */
    struct SinceDraw
    {
      double        acceptance_sum   = 0.;
      std::uint64_t acceptance_count = 0;
      std::uint32_t non_finite       = 0;
    };

    /** Take note of a step. */
    void
    count(const StepOutcome &outcome)
    {
      ++report.steps;
      report.acceptance_count += outcome.knows_acceptance;
      report.acceptance_sum += outcome.acceptance;
      report.non_finite += outcome.non_finite;
      ++watch.steps;
      watch.non_finite += outcome.non_finite;
      since_draw.acceptance_sum += outcome.acceptance;
      since_draw.acceptance_count += outcome.knows_acceptance;
      since_draw.non_finite += outcome.non_finite;
    }

    Replica replica;
    /** What the rung's kernel needs to know of it. */
    const KernelNeeds            needs;
    std::unique_ptr<KernelState> kernel;
    RungReport                   report;
    StuckWatch                   watch;
    SinceDraw                    since_draw;
  };


  /**
   * How one chain stands: its ladder, what is at the rungs, the round, and what
   * all that has cost. The parts of ReplicaExchange work on it.
   *
   * Of rungs that are at another process the state is as old as the last
   * meeting.
   */
  struct ChainState
  {
    ChainState(const RunParameters &run,
               Ladder               ladder,
               const Placement     &placement);

    bool
    in_burn_in() const
    {
      return round < run.burn_in;
    }

    /** Whether all rounds are done, or the budget is used up. */
    bool
    is_done() const
    {
      return round >= run.iterations || work.is_used_up();
    }

    RandomKey
    key(const unsigned int  rung,
        const Purpose       purpose,
        const std::uint32_t substep = 0) const
    {
      RandomKey result;
      result.seed    = run.seed;
      result.chain   = run.chain;
      result.rung    = rung;
      result.round   = time();
      result.substep = substep;
      result.purpose = purpose;
      return result;
    }

    /**
     * Rounds of the fastest rung so far. Where all rungs have one pace, that is
     * the round.
     */
    std::uint64_t
    time() const
    {
      return round * n_sub_rounds + sub_round;
    }

    /** Whether a rung has a round of its own now. */
    bool
    is_awake(const unsigned int rung) const
    {
      return n_sub_rounds == 1 ||
             (sub_round + 1) % (n_sub_rounds / ladder[rung].pace) == 0;
    }

    /** Whether all rungs have, at the end of a round. */
    bool
    is_last_sub_round() const
    {
      return sub_round + 1 == n_sub_rounds;
    }

    /** Rounds of a rung's own, when the present one is over. */
    std::uint64_t
    own_rounds(const unsigned int rung) const
    {
      return n_sub_rounds == 1 ?
               round + 1 :
               (time() + 1) / (n_sub_rounds / ladder[rung].pace);
    }

    /** The step size of a rung in the current round. */
    double
    step_size(const unsigned int rung) const
    {
      return rungs[rung].kernel->step_size() *
             ladder[rung].kernel->step_factor(round);
    }

    /**
     * Give the replica at a rung its values and, if asked for, gradients
     * there; returns whether they are finite.
     */
    bool
    complete_evaluation(const unsigned int rung,
                        const Purpose      purpose,
                        const bool         with_gradients);

    /**
     * Put a state at a rung. One that is outside the space or has no finite
     * energy is a UserError; of several, the first one that has is taken.
     *
     * @param another_start Where to look further; none to give up at once.
     */
    void
    set_position(const unsigned int         rung,
                 const std::vector<double> &position,
                 const AnotherStart        &another_start = nullptr);

    /** Save or load all that belongs to a rung. */
    template <typename Archive>
    void
    serialize_rung(Archive &archive, const unsigned int rung);

    /** Throw an ArchiveError if what was loaded makes no sense. */
    void
    check_loaded() const;

    const RunParameters run;
    const Placement     placement;
    Ladder              ladder;
    /** Rounds of the fastest rung in a round of the coldest. */
    const unsigned int n_sub_rounds;
    /** Rounds done; of the coldest rung, if rungs have paces. */
    std::uint64_t round = 0;
    /** Of the fastest rung, since then. */
    unsigned int           sub_round = 0;
    std::vector<RungState> rungs;
    WorkMeter              work;
    /**
     * What to do while another process computes an energy for the swap of a
     * pair; may be empty.
     */
    std::function<void(const unsigned int pair)> while_waiting;

  private:
    /** Put a state at a rung; returns whether its energy is finite there. */
    bool
    try_position(const unsigned int rung, const std::vector<double> &position);
  };
} // namespace Tempera

#endif
