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

    std::vector<ReplicaExchange *>
    pointers(const std::vector<std::unique_ptr<ReplicaExchange>> &chains)
    {
      std::vector<ReplicaExchange *> result;
      for (const auto &chain : chains)
        result.push_back(chain.get());
      return result;
    }


    /**
     * Says when to look up from the work: a few times a second. Looking at the
     * clock costs as much as a cheap step, so it is done seldom.
     */
    class Lookout
    {
    public:
      Lookout(const std::uint64_t round, const std::chrono::milliseconds tick)
        : tick(tick)
        , next_look(round + 1)
      {}

      bool
      is_due(const std::uint64_t round) const
      {
        return round >= next_look;
      }

      /** Rounds to the next look that would suit this process. */
      std::uint64_t
      suggestion() const
      {
        const auto passed = Clock::now() - last_look;
        return passed < tick / 2                    ? 2 * rounds_per_look :
               passed > tick && rounds_per_look > 1 ? rounds_per_look / 2 :
                                                      rounds_per_look;
      }

      void
      look_again_in(const std::uint64_t n_rounds, const std::uint64_t round)
      {
        rounds_per_look = n_rounds;
        next_look       = round + n_rounds;
        last_look       = Clock::now();
      }

    private:
      using Clock = std::chrono::steady_clock;

      const std::chrono::milliseconds tick;
      std::uint64_t                   rounds_per_look = 1, next_look;
      Clock::time_point               last_look       = Clock::now();
    };
  } // namespace



  Ensemble::Ensemble(std::vector<ReplicaExchange *> the_chains,
                     const Peers                   &peers)
    : chains(std::move(the_chains))
    , peers(peers)
    , has_budget(chains[0]->report().work_budget > 0.)
    , hundredth_reports(chains.size())
  {
    // At the end of burn-in counts begin anew; a chain reports before.
    for (unsigned int chain = 0; chain < chains.size(); ++chain)
      connections.emplace_back(chains[chain]->signals.hundredth_done.connect(
        [this, chain](const RunReport &report) {
          hundredth_reports[chain] = report;
        }));

    // Who looks ahead in one chain lets those of another wait.
    std::vector<ReplicaExchange *> here;
    for (ReplicaExchange *chain : chains)
      if (chain->has_rung_here())
        here.push_back(chain);
    if (is_shared() && here.size() == 1)
      here[0]->allow_look_ahead();
  }



  Ensemble::Ensemble(std::vector<std::unique_ptr<ReplicaExchange>> the_chains,
                     const Peers                                  &peers)
    : Ensemble(pointers(the_chains), peers)
  {
    owned = std::move(the_chains);
  }



  Ensemble::Ensemble(ReplicaExchange &chain)
    : Ensemble(std::vector<ReplicaExchange *>{&chain}, alone())
  {}



  void
  ReplicaExchange::run(const std::atomic<bool> &stop)
  {
    Ensemble(*this).run(stop);
  }



  void
  ReplicaExchange::run()
  {
    const std::atomic<bool> never(false);
    run(never);
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
    for (ReplicaExchange *chain : chains)
      if (!chain->is_done())
        moved.push_back(chain);
    for (unsigned int i = 0; i < chains[0]->n_sub_rounds(); ++i)
      {
        // One that has looked ahead is further than others.
        for (ReplicaExchange *chain : moved)
          chain->catch_up();
        // First all that can be done without waiting for others.
        for (ReplicaExchange *chain : moved)
          if (chain->get_sub_round() == i)
            chain->explore();
        for (ReplicaExchange *chain : moved)
          if (chain->get_sub_round() == i)
            chain->end_moves();
      }
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



  bool
  Ensemble::is_agreed(const std::function<bool()> &question) const
  {
    const bool answer = question && question();
    return is_shared() ? peers.broadcast(answer ? "y" : "n") == "y" : answer;
  }



  void
  Ensemble::announce_listeners()
  {
    std::string word;
    for (const auto &chain : chains)
      {
        word += chain->signals.draw.empty() ? 'n' : 'y';
        word += chain->signals.level_draw.empty() ? 'n' : 'y';
        word += chain->signals.potential.empty() ? 'n' : 'y';
        word += chain->signals.swap_attempted.empty() ? 'n' : 'y';
      }
    word = peers.broadcast(word);
    for (std::size_t i = 0; i < chains.size(); ++i)
      chains[i]->set_remote_listeners(word[4 * i] == 'y',
                                      word[4 * i + 1] == 'y',
                                      word[4 * i + 2] == 'y',
                                      word[4 * i + 3] == 'y');
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
                const std::uint64_t      rounds_per_checkpoint,
                const EarlyEnd          &early_end)
  {
    std::uint64_t round = 0;
    for (const ReplicaExchange *chain : chains)
      round = std::max(round, chain->get_round());
    const RunReport     plan = chains[0]->report();
    const std::uint64_t hundredth =
      ReplicaExchange::hundredth_of(plan.n_rounds);
    // Those who meet wait for the slowest: seldom enough not to be felt.
    Lookout lookout(round, std::chrono::milliseconds(is_shared() ? 500 : 100));

    for (unsigned int chain = 0; chain < chains.size(); ++chain)
      {
        chains[chain]->set_interrupted(false);
        chains[chain]->set_enough(false);
        hundredth_reports[chain] = chains[chain]->report();
      }
    bool is_stopped = stop.load(std::memory_order_relaxed);
    if (is_shared())
      {
        announce_listeners();
        meet(is_stopped);
      }
    const auto is_look_at_draws = [&]() {
      return round > plan.burn_in && early_end.is_look(round - plan.burn_in);
    };
    // A run that is resumed may have been asked for less before.
    bool is_enough =
      !is_stopped && is_look_at_draws() && is_agreed(early_end.is_enough);
    while (!is_done() && !is_stopped && !is_enough)
      {
        do_moves();
        ++round;

        const bool is_checkpoint =
          rounds_per_checkpoint > 0 && round % rounds_per_checkpoint == 0;
        const bool is_look      = lookout.is_due(round);
        const bool is_of_draws  = is_look_at_draws();
        const bool is_milestone = moved[0]->is_at_milestone();
        if (!is_shared())
          is_stopped = stop.load(std::memory_order_relaxed);
        else if (is_milestone || is_checkpoint || is_look || is_of_draws ||
                 is_done())
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
            std::uint64_t n_rounds = lookout.suggestion();
            if (is_shared())
              n_rounds = std::stoull(peers.broadcast(std::to_string(n_rounds)));
            for (const ReplicaExchange *chain : chains)
              chain->signals.progress(chain->get_round());
            signals.progress(round);
            lookout.look_again_in(n_rounds, round);
            is_stopped = is_stopped || is_agreed(early_end.is_late);
          }
        if (is_of_draws && !is_stopped && !is_done())
          is_enough = is_agreed(early_end.is_enough);
      }

    checkpoint_due(true);
    for (ReplicaExchange *chain : chains)
      chain->set_enough(is_enough);
    const bool is_interrupted = !is_done();
    for (ReplicaExchange *chain : chains)
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
