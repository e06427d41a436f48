// SPDX-License-Identifier: LGPL-2.1-or-later

// Experiment 1 written in the parameter file gives the same sensor values and
// gradients as the problem in C++; convection, reaction and exchange with the
// outside against exact solutions.

#include "written_model.h"

#include <fstream>

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
} // namespace

int
main()
{
  check_experiment_1();
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
