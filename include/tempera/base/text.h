// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_text_h
#define tempera_base_text_h

#include <string>
#include <vector>

namespace Tempera
{
  /** The shortest decimal text that reads back as the same number. */
  std::string
  to_text(const double number);

  /** @p number with @p digits significant digits, for tables. */
  std::string
  to_text(const double number, const unsigned int digits);

  /** The @p parts with @p separator between them. */
  std::string
  join(const std::vector<std::string> &parts, const std::string &separator);

  /** The numbers as a comma-separated list. */
  std::string
  join(const std::vector<double> &numbers);

  /**
   * A sentence that names the candidate closest to @p name in spelling,
   * followed by all candidates if they are few; empty without candidates.
   */
  std::string
  did_you_mean(const std::string              &name,
               const std::vector<std::string> &candidates);
} // namespace Tempera

#endif
