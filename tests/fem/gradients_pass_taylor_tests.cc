// SPDX-License-Identifier: LGPL-2.1-or-later

// Taylor's formula holds with the adjoint gradient: for every built-in
// problem, each of its unknowns alone and all together, and every time scheme.
// The problem 'expressions' has an unknown in every place that takes a formula.

#include "written_model.h"

#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  std::ofstream figures("orders.txt");

  const std::vector<std::string> schemes{"backward Euler",
                                         "Crank-Nicolson",
                                         "BDF2"};

  /** The worst order over each unknown alone, and all together. */
  void
  check_orders(const std::string                   &name,
               const std::string                   &type,
               const unsigned int                   dim,
               const std::string                   &equation,
               const std::map<std::string, double> &values,
               const bool                           is_stationary = false)
  {
    std::vector<std::vector<std::string>> choices(1);
    for (const auto &value : values)
      {
        choices[0].push_back(value.first);
        choices.push_back({value.first});
      }
    for (const std::string &scheme :
         is_stationary ? std::vector<std::string>{"backward Euler"} : schemes)
      {
        double worst = 2.;
        for (const auto &unknowns : choices)
          {
            ModelSetting setting =
              written_setting(type, dim, equation, values, unknowns);
            setting.final_time = 0.1;
            setting.sensors    = {
                 {"sensor 1", std::vector<double>(dim, 0.45), 0.1},
                 {"sensor 2", std::vector<double>(dim, 0.7), 0.033},
                 {"sensor 3", std::vector<double>(dim, 0.3), 0.}};
            SolverParameters solver;
            solver.time_stepping = scheme;
            const auto model =
              adjoint_model(setting, level(dim == 3 ? 4 : 10, 0.02), solver);
            std::vector<double> state;
            for (const unsigned int i : setting.unknowns)
              state.push_back(setting.values[i]);
            const double order = taylor_order(*model, state, 7);
            figures << name << ", " << scheme << ", " << join(unknowns, " ")
                    << ": " << order << std::endl;
            if (!(std::abs(order - 2.) < std::abs(worst - 2.)))
              worst = order;
          }
        check(name + (is_stationary ? "" : ", " + scheme),
              std::abs(worst - 2.) < 0.2,
              std::to_string(worst));
      }
  }

  template <typename Map>
  Map
  with(Map values, const Map &more)
  {
    values.insert(more.begin(), more.end());
    return values;
  }
} // namespace

int
main()
{
  const std::vector<std::map<std::string, double>> places{
    {{"x", 0.4}},
    {{"x", 0.4}, {"y", 0.55}},
    {{"x", 0.4}, {"y", 0.55}, {"z", 0.5}}};
  for (unsigned int dim = 1; dim <= 3; ++dim)
    {
      const std::string dimension = " in dimension " + std::to_string(dim);
      check_orders(
        "pollution source" + dimension,
        "pollution source",
        dim,
        "",
        with(places[dim - 1],
             {{"width", 0.15}, {"mass", 1.2}, {"diffusivity", 0.8}}));
      check_orders("quasi-gas dynamics" + dimension,
                   "quasi-gas dynamics",
                   dim,
                   "set Diffusivity = 1 + x\n"
                   "set Source = 1 + x*t\n"
                   "set Gaussian in time = exp(-t)\n"
                   "set Initial value = x*(1 - x)\n"
                   "set Initial velocity = sin(3*x)\n",
                   with(places[dim - 1],
                        {{"alpha", 0.2},
                         {"diffusivity", 0.9},
                         {"strength", 20.},
                         {"width", 0.2}}));
      check_orders("nonlinear reaction" + dimension,
                   "nonlinear reaction",
                   dim,
                   "set Source = 5 + 20*x\nset Dirichlet value = 1 + x\n",
                   {{"alpha", 0.9}},
                   true);
    }

  const std::string                   everywhere = "set Diffusion = 1 + b*x\n"
                                                   "set Convection = c*(1 + y); 2*c\n"
                                                   "set Reaction = d^2\n"
                                                   "set Exchange = 1: g; 3: g*x\n"
                                                   "set Source = exp(e*x)*(1 + y)\n"
                                                   "set Dirichlet value = 0: k*y; 2: k\n"
                                                   "set Flux = 1: l; 3: l^2\n";
  const std::map<std::string, double> values{{"b", 0.5},
                                             {"c", 0.7},
                                             {"d", 1.1},
                                             {"e", 0.4},
                                             {"g", 0.8},
                                             {"k", 1.3},
                                             {"l", 0.6}};
  check_orders("expressions, stationary",
               "expressions",
               2,
               everywhere + "set Capacity = 0\n",
               values,
               true);
  check_orders("expressions of first order in time",
               "expressions",
               2,
               everywhere + "set Capacity = 1 + a*y\n"
                            "set Source in time = cos(t)\n"
                            "set Dirichlet value in time = 1 + t\n"
                            "set Initial value = m + x*y\n",
               with(values, {{"a", 0.3}, {"m", 0.9}}));
  check_orders("expressions of second order in time",
               "expressions",
               2,
               everywhere + "set Inertia = a\n"
                            "set Initial value = m + x*y\n"
                            "set Initial velocity = n*x\n",
               with(values, {{"a", 0.3}, {"m", 0.9}, {"n", 0.5}}));
  return result();
}
