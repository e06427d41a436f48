// SPDX-License-Identifier: LGPL-2.1-or-later

// Adapted meshes on several processes against one process: the same mesh,
// predictions and gradients to the tolerance of the solver, the same bits on
// all processes, also with little memory for the trajectory; fields with
// hanging nodes.

#include "written_model.h"

#include <tempera/base/user_error.h>
#include <tempera/fem/adapted_mesh.h>
#include <tempera/fem/evolution_model.h>

#include <deal.II/base/mpi.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/mapping_q1.h>

#include <filesystem>
#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  namespace Processes = dealii::Utilities::MPI;

  std::ofstream figures;

  bool
  is_first()
  {
    return Processes::this_mpi_process(MPI_COMM_WORLD) == 0;
  }

  /** What holds on all processes; the first one says so. */
  void
  check_together(const std::string &name,
                 const bool         holds,
                 const std::string &details = "")
  {
    const bool all = Processes::min(int(holds), MPI_COMM_WORLD) == 1;
    if (is_first())
      check(name, all, details);
    else
      n_failed += all ? 0 : 1;
  }

  bool
  is_same_everywhere(const std::vector<double> &numbers)
  {
    for (const double number : numbers)
      if (Processes::max(number, MPI_COMM_WORLD) !=
          Processes::min(number, MPI_COMM_WORLD))
        return false;
    return true;
  }

  FemLevelParameters
  adapted(const unsigned int subdivisions,
          const double       time_step,
          const unsigned int degree = 1)
  {
    FemLevelParameters result   = level(subdivisions, time_step, degree);
    result.adaptive_refinements = 2;
    result.adaptive_share       = 0.15;
    return result;
  }

  void
  compare(const std::string        &name,
          ModelSetting              setting,
          const FemLevelParameters &here)
  {
    SolverParameters solver;
    solver.time_stepping = "BDF2";
    solver.tolerance     = 1e-13;
    std::vector<double>         state, weights, values, other;
    std::vector<ParameterRange> ranges;
    for (const unsigned int i : setting.unknowns)
      {
        const double value = setting.values[i];
        state.push_back(1.05 * value);
        ranges.push_back({value, 0.5 * value, 1.5 * value});
      }
    for (unsigned int k = 0; k < setting.sensors.size(); ++k)
      weights.push_back(std::cos(1. + k));

    const auto alone     = make_fem_model(setting, here, solver, ranges);
    setting.communicator = MPI_COMM_WORLD;
    const auto   shared  = make_fem_model(setting, here, solver, ranges);
    const auto   one     = gradient(*alone, state, weights, values);
    const auto   two     = gradient(*shared, state, weights, other);
    const double error =
      relative_difference(other, values) + relative_difference(two, one);
    figures << name << ": " << alone->n_dofs() << " unknowns, difference "
            << error << std::endl;
    check_together(name + ": the same as on one process",
                   shared->n_dofs() == alone->n_dofs() && error < 1e-9,
                   std::to_string(shared->n_dofs()) + " instead of " +
                     std::to_string(alone->n_dofs()) + ", " +
                     std::to_string(error));
    check_together(name + ": the same bits everywhere",
                   is_same_everywhere(two) && is_same_everywhere(other));

    // Parts of the mesh are of different size, the way back is the same.
    if (shared->gradient_method() != "adjoint")
      return;
    // As little as the largest part allows, which needs 8 of 21 levels.
    const double level =
      8e-6 * (setting.problem->order_in_time() == 2 ? 2. : 1.) *
      alone->n_dofs() / Processes::n_mpi_processes(MPI_COMM_WORLD);
    std::shared_ptr<const FemModel> frugal;
    for (double n_levels = 9.; !frugal && n_levels < 21.; n_levels += 3.)
      try
        {
          solver.trajectory_memory = n_levels * level;
          frugal = make_fem_model(setting, here, solver, ranges);
        }
      catch (const UserError &)
        {}
    check_together(name + ": the same bits with less memory",
                   frugal && gradient(*frugal, state, weights, values) == two &&
                     frugal->work().derivative > shared->work().derivative);
  }

  template <int dim>
  void
  check_fields()
  {
    const std::string in             = " in dimension " + std::to_string(dim);
    ModelSetting      setting        = source_setting(dim);
    setting.communicator             = MPI_COMM_WORLD;
    const FemLevelParameters    here = adapted(dim == 2 ? 10 : 4, 0.01, 2);
    const SolverParameters      solver;
    std::vector<ParameterRange> ranges(dim, {1., 0., 1.});
    const EvolutionModel<dim>   model(
      setting,
      here,
      solver,
      true,
      make_adapted_mesh<dim>(setting, here, solver, ranges));
    const SpaceDiscretisation<dim> &space = model.get_space();
    const dealii::DoFHandler<dim>  &dofs  = space.get_dof_handler();
    const auto                      value = [](const double *x) {
      return 1. + x[0] - 2. * x[1] + 3. * x[dim - 1];
    };
    NodalVector nodal(space.n_interior(), space.n_boundary());
    for (unsigned int i = 0; i < space.n_interior() + space.n_boundary(); ++i)
      nodal[i] = value(&space.nodes()[dim * i]);
    const dealii::Vector<double> field = space.field_of(nodal);
    std::map<dealii::types::global_dof_index, dealii::Point<dim>> points;
    dealii::DoFTools::map_dofs_to_support_points(
      dealii::StaticMappingQ1<dim>::mapping, dofs, points);
    double       difference = 0.;
    unsigned int i          = 0;
    for (const auto dof : dofs.locally_owned_dofs())
      difference =
        std::max(difference,
                 std::abs(field[i++] - value(points.at(dof).begin_raw())));
    check_together("fields are right at hanging nodes" + in,
                   difference < 1e-12 && dofs.n_dofs() > space.n_dofs(),
                   std::to_string(difference));

    model.write_fields({std::vector<double>(dim, 0.4)},
                       {"fields" + std::to_string(dim), "u", 2});
    check_together("and written" + in,
                   std::filesystem::exists("fields" + std::to_string(dim) +
                                           "/u_001.vtu"));
  }
} // namespace

