// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_problems_formula_problem_h
#define tempera_problems_formula_problem_h

#include <tempera/base/user_error.h>
#include <tempera/base/vector_call.h>
#include <tempera/problems/problem.h>

#include <boost/container/small_vector.hpp>

#include <Sacado.hpp>
#include <algorithm>
#include <array>
#include <tuple>

namespace Tempera
{
  /**
   * A problem that is written as formulas. @p Derived describes itself in its
   * constructor through the protected members, and has
   * @code
   *   template <typename Number>
   *   Number formula(const unsigned int function, const double *x,
   *                  const double time, const Number *theta) const;
   *   template <typename Number>
   *   auto factor_formulas(const unsigned int direction,
   *                        const Number *theta) const
   *   {
   *     // What depends on the parameters alone, then
   *     return [=](const double x, Number *factors) { ... };
   *   }
   * @endcode
   * The first is for functions that are no products, the second gives all
   * factors in one direction at once. Both are written once: with numbers for
   * values, with numbers of Sacado for the derivatives in the parameters.
   */
  template <class Derived, unsigned int n_factors = 0>
  class FormulaProblem : public Problem
  {
  public:
    explicit FormulaProblem(const unsigned int dimension)
      : n_dimensions(dimension)
    {}

    unsigned int
    dimension() const final
    {
      return n_dimensions;
    }

    const std::vector<ProblemParameter> &
    parameters() const final
    {
      return my_parameters;
    }

    const std::vector<FunctionDescription> &
    functions() const final
    {
      return my_functions;
    }

    const std::vector<FactorDescription> &
    factors() const final
    {
      return my_factors;
    }

    const std::vector<OperatorTerm> &
    operator_terms() const final
    {
      return my_operator_terms;
    }

    const std::vector<DataTerm> &
    data_terms() const final
    {
      return my_data_terms;
    }

    void
    evaluate(const std::vector<unsigned int>       &functions,
             const double                           time,
             const dealii::ArrayView<const double> &points,
             const ParameterValues                 &theta,
             const dealii::ArrayView<double>       &values,
             const dealii::ArrayView<double>       &derivatives) const final
    {
      const std::size_t n_points = values.size();
      const auto all_points = [&](const auto *parameters, const auto &store) {
        using Number = std::decay_t<decltype(*parameters)>;
        std::array<Factors<Number>, 3> memory{};
        const auto                     factors_at = [&](const unsigned int d) {
          return derived().factor_formulas(std::min(d, n_dimensions - 1),
                                           parameters);
        };
        const auto prepared =
          std::make_tuple(factors_at(0), factors_at(1), factors_at(2));
        const std::array<const std::decay_t<decltype(std::get<0>(prepared))> *,
                         3>
          lines{{&std::get<0>(prepared),
                 &std::get<1>(prepared),
                 &std::get<2>(prepared)}};
        for (std::size_t q = 0; q < n_points; ++q)
          store(sum_of_formulas(functions,
                                &points[q * n_dimensions],
                                time,
                                parameters,
                                lines,
                                memory),
                &values[q],
                derivatives.data() + q,
                n_points);
      };
      // All in one, so that what depends on the parameters alone is computed
      // once.
      with_vector_units([&]() {
        for_each_number_type(theta, derivatives.size() > 0, all_points);
      });
    }

    void
    evaluate_factors(const unsigned int                     direction,
                     const dealii::ArrayView<const double> &coordinates,
                     const ParameterValues                 &theta,
                     const dealii::ArrayView<double>       &values,
                     const dealii::ArrayView<double> &derivatives) const final
    {
      const std::size_t n_points = coordinates.size();
      const std::size_t stride   = theta.active.size() * n_points;
      const auto all_points = [&](const auto *parameters, const auto &store) {
        using Number          = std::decay_t<decltype(*parameters)>;
        const double *const x = coordinates.data();
        double *const       v = values.data();
        double *const       d = derivatives.data();
        const auto          factors_at =
          derived().factor_formulas(direction, parameters);
#pragma GCC ivdep
        for (std::size_t q = 0; q < n_points; ++q)
          {
            Factors<Number> results;
            factors_at(x[q], results.data());
            for (std::size_t k = 0; k != n_factors; ++k)
              store(results[k],
                    v + k * n_points + q,
                    d + k * stride + q,
                    n_points);
          }
      };
      with_vector_units([&]() {
        for_each_number_type(theta, derivatives.size() > 0, all_points);
      });
    }

