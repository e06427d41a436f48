// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_look_ahead_h
#define tempera_sampler_look_ahead_h

#include <tempera/sampler/outbox.h>
#include <tempera/sampler/swapper.h>

#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * What the rungs of a process would come to next, if a swap that another
   * process is still computing were accepted.
   *
   * Between levels at one temperature nearly all swaps are. So the process that
   * has all hotter rungs of such a pair does not wait: it goes on, with copies,
   * from the state that it would get. If the swap is accepted, the copies
   * become its rungs; if not, they are thrown away. Random numbers are keyed by
   * time, so what is found is what would have been found later, bit by bit, and
   * nobody is told of anything before it is true.
   */
  class LookAhead
  {
  public:
    struct Counts
    {
      Counts &
      operator+=(const Counts &other)
      {
        kept += other.kept;
        redone += other.redone;
        redone_work += other.redone_work;
        return *this;
      }

      /** Swaps that were accepted while the rungs went on, and others. */
      std::uint64_t kept = 0, redone = 0;
      /** Thrown away, in forward solves of the coldest rung's level. */
      double redone_work = 0.;
    };

    LookAhead(ChainState &chain, Swapper &swapper, Outbox &outbox);

    /**
     * Look ahead from now on, if the rungs here are all that are hotter than
     * one at another process, of the same temperature but for the level.
     * Returns whether that is so.
     */
    bool
    allow();

    /** Whether to go on while the other process computes an energy. */
    bool
    may_begin(const unsigned int pair) const
    {
      return is_allowed && pair == split_pair && !is_undecided;
    }

    /** The chain works on copies from here on. */
    void
    begin();

    /** So far the chain will do it all again; what follows, it need not. */
    void
    begin_counting();

    /**
     * The chain has its own again.
     *
     * @param is_useful Whether anything has been found.
     * @param is_explored Whether kernel steps of the sub-round are done.
     */
    void
    end(const bool is_useful, const bool is_explored);

    /** Get to know how the swaps have ended. */
    void
    decide(const std::vector<SwapAttempt> &attempts)
    {
      if (is_undecided)
        confirm(attempts);
    }

    /** Forget what was found: the chain is somewhere else. */
    void
    forget()
    {
      is_confirmed = is_undecided = is_explored = false;
    }

    /** Put what was found, if the swap was accepted, at the rungs. */
    void
    adopt()
    {
      if (is_confirmed)
        take_over();
    }

    /** Whether the kernel steps of the sub-round are done; asked once. */
    bool
    take_explored()
    {
      const bool result = is_explored && !is_confirmed;
      is_explored       = is_explored && !result;
      return result;
    }

    const Counts &
    get_counts() const
    {
      return counts;
    }

  private:
    /** What is at a rung and changes with every step. */
    struct Copy
    {
      Replica               replica;
      RungReport            report;
      RungState::StuckWatch watch;
      RungState::SinceDraw  since_draw;
      /** In use in burn-in, while kernels learn. */
      std::unique_ptr<KernelState> kernel;
    };

    /** What is at the rungs of this process changes places with the copies. */
    void
    exchange_rungs();

    /** And so does all else that the chain changes as it goes on. */
    void
    exchange_all();

    void
    confirm(const std::vector<SwapAttempt> &attempts);

    void
    take_over();

    unsigned int
    first_rung() const
    {
      return split_pair + 1;
    }

    ChainState &chain;
    Swapper    &swapper;
    Outbox     &outbox;

    bool is_allowed = false;
    /** This process has all rungs from the hotter one of this pair on. */
    unsigned int split_pair = 0;

    /** There is something that a swap may confirm; or has confirmed. */
    bool is_undecided = false, is_confirmed = false;
    /** Of the sub-round that was reached. */
    bool is_explored  = false;
    bool with_kernels = false;

    /** By rung, from first_rung() on. */
    std::vector<Copy> copies;
    /** The state of the colder rung, as the other process has shown it. */
    std::unique_ptr<Replica> cold_replica;
    Swapper::Part            swaps;
    std::uint64_t            begin_time = 0, round = 0;
    unsigned int             sub_round = 0;
    /** Of the chain while it looks ahead, of the copies otherwise. */
    std::unique_ptr<WorkMeter> work;
    Outbox                     events;

    Counts counts;
  };
} // namespace Tempera

#endif
