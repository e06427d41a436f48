// SPDX-License-Identifier: LGPL-2.1-or-later

// Equations that are given by a residual: orders against exact solutions,
// stationary and in time; a linear equation written as a residual is the same
// as the linear one; Taylor's formula with a residual that depends on
// everything; no solution is no crash.

#include "written_model.h"

#include <tempera/fem/nonlinear_model.h>
#include <tempera/problems/residual_problem.h>

#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  std::ofstream figures("orders.txt");

  /** The paper's solution, in any dimension. */
  ModelSetting
  reaction(const unsigned int dim)
  {
    const std::string u         = product("exp(-2*X^2)", dim);
    std::string       curvature = "0";
    for (unsigned int d = 0; d < dim; ++d)
      curvature += std::string(" + 4 - 16*") + "xyz"[d] + "^2";
    ModelSetting setting =
      written_setting("nonlinear reaction",
                      dim,
                      "set Source = (" + curvature + ")*" + u + " + 0.7*(" + u +
                        ")^2\nset Dirichlet value = " + u +
                        "\nset Exact solution = " + u + "\n",
                      {{"alpha", 0.7}},
                      {"alpha"});
    setting.domain.lower = {-1.};
    setting.domain.upper = {1.};
    setting.sensors      = {{"sensor 1", std::vector<double>(dim, 0.4), 0.},
                            {"sensor 2", std::vector<double>(dim, -0.8), 0.}};
    return setting;
  }

  double
  slope_of_errors(const std::vector<unsigned int>           &numbers,
                  const std::function<double(unsigned int)> &error_of)
  {
    std::vector<double> logs_n, logs_e;
    for (const unsigned int n : numbers)
      {
        logs_n.push_back(-std::log(n));
        logs_e.push_back(std::log(std::abs(error_of(n))));
      }
    return slope(logs_n, logs_e);
  }

  /**
   * a u_tt + u_t - ((1 + b u^2) u')' + c u u' + d u^3 = f for the solution
   * e^-t sin(pi x), whose source is a formula too.
   */
  class Nonlinear : public ResidualProblem<Nonlinear>
  {
  public:
    explicit Nonlinear(const unsigned int order)
      : ResidualProblem<Nonlinear>(1, order)
      , order(order)
    {
      my_parameters = {{"a", "0.5", "", 0.},
                       {"b", "0.5", "", 0.},
                       {"c", "0.5", "", 0.},
                       {"d", "0.5", "", 0.},
                       {"e", "1", "Amplitude of data.", 0.}};
      my_functions  = {{"value", {4}, {}}, {"velocity", {4}, {}}};
      my_data_terms = {{DataKind::dirichlet, no_function, {}, {}},
                       {DataKind::initial_value, 0, {}, {}},
                       {DataKind::initial_velocity, 1, {}, {}}};
    }

    template <typename Number>
    Number
    formula(const unsigned int function,
            const double      *x,
            const double,
            const Number *theta) const
    {
      const double sine = std::sin(dealii::numbers::PI * x[0]);
      return function == 0 ? theta[4] * sine : theta[4] * (-sine);
    }

    template <typename Number>
    void
    residual(const double             *x,
             const double              t,
             const PointState<Number> &u,
             const Number             *theta,
             Number                   &f0,
             Number                   *F1) const
    {
      // The source belongs to the parameters 0.5.
      constexpr double pi     = dealii::numbers::PI;
      const double     decay  = std::exp(-t);
      const double     w      = decay * std::sin(pi * x[0]);
      const double     wx     = decay * pi * std::cos(pi * x[0]);
      const double     wxx    = -pi * pi * w;
      const double     source = (order == 2 ? 0.5 * w : 0.) - w -
                            (1. + 0.5 * w * w) * wxx - 0.5 * 2. * w * wx * wx +
                            0.5 * w * wx + 0.5 * w * w * w;
      f0 = u.velocity + theta[2] * u.value * u.gradient[0] +
           theta[3] * u.value * u.value * u.value - source;
      if (order == 2)
        f0 += theta[0] * u.acceleration;
      F1[0] = (1. + theta[1] * u.value * u.value) * u.gradient[0];
    }

  private:
    const unsigned int order;
  };

  ModelSetting
  evolution(const unsigned int order)
  {
    ModelSetting setting;
    setting.problem    = std::make_shared<Nonlinear>(order);
    setting.values     = {0.5, 0.5, 0.5, 0.5, 1.};
    setting.final_time = 0.4;
    setting.sensors    = {{"sensor 1", {0.3}, 0.4}, {"sensor 2", {0.6}, 0.2}};
    for (unsigned int i = order == 2 ? 0 : 1; i < 5; ++i)
      setting.unknowns.push_back(i);
    return setting;
  }

  /** The equation of the plain heat, with the diffusivity unknown. */
  class Heat : public ResidualProblem<Heat>
  {
  public:
    Heat()
      : ResidualProblem<Heat>(1, 1)
    {
      my_parameters = {{"kappa", "1", "", 0.}};
      my_functions  = {{"value", {}, {}}, {"boundary", {}, {}}};
      my_data_terms = {{DataKind::dirichlet, 1, {}, {}},
                       {DataKind::initial_value, 0, {}, {}}};
    }

    template <typename Number>
    Number
    formula(const unsigned int function,
            const double      *x,
            const double,
            const Number *) const
    {
      return Number(function == 0 ? std::cos(3. * x[0]) : 1. + x[0]);
    }

    template <typename Number>
    void
    residual(const double *,
             const double,
             const PointState<Number> &u,
             const Number             *theta,
             Number                   &f0,
             Number                   *F1) const
    {
      f0    = u.velocity;
      F1[0] = theta[0] * u.gradient[0];
    }
  };
} // namespace

