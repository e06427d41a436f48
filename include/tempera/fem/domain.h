// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_domain_h
#define tempera_fem_domain_h

#include <string>
#include <vector>

namespace Tempera
{
  /** Where an equation holds: a box, or the mesh in a file. */
  struct Domain
  {
    /** Empty for a box. */
    std::string mesh_file;
    /** Corners of the box: one number for all directions or one for each. */
    std::vector<double> lower{0.}, upper{1.};
  };
} // namespace Tempera

#endif
