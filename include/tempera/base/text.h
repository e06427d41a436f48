// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_text_h
#define tempera_base_text_h

#include <cstdint>
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

  /** "1 rung", "2 rungs". */
  std::string
  counted(const std::uint64_t number, const std::string &noun);

  /** The numbers as a comma-separated list. */
  std::string
  join(const std::vector<double> &numbers);

  /** Rows with aligned columns; the first row is the header. */
  std::string
  aligned_table(const std::vector<std::vector<std::string>> &rows);

  /**
   * A sentence that names the candidate closest to @p name in spelling, if one
   * is close, and a sentence with all candidates if they are few and asked for.
   */
  std::string
  did_you_mean(const std::string              &name,
               const std::vector<std::string> &candidates,
               const bool                      name_all = true);
} // namespace Tempera

#endif
