// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/utf8.h>

#include <algorithm>

namespace Tempera
{
  namespace
  {
    /** Length of the UTF-8 character at @p place; 0 if there is none. */
    std::size_t
    character_length(const std::string &text, const std::size_t place)
    {
      const auto byte = [&](const std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
      };
      const auto is_tail = [&](const std::size_t i) {
        return (byte(i) & 0xC0u) == 0x80u;
      };
      const unsigned int first = byte(place), second = byte(place + 1);
      if (first < 0x80)
        return 1;
      if (first >= 0xC2 && first <= 0xDF)
        return is_tail(place + 1) ? 2 : 0;
      // Overlong forms, surrogates and what is beyond Unicode are not UTF-8.
      if ((first == 0xE0 && second < 0xA0) ||
          (first == 0xED && second > 0x9F) ||
          (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
        return 0;
      if (first >= 0xE0 && first <= 0xEF)
        return is_tail(place + 1) && is_tail(place + 2) ? 3 : 0;
      if (first >= 0xF0 && first <= 0xF4)
        return is_tail(place + 1) && is_tail(place + 2) && is_tail(place + 3) ?
                 4 :
                 0;
      return 0;
    }
  } // namespace



  std::string
  valid_utf8(const std::string &text)
  {
    std::string result;
    for (std::size_t i = 0; i < text.size();)
      {
        const std::size_t length = character_length(text, i);
        result += length > 0 ? text.substr(i, length) : "?";
        i += std::max<std::size_t>(1, length);
      }
    return result;
  }
} // namespace Tempera
