// SPDX-License-Identifier: LGPL-2.1-or-later

// A model on several processes against the model on one: predictions,
// gradients by the adjoint and by the precomputed one, for every kind of data
// and coefficient. All processes get the same bits. What several processes
// cannot do is the same error on all of them.

#include "written_model.h"

#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_out.h>

#include <filesystem>
#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  namespace Processes = dealii::Utilities::MPI;

  std::ofstream figures;

  /** What holds on all processes; the first one says so. */
  void
  check_together(const std::string &name,
                 const bool         holds,
                 const std::string &details = "")
  {
    const bool all = Processes::min(int(holds), MPI_COMM_WORLD) == 1;
    if (Processes::this_mpi_process(MPI_COMM_WORLD) == 0)
      check(name, all, details);
    else
      n_failed += all ? 0 : 1;
  }

  /** The largest difference of any number between the processes. */
  double
  disagreement(const std::vector<double> &numbers)
  {
    double result = 0.;
    for (const double number : numbers)
      result = std::max(result,
                        Processes::max(number, MPI_COMM_WORLD) -
                          Processes::min(number, MPI_COMM_WORLD));
    return result;
  }

  struct Differences
  {
    double values = 0., gradients = 0., processes = 0.;
  };

  void
  compare(const ForwardModel        &shared,
          const ForwardModel        &alone,
          const std::vector<double> &state,
          Differences               &worst)
  {
    std::vector<double> weights, values, other;
    for (unsigned int k = 0; k < alone.n_predictions(); ++k)
      weights.push_back(std::cos(1. + k));
    for (const bool at_once : {true, false})
      {
        const auto gradient_alone =
          gradient(alone, state, weights, values, at_once);
        const auto gradient_shared =
          gradient(shared, state, weights, other, at_once);
        worst.values =
          std::max(worst.values, relative_difference(other, values));
        worst.gradients =
          std::max(worst.gradients,
                   relative_difference(gradient_shared, gradient_alone));
        worst.processes = std::max({worst.processes,
                                    disagreement(other),
                                    disagreement(gradient_shared)});
      }
  }

  template <int dim>
  void
  compare(const std::string        &name,
          ModelSetting              setting,
          const FemLevelParameters &here,
          const std::string        &scheme,
          const double              tolerance = 1e-9)
  {
    SolverParameters solver;
    solver.time_stepping = scheme;
    solver.tolerance     = 1e-13;

    const auto make = [&](const bool use_products) {
      return std::make_shared<EvolutionModel<dim>>(setting,
                                                   here,
                                                   solver,
                                                   use_products);
    };
    const auto alone     = make(true);
    setting.communicator = MPI_COMM_WORLD;
    std::vector<double> state;
    for (const unsigned int i : setting.unknowns)
      state.push_back(1.05 * setting.values[i]);

    Differences worst;
    bool        sizes_agree = true;
    for (const bool use_products : {true, false})
      {
        const auto shared = make(use_products);
        sizes_agree = sizes_agree && shared->n_dofs() == alone->n_dofs() &&
                      shared->work().prediction == alone->work().prediction;
        compare(*shared, *alone, state, worst);
        if (alone->unknowns_in_operator().empty())
          compare(PrecomputedModel<dim>(shared),
                  PrecomputedModel<dim>(alone),
                  state,
                  worst);
      }
    // What was solved before must not matter.
    bool       is_pure = true;
    const auto shared  = make(true);
    const auto first   = predict(*shared, state);
    for (const double factor : {0.9, 1.})
      {
        std::vector<double> moved = state;
        for (double &number : moved)
          number *= factor;
        const auto again = predict(*shared, moved);
        if (factor == 1.)
          is_pure = again == first;
      }
    figures << name << ", " << scheme << ": values " << worst.values
            << ", gradients " << worst.gradients << std::endl;
    check_together(name + ", " + scheme + ": values, gradients",
                   worst.values < tolerance && worst.gradients < tolerance &&
                     sizes_agree,
                   std::to_string(worst.values) + " " +
                     std::to_string(worst.gradients));
    check_together(name + ", " + scheme +
                     ": the same bits everywhere and again",
                   worst.processes == 0. && is_pure,
                   std::to_string(worst.processes));
  }

  /** Sensors in cells, on faces and nodes, on the boundary; some times. */
  void
  add_sensors(ModelSetting &setting, const unsigned int dim)
  {
    setting.sensors.clear();
    for (const double place : {0.45, 0.71, 0.5, 0.25, 1.})
      for (const double part : {1., 0.57, 0.})
        {
          std::vector<double> point(dim, 0.5);
          point[0] = place;
          if (dim > 1)
            point[1] = 0.9 * place;
          setting.sensors.push_back({"sensor " + std::to_string(place),
                                     point,
                                     part * setting.final_time});
        }
  }

  ModelSetting
  source(const unsigned int dim, const bool diffusivity_is_unknown)
  {
    ModelSetting setting = source_setting(dim);
    if (diffusivity_is_unknown)
      {
        setting.unknowns.push_back(dim);
        setting.unknowns.push_back(dim + 2);
      }
    add_sensors(setting, dim);
    return setting;
  }

  ModelSetting
  gas(const unsigned int dim, const std::vector<std::string> &unknowns)
  {
    ModelSetting setting = written_setting("quasi-gas dynamics",
                                           dim,
                                           "set Diffusivity = 1 + x*y\n"
                                           "set Source = 1 + x*t\n"
                                           "set Gaussian in time = exp(-t)\n"
                                           "set Initial value = x*(1 - x)\n"
                                           "set Initial velocity = sin(3*x)\n",
                                           {{"alpha", 0.2},
                                            {"diffusivity", 0.9},
                                            {"strength", 20.},
                                            {"width", 0.2},
                                            {"x", 0.4},
                                            {"y", 0.55}},
                                           unknowns);
    setting.final_time   = 0.1;
    add_sensors(setting, dim);
    return setting;
  }

  /** Dirichlet values, fluxes and exchange on parts of the boundary. */
  ModelSetting
  written(const std::vector<std::string> &unknowns)
  {
    ModelSetting setting =
      written_setting("expressions",
                      2,
                      "set Diffusion = 1 + b*x*y\n"
                      "set Reaction = d^2\n"
                      "set Exchange = 1: g; 3: g*x\n"
                      "set Source = exp(e*x)*(1 + y)\n"
                      "set Dirichlet value = 0: k*y; 2: k\n"
                      "set Flux = 1: l; 3: l^2*x\n"
                      "set Capacity = 1 + a*y\n"
                      "set Source in time = cos(t)\n"
                      "set Dirichlet value in time = 1 + t\n"
                      "set Initial value = m + x*y\n",
                      {{"a", 0.3},
                       {"b", 0.5},
                       {"d", 1.1},
                       {"e", 0.4},
                       {"g", 0.8},
                       {"k", 1.3},
                       {"l", 0.6},
                       {"m", 0.9}},
                      unknowns);
    setting.final_time = 0.1;
    add_sensors(setting, 2);
    return setting;
  }

  /** A mesh with a corner that points inwards. */
  ModelSetting
  angle()
  {
    const std::string file = "angle.inp";
    if (Processes::this_mpi_process(MPI_COMM_WORLD) == 0)
      {
        dealii::Triangulation<2> triangulation;
        dealii::GridGenerator::hyper_L(triangulation, 0., 1.);
        std::ofstream out(file);
        dealii::GridOut().write_ucd(triangulation, out);
      }
    MPI_Barrier(MPI_COMM_WORLD);
    ModelSetting setting     = written_setting("expressions",
                                           2,
                                           "set Source = p*(1 + x)\n"
                                               "set Dirichlet value = q*(1 + x*y)\n"
                                               "set Initial value = p*x\n",
                                           {{"p", 1.2}, {"q", 0.7}},
                                           {"p", "q"});
    setting.domain.mesh_file = file;
    setting.final_time       = 0.1;
    setting.sensors          = {{"sensor 1", {0.5, 0.5}, 0.1},
                                {"sensor 2", {0.21, 0.83}, 0.04},
                                {"sensor 3", {0.8, 0.3}, 0.1}};
    return setting;
  }

  void
  check_refused(const std::string        &name,
                const ModelSetting       &alone,
                const FemLevelParameters &here,
                const LinearSolverType    solver_type,
                const std::string        &words)
  {
    ModelSetting setting = alone;
    setting.communicator = MPI_COMM_WORLD;
    SolverParameters solver;
    solver.linear_solver = solver_type;
    std::string message  = "no error";
    try
      {
        make_fem_model(setting,
                       here,
                       solver,
                       std::vector<ParameterRange>(setting.unknowns.size()));
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    check_together("refused: " + name,
                   message.find(words) != std::string::npos,
                   message);
  }

  void
  check_errors()
  {
    const std::string parameter = "'Parallel/Processes per replica'";
    check_refused("one cell",
                  source(2, false),
                  level(1, 0.01),
                  LinearSolverType::automatic,
                  "too coarse");
    check_refused("four cells",
                  source(2, false),
                  level(2, 0.01),
                  LinearSolverType::automatic,
                  "too coarse");
    check_refused("CHOLMOD",
                  source(2, false),
                  level(8, 0.01),
                  LinearSolverType::cholmod,
                  parameter);
    check_refused("one dimension",
                  source_setting(1),
                  level(30, 0.01),
                  LinearSolverType::automatic,
                  parameter);
    ModelSetting outside     = source(2, false);
    outside.sensors[1].place = {0.5, 1.01};
    check_refused("a sensor outside",
                  outside,
                  level(8, 0.01),
                  LinearSolverType::automatic,
                  "outside the domain");
    outside.sensors[1].place = {0.5};
    check_refused("a sensor with one coordinate",
                  outside,
                  level(8, 0.01),
                  LinearSolverType::automatic,
                  "has 1 coordinate");
    check_refused("convection",
                  written_setting("expressions",
                                  2,
                                  "set Convection = 1; p\nset Source = 1\n",
                                  {{"p", 1.}},
                                  {"p"}),
                  level(8, 0.1),
                  LinearSolverType::automatic,
                  parameter);
    check_refused("a nonlinear equation",
                  written_setting("nonlinear reaction",
                                  2,
                                  "set Source = 1\n",
                                  {{"alpha", 1.}},
                                  {"alpha"}),
                  level(8, 0.1),
                  LinearSolverType::automatic,
                  parameter);
    // Somewhere only, so that one process sees it and the others do not.
    check_refused("a diffusion below zero in a corner",
                  written_setting("expressions",
                                  2,
                                  "set Diffusion = 0.01 - (x > 0.9)*(y > 0.9)\n"
                                  "set Source = p\n",
                                  {{"p", 1.}},
                                  {"p"}),
                  level(16, 0.1),
                  LinearSolverType::automatic,
                  "above 0");
    check_refused("a source that is not finite in a corner",
                  written_setting("expressions",
                                  2,
                                  "set Source = sqrt(0.9 - x)\n"
                                  "set Initial value = p\n",
                                  {{"p", 1.}},
                                  {"p"}),
                  level(16, 0.1),
                  LinearSolverType::automatic,
                  "not finite");
    ModelSetting missing     = source(2, false);
    missing.domain.mesh_file = "missing.msh";
    check_refused("no mesh file",
                  missing,
                  level(8, 0.01),
                  LinearSolverType::automatic,
                  "cannot be read");
  }

  /** The numbers behind a word in a file of VTK. */
  std::size_t
  number_of(const std::string &path, const std::string &word)
  {
    std::ifstream file(path);
    std::string   line;
    std::size_t   sum = 0;
    while (std::getline(file, line))
      {
        const auto place = line.find(word + "=\"");
        if (place != std::string::npos)
          sum += std::stoul(line.substr(place + word.size() + 2));
      }
    return sum;
  }

  void
  check_fields()
  {
    ModelSetting setting = source(2, false);
    setting.communicator = MPI_COMM_WORLD;
    const auto     model = make_fem_model(setting,
                                      level(12, 0.01),
                                      SolverParameters(),
                                      std::vector<ParameterRange>(2));
    FieldFileNames names{"fields", "u", 2};
    model->write_fields({{0.4, 0.5}, {0.6, 0.5}}, names);
    MPI_Barrier(MPI_COMM_WORLD);
    check_together("fields of all cells are in one file",
                   number_of("fields/u_001.vtu", "NumberOfCells") == 144 &&
                     std::filesystem::exists("fields/u.pvd"),
                   std::to_string(
                     number_of("fields/u_001.vtu", "NumberOfCells")));
    std::string message;
    names.folder = "fields/u.pvd";
    try
      {
        model->write_fields({{0.4, 0.5}}, names);
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    check_together("a folder that cannot be made is an error everywhere",
                   message.find("cannot be made") != std::string::npos,
                   message);
  }
} // namespace

int
main(int argc, char **argv)
{
  const Processes::MPI_InitFinalize mpi(argc, argv, 1);
  if (Processes::this_mpi_process(MPI_COMM_WORLD) == 0)
    figures.open("differences.txt");

  for (const std::string scheme : {"backward Euler", "Crank-Nicolson", "BDF2"})
    {
      compare<2>("source, 2-D", source(2, false), level(20, 0.002), scheme);
      compare<3>("source, 3-D", source(3, false), level(8, 0.002), scheme);
      compare<2>("source, unknown operator",
                 source(2, true),
                 level(8, 0.002),
                 scheme);
      compare<2>("gas, 2-D",
                 gas(2, {"strength", "x", "width"}),
                 level(12, 0.01),
                 scheme);
      compare<2>("gas, unknown operator",
                 gas(2, {"alpha", "diffusivity", "strength", "x"}),
                 level(12, 0.01),
                 scheme);
      compare<2>("expressions",
                 written({"e", "k", "l", "m"}),
                 level(11, 0.01),
                 scheme);
      compare<2>("expressions, unknown operator",
                 written({"a", "b", "d", "e", "g", "k", "l", "m"}),
                 level(8, 0.01),
                 scheme);
    }
  compare<2>("source, Q2", source(2, false), level(9, 0.002, 2), "BDF2");
  compare<3>("gas, 3-D, Q2",
             gas(3, {"alpha", "strength", "x"}),
             level(4, 0.02, 2),
             "Crank-Nicolson");
  FemLevelParameters refined = level(1, 0.01);
  refined.refinements        = 3;
  compare<2>("a corner that points inwards", angle(), refined, "BDF2");
  check_errors();
  check_fields();
  return result();
}
