// SPDX-License-Identifier: LGPL-2.1-or-later

// Quasi-gas dynamics against an exact solution, a product of sines times e^-t,
// in one to three dimensions: orders in space and time, with a diffusivity
// that is a formula and one that is given in boxes; large steps stay bounded.

#include "written_model.h"

#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  std::ofstream figures("orders.txt");

  constexpr double alpha = 0.5;

  /** kappa = 1 + x / 2; the source belongs to the solution. */
  ModelSetting
  setting(const unsigned int dim,
          const double       final_time,
          const unsigned int waves = 2)
  {
    const std::string k = std::to_string(waves) + "*pi";
    const std::string u = product("sin(" + k + "*X)", dim);
    std::string       rest;
    for (unsigned int d = 1; d < dim; ++d)
      rest += "*sin(" + k + "*" + "xyz"[d] + ")";
    const std::string source =
      "(" + std::to_string(alpha) + " - 1 + " + std::to_string(dim) + "*(" + k +
      ")^2*(1 + 0.5*x))*" + u + " - 0.5*" + k + "*cos(" + k + "*x)" + rest;
    ModelSetting result =
      written_setting("quasi-gas dynamics",
                      dim,
                      "set Diffusivity = 1 + 0.5*x\n"
                      "set Source = " +
                        source +
                        "\nset Source in time = exp(-t)\n"
                        "set Initial value = " +
                        u + "\nset Initial velocity = -" + u +
                        "\nset Exact solution = " + u + "*exp(-t)\n",
                      {{"alpha", alpha}},
                      {"alpha"});
    result.final_time = final_time;
    result.sensors = {{"sensor 1", std::vector<double>(dim, 0.3), final_time},
                      {"sensor 2",
                       std::vector<double>(dim, 0.8),
                       0.6 * final_time}};
    return result;
  }

  double
  error(const ModelSetting       &here,
        const FemLevelParameters &resolution,
        const std::string        &scheme)
  {
    SolverParameters solver;
    solver.time_stepping = scheme;
    solver.linear_solver = LinearSolverType::cholmod;
    const std::vector<double> values =
      predict(*adjoint_model(here, resolution, solver), {alpha});
    double sum = 0.;
    for (std::size_t k = 0; k < values.size(); ++k)
      sum += std::pow(values[k] -
                        here.problem->exact_solution(dealii::make_array_view(
                                                       here.sensors[k].place),
                                                     here.sensors[k].time,
                                                     {}),
                      2);
    return std::sqrt(sum);
  }

  void
  check_order(const std::string                         &name,
              const double                               expected,
              const double                               tolerance,
              const std::vector<unsigned int>           &numbers,
              const std::function<double(unsigned int)> &error_of)
  {
    std::vector<double> logs_n, logs_e;
    for (const unsigned int n : numbers)
      {
        logs_n.push_back(-std::log(n));
        logs_e.push_back(std::log(error_of(n)));
      }
    const double order = slope(logs_n, logs_e);
    figures << name << ": " << order << std::endl;
    check(name, std::abs(order - expected) < tolerance, std::to_string(order));
  }
} // namespace

int
main()
{
  for (unsigned int dim = 1; dim <= 3; ++dim)
    {
      const std::string in = " in dimension " + std::to_string(dim);
      // Sensors on nodes of all these meshes.
      const double short_time = 0.05;
      check_order("order 2 of Q1 in space" + in,
                  2.,
                  0.25,
                  dim == 3 ? std::vector<unsigned int>{10, 20} :
                             std::vector<unsigned int>{20, 40, 80},
                  [&](const unsigned int n) {
                    return error(setting(dim, short_time),
                                 level(n, short_time / 50),
                                 "Crank-Nicolson");
                  });
    }
  check_order(
    "order 4 of Q2 at nodes", 4., 0.4, {10, 20, 40}, [&](const unsigned int n) {
      return error(setting(1, 0.05),
                   level(n, 0.05 / 4000, 2),
                   "Crank-Nicolson");
    });
  // As few steps as are needed for errors far above that of the mesh.
  const std::map<std::string, unsigned int> fewest_steps{{"backward Euler", 40},
                                                         {"Crank-Nicolson", 8},
                                                         {"BDF2", 20}};
  for (const auto &scheme : fewest_steps)
    for (unsigned int dim = 1; dim <= 3; ++dim)
      check_order("order in time of " + scheme.first + " in dimension " +
                    std::to_string(dim),
                  scheme.first == "backward Euler" ? 1. : 2.,
                  0.2,
                  {scheme.second, 2 * scheme.second, 4 * scheme.second},
                  [&](const unsigned int n) {
                    return error(setting(dim, 0.4, 1),
                                 level(dim == 3 ? 2 : 4, 0.4 / n, 6),
                                 scheme.first);
                  });

  // Steps that are 1000 times too long for an explicit scheme.
  for (const std::string scheme : {"backward Euler", "Crank-Nicolson", "BDF2"})
    {
      const double large = error(setting(2, 2000.), level(40, 2.), scheme);
      check("long steps of " + scheme + " stay bounded",
            large < 2.,
            std::to_string(large));
    }

  // Boxes against the same as a formula.
  const auto value = [](const std::string &diffusivity) {
    ModelSetting here =
      written_setting("quasi-gas dynamics",
                      2,
                      diffusivity + "set Initial value = x*(1 - x)*y\n",
                      {{"alpha", 0.3}},
                      {"alpha"});
    here.final_time = 0.1;
    here.sensors    = {{"sensor", {0.4, 0.6}, 0.1}};
    return predict(*adjoint_model(here, level(12, 0.01), SolverParameters()),
                   {0.3})[0];
  };
  check("a diffusivity in boxes is the same as a formula",
        std::abs(value("set Diffusivity boxes = 3, 2\n"
                       "set Diffusivity values = 1, 2, 3, 4, 5, 6\n") -
                 value("set Diffusivity = if(y < 0.5, if(x < 1/3, 1, if(x < "
                       "2/3, 2, 3)), if(x < 1/3, 4, if(x < 2/3, 5, 6)))\n")) <
          1e-14);
  return result();
}
