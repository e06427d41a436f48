// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/report_json.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace Tempera
{
  namespace ReportJson
  {
    namespace
    {
      std::string
      of_number(const double number, const unsigned int digits)
      {
        return std::isfinite(number) ? to_text(number, digits) : "null";
      }
    } // namespace



    std::string
    of_text(const std::string &text)
    {
      std::string result = "\"";
      for (const char c : text)
        if (c == '"' || c == '\\')
          result += std::string("\\") + c;
        else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' ||
                 c == '&' || c == 0x7f)
          {
            char code[8];
            std::snprintf(code, sizeof(code), "\\u%04x", c);
            result += code;
          }
        else
          result += c;
      return result + "\"";
    }



    std::string
    of_number(const double number)
    {
      return of_number(number, 10);
    }



    std::string
    list(const std::vector<std::string> &entries)
    {
      return "[" + join(entries, ",") + "]";
    }



    std::string
    of_texts(const std::vector<std::string> &texts)
    {
      std::vector<std::string> entries;
      for (const std::string &text : texts)
        entries.push_back(of_text(text));
      return list(entries);
    }



    std::string
    of_numbers(const std::vector<double> &numbers)
    {
      double least = INFINITY, largest = -INFINITY;
      for (const double number : numbers)
        if (std::isfinite(number))
          {
            least   = std::min(least, number);
            largest = std::max(largest, number);
          }
      constexpr unsigned int seen = 4, most = 15;
      unsigned int           digits = seen;
      if (largest > least)
        {
          const double common =
            std::log10(std::max(std::abs(least), std::abs(largest))) -
            std::log10(largest - least);
          digits =
            std::min<double>(most, seen + std::ceil(std::max(0., common)));
        }
      else
        digits = 8;
      std::string text = "[";
      for (const double number : numbers)
        {
          if (text.size() > 1)
            text += ',';
          text += of_number(number, digits);
        }
      return text + "]";
    }



    std::string
    of_exact_numbers(const std::vector<double> &numbers)
    {
      std::vector<std::string> entries;
      for (const double number : numbers)
        entries.push_back(std::isfinite(number) ? to_text(number) : "null");
      return list(entries);
    }



    std::string
    of_lists(const std::vector<std::vector<double>> &lists)
    {
      std::vector<std::string> entries;
      for (const std::vector<double> &numbers : lists)
        entries.push_back(of_numbers(numbers));
      return list(entries);
    }



    Object &
    Object::add(const std::string &name, const std::string &json)
    {
      members += (members.empty() ? "" : ",\n") + of_text(name) + ":" + json;
      return *this;
    }



    std::string
    Object::text() const
    {
      return "{" + members + "}";
    }
  } // namespace ReportJson
} // namespace Tempera