int
main()
{
  for (unsigned int dim = 1; dim <= 3; ++dim)
    {
      const ModelSetting setting  = reaction(dim);
      const auto         error_of = [&](const unsigned int degree) {
        return [&, degree](const unsigned int n) {
          const auto values = predict(*adjoint_model(setting,
                                                     level(n, 1., degree),
                                                     SolverParameters()),
                                      {0.7});
          return values[0] -
                 setting.problem->exact_solution(
                   dealii::make_array_view(setting.sensors[0].place), 0., {});
        };
      };
      const std::vector<unsigned int> numbers =
        dim == 3 ? std::vector<unsigned int>{10, 20} :
                   std::vector<unsigned int>{20, 40, 80};
      const double order = slope_of_errors(numbers, error_of(1));
      figures << "Q1, dimension " << dim << ": " << order << std::endl;
      check("order 2 of the nonlinear reaction in dimension " +
              std::to_string(dim),
            std::abs(order - 2.) < 0.2,
            std::to_string(order));
      if (dim == 1)
        {
          const double higher = slope_of_errors({10, 20, 40}, error_of(2));
          figures << "Q2, dimension " << dim << ": " << higher << std::endl;
          check("order 4 of Q2 at nodes",
                std::abs(higher - 4.) < 0.4,
                std::to_string(higher));
        }
    }

  for (const unsigned int order_in_time : {1u, 2u})
    for (const std::string scheme :
         {"backward Euler", "Crank-Nicolson", "BDF2"})
      {
        SolverParameters solver;
        solver.time_stepping = scheme;
        const std::string name =
          scheme + (order_in_time == 2 ? " with inertia" : "");
        const ModelSetting  setting = evolution(order_in_time);
        std::vector<double> state(setting.values.begin() +
                                    (order_in_time == 2 ? 0 : 1),
                                  setting.values.end());
        const double        order =
          slope_of_errors({20, 40, 80}, [&](const unsigned int n) {
            const double exact =
              std::exp(-0.4) * std::sin(dealii::numbers::PI * 0.3);
            return predict(*adjoint_model(setting,
                                          level(10, 0.4 / n, 4),
                                          solver),
                           state)[0] -
                   exact;
          });
        figures << name << ": " << order << std::endl;
        check("order of " + name + " for a nonlinear equation",
              std::abs(order - (scheme == "backward Euler" ? 1. : 2.)) < 0.2,
              std::to_string(order));

        for (double &entry : state)
          entry *= 1.3;
        const double taylor =
          taylor_order(*adjoint_model(setting, level(8, 0.05, 2), solver),
                       state,
                       3);
        figures << name << ", Taylor: " << taylor << std::endl;
        check("Taylor's formula with " + name,
              std::abs(taylor - 2.) < 0.1,
              std::to_string(taylor));
      }

  // A linear equation in both ways.
  for (const std::string scheme : {"backward Euler", "Crank-Nicolson", "BDF2"})
    {
      SolverParameters solver;
      solver.time_stepping = scheme;
      ModelSetting linear =
        written_setting("expressions",
                        1,
                        "set Diffusion = kappa\nset Initial value = cos(3*x)\n"
                        "set Dirichlet value = 1 + x\n",
                        {{"kappa", 1.}},
                        {"kappa"});
      linear.sensors         = {{"sensor", {0.35}, 1.}};
      ModelSetting nonlinear = linear;
      nonlinear.problem      = std::make_shared<Heat>();
      std::vector<double>      one, other;
      const FemLevelParameters here = level(12, 0.05);
      const auto               by_linear =
        gradient(*adjoint_model(linear, here, solver), {0.2}, {1.}, one);
      const auto by_residual =
        gradient(*adjoint_model(nonlinear, here, solver), {0.2}, {1.}, other);
      check("a linear equation as a residual, " + scheme,
            relative_difference(one, other) < 1e-12 &&
              relative_difference(by_linear, by_residual) < 1e-8,
            std::to_string(relative_difference(one, other)) + " " +
              std::to_string(relative_difference(by_linear, by_residual)));
    }

  // With a strong negative reaction there is no solution: u explodes.
  {
    const auto model =
      adjoint_model(reaction(1), level(40, 1.), SolverParameters());
    std::vector<double> values;
    const auto          slopes = gradient(*model, {-20.}, {1., 1.}, values);
    check("no solution is not a number",
          std::isnan(values[0]) && std::isnan(slopes[0]),
          std::to_string(values[0]));
    const auto before = predict(*model, {0.7});
    predict(*model, {-20.});
    check("and leaves no trace", predict(*model, {0.7}) == before);
  }
  return result();
}
