// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/bridge/bounded_json.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace Tempera
{
  namespace
  {
    /** Call @p see for every character that is not in a string. */
    template <class Function>
    void
    outside_of_strings(const std::string &text, const Function &see)
    {
      bool is_string = false;
      for (std::size_t i = 0; i < text.size(); ++i)
        if (is_string)
          {
            if (text[i] == '\\')
              ++i;
            else if (text[i] == '"')
              is_string = false;
          }
        else if (text[i] == '"')
          is_string = true;
        else
          see(i);
    }
  } // namespace



  std::optional<nlohmann::json>
  parse_bounded(const std::string &text)
  {
    constexpr unsigned int deepest = 32;

    unsigned int depth = 0, most = 0;
    outside_of_strings(text, [&](const std::size_t i) {
      if (text[i] == '[' || text[i] == '{')
        most = std::max(most, ++depth);
      else if ((text[i] == ']' || text[i] == '}') && depth > 0)
        --depth;
    });
    if (most > deepest)
      return {};
    nlohmann::json result = nlohmann::json::parse(text, nullptr, false);
    if (result.is_discarded())
      return {};
    return result;
  }



  std::string
  with_null_for_nan(const std::string &text)
  {
    std::string result;
    std::size_t done = 0;
    outside_of_strings(text, [&](const std::size_t i) {
      if (i < done)
        return;
      // Longest first.
      for (const char *word :
           {"-Infinity", "Infinity", "-inf", "inf", "NaN", "nan"})
        {
          const std::string name = word;
          if (text.compare(i, name.size(), name) == 0)
            {
              result.append(text, done, i - done);
              result += "null";
              done = i + name.size();
              return;
            }
        }
    });
    return result.append(text, done, std::string::npos);
  }



  std::optional<std::vector<double>>
  numbers_in(const nlohmann::json &list)
  {
    if (!list.is_array())
      return {};
    std::vector<double> result;
    for (const nlohmann::json &entry : list)
      {
        if (!entry.is_number())
          return {};
        result.push_back(entry.get<double>());
        if (!std::isfinite(result.back()))
          return {};
      }
    return result;
  }
} // namespace Tempera
