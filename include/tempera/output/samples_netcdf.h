// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_samples_netcdf_h
#define tempera_output_samples_netcdf_h

#include <string>

namespace Tempera
{
  class RecordedRun;

  /**
   * Write a run as NetCDF-4 in the layout of ArviZ's InferenceData, which
   * `arviz.from_netcdf` and, group by group, `xarray.open_dataset` read.
   *
   * Groups, each with its own dimensions and their coordinate variables:
   * - `posterior`, `warmup_posterior`: every unknown and derived number of the
   *   coldest rung, by chain and draw;
   * - `sample_stats`, `warmup_sample_stats`: `lp` (the negative `energy`: there
   *   is no momentum in it), `acceptance_rate`, `step_size`, `diverging`
   *   (whether a proposal since the last draw had no finite energy), `replica`,
   *   and the energy's parts `reference` and `potential`;
   * - `observed_data`: the measurements `y`; `constant_data`: the standard
   *   `deviation` of their errors, if they are known, and, as `true_x` for an
   *   unknown x, the true values, where they are known, by `answer`;
   * - `posterior_predictive`: `prediction`, and `y`, which is a prediction with
   *   an error; `log_likelihood`: of each measurement `y`, given all others if
   *   errors are not independent. Both only at the draws whose predictions were
   *   recorded; their coordinate `draw` has the numbers that these draws have
   *   in `posterior`, so that `posterior.sel(draw=...)` finds them;
   * - `prior`: independent draws of every unknown with a prior;
   * - `tempered_posterior`: the same for the other rungs, by chain, draw and
   *   rung, with the temperature at which each chain held the rung;
   * - `swaps`: attempts and acceptances of each pair since the last draw, which
   *   replica was where, and round trips so far.
   *
   * Measurements are counted by `measurement`, with the further coordinates
   * `measurement_name`, `place_x`, `place_y`, `place_z` and `time`, as far as
   * they are known (`y` is what was measured).
   *
   * Groups without content are left out, but for `posterior` and
   * `sample_stats`. Chains of different lengths are cut to the shortest. The
   * errors in `y` depend on seed, chain, draw and measurement only, and there
   * is no time in the file: the same record gives the same file.
   *
   * Memory does not grow with the number of draws. The file is there completely
   * or not at all; a UserError says why not.
   */
  void
  write_samples_netcdf(const RecordedRun &run, const std::string &path);
} // namespace Tempera

#endif