    /** For problems whose functions are all products; others have their own. */
    template <typename Number>
    Number
    formula(const unsigned int function,
            const double *,
            const double,
            const Number *) const
    {
      throw UserError("The problem has a function '" +
                      my_functions[function].name +
                      "' that is no product, but no formula(function, x, time, "
                      "theta) to evaluate it.");
    }

    /** For problems without products. */
    template <typename Number>
    auto
    factor_formulas(const unsigned int, const Number *) const
    {
      return [](const double, Number *) {};
    }

  protected:
    /** Parameters that need no memory from the heap where they are few. */
    template <typename Number>
    using Parameters = boost::container::small_vector<Number, 32>;

    template <typename Number>
    using Factors = std::array<Number, n_factors + 1>;

    const unsigned int               n_dimensions;
    std::vector<ProblemParameter>    my_parameters;
    std::vector<FunctionDescription> my_functions;
    std::vector<FactorDescription>   my_factors;
    std::vector<OperatorTerm>        my_operator_terms;
    std::vector<DataTerm>            my_data_terms;

    /**
     * Call @p body with the parameters as plain numbers, or as numbers that
     * carry derivatives: up to four active parameters at a time. @p body gets
     * a function that stores a result.
     */
    template <class Body>
    void
    for_each_number_type(const ParameterValues &theta,
                         const bool             with_derivatives,
                         const Body            &body) const
    {
      if (!with_derivatives)
        body(theta.values.data(),
             [](const double result, double *value, double *, std::size_t) {
               *value = result;
             });
      for (std::size_t first = 0;
           with_derivatives && first < theta.active.size();)
        {
          const std::size_t left = theta.active.size() - first;
          if (left == 1)
            first += differentiate<1>(theta, first, body);
          else if (left == 2)
            first += differentiate<2>(theta, first, body);
          else
            first += differentiate<4>(theta, first, body);
        }
    }

  private:
    const Derived &
    derived() const
    {
      return static_cast<const Derived &>(*this);
    }

    template <typename Number, class Lines>
    Number
    sum_of_formulas(const std::vector<unsigned int> &functions,
                    const double                    *x,
                    const double                     time,
                    const Number                    *parameters,
                    const Lines                     &lines,
                    std::array<Factors<Number>, 3>  &results) const
    {
      bool   have_factors = false;
      Number sum(0.);
      for (const unsigned int function : functions)
        {
          const std::vector<unsigned int> &product =
            my_functions[function].factors;
          if (product.empty())
            {
              sum += derived().formula(function, x, time, parameters);
              continue;
            }
          for (unsigned int d = 0; !have_factors && d < n_dimensions; ++d)
            (*lines[d])(x[d], results[d].data());
          have_factors = true;
          Number value = results[0][product[0]];
          for (unsigned int d = 1; d < n_dimensions; ++d)
            value *= results[d][product[d]];
          sum += value;
        }
      return sum;
    }

    template <int n, class Body>
    std::size_t
    differentiate(const ParameterValues &theta,
                  const std::size_t      first,
                  const Body            &body) const
    {
      using Number = Sacado::Fad::SFad<double, n>;
      Parameters<Number> parameters(theta.values.size());
      for (std::size_t i = 0; i < theta.values.size(); ++i)
        parameters[i] = Number(theta.values[i]);
      const std::size_t count =
        std::min<std::size_t>(n, theta.active.size() - first);
      for (std::size_t i = 0; i < count; ++i)
        parameters[theta.active[first + i]].fastAccessDx(i) = 1.;
      body(parameters.data(),
           [first, count](const Number &result,
                          double       *value,
                          double       *derivative,
                          std::size_t   stride) {
             *value = result.val();
             for (std::size_t i = 0; i < (n < 4 ? n : count); ++i)
               derivative[(first + i) * stride] = result.fastAccessDx(i);
           });
      return count;
    }
  };
} // namespace Tempera

#endif
