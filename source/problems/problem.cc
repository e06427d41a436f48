// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/problems/problem.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    bool
    contains(const std::vector<unsigned int> &list, const unsigned int entry)
    {
      return std::find(list.begin(), list.end(), entry) != list.end();
    }

    /** Whether two numbers are both some, and not the same. */
    bool
    differ(const double a, const double b)
    {
      return std::isfinite(a) && std::isfinite(b) && a != b;
    }

    void
    check_derivatives(const std::vector<ProblemParameter> &parameters,
                      const std::vector<unsigned int>     &named,
                      const double                        *derivatives,
                      const unsigned int                   n_points,
                      const std::string                   &what)
    {
      for (unsigned int i = 0; i < parameters.size(); ++i)
        for (unsigned int q = 0; q < n_points; ++q)
          if (!contains(named, i) && derivatives[i * n_points + q] != 0. &&
              std::isfinite(derivatives[i * n_points + q]))
            throw UserError("The formula of " + what + " depends on '" +
                            parameters[i].name +
                            "', but its description does not say so. Add the "
                            "parameter to the description.");
    }
  } // namespace



  void
  Problem::add_parameters(const std::vector<std::string> &)
  {}



  void
  Problem::add_fields(const std::vector<std::string> &names)
  {
    if (!names.empty())
      throw UserError("'Problem/Fields/" + names[0] +
                      "' is an unknown field, but this equation has no place "
                      "for one. Set 'Problem/Type = expressions', whose "
                      "formulas may contain it, or remove the section.");
  }



  void
  Problem::declare(dealii::ParameterHandler &)
  {}



  void
  Problem::set_up(const std::vector<double> &)
  {}



  const std::vector<FactorDescription> &
  Problem::factors() const
  {
    static const std::vector<FactorDescription> none;
    return none;
  }



  void
  Problem::evaluate_factors(const unsigned int,
                            const dealii::ArrayView<const double> &,
                            const ParameterValues &,
                            const dealii::ArrayView<double> &,
                            const dealii::ArrayView<double> &) const
  {
    AssertThrow(false, dealii::ExcNotImplemented());
  }



  void
  Problem::evaluate_residual(const PointStates &,
                             const ParameterValues &,
                             const PointResiduals &) const
  {
    AssertThrow(false, dealii::ExcNotImplemented());
  }



  unsigned int
  Problem::order_in_time() const
  {
    unsigned int order = 0;
    for (const OperatorTerm &term : operator_terms())
      if (term.kind == OperatorKind::inertia)
        order = 2;
      else if (term.kind == OperatorKind::capacity)
        order = std::max(order, 1u);
    return order;
  }



  double
  Problem::exact_solution(const dealii::ArrayView<const double> &,
                          const double,
                          const dealii::ArrayView<const double> &) const
  {
    AssertThrow(false, dealii::ExcNotImplemented());
    return 0.;
  }



  void
  Problem::verify() const
  {
    verify_indices();

    // Irregular numbers, so that nothing vanishes by chance.
    constexpr unsigned int n_points = 3;
    const unsigned int     n        = parameters().size();

    std::vector<double>       theta(n), points(n_points * dimension());
    std::vector<unsigned int> all(n);
    for (unsigned int i = 0; i < n; ++i)
      {
        theta[i] = 0.37 + 0.0917 * i;
        all[i]   = i;
      }
    for (unsigned int i = 0; i < points.size(); ++i)
      points[i] = 0.2113 + 0.0731 * i;
    const ParameterValues values{dealii::make_array_view(std::as_const(theta)),
                                 dealii::make_array_view(std::as_const(all))};

    std::vector<double> results(n_points), derivatives(n * n_points);
    for (unsigned int f = 0; f < functions().size(); ++f)
      {
        evaluate({f},
                 0.1234,
                 dealii::make_array_view(std::as_const(points)),
                 values,
                 dealii::make_array_view(results),
                 dealii::make_array_view(derivatives));
        check_derivatives(parameters(),
                          functions()[f].parameters,
                          derivatives.data(),
                          n_points,
                          "the function '" + functions()[f].name + "'");
        const double value_before = results[0];
        evaluate({f},
                 0.5678,
                 dealii::make_array_view(std::as_const(points)),
                 {values.values, {}},
                 dealii::make_array_view(results),
                 {});
        if (!functions()[f].varies_in_time && differ(value_before, results[0]))
          throw UserError("The formula of the function '" +
                          functions()[f].name +
                          "' contains the time, but its description does not "
                          "say so. Set 'varies_in_time'.");
        const bool is_scale = std::any_of(operator_terms().begin(),
                                          operator_terms().end(),
                                          [&](const OperatorTerm &term) {
                                            return term.scale == f;
                                          });
        if (is_scale &&
            (differ(results[0], results[1]) || differ(results[0], results[2])))
          throw UserError("The function '" + functions()[f].name +
                          "' is the scale of a term of the operator, but it "
                          "depends on the place. Make it the function of the "
                          "term instead.");
      }

    if (has_residual())
      verify_order_in_time(values, points);

    const unsigned int n_factors = factors().size();
    results.resize(n_factors * n_points);
    derivatives.resize(n_factors * n * n_points);
    for (unsigned int d = 0; d < dimension() && n_factors > 0; ++d)
      {
        evaluate_factors(d,
                         dealii::ArrayView<const double>(points.data(),
                                                         n_points),
                         values,
                         dealii::make_array_view(results),
                         dealii::make_array_view(derivatives));
        for (unsigned int k = 0; k < n_factors; ++k)
          check_derivatives(parameters(),
                            factors()[k].parameters[d],
                            derivatives.data() + k * n * n_points,
                            n_points,
                            "factor " + std::to_string(k) + " in direction " +
                              std::to_string(d));
      }
  }



  void
  Problem::verify_indices() const
  {
    const auto check = [](const unsigned int index,
                          const std::size_t  size,
                          const std::string &who,
                          const std::string &what) {
      if (index >= size)
        throw UserError(who + " names " + what + " " + std::to_string(index) +
                        ", but the problem has " + std::to_string(size) +
                        ", counted from 0. Correct the index.");
    };
    for (const FunctionDescription &function : functions())
      {
        const std::string who = "The function '" + function.name + "'";
        for (const unsigned int parameter : function.parameters)
          check(parameter, parameters().size(), who, "parameter");
        for (const unsigned int factor : function.factors)
          check(factor, factors().size(), who, "factor");
      }
    for (const OperatorTerm &term : operator_terms())
      {
        for (const unsigned int function : {term.function, term.scale})
          if (function != no_function)
            check(function, functions().size(), "An operator term", "function");
        check(term.direction, dimension(), "An operator term", "direction");
      }
    for (const DataTerm &term : data_terms())
      if (term.function != no_function)
        check(term.function, functions().size(), "A data term", "function");
  }



  void
  Problem::verify_order_in_time(const ParameterValues     &theta,
                                const std::vector<double> &points) const
  {
    const unsigned int dim = dimension();
    const std::size_t  n   = points.size() / dim;
    // Entry i of the state is another one than the rest.
    const auto residual_with = [&](const unsigned int i, const double entry) {
      std::vector<double> states((3 + dim) * n, 0.613);
      std::fill_n(states.begin() + i * n, n, entry);
      std::vector<double> values((1 + dim) * n);
      evaluate_residual({0.1234,
                         dealii::make_array_view(points),
                         dealii::make_array_view(std::as_const(states))},
                        theta,
                        {dealii::make_array_view(values), {}, {}});
      return values;
    };
    for (unsigned int order = order_in_time() + 1; order <= 2; ++order)
      {
        const std::vector<double> one = residual_with(dim + order, 0.7);
        const std::vector<double> two = residual_with(dim + order, 0.9);
        for (std::size_t i = 0; i < one.size(); ++i)
          if (differ(one[i], two[i]))
            throw UserError(
              "The residual of the problem contains " +
              std::string(order == 1 ? "u.velocity" : "u.acceleration") +
              ", but its order in time is said to be " +
              std::to_string(order_in_time()) +
              ". Give the right one to ResidualProblem.");
      }
  }



  bool
  Problem::depends_on(const unsigned int               function,
                      const std::vector<unsigned int> &some_parameters) const
  {
    return function != no_function &&
           std::any_of(some_parameters.begin(),
                       some_parameters.end(),
                       [&](const unsigned int parameter) {
                         return contains(functions()[function].parameters,
                                         parameter);
                       });
  }



  unsigned int
  Problem::index_of(const std::string &parameter) const
  {
    std::vector<std::string> names;
    for (unsigned int i = 0; i < parameters().size(); ++i)
      {
        if (parameters()[i].name == parameter)
          return i;
        names.push_back(parameters()[i].name);
      }
    throw UserError("The problem has no parameter '" + parameter + "'." +
                    did_you_mean(parameter, names));
  }
} // namespace Tempera
