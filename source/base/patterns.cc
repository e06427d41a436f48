// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

namespace Tempera
{
  namespace
  {
    std::optional<double>
    parse_number(const std::string &text)
    {
      double     number = 0.;
      const auto result =
        std::from_chars(text.data(), text.data() + text.size(), number);
      if (text.empty() || result.ec != std::errc() ||
          result.ptr != text.data() + text.size() || std::isnan(number))
        return {};
      return number;
    }

    std::optional<std::uint64_t>
    parse_whole_number(const std::string &text)
    {
      std::uint64_t whole = 0;
      const auto    result =
        std::from_chars(text.data(), text.data() + text.size(), whole);
      if (!text.empty() && result.ec == std::errc() &&
          result.ptr == text.data() + text.size())
        return whole;
      const std::optional<double> number = parse_number(text);
      if (number && *number >= 0. && *number < 0x1p53 &&
          *number == std::floor(*number))
        return static_cast<std::uint64_t>(*number);
      return {};
    }


    class WholeNumberPattern : public dealii::Patterns::PatternBase
    {
    public:
      explicit WholeNumberPattern(const std::uint64_t smallest,
                                  const std::string  &keyword = "")
        : smallest(smallest)
        , keyword(keyword)
      {}

      bool
      match(const std::string &text) const override
      {
        const std::optional<std::uint64_t> number = parse_whole_number(text);
        return (number && *number >= smallest) ||
               (!keyword.empty() && text == keyword);
      }

      std::string
      description(const OutputStyle) const override
      {
        return (keyword.empty() ? "" : keyword + ", or ") +
               "a whole number, at least " + std::to_string(smallest);
      }

      std::unique_ptr<PatternBase>
      clone() const override
      {
        return std::make_unique<WholeNumberPattern>(*this);
      }

    private:
      const std::uint64_t smallest;
      const std::string   keyword;
    };


    /**
     * A list of numbers, or a keyword. With a bound the numbers are finite,
     * unless they may be infinite; without one they may be inf and -inf.
     */
    class NumberListPattern : public dealii::Patterns::PatternBase
    {
    public:
      NumberListPattern(const std::vector<std::string> &keywords,
                        const double                    smallest,
                        const bool                      strictly,
                        const bool                      is_list,
                        const bool                      may_be_infinite)
        : keywords(keywords)
        , smallest(smallest)
        , strictly(strictly)
        , is_list(is_list)
        , may_be_infinite(may_be_infinite || !std::isfinite(smallest))
      {}

      bool
      match(const std::string &text) const override
      {
        return parse(text).has_value();
      }

      std::optional<NumberList>
      parse(const std::string &text) const
      {
        NumberList result;
        if (std::find(keywords.begin(), keywords.end(), text) != keywords.end())
          {
            result.keyword = text;
            return result;
          }
        for (const std::string &part :
             dealii::Utilities::split_string_list(text, ','))
          {
            const std::optional<double> number = parse_number(part);
            if (!number ||
                !(strictly ? *number > smallest : *number >= smallest) ||
                (std::isinf(*number) && !may_be_infinite))
              return {};
            result.numbers.push_back(*number);
          }
        if (result.numbers.empty() || (!is_list && result.numbers.size() > 1))
          return {};
        return result;
      }

      std::string
      description(const OutputStyle) const override
      {
        std::string text =
          is_list ? "a comma-separated list of numbers" : "a number";
        if (std::isfinite(smallest))
          text += (strictly ? " above " : " not below ") + to_text(smallest) +
                  (may_be_infinite ? " (infinity is allowed)" : "");
        return keywords.empty() ? text : join(keywords, ", ") + ", or " + text;
      }

      std::unique_ptr<PatternBase>
      clone() const override
      {
        return std::make_unique<NumberListPattern>(*this);
      }

    private:
      const std::vector<std::string> keywords;
      const double                   smallest;
      const bool                     strictly;
      const bool                     is_list;
      const bool                     may_be_infinite;
    };

    /** What stands between the outermost < and >. */
    std::string
    inner_pattern(const std::string &description)
    {
      const std::size_t first = description.find('<');
      unsigned int      depth = 0;
      for (std::size_t i = first; i < description.size(); ++i)
        {
          depth += description[i] == '<';
          depth -= description[i] == '>';
          if (depth == 0)
            return description.substr(first + 1, i - first - 1);
        }
      return description;
    }

    bool
    begins_with(const std::string &text, const std::string &begin)
    {
      return text.compare(0, begin.size(), begin) == 0;
    }
  } // namespace



