// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_commands_h
#define tempera_driver_commands_h

#include <tempera/driver/parameters.h>

#include <iosfwd>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * `tempera simulate`: one forward run on each level, predictions as a table
   * and as a file, fields for ParaView.
   *
   * @param at The unknowns as text; empty for the truth if it is known, and
   * the middle of the prior otherwise.
   */
  void
  simulate(const Parameters  &parameters,
           const std::string &at,
           const bool         overwrite,
           std::ostream      &out);


  /** What `tempera truth` is asked for. */
  struct TruthOptions
  {
    unsigned int n_bins   = 50;
    unsigned int n_points = 4;
    /** File for the probabilities of the bins; empty for none. */
    std::string file;
    /** Folders of runs to compare. */
    std::vector<std::string> runs;
  };

  /**
   * `tempera truth`: the posterior on a grid with the level of the coldest
   * rung, and how the draws of some runs differ from it.
   */
  void
  show_truth(const Parameters   &parameters,
             const TruthOptions &options,
             std::ostream       &out);
} // namespace Tempera

#endif
