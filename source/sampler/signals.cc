// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/signals.h>

#include <algorithm>

namespace Tempera
{
  unsigned int
  potential_stride(const std::vector<unsigned int> &paces,
                   const std::vector<unsigned int> &levels,
                   const unsigned int               rung)
  {
    constexpr unsigned int wanted = 20;
    // Rounds from one test with the finer level to the next.
    const unsigned int ratio  = rung > 0 && levels[rung] != levels[rung - 1] ?
                                  paces[rung] / paces[rung - 1] :
                                  1;
    unsigned int       stride = (std::max(1u, paces[rung] / wanted) - 1) | 1;
    while (ratio > 1 && ratio < paces[rung] && ratio % stride != 0)
      stride -= 2;
    return stride;
  }



  RunReport
  combined(const std::vector<RunReport> &reports)
  {
    RunReport  result  = reports[0];
    const auto average = [&](const auto &value) {
      double sum      = 0.;
      bool   is_equal = true;
      for (const RunReport &report : reports)
        {
          sum += value(report);
          is_equal = is_equal && value(report) == value(reports[0]);
        }
      // The mean of equal numbers may be rounded.
      return is_equal ? value(reports[0]) : sum / reports.size();
    };

    for (std::size_t i = 0; i < result.rungs.size(); ++i)
      {
        RungReport &rung = result.rungs[i];
        rung.temperature = average(
          [&](const RunReport &one) { return one.rungs[i].temperature; });
        rung.step_size =
          average([&](const RunReport &one) { return one.rungs[i].step_size; });
        rung.noise =
          average([&](const RunReport &one) { return one.rungs[i].noise; });
      }
    for (std::size_t i = 0; i < result.pairs.size(); ++i)
      for (std::size_t stage = 0; stage < result.pairs[i].penalties.size();
           ++stage)
        result.pairs[i].penalties[stage] = average(
          [&](const RunReport &one) { return one.pairs[i].penalties[stage]; });

    for (std::size_t chain = 1; chain < reports.size(); ++chain)
      {
        const RunReport &one = reports[chain];
        result.rounds        = std::max(result.rounds, one.rounds);
        result.interrupted   = result.interrupted || one.interrupted;
        result.is_enough     = result.is_enough || one.is_enough;
        for (std::size_t i = 0; i < result.rungs.size(); ++i)
          {
            RungReport &rung = result.rungs[i];
            rung.steps += one.rungs[i].steps;
            rung.non_finite += one.rungs[i].non_finite;
            rung.acceptance_sum += one.rungs[i].acceptance_sum;
            rung.acceptance_count += one.rungs[i].acceptance_count;
          }
        for (std::size_t i = 0; i < result.pairs.size(); ++i)
          {
            PairReport &pair = result.pairs[i];
            pair.attempts += one.pairs[i].attempts;
            pair.accepted += one.pairs[i].accepted;
            pair.non_finite += one.pairs[i].non_finite;
            pair.rule_difference.add(one.pairs[i].rule_difference);
            for (std::size_t level = 0; level < pair.cross_evaluations.size();
                 ++level)
              pair.cross_evaluations[level] +=
                one.pairs[i].cross_evaluations[level];
          }
        for (std::size_t level = 0; level < result.evaluations.size(); ++level)
          result.evaluations[level] += one.evaluations[level];
        result.work += one.work;
        result.set_up_work += one.set_up_work;
      }
    return result;
  }
} // namespace Tempera
