// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_mesh_error_bar_h
#define tempera_output_mesh_error_bar_h

#include <tempera/output/analysis.h>
#include <tempera/output/json.h>

#include <string>
#include <vector>

namespace Tempera
{
  /** Mean of an unknown, with what sampling and the mesh leave open. */
  struct MeshErrorBar
  {
    std::string name;
    /** From all levels where that is good, else from the coldest rung. */
    EstimatedValue mean;
    /** How far the mean moves on the level refined once. */
    EstimatedValue shift;
    /** By how much the standard deviation changes, relative to itself. */
    EstimatedValue width;
  };

  /** Empty where the run has found no such error. */
  std::vector<MeshErrorBar>
  mesh_error_bars(const Analysis &analysis);

  /** For the summary; empty where the level was not refined. */
  std::string
  mesh_error_text(const Analysis &analysis);

  /** For `summary --json` and the report; null where it was not refined. */
  Json
  mesh_error_json(const Analysis &analysis);
} // namespace Tempera

#endif