  std::vector<std::string>
  choices_of_pattern(const std::string &description)
  {
    const std::string selection = "[Selection ";
    if (begins_with(description, selection))
      return dealii::Utilities::split_string_list(
        description.substr(selection.size(),
                           description.size() - selection.size() - 1),
        '|');
    if (begins_with(description, "[List of <" + selection))
      return choices_of_pattern(inner_pattern(description));
    const std::size_t end_of_keywords = description.find(", or a");
    if (description[0] != '[' && end_of_keywords != std::string::npos)
      return dealii::Utilities::split_string_list(
        description.substr(0, end_of_keywords), ',');
    return {};
  }

  std::string
  pattern_in_words(const std::string &description)
  {
    if (begins_with(description, "[Selection"))
      return "one of " + join(choices_of_pattern(description), ", ");
    if (begins_with(description, "[List"))
      return std::string(description.find("separated by <;>") !=
                             std::string::npos ?
                           "a semicolon-separated list, each: " :
                           "a comma-separated list, each: ") +
             pattern_in_words(inner_pattern(description));
    if (begins_with(description, "[Bool"))
      return "true or false";
    if (begins_with(description, "[Anything") ||
        begins_with(description, "[DirectoryName"))
      return "any text";
    const bool is_integer = begins_with(description, "[Integer");
    if (is_integer || begins_with(description, "[Double"))
      {
        std::string       text  = is_integer ? "a whole number" : "a number";
        const std::size_t dots  = description.find("...");
        const std::size_t blank = description.rfind(' ', dots);
        const std::string lowest =
          dots == std::string::npos ?
            "" :
            description.substr(blank + 1, dots - blank - 1);
        const std::string highest =
          dots == std::string::npos ?
            "" :
            description.substr(dots + 3,
                               description.find(' ', dots) - dots - 3);
        if (!lowest.empty() && lowest.find("MAX") == std::string::npos)
          text += ", at least " + lowest;
        if (!highest.empty() && highest.find("MAX") == std::string::npos &&
            highest != "2147483647")
          text += ", at most " + highest;
        return text;
      }
    return description;
  }



  dealii::Patterns::Selection
  one_of(const std::vector<std::string> &choices)
  {
    return dealii::Patterns::Selection(join(choices, "|"));
  }



  dealii::Patterns::List
  some_of(const std::vector<std::string> &choices)
  {
    return dealii::Patterns::List(one_of(choices), 1);
  }



  void
  declare_whole_number(dealii::ParameterHandler &prm,
                       const std::string        &name,
                       std::uint64_t            &value,
                       const std::uint64_t       smallest,
                       const std::string        &documentation)
  {
    prm.declare_entry(name,
                      std::to_string(value),
                      WholeNumberPattern(smallest),
                      documentation);
    prm.add_action(name, [&value](const std::string &text) {
      value = *parse_whole_number(text);
    });
  }



  void
  declare_whole_number(dealii::ParameterHandler     &prm,
                       const std::string            &name,
                       std::optional<std::uint64_t> &value,
                       const std::uint64_t           smallest,
                       const std::string            &keyword,
                       const std::string            &documentation)
  {
    prm.declare_entry(name,
                      value ? std::to_string(*value) : keyword,
                      WholeNumberPattern(smallest, keyword),
                      documentation);
    prm.add_action(name, [&value](const std::string &text) {
      value = parse_whole_number(text);
    });
  }



  void
  declare_number_list(dealii::ParameterHandler       &prm,
                      const std::string              &name,
                      NumberList                     &value,
                      const std::vector<std::string> &keywords,
                      const double                    smallest,
                      const bool                      strictly,
                      const std::string              &documentation,
                      const bool                      many,
                      const bool                      may_be_infinite)
  {
    const NumberListPattern pattern(
      keywords, smallest, strictly, many, may_be_infinite);
    prm.declare_entry(name,
                      value.keyword.empty() ? join(value.numbers) :
                                              value.keyword,
                      pattern,
                      documentation);
    prm.add_action(name, [&value, pattern](const std::string &text) {
      value = *pattern.parse(text);
    });
  }



  void
  declare_number_above(dealii::ParameterHandler &prm,
                       const std::string        &name,
                       double                   &value,
                       const double              bound,
                       const std::string        &documentation,
                       const bool                may_be_infinite)
  {
    prm.declare_entry(
      name,
      to_text(value),
      NumberListPattern({}, bound, true, false, may_be_infinite),
      documentation);
    prm.add_action(name, [&value](const std::string &text) {
      value = *parse_number(text);
    });
  }



  void
  declare_numbers_above(dealii::ParameterHandler &prm,
                        const std::string        &name,
                        std::vector<double>      &value,
                        const double              bound,
                        const std::string        &documentation)
  {
    const NumberListPattern pattern({}, bound, true, true, false);
    prm.declare_entry(name, join(value), pattern, documentation);
    prm.add_action(name, [&value, pattern](const std::string &text) {
      value = pattern.parse(text)->numbers;
    });
  }
} // namespace Tempera
