// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/problems/expression.h>

#include <deal.II/base/numbers.h>

#include <boost/algorithm/string/trim.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <muParser.h>

namespace Tempera
{
  namespace
  {
    double
    choose(const double condition, const double yes, const double no)
    {
      return condition != 0. ? yes : no;
    }

    /** Whether there is a '=' that is no comparison. */
    bool
    has_assignment(const std::string &text)
    {
      const std::string before = "=<>!";
      for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '=' && (i + 1 == text.size() || text[i + 1] != '=') &&
            (i == 0 || before.find(text[i - 1]) == std::string::npos))
          return true;
      return false;
    }

    /** Formulas are differentiated numerically; so these are as they are. */
    void
    add_functions(mu::Parser &parser)
    {
      parser.DefineConst("pi", dealii::numbers::PI);
      parser.DefineFun("if", choose);
      parser.DefineFun(
        "pow", +[](const double a, const double b) { return std::pow(a, b); });
      // Older versions of muParser mean the logarithm to the base 10.
      parser.DefineFun(
        "log", +[](const double a) { return std::log(a); });
      parser.DefineFun(
        "floor", +[](const double a) { return std::floor(a); });
      parser.DefineFun(
        "ceil", +[](const double a) { return std::ceil(a); });
      parser.DefineFun(
        "erf", +[](const double a) { return std::erf(a); });
      parser.DefineFun(
        "erfc", +[](const double a) { return std::erfc(a); });
    }
  } // namespace



  class Expression::Parser
  {
  public:
    Parser(const std::string              &text,
           const std::vector<std::string> &variables,
           const std::string              &parameter,
           const std::string              &excluded)
      : values(variables.size(), 0.)
      , is_used(variables.size(), false)
    {
      if (has_assignment(text))
        throw UserError("The formula '" + text + "' of '" + parameter +
                        "' has a single '=', which would change a variable. "
                        "Write == to compare.");
      try
        {
          add_functions(parser);
          for (std::size_t i = 0; i < variables.size(); ++i)
            parser.DefineVar(variables[i], &values[i]);
          parser.SetExpr(text);
          const auto used = parser.GetUsedVar();
          for (std::size_t i = 0; i < variables.size(); ++i)
            if (used.count(variables[i]) > 0)
              {
                is_used[i] = true;
                places.push_back(i);
              }
          // The first evaluation finds the rest of the mistakes.
          const double value = parser.Eval();
          if (parser.GetNumResults() != 1)
            throw UserError("The formula '" + text + "' of '" + parameter +
                            "' is a list of several. Write decimals with a "
                            "point, and separate formulas by semicolons where "
                            "several are asked for.");
          is_zero          = used.empty() && value == 0.;
          const auto alone = std::find(variables.begin(),
                                       variables.end(),
                                       boost::algorithm::trim_copy(text));
          if (alone != variables.end())
            the_variable = alone - variables.begin();
        }
      catch (const mu::Parser::exception_type &exception)
        {
          std::string reason = exception.GetMsg();
          while (!reason.empty() &&
                 (reason.back() == '.' || reason.back() == ' '))
            reason.pop_back();
          std::vector<std::string> allowed = variables;
          allowed.erase(std::remove(allowed.begin(), allowed.end(), excluded),
                        allowed.end());
          throw UserError("The formula '" + text + "' of '" + parameter +
                          "' is not understood: " + reason + "." +
                          did_you_mean(exception.GetToken(), allowed, false) +
                          " It may contain " + join(allowed, ", ") +
                          ", numbers, pi, + - * / ^, comparisons, ( ), and "
                          "functions such as sin, exp, sqrt, abs, erf, min, "
                          "max, if(condition, yes, no).");
        }
    }

    mu::Parser                parser;
    std::vector<double>       values;
    std::vector<bool>         is_used;
    std::vector<unsigned int> places;
    bool                      is_zero = false;
    /** The place of the variable that is the whole formula; -1 if none is. */
    int the_variable = -1;
  };



  Expression::Expression(const std::string              &text,
                         const std::vector<std::string> &variables,
                         const std::string              &parameter,
                         const std::string              &excluded)
    : parser(std::make_shared<Parser>(text, variables, parameter, excluded))
  {}



  double
  Expression::operator()(const double *values) const
  {
    if (!parser)
      return 0.;
    for (const unsigned int i : parser->places)
      parser->values[i] = values[i];
    return parser->parser.Eval();
  }



  bool
  Expression::uses(const unsigned int variable) const
  {
    return parser && variable < parser->is_used.size() &&
           parser->is_used[variable];
  }



  bool
  Expression::is_zero() const
  {
    return !parser || parser->is_zero;
  }



  bool
  Expression::is_variable(const unsigned int variable) const
  {
    return parser && parser->the_variable == static_cast<int>(variable);
  }



  bool
  Expression::is_reserved(const std::string &name)
  {
    mu::Parser parser;
    add_functions(parser);
    return parser.GetFunDef().count(name) > 0 ||
           parser.GetConst().count(name) > 0;
  }



  std::vector<std::string>
  Expression::coordinates(const unsigned int dimension)
  {
    std::vector<std::string> names;
    for (unsigned int d = 0; d < dimension; ++d)
      names.push_back(std::string(1, "xyz"[d]));
    return names;
  }



  std::function<double(const double)>
  time_factor(const std::string &text, const std::string &parameter)
  {
    if (text == "1")
      return {};
    const Expression formula(text, {"t"}, parameter);
    return [formula](const double time) { return formula(&time); };
  }



  void
  PlaceExpression::set(const std::string &text,
                       const unsigned int new_dimension,
                       const std::string &parameter,
                       const bool         with_time)
  {
    dimension                          = new_dimension;
    std::vector<std::string> variables = Expression::coordinates(dimension);
    if (with_time)
      variables.push_back("t");
    expression = Expression(text, variables, parameter);
  }



  double
  PlaceExpression::operator()(const double *place, const double time) const
  {
    std::array<double, 4> values;
    std::copy(place, place + dimension, values.begin());
    values[dimension] = time;
    return expression(values.data());
  }
} // namespace Tempera
