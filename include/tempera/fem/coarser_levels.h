// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_coarser_levels_h
#define tempera_fem_coarser_levels_h

#include <tempera/fem/fem_parameters.h>
#include <tempera/target/target_type.h>

#include <vector>

namespace Tempera
{
  /**
   * Levels with meshes that are about 2, 4, 8, ... times as coarse, with steps
   * in time that are about 3, 9, ... times as long, and with elements of the
   * degrees 1, 2 and 4; each costs about a fifth of the finest one at most.
   *
   * @param is_file Whether the mesh is from a file.
   * @param final_time Zero if there is no time.
   */
  std::vector<LevelSettings>
  coarser_levels(const FemLevelParameters &finest,
                 const unsigned int        dimension,
                 const bool                is_file,
                 const double              final_time);
} // namespace Tempera

#endif
