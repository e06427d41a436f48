// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/json.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace Tempera
{
  Json::Json(const std::string &words)
    : text("\"")
  {
    for (const char c : words)
      if (c == '"' || c == '\\')
        text += std::string("\\") + c;
      else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' ||
               c == '&' || c == 0x7f)
        {
          char code[8];
          std::snprintf(code, sizeof(code), "\\u%04x", c);
          text += code;
        }
      else
        text += c;
    text += "\"";
  }



  Json::Json(const double number)
  {
    if (std::isfinite(number))
      text = to_text(number);
  }



  Json
  Json::rounded(const std::vector<double> &numbers)
  {
    double least = INFINITY, largest = -INFINITY;
    for (const double number : numbers)
      if (std::isfinite(number))
        {
          least   = std::min(least, number);
          largest = std::max(largest, number);
        }
    constexpr unsigned int seen = 4, most = 15;
    unsigned int           digits = 8;
    if (largest > least)
      {
        const double common =
          std::log10(std::max(std::abs(least), std::abs(largest))) -
          std::log10(largest - least);
        digits = std::min<double>(most, seen + std::ceil(std::max(0., common)));
      }
    return Json(numbers, [&](const double number) {
      Json result;
      if (std::isfinite(number))
        result.text = to_text(number, digits);
      return result;
    });
  }



  Json
  Json::rounded(const std::vector<std::vector<double>> &lists)
  {
    return Json(lists,
                [](const std::vector<double> &one) { return rounded(one); });
  }



  JsonObject::JsonObject(const std::string &separator)
    : separator(separator)
  {
    text = "{}";
  }



  JsonObject &
  JsonObject::add(const std::string &name, const Json &value)
  {
    text.pop_back();
    text += (text.size() > 1 ? separator : "") + Json(name).get_text() + ": " +
            value.get_text() + "}";
    return *this;
  }
} // namespace Tempera
