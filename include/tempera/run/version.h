// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_run_version_h
#define tempera_run_version_h

#include <string>

namespace Tempera
{
  /** Version of the program. */
  std::string
  version();

  /** Version, build type and libraries, for bug reports. */
  std::string
  version_details();

  /**
   * Checksum of the program's library and the vector units it uses: numbers of
   * another one may differ in their last digits.
   */
  std::string
  build_identity();
} // namespace Tempera

#endif
