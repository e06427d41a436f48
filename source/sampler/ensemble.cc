// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/ensemble.h>

#include <algorithm>
#include <chrono>

namespace Tempera
{
  Ensemble::Ensemble(std::vector<std::unique_ptr<ReplicaExchange>> chains)
    : chains(std::move(chains))
    , hundredth_reports(this->chains.size())
  {
    // At the end of burn-in counts begin anew; a chain reports before.
    for (unsigned int chain = 0; chain < this->chains.size(); ++chain)
      this->chains[chain]->signals.hundredth_done.connect(
        [this, chain](const RunReport &report) {
          hundredth_reports[chain] = report;
        });
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
  Ensemble::run(const std::atomic<bool> &stop,
                const std::uint64_t      rounds_per_checkpoint)
  {
    using Clock = std::chrono::steady_clock;

    constexpr auto tick = std::chrono::milliseconds(100);

    // A chain that has used up its budget stays behind.
    const auto round_of_all = [&]() {
      std::uint64_t result = 0;
      for (const auto &chain : chains)
        result = std::max(result, chain->get_round());
      return result;
    };
    std::uint64_t       round = round_of_all();
    const RunReport     plan  = chains[0]->report();
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
    while (!is_done() && !stop.load(std::memory_order_relaxed))
      {
        for (const auto &chain : chains)
          if (!chain->is_done())
            chain->do_round();
        ++round;

        if (round % hundredth == 0 || round == plan.n_rounds)
          signals.hundredth_done(combined(hundredth_reports));
        if (round == plan.burn_in)
          signals.end_of_burn_in(report());
        if (rounds_per_checkpoint > 0 && round % rounds_per_checkpoint == 0)
          checkpoint_due(false);
        if (round >= next_look)
          {
            const auto now = Clock::now();
            if (now - last_look < tick / 2)
              rounds_per_look *= 2;
            else if (now - last_look > tick && rounds_per_look > 1)
              rounds_per_look /= 2;
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
