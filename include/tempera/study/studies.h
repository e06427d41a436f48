// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_studies_h
#define tempera_study_studies_h

#include <tempera/run/run_settings.h>
#include <tempera/target/target.h>

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

// What can be asked of a target besides sampling it.

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
  simulate(Target            &target,
           const RunSettings &settings,
           const std::string &at,
           const bool         overwrite,
           std::ostream      &out);


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
  show_truth(Target                  &target,
             const RunSettings       &settings,
             const TruthOptions      &options,
             std::ostream            &out,
             const bool               is_terminal,
             const std::atomic<bool> &stop);


  /** What `tempera map` is asked for. */
  struct MapOptions
  {
    /** From the middle of the prior and from draws of it. */
    unsigned int n_searches = 8;
    /** Of the laws around the maxima; one solve for each. */
    unsigned int  n_draws   = 200;
    std::uint64_t seed      = 1;
    bool          overwrite = false;
  };

  /**
   * `tempera map`: the maxima of the posterior on the level of the coldest
   * rung, the Gaussian laws around them (Laplace), and what weighted draws of
   * these say of both.
   *
   * @param is_terminal Whether @p out can be drawn over.
   * @return Whether it came to its end before @p stop became true.
   */
  bool
  show_map(Target                  &target,
           const RunSettings       &settings,
           const MapOptions        &options,
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
  check_gradients(Target                     &target,
                  const RunSettings          &settings,
                  const GradientCheckOptions &options,
                  std::ostream               &out);


  /** What `tempera calibrate` is asked for. */
  struct CalibrationOptions
  {
    unsigned int n_runs = 100;
    /**
     * The data get errors so many times as large as the likelihood assumes:
     * other than 1 to see that a wrong posterior is found.
     */
    double noise_factor = 1.;
    /**
     * Where truths and data come from, if not from what is sampled: the
     * posterior is then wrong on purpose, too.
     */
    Target *nature = nullptr;
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
  calibrate(Target                   &target,
            const RunSettings        &settings,
            const CalibrationOptions &options,
            std::ostream             &out,
            const std::atomic<bool>  &stop);
} // namespace Tempera

#endif
