// SPDX-License-Identifier: LGPL-2.1-or-later

// Experiment 1 written in the parameter file gives the same sensor values and
// gradients as the problem in C++; convection, reaction and exchange with the
// outside against exact solutions; small, indefinite and singular operators;
// mistakes in the description of a problem.

#include "written_model.h"

#include <tempera/base/user_error.h>
#include <tempera/problems/residual_problem.h>

#include <fstream>
#include <numeric>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  std::ofstream figures("differences.txt");

  void
  check_experiment_1()
  {
    const std::string gauss = "exp(-((x-x0)^2+(y-y0)^2)/0.02)/(2*pi*0.01)";
    ModelSetting      written =
      written_setting("expressions",
                      2,
                      "set Source = " + gauss +
                        "*(2*(1 - ((x-x0)^2+(y-y0)^2)/0.02)/0.01 - 1)\n"
                        "set Source in time = exp(-t)\n"
                        "set Initial value = " +
                        gauss + "\nset Dirichlet value = " + gauss +
                        "\nset Dirichlet value in time = exp(-t)\n",
                      {{"x0", 0.5}, {"y0", 0.5}},
                      {"x0", "y0"});
    const ModelSetting formulas = source_setting(2);
    written.sensors             = formulas.sensors;
    written.final_time          = formulas.final_time;
    ModelSetting not_separated =
      written_setting("expressions",
                      2,
                      "set Source = exp(-t)*" + gauss +
                        "*(2*(1 - ((x-x0)^2+(y-y0)^2)/0.02)/0.01 - 1)\n"
                        "set Initial value = " +
                        gauss + "\nset Dirichlet value = exp(-t)*" + gauss +
                        "\n",
                      {{"x0", 0.5}, {"y0", 0.5}},
                      {"x0", "y0"});
    not_separated.sensors    = formulas.sensors;
    not_separated.final_time = formulas.final_time;

    const SolverParameters    solver;
    const FemLevelParameters  here = level(50, 0.0005);
    const std::vector<double> weights{0.7, -0.4};
    const auto                fine = adjoint_model(formulas, here, solver);
    double                    worst_value = 0., worst_gradient = 0.;
    for (const ModelSetting *other : {&written, &not_separated})
      {
        const auto model = adjoint_model(*other, here, solver);
        for (unsigned int i = 0; i < (other == &written ? 5u : 1u); ++i)
          {
            std::vector<double> state(2), one, two;
            RandomKey           key;
            key.seed = 31 + i;
            fill_uniforms(key, dealii::make_array_view(state));
            const auto slopes = gradient(*fine, state, weights, one);
            const auto again  = gradient(*model, state, weights, two);
            worst_value = std::max(worst_value, relative_difference(two, one));
            worst_gradient =
              std::max(worst_gradient, relative_difference(again, slopes));
          }
      }
    figures << "Experiment 1: values " << worst_value << ", gradients "
            << worst_gradient << std::endl;
    check("Experiment 1 in formulas of the file: sensor values to 1e-10",
          worst_value < 1e-10,
          std::to_string(worst_value));
    check("Experiment 1 in formulas of the file: gradients to 1e-6",
          worst_gradient < 1e-6,
          std::to_string(worst_gradient));
  }

  /** Order of the error of a stationary equation with a known solution. */
  void
  check_stationary(const std::string &name,
                   const unsigned int dim,
                   const std::string &equation,
                   const std::string &solution,
                   const double       expected = 2.)
  {
    ModelSetting setting =
      written_setting("expressions",
                      dim,
                      "set Capacity = 0\n" + equation +
                        "set Exact solution = " + solution + "\n",
                      {{"p", 1.}},
                      {"p"});
    setting.sensors = {{"sensor", std::vector<double>(dim, 0.6), 0.}};
    const double exact =
      setting.problem->exact_solution(dealii::make_array_view(
                                        setting.sensors[0].place),
                                      0.,
                                      dealii::make_array_view(setting.values));
    std::vector<double> logs_n, logs_e;
    for (const unsigned int n : {20u, 40u, 80u})
      {
        logs_n.push_back(-std::log(n));
        logs_e.push_back(std::log(std::abs(
          predict(*adjoint_model(setting, level(n, 1.), SolverParameters()),
                  {1.})[0] -
          exact)));
      }
    const double order = slope(logs_n, logs_e);
    figures << name << ": " << order << std::endl;
    check("order, " + name,
          std::abs(order - expected) < 0.2,
          std::to_string(order));
  }

  /** The value at a sensor of a stationary equation in one dimension. */
  double
  value_of(const std::string      &equation,
           const double            p,
           const SolverParameters &solver = SolverParameters())
  {
    ModelSetting setting = written_setting(
      "expressions", 1, "set Capacity = 0\n" + equation, {{"p", p}}, {"p"});
    setting.sensors = {{"sensor", {0.4}, 0.}};
    return predict(*adjoint_model(setting, level(20, 1.), solver), {p})[0];
  }

  void
  check_scales_and_signs()
  {
    const double one   = value_of("set Diffusion = 1\nset Reaction = 3*p\n"
                                  "set Source = 1\n",
                                1.);
    const double small = value_of("set Diffusion = 1e-17\n"
                                  "set Reaction = 3e-17*p\n"
                                  "set Source = 1e-17\n",
                                  1.);
    check("an equation times 1e-17 has the same solution",
          std::abs(small / one - 1.) < 1e-10,
          std::to_string(small / one - 1.));

    // u = cos(k x) + tan(k / 2) sin(k x), less 1, over k^2.
    const double k = std::sqrt(50.);
    const double exact =
      (std::cos(k * 0.4) + std::tan(0.5 * k) * std::sin(k * 0.4) - 1.) /
      (k * k);
    const std::string indefinite = "set Reaction = -50*p\nset Source = 1\n";
    SolverParameters  umfpack;
    umfpack.linear_solver = LinearSolverType::umfpack;
    const double found    = value_of(indefinite, 1.);
    check("an operator that is not definite is solved all the same",
          std::abs(found / exact - 1.) < 0.05 &&
            std::abs(found - value_of(indefinite, 1., umfpack)) < 1e-12,
          std::to_string(found) + " " + std::to_string(exact));

    for (const LinearSolverType solver : {LinearSolverType::automatic,
                                          LinearSolverType::umfpack,
                                          LinearSolverType::cholmod})
      {
        bool             refused = false;
        SolverParameters parameters;
        parameters.linear_solver = solver;
        try
          {
            value_of("set Dirichlet value = none\nset Source = p\n",
                     1.,
                     parameters);
          }
        catch (const UserError &)
          {
            refused = true;
          }
        check("no solution without boundary conditions, " + name_of(solver),
              refused);
      }

    // A root that ends at the value where it is differentiated.
    const ModelSetting setting = written_setting(
      "expressions", 1, "set Source = sqrt(p - 1)*p\n", {{"p", 1.}}, {"p"});
    const double       point = 0.3, theta = 1.;
    const unsigned int active = 0;
    double             value, derivative;
    setting.problem->evaluate({2},
                              0.,
                              dealii::ArrayView<const double>(&point, 1),
                              {dealii::ArrayView<const double>(&theta, 1),
                               dealii::ArrayView<const unsigned int>(&active,
                                                                     1)},
                              dealii::ArrayView<double>(&value, 1),
                              dealii::ArrayView<double>(&derivative, 1));
    check("a formula at the end of where it is defined",
          value == 0. && std::isfinite(derivative) && derivative > 1.,
          std::to_string(derivative));
  }

  /** A problem whose description has a mistake. */
  class Mistaken : public ResidualProblem<Mistaken>
  {
  public:
    explicit Mistaken(const unsigned int mistake)
      : ResidualProblem<Mistaken>(1, 0)
      , mistake(mistake)
    {
      my_parameters = {{"a", "1", "A parameter."}};
      my_functions  = {{"source"}};
      my_data_terms = {{DataKind::source, mistake == 1 ? 7u : 0u}};
      if (mistake == 2)
        my_functions[0].parameters = {3};
    }

    template <typename Number>
    Number
    formula(const unsigned int,
            const double *,
            const double  t,
            const Number *theta) const
    {
      return mistake == 3 ? Number(t) : mistake == 4 ? theta[0] : Number(1.);
    }

    template <typename Number>
    void
    residual(const double *,
             const double,
             const PointState<Number> &u,
             const Number *,
             Number &f0,
             Number *F1) const
    {
      f0    = mistake == 5 ? u.velocity : u.value;
      F1[0] = mistake == 6 ? u.acceleration : u.gradient[0];
    }

  private:
    const unsigned int mistake;
  };

  /** A sum of many parameters, more than are kept without the heap. */
  class Many : public ResidualProblem<Many>
  {
  public:
    static constexpr unsigned int n = 40;

    Many()
      : ResidualProblem<Many>(1, 0)
    {
      my_functions  = {{"source"}};
      my_data_terms = {{DataKind::source, 0}};
      for (unsigned int i = 0; i < n; ++i)
        {
          my_parameters.push_back({"p" + std::to_string(i), "1", "A number."});
          my_functions[0].parameters.push_back(i);
        }
    }

    template <typename Number>
    Number
    formula(const unsigned int,
            const double *,
            const double,
            const Number *theta) const
    {
      Number sum(0.);
      for (unsigned int i = 0; i < n; ++i)
        sum += (i + 1.) * theta[i];
      return sum;
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
      f0    = theta[n - 1] * u.value;
      F1[0] = u.gradient[0];
    }
  };

  void
  check_many_parameters()
  {
    const Many problem;
    problem.verify();
    std::vector<double>       theta(Many::n, 1.), derivatives(Many::n);
    std::vector<unsigned int> active(Many::n);
    std::iota(active.begin(), active.end(), 0u);
    const double point = 0.5;
    double       value;
    problem.evaluate({0},
                     0.,
                     dealii::ArrayView<const double>(&point, 1),
                     {dealii::make_array_view(std::as_const(theta)),
                      dealii::make_array_view(std::as_const(active))},
                     dealii::ArrayView<double>(&value, 1),
                     dealii::make_array_view(derivatives));
    bool is_right = value == Many::n * (Many::n + 1) / 2.;
    for (unsigned int i = 0; i < Many::n; ++i)
      is_right = is_right && derivatives[i] == i + 1.;
    check("a problem may have many parameters",
          is_right,
          std::to_string(value));
  }

  void
  check_descriptions()
  {
    const std::vector<std::string> messages{"",
                                            "function 7",
                                            "parameter 3",
                                            "contains the time",
                                            "depends on 'a'",
                                            "u.velocity",
                                            "u.acceleration"};
    for (unsigned int mistake = 0; mistake < messages.size(); ++mistake)
      {
        std::string message;
        try
          {
            Mistaken(mistake).verify();
          }
        catch (const UserError &error)
          {
            message = error.what();
          }
        check(mistake == 0 ? "a right description" :
                             "a wrong description: " + messages[mistake],
              mistake == 0 ?
                message.empty() :
                message.find(messages[mistake]) != std::string::npos,
              message);
      }
  }
} // namespace

int
main()
{
  check_experiment_1();
  check_scales_and_signs();
  check_many_parameters();
  check_descriptions();
  check_stationary("convection, diffusion and reaction",
                   2,
                   "set Convection = 3; -2*x\nset Reaction = 4*p\n"
                   "set Source = exp(x + 2*y)*(-5 + 3 - 4*x + 4)\n"
                   "set Dirichlet value = exp(x + 2*y)\n",
                   "exp(x + 2*y)");
  check_stationary("fluxes and exchange on parts of the boundary",
                   2,
                   "set Source = -5*exp(x + 2*y)\n"
                   "set Dirichlet value = 0, 2: exp(x + 2*y)\n"
                   "set Flux = 1: exp(x + 2*y); 3: (2 + 3*p)*exp(x + 2*y)\n"
                   "set Exchange = 3: 3*p\n",
                   "exp(x + 2*y)");
  check_stationary("exchange in one dimension",
                   1,
                   "set Source = -exp(x)\n"
                   "set Dirichlet value = 0: exp(x)\n"
                   "set Flux = 1: 3*exp(x)\nset Exchange = 1: 2*p\n",
                   "exp(x)",
                   // At the nodes only the quadrature has an error.
                   4.);
  return result();
}
