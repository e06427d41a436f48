// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>

namespace Tempera
{
  namespace
  {
    std::string
    lower_case(std::string text)
    {
      std::transform(text.begin(), text.end(), text.begin(), [](const char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      });
      return text;
    }

    /** Levenshtein distance, without regard to upper and lower case. */
    std::size_t
    spelling_distance(const std::string &first, const std::string &second)
    {
      const std::string        a = lower_case(first), b = lower_case(second);
      std::vector<std::size_t> row(b.size() + 1);
      std::iota(row.begin(), row.end(), 0);
      for (std::size_t i = 1; i <= a.size(); ++i)
        {
          std::size_t diagonal = row[0];
          row[0]               = i;
          for (std::size_t j = 1; j <= b.size(); ++j)
            {
              const std::size_t above = row[j];
              row[j]                  = std::min({above + 1,
                                                  row[j - 1] + 1,
                                                  diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
              diagonal                = above;
            }
        }
      return row.back();
    }

    /** Characters that a text takes on the terminal (UTF-8). */
    std::size_t
    width_of(const std::string &text)
    {
      return std::count_if(text.begin(), text.end(), [](const char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      });
    }
  } // namespace



  std::string
  to_text(const double number)
  {
    char       buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
    return std::string(buffer, end);
  }



  std::string
  to_text(const double number, const unsigned int digits)
  {
    // As printf's %g, and several times as fast.
    char       buffer[64];
    const auto end = std::to_chars(buffer,
                                   buffer + sizeof(buffer),
                                   number,
                                   std::chars_format::general,
                                   static_cast<int>(digits))
                       .ptr;
    return std::string(buffer, end);
  }



  std::string
  join(const std::vector<std::string> &parts, const std::string &separator)
  {
    std::string result;
    for (const std::string &part : parts)
      result += (&part == &parts.front() ? "" : separator) + part;
    return result;
  }



  std::string
  join(const std::vector<double> &numbers)
  {
    std::vector<std::string> parts;
    for (const double number : numbers)
      parts.push_back(to_text(number));
    return join(parts, ", ");
  }



  std::string
  counted(const std::uint64_t number, const std::string &noun)
  {
    if (number == 1)
      return "1 " + noun;
    const bool ends_in_y = noun.back() == 'y';
    return std::to_string(number) + " " +
           (ends_in_y          ? noun.substr(0, noun.size() - 1) + "ies" :
            noun.back() == 's' ? noun + "es" :
                                 noun + "s");
  }



  std::string
  did_you_mean(const std::string              &name,
               const std::vector<std::string> &candidates,
               const bool                      name_all)
  {
    if (candidates.empty())
      return "";
    const auto nearest =
      std::min_element(candidates.begin(),
                       candidates.end(),
                       [&](const std::string &a, const std::string &b) {
                         return spelling_distance(name, a) <
                                spelling_distance(name, b);
                       });
    std::string       sentence;
    const std::size_t longer = std::max(name.size(), nearest->size());
    if (2 * spelling_distance(name, *nearest) <= longer)
      sentence += " Did you mean '" + *nearest + "'?";
    if (name_all && candidates.size() <= 12)
      sentence += " Valid here: " + join(candidates, ", ") + ".";
    return sentence;
  }



  std::string
  aligned_table(const std::vector<std::vector<std::string>> &rows)
  {
    std::vector<std::size_t> widths;
    for (const std::vector<std::string> &row : rows)
      for (std::size_t i = 0; i < row.size(); ++i)
        {
          widths.resize(std::max(widths.size(), i + 1));
          widths[i] = std::max(widths[i], width_of(row[i]));
        }
    std::string text;
    for (const std::vector<std::string> &row : rows)
      {
        text += "  ";
        for (std::size_t i = 0; i < row.size(); ++i)
          {
            const std::string padding(widths[i] - width_of(row[i]), ' ');
            // Names to the left, numbers to the right.
            text += i == 0 ? " " + row[i] + padding : "  " + padding + row[i];
          }
        text += "\n";
      }
    return text;
  }
} // namespace Tempera
