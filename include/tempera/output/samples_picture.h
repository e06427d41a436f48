// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_samples_picture_h
#define tempera_output_samples_picture_h

#include <tempera/output/draw_subset.h>
#include <tempera/output/run_description.h>
#include <tempera/output/run_folder.h>

#include <string>

namespace Tempera
{
  /**
   * Draws the samples of the coldest rung as a picture, `samples.svg`: the
   * first two unknowns against each other, or the histogram of a single one,
   * with the truth and the sensors where they are known.
   */
  class SamplesPicture
  {
  public:
    SamplesPicture(const RunFolder &folder, const RunDescription &description);

    void
    connect(Signals &signals);

    /** The picture as it stands. */
    std::string
    svg() const;

  private:
    const RunFolder     &folder;
    const RunDescription description;
    DrawSubset           draws;
  };
} // namespace Tempera

#endif
