// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_problems_expression_h
#define tempera_problems_expression_h

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * A formula from a parameter file, in named variables, evaluated by
   * muParser. A copy shares the parser.
   */
  class Expression
  {
  public:
    /** The number zero. */
    Expression() = default;

    /**
     * @param variables Names; those after the first ones may stay unused.
     * @param parameter Named by the UserError of a formula that is none.
     * @param excluded A variable that must not be in the formula after all;
     * empty for none.
     */
    Expression(const std::string              &text,
               const std::vector<std::string> &variables,
               const std::string              &parameter,
               const std::string              &excluded = "");

    /** @param values Of the variables, in their order. */
    double
    operator()(const double *values) const;

    /** Whether a variable is in the formula. */
    bool
    uses(const unsigned int variable) const;

    /** Whether it is the number zero. */
    bool
    is_zero() const;

    /** Whether it is a variable by itself. */
    bool
    is_variable(const unsigned int variable) const;

    /** Whether a name is a function or a constant in formulas. */
    static bool
    is_reserved(const std::string &name);

    /** Names of the coordinates in a dimension. */
    static std::vector<std::string>
    coordinates(const unsigned int dimension);

  private:
    class Parser;
    std::shared_ptr<Parser> parser;
  };


  /**
   * A factor that is a formula in t alone; empty if it is 1.
   *
   * @param parameter See Expression.
   */
  std::function<double(const double)>
  time_factor(const std::string &text, const std::string &parameter);


  /**
   * A formula in place and, if wanted, time, for the known data of an equation.
   * Constant in whatever a problem differentiates by.
   */
  class PlaceExpression
  {
  public:
    /**
     * See Expression.
     *
     * @param with_time Whether the formula may contain the time.
     */
    void
    set(const std::string &text,
        const unsigned int dimension,
        const std::string &parameter,
        const bool         with_time);

    double
    operator()(const double *place, const double time) const;

    bool
    varies_in_time() const
    {
      return expression.uses(dimension);
    }

    bool
    is_zero() const
    {
      return expression.is_zero();
    }

  private:
    unsigned int dimension = 1;
    Expression   expression;
  };
} // namespace Tempera

#endif
