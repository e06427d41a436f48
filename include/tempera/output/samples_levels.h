// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_samples_levels_h
#define tempera_output_samples_levels_h

#include <tempera/output/level_draws.h>
#include <tempera/output/netcdf_file.h>

#include <functional>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * The group `level_draws` of samples.nc: the draws of all levels that follow
   * the finest one at its temperature, with the weights of LevelDraws. The sum
   * of weight times x over all of them is the corrected mean of x.
   */
  class LevelSamples
  {
  public:
    /**
     * Define the group; nothing if there are no such draws.
     *
     * @param add_group Makes a group of this name.
     */
    LevelSamples(
      const RecordedRun                                     &run,
      const std::function<NetcdfGroup(const std::string &)> &add_group);

    /** To be called when everything is defined. */
    void
    write();

    /** Whether there is such a group. */
    bool
    exists() const;

  private:
    const LevelDraws         levels;
    std::vector<NetcdfGroup> group;
    /** Of weight and so on, then of the columns. */
    std::vector<int> variables;
  };
} // namespace Tempera

#endif
