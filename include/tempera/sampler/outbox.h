// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_outbox_h
#define tempera_sampler_outbox_h

#include <tempera/sampler/signals.h>

#include <string>
#include <vector>

namespace Tempera
{
  /**
   * Draws and swaps that wait until they are told to the subscribers, who are
   * all at the first of several processes.
   */
  class Outbox
  {
  public:
    /** @param time Of the fastest rung, for the order in which it is told. */
    void
    add(const std::uint64_t time, const Draw &draw);

    void
    add(const std::uint64_t time, const LevelDraw &draw);

    void
    add(const std::uint64_t time, const KnownPotential &potential);

    void
    add(const std::uint64_t time, const SwapAttempt &attempt);

    /** What waits in another box waits here, too. */
    void
    add(const Outbox &other)
    {
      bytes += other.bytes;
    }

    /** All that waits, as bytes; the box is then empty. */
    std::string
    take();

  private:
    std::string bytes;
  };


  /**
   * Tell the subscribers of each chain what the outboxes of several processes
   * held, round by round in the order of chains, swaps and rungs: the order in
   * which one process alone would have told it.
   *
   * @param boxes By chain, of all processes.
   * @param signals By chain.
   */
  void
  tell(const std::vector<std::vector<std::string>> &boxes,
       const std::vector<Signals *>                &signals);
} // namespace Tempera

#endif
