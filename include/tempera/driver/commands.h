// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_commands_h
#define tempera_driver_commands_h

#include <tempera/driver/parameters.h>

#include <atomic>
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
   * @param layout One group of processes, of which this is the first.
   */
  void
  simulate(const Parameters    &parameters,
           const ProcessLayout &layout,
           const std::string   &at,
           const bool           overwrite,
           std::ostream        &out);


  /** What `tempera truth` is asked for. */
  struct TruthOptions
  {
    /** In each direction. */
    unsigned int n_bins = 50;
    /** Evaluations in each direction of a bin. */
    unsigned int n_points = 4;
    /** File for the probabilities of the bins; empty for none. */
    std::string file;
    /** Folders of runs to compare. */
    std::vector<std::string> runs;
  };

  /**
   * `tempera truth`: the posterior on a grid with the level of the coldest
   * rung, and how the draws of some runs differ from it. What takes longer
   * than some seconds says how far it is.
   *
   * @param is_terminal Whether @p out can be drawn over.
   * @return Whether it came to its end before @p stop became true.
   */
  bool
  show_truth(const Parameters        &parameters,
             const TruthOptions      &options,
             std::ostream            &out,
             const bool               is_terminal,
             const std::atomic<bool> &stop);


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
   * `tempera summary`: what the record in a folder says of its run, which may
   * still be going.
   *
   * @param json For machines.
   */
  void
  show_summary(const std::string &folder, const bool json, std::ostream &out);


  /**
   * `tempera compare`: several runs side by side, as one table; if all of them
   * predict a curve, also their errors, and a picture of the coldest rungs'
   * errors by round.
   *
   * @param folders Of the runs.
   * @param picture File for the picture.
   */
  void
  compare_runs(const std::vector<std::string> &folders,
               const std::string              &picture,
               std::ostream                   &out);


  /** What `tempera calibrate` is asked for. */
  struct CalibrationOptions
  {
    unsigned int n_runs = 100;
    /**
     * The data get errors so many times as large as the likelihood assumes:
     * other than 1 to see that a wrong posterior is found.
     */
    double noise_factor = 1.;
    /** For the results. */
    std::string folder;
    bool        overwrite = false;
  };

  /** How a calibration ended. */
  enum class CalibrationResult
  {
    calibrated,
    wrong,
    stopped
  };

  /**
   * `tempera calibrate`: simulation-based calibration. Truths from the prior,
   * data from the model of the coldest rung, a run for each, and the rank of
   * the truth among its draws. Models are made once.
   */
  CalibrationResult
  calibrate(const Parameters         &parameters,
            const CalibrationOptions &options,
            std::ostream             &out,
            const std::atomic<bool>  &stop);


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


  /** `tempera report`: make the report of a run from its record. */
  void
  make_report(const std::string &folder, std::ostream &out);
} // namespace Tempera

#endif
