// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_level_checks_h
#define tempera_study_level_checks_h

#include <tempera/output/analysis.h>
#include <tempera/output/recorded_run.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/swap_rule.h>

#include <functional>
#include <vector>

namespace Tempera
{
  /**
   * What the missed modes that rungs on other levels expect are worth with the
   * energies of the coldest rung's level: a biased coarse level expects mass
   * where the posterior has none. Some draws of the rung, inside and outside,
   * are taken by their weights and weighted again with the fine energy.
   *
   * @return By missed mode: its share; that of the rung itself if it is on the
   * coldest rung's level; not a number if it cannot be told.
   */
  std::vector<double>
  fine_shares(const Analysis              &analysis,
              const RecordedRun           &run,
              const Ladder                &ladder,
              const std::function<bool()> &is_stopped);

  /**
   * How the rule `exact` would shift the law of the coldest rung that the rule
   * `multi-variance` has given it.
   *
   * A swap with the rule's ratio keeps, instead of the posterior, the posterior
   * times \f$\exp(-\sum_k c_k D_k)\f$: for every pair of rungs on two levels,
   * \f$D_k\f$ is the difference of their energies and
   * \f$c_k = a_2 \tau_\delta + 1/\tau_{k+1}\f$ (doc/swap_rules.md). The kernel
   * pulls back to the posterior; which part of the way the coldest rung has
   * gone follows, for each unknown, from the rate of accepted swaps and the
   * rate at which its draws forget.
   *
   * @param states Draws of the coldest rung, all unknowns.
   * @param population More of them, recorded unknowns only.
   */
  std::vector<Checks::Shift>
  swap_shifts(const Analysis                         &analysis,
              const RunDescription                   &description,
              const Ladder                           &ladder,
              const SwapParameters                   &swaps,
              const std::vector<std::vector<double>> &states,
              const std::vector<std::vector<double>> &population,
              const std::function<bool()>            &is_stopped);
} // namespace Tempera

#endif
