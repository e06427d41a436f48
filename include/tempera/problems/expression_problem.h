// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_problems_expression_problem_h
#define tempera_problems_expression_problem_h

#include <tempera/problems/expression.h>
#include <tempera/problems/problem.h>

namespace Tempera
{
  /**
   * A linear equation, evolving or stationary, whose coefficients and data are
   * formulas of the parameter file, in the coordinates, the time and the
   * parameters that the file names in `Problem/Unknowns` and `Problem/Fields`.
   * The formulas are differentiated by central differences; the equation is not
   * solved again.
   */
  class ExpressionProblem : public Problem
  {
  public:
    explicit ExpressionProblem(const unsigned int dimension);

    void
    add_parameters(const std::vector<std::string> &names) override;

    void
    add_fields(const std::vector<std::string> &names) override;

    void
    declare(dealii::ParameterHandler &prm) override;

    void
    set_up(const std::vector<double> &scales) override;

    unsigned int
    dimension() const override
    {
      return n_dimensions;
    }

    const std::vector<ProblemParameter> &
    parameters() const override
    {
      return my_parameters;
    }

    const std::vector<FunctionDescription> &
    functions() const override
    {
      return my_functions;
    }

    const std::vector<OperatorTerm> &
    operator_terms() const override
    {
      return my_operator_terms;
    }

    const std::vector<DataTerm> &
    data_terms() const override
    {
      return my_data_terms;
    }

    void
    evaluate(const std::vector<unsigned int>       &functions,
             const double                           time,
             const dealii::ArrayView<const double> &points,
             const ParameterValues                 &theta,
             const dealii::ArrayView<double>       &values,
             const dealii::ArrayView<double>       &derivatives) const override;

    std::vector<unsigned int>
    place_parameters() const override;

    bool
    has_exact_solution() const override
    {
      return !exact_text.empty();
    }

    double
    exact_solution(const dealii::ArrayView<const double> &point,
                   const double                           time,
                   const dealii::ArrayView<const double> &theta) const override;

  private:
    /** The formula of an entry, in all variables, perhaps but the time. */
    Expression
    compiled(const std::string &text,
             const std::string &entry,
             const bool         with_time = true) const;

    /** Add a function; returns its index. */
    unsigned int
    add_function(const Expression &expression, const std::string &name);

    /** Add a term of the operator, unless its coefficient is zero. */
    void
    add_operator_term(OperatorTerm       term,
                      const std::string &text,
                      const std::string &entry);

    void
    add_data_term(DataTerm           term,
                  const std::string &text,
                  const std::string &entry);

    /** Throw a UserError if something that is given has no effect. */
    void
    check_that_all_matters() const;

    /** The derivative of a formula in the variable at a place. */
    static double
    derivative(const Expression    &expression,
               std::vector<double> &variables,
               const unsigned int   place,
               const double         step);

    /** Add parameters that a section names, unless a name cannot be one. */
    void
    add_names(const std::vector<std::string> &names,
              const std::string              &section_of_names);

    /** Name of a parameter in the file. */
    std::string
    entry_of(const unsigned int parameter) const;

    /** Whether the coordinates, the time or a field are in a formula. */
    bool
    depends_on_place(const Expression &expression) const;

    const unsigned int            n_dimensions;
    std::vector<ProblemParameter> my_parameters;
    /** The last parameters are fields. */
    unsigned int                     n_fields = 0;
    std::vector<FunctionDescription> my_functions;
    std::vector<OperatorTerm>        my_operator_terms;
    std::vector<DataTerm>            my_data_terms;
    std::vector<Expression>          expressions;
    /** Steps of the differences, by parameter. */
    std::vector<double> steps;

    /** Settings. */
    std::string inertia_text = "0", capacity_text = "1", diffusion_text = "1",
                convection_text = "0", reaction_text = "0",
                exchange_text = "none", source_text = "0",
                source_in_time_text = "1", value_text = "0",
                velocity_text = "0", dirichlet_text = "0",
                dirichlet_in_time_text = "1", flux_text = "none",
                flux_in_time_text = "1", exact_text;
    std::vector<std::string> place_names;
    Expression               exact;
  };
} // namespace Tempera

#endif
