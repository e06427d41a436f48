// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/ensemble.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace Tempera
{
  namespace
  {
    /** Joins pieces of bytes into one, and takes it apart again. */
    std::string
    join_pieces(const std::vector<std::string> &pieces)
    {
      std::string result;
      for (const std::string &piece : pieces)
        {
          const std::uint64_t length = piece.size();
          result.append(reinterpret_cast<const char *>(&length),
                        sizeof(length));
          result += piece;
        }
      return result;
    }

    std::vector<std::string>
    split_pieces(const std::string &bytes)
    {
      std::vector<std::string> result;
      for (std::size_t place = 0; place < bytes.size();)
        {
          std::uint64_t length;
          std::memcpy(&length, bytes.data() + place, sizeof(length));
          place += sizeof(length);
          result.push_back(bytes.substr(place, length));
          place += length;
        }
      return result;
    }
  } // namespace



  Ensemble::Ensemble(std::vector<std::unique_ptr<ReplicaExchange>> chains,
                     const Peers                                  &peers)
    : chains(std::move(chains))
    , peers(peers)
    , has_budget(this->chains[0]->report().work_budget > 0.)
    , hundredth_reports(this->chains.size())
  {
    // At the end of burn-in counts begin anew; a chain reports before.
    for (unsigned int chain = 0; chain < this->chains.size(); ++chain)
      this->chains[chain]->signals.hundredth_done.connect(
        [this, chain](const RunReport &report) {
          hundredth_reports[chain] = report;
        });
  }



  const Peers &
  Ensemble::alone()
  {
    static const Peers one;
    return one;
  }



  bool
  Ensemble::is_done() const
  {
    return std::all_of(chains.begin(), chains.end(), [](const auto &chain) {
      return chain->is_done();
    });
  }



  RunReport
  Ensemble::report() const
  {
    std::vector<RunReport> reports;
    for (const auto &chain : chains)
      reports.push_back(chain->report());
    return combined(reports);
  }



  void
  Ensemble::do_moves()
  {
    // A chain that has used up its budget stays behind.
    moved.clear();
    for (const auto &chain : chains)
      if (!chain->is_done())
        moved.push_back(chain.get());
    // First all that can be done without waiting for others.
    for (ReplicaExchange *chain : moved)
      chain->advance_all();
    for (ReplicaExchange *chain : moved)
      chain->end_moves();
    if (is_shared() && has_budget)
      {
        std::vector<double> work;
        for (const auto &chain : chains)
          work.push_back(chain->get_own_work());
        work = peers.sum(work);
        for (std::size_t i = 0; i < chains.size(); ++i)
          chains[i]->set_work_since_parts(work[i]);
      }
  }



  void
  Ensemble::announce_listeners()
  {
    std::string word;
    for (const auto &chain : chains)
      {
        word += chain->signals.draw.empty() ? 'n' : 'y';
        word += chain->signals.swap_attempted.empty() ? 'n' : 'y';
      }
    word = peers.broadcast(word);
    for (std::size_t i = 0; i < chains.size(); ++i)
      chains[i]->set_remote_listeners(word[2 * i] == 'y',
                                      word[2 * i + 1] == 'y');
  }



  void
  Ensemble::meet(bool &stop)
  {
    std::vector<std::string> pieces{stop ? "y" : "n"};
    for (const auto &chain : chains)
      {
        pieces.push_back(chain->save_part());
        pieces.push_back(chain->take_events());
      }
    std::vector<std::vector<std::string>> parts(chains.size()),
      events(chains.size());
    for (const std::string &bytes : peers.gather(join_pieces(pieces)))
      {
        pieces = split_pieces(bytes);
        stop   = stop || pieces[0] == "y";
        for (std::size_t i = 0; i < chains.size(); ++i)
          {
            parts[i].push_back(std::move(pieces[1 + 2 * i]));
            events[i].push_back(std::move(pieces[2 + 2 * i]));
          }
      }
    std::vector<Signals *> all_signals;
    for (std::size_t i = 0; i < chains.size(); ++i)
      {
        chains[i]->load_parts(parts[i]);
        all_signals.push_back(&chains[i]->signals);
      }
    if (peers.is_first())
      tell(events, all_signals);
  }



  void
  Ensemble::collect()
  {
    bool ignored = false;
    if (is_shared())
      meet(ignored);
  }



  void
  Ensemble::run(const std::atomic<bool> &stop,
                const std::uint64_t      rounds_per_checkpoint)
  {
    using Clock = std::chrono::steady_clock;

    // Those who meet wait for the slowest: seldom enough not to be felt.
    const auto tick = std::chrono::milliseconds(is_shared() ? 500 : 100);

    std::uint64_t round = 0;
    for (const auto &chain : chains)
      round = std::max(round, chain->get_round());
    const RunReport     plan = chains[0]->report();
    const std::uint64_t hundredth =
      ReplicaExchange::hundredth_of(plan.n_rounds);

    // Looking at the clock costs as much as a cheap step: do it seldom.
    std::uint64_t     rounds_per_look = 1, next_look = round + 1;
    Clock::time_point last_look = Clock::now();

    for (unsigned int chain = 0; chain < chains.size(); ++chain)
      {
        chains[chain]->set_interrupted(false);
        hundredth_reports[chain] = chains[chain]->report();
      }
    bool is_stopped = stop.load(std::memory_order_relaxed);
    if (is_shared())
      {
        announce_listeners();
        meet(is_stopped);
      }
    while (!is_done() && !is_stopped)
      {
        do_moves();
        ++round;

        const bool is_checkpoint =
          rounds_per_checkpoint > 0 && round % rounds_per_checkpoint == 0;
        const bool is_look      = round >= next_look;
        const bool is_milestone = moved[0]->is_at_milestone();
        if (!is_shared())
          is_stopped = stop.load(std::memory_order_relaxed);
        else if (is_milestone || is_checkpoint || is_look || is_done())
          {
            is_stopped = stop.load(std::memory_order_relaxed);
            meet(is_stopped);
          }
        if (is_milestone)
          for (ReplicaExchange *chain : moved)
            chain->pass_milestone();

        if (round % hundredth == 0 || round == plan.n_rounds)
          signals.hundredth_done(combined(hundredth_reports));
        if (round == plan.burn_in)
          signals.end_of_burn_in(report());
        if (is_checkpoint)
          checkpoint_due(false);
        if (is_look)
          {
            const auto now = Clock::now();
            if (now - last_look < tick / 2)
              rounds_per_look *= 2;
            else if (now - last_look > tick && rounds_per_look > 1)
              rounds_per_look /= 2;
            if (is_shared())
              rounds_per_look =
                std::stoull(peers.broadcast(std::to_string(rounds_per_look)));
            for (const auto &chain : chains)
              chain->signals.progress(chain->get_round());
            signals.progress(round);
            last_look = Clock::now();
            next_look = round + rounds_per_look;
          }
      }

    checkpoint_due(true);
    const bool is_interrupted = !is_done();
    for (const auto &chain : chains)
      {
        chain->set_interrupted(is_interrupted);
        chain->end_run();
      }
    if (round < plan.n_rounds && round % hundredth != 0)
      signals.hundredth_done(report());
    signals.progress(round);
    signals.end_of_run(report());
  }
} // namespace Tempera
