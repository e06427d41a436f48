// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_ladder_design_h
#define tempera_study_ladder_design_h

#include <tempera/study/ladder_options.h>
#include <tempera/target/target.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /** A ladder that was found by pilots. */
  struct LadderDesign
  {
    /** Why there is none; empty if there is. */
    std::string objection;
    /** Whether pilots were stopped; then there is none, either. */
    bool is_stopped = false;

    /** The best first, each with other levels. */
    std::vector<LadderOption> options;

    std::vector<double> temperatures;
    std::string         kernel, preconditioner;
    /** Sum of the rejections along the ladder: how far the prior is. */
    double barrier = 0.;
    /** What the pilots took, in forward solves of the finest level. */
    double work = 0.;

    /** Rounds of the run that is predicted, burn-in included. */
    double n_rounds = 0.;

    /** All that is decided, as settings: path and value. */
    std::vector<std::pair<std::string, std::string>> settings;

    /** What was decided, and why. */
    std::string
    text() const;
  };


  /** What a design is made for. */
  struct DesignTask
  {
    /** The finest first; the others cheaper, in any order. */
    std::vector<std::string> levels;
    std::uint64_t            seed     = 1;
    unsigned int             n_chains = 4;
    /** Of all chains; for the number of rounds. */
    double effective_draws = 1000.;
  };


  /**
   * Find a ladder for a target: short runs measure how temperatures are to be
   * spaced, which kernel mixes best for its work, and how far the levels differ
   * where the posterior is; a formula then says what each way through the plane
   * costs (doc/automatic.md).
   *
   * @param say Told what is being done.
   */
  LadderDesign
  design_ladder(Target                                         &target,
                const DesignTask                               &task,
                const std::function<void(const std::string &)> &say,
                const std::atomic<bool>                        &stop);
} // namespace Tempera

#endif
