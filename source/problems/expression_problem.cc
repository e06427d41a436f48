// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/problems/expression_problem.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace Tempera
{
  namespace
  {
    const Registration<ProblemRegistry, ExpressionProblem> register_problem(
      "expressions",
      "A linear equation of your own: formulas in the parameter file.");

    const std::string section = "Problem/Equation/";

    /** A formula, and where it holds; empty for everywhere. */
    using BoundaryFormula =
      std::pair<std::vector<dealii::types::boundary_id>, std::string>;

    /** Of a central difference in something that varies so much. */
    double
    step_for(const double scale)
    {
      return std::cbrt(std::numeric_limits<double>::epsilon()) *
             (scale > 0. ? scale : 1.);
    }

    /**
     * Read "formula" or "1, 2: formula; 3: formula" or "none". A colon may also
     * belong to a formula; then no mere numbers stand before it.
     */
    std::vector<BoundaryFormula>
    boundary_formulas(const std::string &text, const std::string &entry)
    {
      std::vector<BoundaryFormula> result;
      std::set<int>                taken;
      if (text == "none")
        return result;
      if (text.empty())
        throw UserError("'" + section + entry +
                        "' is empty. Write a formula, or 'none'.");
      const auto parts = dealii::Utilities::split_string_list(text, ';');
      for (const std::string &part : parts)
        {
          const std::size_t colon = part.find(':');
          const std::string ids   = part.substr(0, colon);
          if (colon == std::string::npos ||
              ids.find_first_not_of("0123456789, ") != std::string::npos)
            {
              if (parts.size() > 1)
                throw UserError("'" + section + entry +
                                "' has several formulas, so each needs the "
                                "numbers of its boundaries: '0, 1: formula; 2: "
                                "formula'.");
              result.push_back({{}, part});
              continue;
            }
          BoundaryFormula formula;
          for (const std::string &id :
               dealii::Utilities::split_string_list(ids, ','))
            {
              constexpr std::size_t most_digits = 9;
              if (id.empty() || id.size() > most_digits ||
                  id.find(' ') != std::string::npos)
                throw UserError("'" + section + entry + "' names '" + ids +
                                "' as boundaries. Write their numbers with "
                                "commas between them: '0, 1: formula'.");
              if (!taken.insert(std::stoi(id)).second)
                throw UserError("'" + section + entry + "' names boundary " +
                                id + " twice.");
              formula.first.push_back(std::stoi(id));
            }
          formula.second = part.substr(colon + 1);
          result.push_back(formula);
        }
      return result;
    }
  } // namespace



  ExpressionProblem::ExpressionProblem(const unsigned int dimension)
    : n_dimensions(dimension)
  {}



  void
  ExpressionProblem::add_parameters(const std::vector<std::string> &names)
  {
    add_names(names, "Problem/Unknowns/");
  }



  void
  ExpressionProblem::add_fields(const std::vector<std::string> &names)
  {
    for (const std::string &name : names)
      if (std::any_of(my_parameters.begin(),
                      my_parameters.end(),
                      [&](const ProblemParameter &parameter) {
                        return parameter.name == name;
                      }))
        throw UserError("'Problem/Fields/" + name +
                        "' has the name of an entry of 'Problem/Unknowns', so "
                        "that a formula with it would mean two things. Take "
                        "another one.");
    add_names(names, "Problem/Fields/");
    n_fields += names.size();
  }



  void
  ExpressionProblem::add_names(const std::vector<std::string> &names,
                               const std::string              &section_of_names)
  {
    const std::vector<std::string> taken{"x", "y", "z", "t"};
    for (const std::string &name : names)
      {
        if (std::find(taken.begin(), taken.end(), name) != taken.end() ||
            Expression::is_reserved(name))
          throw UserError("'" + section_of_names + name +
                          "' has the name of a coordinate, the time, a "
                          "function or a constant. Take another one, for "
                          "instance '" +
                          name + "0'.");
        if (name.empty() ||
            !std::isalpha(static_cast<unsigned char>(name[0])) ||
            std::any_of(name.begin(), name.end(), [](const unsigned char c) {
              return !std::isalnum(c) && c != '_';
            }))
          throw UserError("'" + section_of_names + name +
                          "' cannot be the name of a variable in a formula. "
                          "Take letters, digits and '_', a letter first.");
        my_parameters.push_back({name,
                                 "0",
                                 "A variable of the formulas.",
                                 -std::numeric_limits<double>::infinity()});
      }
  }



  std::string
  ExpressionProblem::entry_of(const unsigned int parameter) const
  {
    return (parameter + n_fields < my_parameters.size() ? "Problem/Unknowns/" :
                                                          "Problem/Fields/") +
           my_parameters[parameter].name;
  }



  void
  ExpressionProblem::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    const auto add = [&](const std::string &name,
                         std::string       &value,
                         const std::string &documentation) {
      prm.add_parameter(name, value, documentation, Anything());
    };
    const std::string where =
      " One formula for the whole boundary, or for parts of it '0, 1: formula; 2: formula' with their numbers (a box: 0 left, 1 right, 2 bottom, 3 top, 4 back, 5 front), or 'none'.";
    const std::string in_time =
      ", a formula in t and nothing else. To take it out saves the evaluation of the other factor in every step.";

    add(
      "Inertia",
      inertia_text,
      "The inertia a in a u_tt + b u_t - div(kappa grad u) + w . grad u + c u = f. A formula in the coordinates and the unknowns.");
    add("Capacity",
        capacity_text,
        "The capacity b; without a and b the equation is stationary.");
    add("Diffusion", diffusion_text, "The diffusivity kappa.");
    add(
      "Convection",
      convection_text,
      "The wind w: one formula per dimension, separated by semicolons, or none.");
    add("Reaction", reaction_text, "The rate c of a reaction.");
    add(
      "Source",
      source_text,
      "The source f. A formula in the coordinates, t and the unknowns, as the following ones.");
    add("Source in time",
        source_in_time_text,
        "A factor of the source" + in_time);
    add("Initial value", value_text, "The value of u at the beginning.");
    add("Initial velocity",
        velocity_text,
        "u_t at the beginning, if there is inertia.");
    add("Dirichlet value", dirichlet_text, "u on the boundary." + where);
    add("Dirichlet value in time",
        dirichlet_in_time_text,
        "A factor of the Dirichlet value" + in_time);
    add(
      "Flux",
      flux_text,
      "The flux q in kappa du/dn + r u = q on the boundary, where there are no Dirichlet values." +
        where);
    add("Flux in time", flux_in_time_text, "A factor of the flux" + in_time);
    add("Exchange",
        exchange_text,
        "The exchange r in the same condition." + where);
    add("Exact solution",
        exact_text,
        "The solution, where it is known: for 'Synthetic data = exact'.");
    prm.add_parameter(
      "Place",
      place_names,
      "Names of unknowns that are the coordinates of a place, for pictures.",
      List(Anything(), 0, 3));
  }



  Expression
  ExpressionProblem::compiled(const std::string &text,
                              const std::string &entry,
                              const bool         with_time) const
  {
    std::vector<std::string> variables = Expression::coordinates(n_dimensions);
    variables.push_back("t");
    for (const ProblemParameter &parameter : my_parameters)
      variables.push_back(parameter.name);
    const Expression result(text,
                            variables,
                            section + entry,
                            with_time ? "" : "t");
    if (!with_time && result.uses(n_dimensions))
      throw UserError("The formula '" + text + "' of '" + section + entry +
                      "' varies in time, which coefficients of the operator "
                      "cannot do in this version. Only the source and data on "
                      "the boundary may contain t.");
    return result;
  }



  bool
  ExpressionProblem::depends_on_place(const Expression &expression) const
  {
    for (unsigned int i = 0; i <= n_dimensions; ++i)
      if (expression.uses(i))
        return true;
    for (unsigned int i = my_parameters.size() - n_fields;
         i < my_parameters.size();
         ++i)
      if (expression.uses(n_dimensions + 1 + i))
        return true;
    return false;
  }



  unsigned int
  ExpressionProblem::add_function(const Expression  &expression,
                                  const std::string &name)
  {
    FunctionDescription description{name, {}, {}};
    for (unsigned int i = 0; i < my_parameters.size(); ++i)
      if (expression.uses(n_dimensions + 1 + i))
        description.parameters.push_back(i);
    description.varies_in_time = expression.uses(n_dimensions);
    my_functions.push_back(description);
    expressions.push_back(expression);
    return expressions.size() - 1;
  }



  void
  ExpressionProblem::add_operator_term(OperatorTerm       term,
                                       const std::string &text,
                                       const std::string &entry)
  {
    const Expression expression = compiled(text, entry, false);
    if (expression.is_zero())
      return;
    // What is the same everywhere is a factor of a matrix.
    (depends_on_place(expression) ? term.function : term.scale) =
      add_function(expression, entry);
    my_operator_terms.push_back(term);
  }



  void
  ExpressionProblem::add_data_term(DataTerm           term,
                                   const std::string &text,
                                   const std::string &entry)
  {
    const Expression expression = compiled(text, entry);
    term.function =
      expression.is_zero() ? no_function : add_function(expression, entry);
    // Where a Dirichlet value is zero there is a condition all the same.
    if (!expression.is_zero() || term.kind == DataKind::dirichlet)
      my_data_terms.push_back(term);
  }



  void
  ExpressionProblem::set_up(const std::vector<double> &scales)
  {
    my_functions.clear();
    my_operator_terms.clear();
    my_data_terms.clear();
    expressions.clear();
    steps.clear();
    for (const double scale : scales)
      steps.push_back(step_for(scale));

    add_operator_term({OperatorKind::inertia}, inertia_text, "Inertia");
    add_operator_term({OperatorKind::capacity}, capacity_text, "Capacity");
    add_operator_term({OperatorKind::diffusion}, diffusion_text, "Diffusion");
    add_operator_term({OperatorKind::reaction}, reaction_text, "Reaction");
    const auto components =
      dealii::Utilities::split_string_list(convection_text, ';');
    const bool has_convection =
      convection_text != "none" &&
      (components.size() != 1 ||
       !compiled(components[0], "Convection", false).is_zero());
    if (has_convection)
      {
        if (components.size() != n_dimensions)
          throw UserError("'" + section + "Convection' has " +
                          counted(components.size(), "formula") +
                          ", but the problem has " +
                          counted(n_dimensions, "dimension") +
                          ". Separate one formula per dimension by "
                          "semicolons.");
        for (unsigned int d = 0; d < n_dimensions; ++d)
          add_operator_term(
            {OperatorKind::convection, no_function, no_function, d},
            components[d],
            "Convection");
      }
    for (const BoundaryFormula &formula :
         boundary_formulas(exchange_text, "Exchange"))
      add_operator_term(
        {OperatorKind::exchange, no_function, no_function, 0, formula.first},
        formula.second,
        "Exchange");

    add_data_term({DataKind::source,
                   no_function,
                   time_factor(source_in_time_text, section + "Source in time"),
                   {}},
                  source_text,
                  "Source");
    for (const BoundaryFormula &formula :
         boundary_formulas(dirichlet_text, "Dirichlet value"))
      add_data_term({DataKind::dirichlet,
                     no_function,
                     time_factor(dirichlet_in_time_text,
                                 section + "Dirichlet value in time"),
                     formula.first},
                    formula.second,
                    "Dirichlet value");
    for (const BoundaryFormula &formula : boundary_formulas(flux_text, "Flux"))
      add_data_term({DataKind::flux,
                     no_function,
                     time_factor(flux_in_time_text, section + "Flux in time"),
                     formula.first},
                    formula.second,
                    "Flux");
    add_data_term({DataKind::initial_value, no_function, {}, {}},
                  value_text,
                  "Initial value");
    add_data_term({DataKind::initial_velocity, no_function, {}, {}},
                  velocity_text,
                  "Initial velocity");
    if (!exact_text.empty())
      exact = compiled(exact_text, "Exact solution");
    if (!place_names.empty() && place_names.size() != n_dimensions)
      throw UserError(
        "'" + section + "Place' has " + counted(place_names.size(), "name") +
        ", but a place has " + counted(n_dimensions, "coordinate") + ".");
    // A misspelt name is found now, not when the picture is drawn.
    place_parameters();
    check_that_all_matters();
  }



  void
  ExpressionProblem::check_that_all_matters() const
  {
    const auto refuse = [](const std::string &entry, const std::string &why) {
      throw UserError("'" + section + entry + "' " + why +
                      ". Remove it, or look at 'Inertia' and 'Capacity'.");
    };
    const std::string stationary =
      ", but without inertia and capacity the equation is stationary";
    if (order_in_time() == 0)
      {
        for (const FunctionDescription &function : my_functions)
          if (function.varies_in_time)
            refuse(function.name, "contains t" + stationary);
        for (const auto &entry :
             {std::make_pair(&source_in_time_text, "Source in time"),
              std::make_pair(&dirichlet_in_time_text,
                             "Dirichlet value in time"),
              std::make_pair(&flux_in_time_text, "Flux in time")})
          if (*entry.first != "1")
            refuse(entry.second, "is given" + stationary);
      }
    for (const DataTerm &term : my_data_terms)
      if (term.kind == DataKind::initial_value && order_in_time() == 0)
        refuse("Initial value", "is given" + stationary);
      else if (term.kind == DataKind::initial_velocity && order_in_time() < 2)
        refuse("Initial velocity", "is given, but there is no inertia");

    for (unsigned int i = 0; i < my_parameters.size(); ++i)
      if (std::none_of(expressions.begin(),
                       expressions.end(),
                       [&](const Expression &expression) {
                         return expression.uses(n_dimensions + 1 + i);
                       }))
        throw UserError("'" + entry_of(i) +
                        "' is in no formula of 'Problem/Equation', so that "
                        "nothing depends on it. Remove it, or look at the "
                        "spelling.");
  }



  void
  ExpressionProblem::evaluate(
    const std::vector<unsigned int>       &functions,
    const double                           time,
    const dealii::ArrayView<const double> &points,
    const ParameterValues                 &theta,
    const dealii::ArrayView<double>       &values,
    const dealii::ArrayView<double>       &derivatives) const
  {
    const std::size_t   n     = values.size();
    const unsigned int  first = n_dimensions + 1;
    std::vector<double> variables(first + my_parameters.size());
    variables[n_dimensions] = time;
    std::copy_n(theta.values.begin(),
                my_parameters.size(),
                variables.begin() + first);
    const auto step_of = [&](const unsigned int parameter) {
      for (const LocalValues &field : theta.local)
        if (field.parameter == parameter)
          {
            const double value = std::abs(variables[first + parameter]);
            return step_for(field.scale > 0. ? field.scale : value);
          }
      return steps[parameter];
    };
    std::fill(values.begin(), values.end(), 0.);
    std::fill(derivatives.begin(), derivatives.end(), 0.);
    for (const unsigned int function : functions)
      {
        const Expression &expression = expressions[function];
        // A field by itself needs no parser.
        const auto field =
          std::find_if(theta.local.begin(),
                       theta.local.end(),
                       [&](const LocalValues &one) {
                         return expression.is_variable(first + one.parameter);
                       });
        if (field != theta.local.end())
          {
            for (std::size_t q = 0; q < n; ++q)
              values[q] += field->values[q];
            for (std::size_t i = 0;
                 i < theta.active.size() && derivatives.size() > 0;
                 ++i)
              if (theta.active[i] == field->parameter)
                for (std::size_t q = 0; q < n; ++q)
                  derivatives[i * n + q] += 1.;
            continue;
          }
        for (std::size_t q = 0; q < n; ++q)
          {
            std::copy_n(&points[q * n_dimensions],
                        n_dimensions,
                        variables.begin());
            for (const LocalValues &field : theta.local)
              variables[first + field.parameter] = field.values[q];
            values[q] += expression(variables.data());
            if (derivatives.size() == 0)
              continue;
            for (std::size_t i = 0; i < theta.active.size(); ++i)
              {
                const unsigned int parameter = theta.active[i];
                if (!expression.uses(first + parameter))
                  continue;
                derivatives[i * n + q] += derivative(expression,
                                                     variables,
                                                     first + parameter,
                                                     step_of(parameter));
              }
          }
      }
  }



  double
  ExpressionProblem::derivative(const Expression    &expression,
                                std::vector<double> &variables,
                                const unsigned int   place,
                                const double         step)
  {
    double      &variable = variables[place];
    const double here     = variable;
    const auto   at       = [&](const double distance) {
      variable            = here + distance;
      const double result = expression(variables.data());
      variable            = here;
      return result;
    };
    const double above = at(step), below = at(-step);
    if (std::isfinite(above) && std::isfinite(below))
      return (above - below) / ((here + step) - (here - step));
    // At the end of where the formula is defined: from one side.
    const double side = std::isfinite(above) ? step : -step;
    return (4. * at(side) - at(2. * side) - 3. * at(0.)) / (2. * side);
  }



  std::vector<unsigned int>
  ExpressionProblem::place_parameters() const
  {
    std::vector<unsigned int> result;
    for (const std::string &name : place_names)
      result.push_back(index_of(name));
    return result;
  }



  double
  ExpressionProblem::exact_solution(
    const dealii::ArrayView<const double> &point,
    const double                           time,
    const dealii::ArrayView<const double> &theta) const
  {
    std::vector<double> variables(point.begin(), point.end());
    variables.push_back(time);
    variables.insert(variables.end(), theta.begin(), theta.end());
    return exact(variables.data());
  }
} // namespace Tempera
