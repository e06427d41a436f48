// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_input_files_h
#define tempera_driver_input_files_h

#include <string>
#include <vector>

namespace Tempera
{
  class Parameters;

  /** A file that a run reads, and what was in it. */
  struct InputFile
  {
    /** The parameter that names it. */
    std::string parameter;
    std::string path;
    /** See file_digest(). */
    std::string digest;
    /** A plugin: a part of the program rather than of the data. */
    bool is_library = false;
  };

  /**
   * All files that parameters name: measurements, meshes, start points,
   * plugins. Included parameter files are not among them, since what they say
   * is in the effective parameters.
   */
  std::vector<InputFile>
  input_files(const Parameters &parameters);
} // namespace Tempera

#endif
