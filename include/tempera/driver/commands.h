// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_commands_h
#define tempera_driver_commands_h

#include <tempera/driver/parameters.h>

#include <cstdint>
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


  /** What `tempera check-gradient` is asked for. */
  struct GradientCheckOptions
  {
    /** On each level. */
    unsigned int  n_points = 3;
    std::uint64_t seed     = 1;
  };

  /**
   * `tempera check-gradient`: the gradient by every method that is valid, on
   * each level, at random points of the prior. Returns whether they are right.
   */
  bool
  check_gradients(const Parameters           &parameters,
                  const GradientCheckOptions &options,
                  std::ostream               &out);


  /**
   * `tempera compare`: the errors of several runs that predict a curve, as one
   * table, and as a picture of the coldest rungs' errors by round.
   *
   * @param folders Of the runs.
   * @param picture File for the picture.
   */
  void
  compare_runs(const std::vector<std::string> &folders,
               const std::string              &picture,
               std::ostream                   &out);


  /**
   * `tempera export`: `samples.nc`, and on request CSV files in CmdStan's
   * layout, from the record of a run that is complete, was killed, or is still
   * going. Says what of the record could not be read.
   *
   * @param target Folder for the files; empty for that of the run.
   */
  void
  export_run(const std::string &folder,
             const bool         csv,
             std::ostream      &out,
             const std::string &target = "");
} // namespace Tempera

#endif
