// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_draws_file_h
#define tempera_output_draws_file_h

#include <tempera/output/run_description.h>
#include <tempera/output/run_folder.h>
#include <tempera/sampler/signals.h>

#include <fstream>
#include <string>

namespace Tempera
{
  /**
   * Writes the draws of one rung, after burn-in, to a CSV file: the number of
   * the draw, the replica, the energy and the recorded unknowns. The file
   * holds whole lines only, also after a write that failed.
   */
  class DrawsFile
  {
  public:
    DrawsFile(const RunFolder      &folder,
              const RunDescription &description,
              const unsigned int    rung);

    ~DrawsFile();

    void
    connect(Signals &signals);

    /** Write what is buffered to the file. */
    void
    flush();

  private:
    void
    write(const Draw &draw);

    const unsigned int              rung;
    const std::vector<unsigned int> indices;
    const std::string               path;
    std::ofstream                   file;
    std::string                     buffer;
    std::uint64_t                   n_draws = 0;
    /** Length of what is safely in the file. */
    std::uint64_t n_bytes = 0;
  };
} // namespace Tempera

#endif
