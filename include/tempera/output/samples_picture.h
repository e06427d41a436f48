// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_samples_picture_h
#define tempera_output_samples_picture_h

#include <tempera/output/recorded_run.h>

#include <string>

namespace Tempera
{
  /**
   * The samples of the coldest rung as a picture of SVG: the first two unknowns
   * against each other, or the histogram of a single one, with the truth and
   * the sensors where they are known. Empty without draws or unknowns.
   */
  std::string
  samples_picture(const RecordedRun &run);
} // namespace Tempera

#endif
