// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_run_input_files_h
#define tempera_run_input_files_h

#include <string>

namespace Tempera
{
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
} // namespace Tempera

#endif