int
main(int argc, char **argv)
{
  const Processes::MPI_InitFinalize mpi(argc, argv, 1);
  if (is_first())
    figures.open("differences.txt");

  const auto sensors = [](const unsigned int dim, const double time) {
    std::vector<Sensor> result;
    for (const double place : {0.45, 0.71, 0.5, 0.25, 1.})
      for (const double part : {1., 0.57})
        {
          std::vector<double> point(dim, 0.5);
          point[0] = place;
          result.push_back({"sensor", point, part * time});
        }
    return result;
  };

  for (const unsigned int dim : {2u, 3u})
    {
      const std::string in       = " in dimension " + std::to_string(dim);
      ModelSetting      source   = source_setting(dim);
      source.sensors             = sensors(dim, 0.03);
      const unsigned int n_cells = dim == 2 ? 12 : 5;
      compare("source" + in, source, adapted(n_cells, 0.0015));
      source.unknowns.push_back(source.problem->index_of("diffusivity"));
      compare("source, unknown operator" + in,
              source,
              adapted(n_cells, 0.0015));

      ModelSetting gas = written_setting("quasi-gas dynamics",
                                         dim,
                                         "set Diffusivity = 1 + x\n"
                                         "set Source = 1 + x*t\n",
                                         {{"alpha", 0.2}, {"strength", 20.}},
                                         {"alpha", "strength"});
      gas.final_time   = 0.1;
      gas.sensors      = sensors(dim, 0.1);
      compare("gas" + in,
              gas,
              adapted(dim == 2 ? 6 : 4, 0.005, dim == 2 ? 2 : 1));
    }

  ModelSetting written = written_setting(
    "expressions",
    2,
    "set Diffusion = 1 + b*x\nset Reaction = 1\n"
    "set Exchange = 1: g; 3: g*x\n"
    "set Source = exp(e*x)*(1 + y)\n"
    "set Dirichlet value = 0: k*y; 2: k\n"
    "set Flux = 1: l; 3: l^2\nset Capacity = 1 + y\n"
    "set Initial value = m + x*y\n",
    {{"b", 0.5}, {"e", 0.4}, {"g", 0.8}, {"k", 1.3}, {"l", 0.6}, {"m", 0.9}},
    {"b", "e", "g", "k", "l", "m"});
  written.final_time = 0.1;
  written.sensors    = sensors(2, 0.1);
  compare("expressions", written, adapted(9, 0.005));

  check_fields<2>();
  check_fields<3>();

  // What the first process cannot do is the same error on all of them.
  ModelSetting setting = source_setting(2);
  setting.communicator = MPI_COMM_WORLD;
  setting.sensors.clear();
  std::string message;
  try
    {
      make_fem_model(setting,
                     adapted(10, 0.01),
                     SolverParameters(),
                     std::vector<ParameterRange>(2));
    }
  catch (const UserError &error)
    {
      message = error.what();
    }
  check_together("nothing to adapt to",
                 message.find("Adaptive refinements") != std::string::npos,
                 message);
  return result();
}
