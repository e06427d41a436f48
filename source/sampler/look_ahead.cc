// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/look_ahead.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace Tempera
{
  LookAhead::LookAhead(ChainState &chain, Swapper &swapper, Outbox &outbox)
    : chain(chain)
    , swapper(swapper)
    , outbox(outbox)
  {}



  bool
  LookAhead::allow()
  {
    const unsigned int n_rungs = chain.ladder.size();
    unsigned int       first   = n_rungs;
    while (first > 0 && chain.placement.is_here(first - 1))
      --first;
    if (first == 0 || first == n_rungs)
      return false;
    for (unsigned int rung = 0; rung < first; ++rung)
      if (chain.placement.is_here(rung))
        return false;
    // The other process must have nothing to say against an accepted swap: a
    // gradient that is not finite, for instance.
    if (!chain.ladder.is_change_of_level(first) ||
        chain.rungs[first - 1].needs.gradients)
      return false;

    is_allowed   = true;
    split_pair   = first - 1;
    cold_replica = std::make_unique<Replica>(chain.rungs[split_pair].replica);
    work         = std::make_unique<WorkMeter>(chain.work);
    for (unsigned int rung = first; rung < n_rungs; ++rung)
      copies.push_back({chain.rungs[rung].replica,
                        RungReport(),
                        RungState::StuckWatch(),
                        RungState::SinceDraw(),
                        chain.ladder[rung].kernel->make_state(
                          chain.ladder[rung],
                          chain.ladder.space().dimension(),
                          chain.ladder.get_levels().size())});
    return true;
  }



  void
  LookAhead::begin()
  {
    // Afterwards kernels keep nothing new (Kernel::end_burn_in()).
    with_kernels  = chain.in_burn_in();
    *cold_replica = chain.rungs[split_pair].replica;
    for (unsigned int i = 0; i < copies.size(); ++i)
      {
        const RungState &state = chain.rungs[first_rung() + i];
        copies[i].replica      = state.replica;
        copies[i].report       = state.report;
        copies[i].watch        = state.watch;
        copies[i].since_draw   = state.since_draw;
        if (!with_kernels)
          continue;
        std::stringstream bytes;
        {
          boost::archive::binary_oarchive archive(bytes,
                                                  boost::archive::no_header);
          state.kernel->save(archive);
        }
        boost::archive::binary_iarchive archive(bytes,
                                                boost::archive::no_header);
        copies[i].kernel->load(archive);
      }
    swaps     = swapper.copy_part(first_rung());
    round     = chain.round;
    sub_round = chain.sub_round;
    *work     = chain.work;
    exchange_all();
  }



  void
  LookAhead::begin_counting()
  {
    begin_time = chain.time();
    chain.work.begin_anew();
    outbox.take();
  }



  void
  LookAhead::end(const bool is_useful, const bool the_explored)
  {
    exchange_all();
    is_undecided = is_useful;
    is_explored  = the_explored;
  }



  void
  LookAhead::exchange_rungs()
  {
    for (unsigned int i = 0; i < copies.size(); ++i)
      {
        RungState &state = chain.rungs[first_rung() + i];
        swap(state.replica, copies[i].replica);
        std::swap(state.report, copies[i].report);
        std::swap(state.watch, copies[i].watch);
        std::swap(state.since_draw, copies[i].since_draw);
        if (with_kernels)
          state.kernel.swap(copies[i].kernel);
      }
    swapper.exchange_part(first_rung(), swaps);
    std::swap(chain.round, round);
    std::swap(chain.sub_round, sub_round);
  }



  void
  LookAhead::exchange_all()
  {
    exchange_rungs();
    swap(chain.rungs[split_pair].replica, *cold_replica);
    std::swap(chain.work, *work);
    std::swap(outbox, events);
  }



  void
  LookAhead::confirm(const std::vector<SwapAttempt> &attempts)
  {
    is_undecided = false;
    is_confirmed =
      std::any_of(attempts.begin(),
                  attempts.end(),
                  [this](const SwapAttempt &attempt) {
                    return attempt.pair == split_pair && attempt.accepted;
                  });
    if (is_confirmed)
      return;
    is_explored = false;
    ++counts.redone;
    counts.redone_work += work->own_in_solves();
  }



  void
  LookAhead::take_over()
  {
    Assert(chain.time() == begin_time, dealii::ExcInternalError());
    is_confirmed = false;
    ++counts.kept;
    exchange_rungs();
    // All may have met in between; what was told then stays.
    chain.work.add_own(*work);
    outbox.add(events);
  }
} // namespace Tempera
