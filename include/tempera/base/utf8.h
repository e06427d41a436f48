// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_utf8_h
#define tempera_base_utf8_h

#include <string>

namespace Tempera
{
  /**
   * The text with every byte that is no part of UTF-8 replaced by a question
   * mark: whoever reads our files may refuse all of a file for one such byte.
   */
  std::string
  valid_utf8(const std::string &text);
} // namespace Tempera

#endif
