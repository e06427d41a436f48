// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_file_digest_h
#define tempera_base_file_digest_h

#include <string>

namespace Tempera
{
  /**
   * Length and checksum (CRC-32) of what is in a file, as text: different for
   * files that differ by accident. "unreadable" if it cannot be read.
   */
  std::string
  file_digest(const std::string &path);

  /** The same of some bytes. */
  std::string
  digest(const std::string &bytes);
} // namespace Tempera

#endif
