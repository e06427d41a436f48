// SPDX-License-Identifier: LGPL-2.1-or-later

// Meshes with hanging nodes: what the elements contain is reproduced exactly,
// gradients obey Taylor's formula, errors fall with the right order; and meshes
// that are adapted to the paper's sensors are worth their unknowns.

#include "written_model.h"

#include <tempera/base/user_error.h>
#include <tempera/fem/adapted_mesh.h>
#include <tempera/fem/nonlinear_model.h>

#include <deal.II/base/mpi.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>

#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  std::ofstream figures("figures.txt");

  /**
   * A box whose cells near a corner and near a line are smaller, twice: 3-D
   * ones have hanging faces and hanging edges.
   */
  template <int dim>
  Mesh<dim>
  irregular_mesh(const unsigned int n_refinements = 0)
  {
    Mesh<dim> mesh;
    mesh.triangulation = std::make_shared<dealii::Triangulation<dim>>(
      dealii::Triangulation<dim>::limit_level_difference_at_vertices);
    dealii::GridGenerator::subdivided_hyper_cube(
      *mesh.triangulation, 4, 0., 1., true);
    for (const double size : {0.51, 0.26})
      {
        for (const auto &cell : mesh.triangulation->active_cell_iterators())
          {
            double farthest = 0.;
            for (unsigned int d = 0; d < dim; ++d)
              farthest = std::max(farthest, cell->center()[d]);
            if (farthest < size || (size > 0.5 && cell->center()[0] > 0.75 &&
                                    cell->center()[dim - 1] > 0.75))
              cell->set_refine_flag();
          }
        mesh.triangulation->execute_coarsening_and_refinement();
      }
    mesh.triangulation->refine_global(n_refinements);
    return mesh;
  }

  /** On nodes, hanging nodes, faces, and elsewhere. */
  std::vector<Sensor>
  sensors(const unsigned int dim, const double time)
  {
    std::vector<Sensor> result;
    for (const double place : {0.5, 0.125, 0.3, 0.51, 0.9, 0.1875, 0.77})
      {
        std::vector<double> coordinates(dim, 0.625);
        coordinates[0] = place;
        if (dim > 1)
          coordinates[1] = 0.5;
        result.push_back({"sensor", coordinates, time});
        coordinates.assign(dim, place);
        result.push_back({"sensor", coordinates, time});
      }
    return result;
  }

  template <int dim>
  double
  largest_error(const MeshModel<dim>      &model,
                const std::vector<Sensor> &places,
                const std::vector<double> &state,
                const std::function<double(const std::vector<double> &)> &exact)
  {
    const std::vector<double> values = predict(model, state);
    double                    result = 0.;
    for (std::size_t k = 0; k < values.size(); ++k)
      result = std::max(result, std::abs(values[k] - exact(places[k].place)));
    return std::isfinite(values[0]) ? result : 1.;
  }

  template <int dim>
  void
  check_patches()
  {
    const std::string in     = " in dimension " + std::to_string(dim);
    const std::string linear = dim == 2 ? "1 + 2*x - 3*y" : "1 + 2*x - 3*y + z";
    const auto        value  = [](const std::vector<double> &x) {
      return 1. + 2. * x[0] - 3. * x[1] + (dim > 2 ? x[2] : 0.);
    };
    SolverParameters solver;
    solver.time_stepping = "Crank-Nicolson";
    solver.gradient      = FemGradient::adjoint;

    for (unsigned int degree = 1; degree <= (dim == 2 ? 3 : 2); ++degree)
      {
        const std::string name = " of degree " + std::to_string(degree) + in;

        // All kinds of boundary conditions, and a mass matrix.
        ModelSetting heat = written_setting(
          "expressions",
          dim,
          "set Capacity = 1 + x\nset Diffusion = k\nset Initial value = " +
            linear + "\nset Dirichlet value = 0: " + linear +
            "\nset Flux = 1: 2*k; 2: 3*k" + (dim > 2 ? "; 4: -k; 5: k" : "") +
            "; 3: -3*k + " + linear + "\nset Exchange = 3: 1\n",
          {{"k", 1.}},
          {"k"});
        heat.final_time = 0.1;
        heat.sensors    = sensors(dim, 0.1);
        const EvolutionModel<dim> model(
          heat, level(1, 0.05, degree), solver, true, irregular_mesh<dim>());
        const double error =
          largest_error<dim>(model, heat.sensors, {1.3}, value);
        check("a linear function is reproduced" + name,
              error < 1e-12,
              std::to_string(error * 1e12) + "e-12");

        ModelSetting reaction = written_setting("nonlinear reaction",
                                                dim,
                                                "set Source = 0.7*(" + linear +
                                                  ")^2\n"
                                                  "set Dirichlet value = " +
                                                  linear + "\n",
                                                {{"alpha", 0.7}},
                                                {"alpha"});
        reaction.sensors      = heat.sensors;
        const double other =
          largest_error<dim>(NonlinearModel<dim>(reaction,
                                                 level(1, 1., degree),
                                                 solver,
                                                 irregular_mesh<dim>()),
                             heat.sensors,
                             {0.7},
                             value);
        check("by a nonlinear equation, too" + name,
              other < 1e-9,
              std::to_string(other * 1e9) + "e-9");

        if (degree == 2)
          {
            ModelSetting square =
              written_setting("expressions",
                              dim,
                              "set Capacity = 0\nset Diffusion = k\n"
                              "set Source = -2*k\nset Dirichlet value = x^2\n",
                              {{"k", 1.}},
                              {"k"});
            square.sensors = heat.sensors;
            const double third =
              largest_error<dim>(EvolutionModel<dim>(square,
                                                     level(1, 1., degree),
                                                     solver,
                                                     true,
                                                     irregular_mesh<dim>()),
                                 heat.sensors,
                                 {1.3},
                                 [](const std::vector<double> &x) {
                                   return x[0] * x[0];
                                 });
            check("a square is reproduced" + name,
                  third < 1e-12,
                  std::to_string(third * 1e12) + "e-12");
          }

        // Fields have the right values at hanging nodes.
        const SpaceDiscretisation<dim> &space = model.get_space();
        NodalVector nodal(space.n_interior(), space.n_boundary());
        const auto  at = [&](const double *x) {
          return value(std::vector<double>(x, x + dim));
        };
        for (unsigned int i = 0; i < space.n_dofs(); ++i)
          nodal[i] = at(&space.nodes()[dim * i]);
        const dealii::Vector<double>    field = space.field_of(nodal);
        std::vector<dealii::Point<dim>> points(field.size());
        dealii::DoFTools::map_dofs_to_support_points(
          dealii::StaticMappingQ1<dim>::mapping,
          space.get_dof_handler(),
          points);
        double difference = 0.;
        for (std::size_t i = 0; i < points.size(); ++i)
          difference = std::max(difference,
                                std::abs(field[i] - at(points[i].begin_raw())));
        check("fields are right at hanging nodes" + name,
              difference < 1e-13 && field.size() > space.n_dofs(),
              std::to_string(difference));

        // Few tables for many cells.
        const IntegrationPoints &cells = space.cells();
        const std::size_t        size =
          std::size_t(cells.n_points_per_block) * cells.n_dofs_per_block;
        const std::size_t n_tables = cells.gradients.size() / size / dim;
        figures << n_tables << " tables for " << cells.n_blocks() << " cells"
                << name << std::endl;
        check("congruent cells share a table" + name,
              n_tables < (dim == 2 ? 30 : 200) &&
                n_tables < cells.n_blocks() / 2,
              std::to_string(n_tables));
      }
  }

  template <int dim>
  void
  check_gradients()
  {
    const std::string in = " in dimension " + std::to_string(dim);
    for (const std::string type : {"pollution source", "quasi-gas dynamics"})
      {
        std::map<std::string, double> values{{"x", 0.4}, {"y", 0.55}};
        if (dim > 2)
          values["z"] = 0.5;
        if (type == "pollution source")
          values["diffusivity"] = 0.8;
        else
          values["alpha"] = 0.2;
        std::vector<std::string> unknowns;
        for (const auto &entry : values)
          unknowns.push_back(entry.first);
        ModelSetting setting =
          written_setting(type,
                          dim,
                          type == "pollution source" ? "" :
                                                       "set Source = 1 + x*t\n",
                          values,
                          unknowns);
        setting.final_time = 0.1;
        setting.sensors    = sensors(dim, 0.06);
        SolverParameters solver;
        solver.gradient      = FemGradient::adjoint;
        solver.time_stepping = "BDF2";
        const EvolutionModel<dim> model(
          setting, level(1, 0.02), solver, true, irregular_mesh<dim>());
        std::vector<double> state;
        for (const unsigned int i : setting.unknowns)
          state.push_back(setting.values[i]);
        const double order = taylor_order(model, state, 7);
        figures << "Taylor, " << type << in << ": " << order << std::endl;
        check("Taylor's formula, " + type + in,
              std::abs(order - 2.) < 0.1,
              std::to_string(order));
      }

    // Without unknowns in the operator there are three ways.
    ModelSetting setting = source_setting(dim);
    setting.sensors      = sensors(dim, 0.02);
    SolverParameters solver;
    const auto       model = std::make_shared<EvolutionModel<dim>>(
      setting, level(1, 0.005), solver, true, irregular_mesh<dim>());
    const PrecomputedModel<dim> precomputed(model);
    FiniteDifferenceModel       differences(model,
                                      {},
                                      std::vector<ParameterRange>(dim));
    const std::vector<double>   state(dim, 0.43),
      weights(setting.sensors.size(), 0.3);
    std::vector<double> one, two, three;
    const auto          by_adjoint = gradient(*model, state, weights, one);
    const auto          by_rows    = gradient(precomputed, state, weights, two);
    const auto          by_steps = gradient(differences, state, weights, three);
    const double        rows =
      relative_difference(by_rows, by_adjoint) + relative_difference(two, one);
    const double steps = relative_difference(by_steps, by_adjoint);
    check("three ways to a gradient" + in,
          rows < 1e-10 && steps < 1e-6,
          std::to_string(rows) + " " + std::to_string(steps));
  }

  /** Uniform refinement on top: order 2. */
  void
  check_order()
  {
    const ModelSetting setting = [] {
      ModelSetting result = written_setting(
        "expressions",
        2,
        "set Capacity = 0\nset Diffusion = k\n"
        "set Source = 2*pi^2*sin(pi*x)*sin(pi*y)\nset Dirichlet value = 0\n",
        {{"k", 1.}},
        {"k"});
      // Nodes of all meshes.
      for (const double x : {0.125, 0.25, 0.5, 0.75})
        result.sensors.push_back({"sensor", {x, 0.5}, 0.});
      return result;
    }();
    std::vector<double> logs_h, logs_e;
    for (const unsigned int n : {1u, 2u, 3u, 4u})
      {
        const std::vector<double> values =
          predict(EvolutionModel<2>(setting,
                                    level(1, 1.),
                                    SolverParameters(),
                                    true,
                                    irregular_mesh<2>(n)),
                  {1.});
        double sum = 0.;
        for (std::size_t k = 0; k < values.size(); ++k)
          {
            const std::vector<double> &x = setting.sensors[k].place;
            sum += std::pow(values[k] - std::sin(dealii::numbers::PI * x[0]) *
                                          std::sin(dealii::numbers::PI * x[1]),
                            2);
          }
        logs_h.push_back(-std::log(2.) * n);
        logs_e.push_back(0.5 * std::log(sum));
        figures << "rms error " << std::sqrt(sum) << std::endl;
      }
    const double order = slope(logs_h, logs_e);
    figures << "order: " << order << std::endl;
    check("order 2 by uniform refinement",
          std::abs(order - 2.) < 0.15,
          std::to_string(order));
  }

  /** Root mean square of the errors of predictions over some sources. */
  double
  error_over_sources(const FemModel                         &model,
                     const FemModel                         &truth,
                     const std::vector<std::vector<double>> &sources)
  {
    double sum = 0.;
    for (const auto &source : sources)
      {
        const auto values = predict(model, source);
        const auto exact  = predict(truth, source);
        for (std::size_t k = 0; k < values.size(); ++k)
          sum += std::pow(values[k] - exact[k], 2) /
                 (values.size() * sources.size());
      }
    return std::sqrt(sum);
  }

  /** The paper's Experiment 1. */
  void
  check_adaptation()
  {
    const ModelSetting                setting = source_setting(2);
    const std::vector<ParameterRange> ranges(2, {1., 0., 1.});
    const SolverParameters            solver;
    constexpr double                  time_step = 0.0025;

    // The reference has the same error in time and next to none in space.
    const auto truth =
      make_fem_model(setting, level(40, time_step, 4), solver, ranges);
    std::vector<std::vector<double>> sources;
    for (unsigned int i = 0; i < 40; ++i)
      {
        RandomKey key;
        key.seed  = 3;
        key.chain = i;
        std::vector<double> place(2);
        fill_uniforms(key, dealii::make_array_view(place));
        sources.push_back(place);
      }

    FemLevelParameters adaptive   = level(10, time_step);
    adaptive.adaptive_refinements = 3;
    adaptive.adaptive_share       = 0.2;
    const auto   model = make_fem_model(setting, adaptive, solver, ranges);
    const double error = error_over_sources(*model, *truth, sources);
    for (unsigned int n = 1; n <= 5; ++n)
      {
        FemLevelParameters here   = adaptive;
        here.adaptive_refinements = n;
        const auto other = make_fem_model(setting, here, solver, ranges);
        figures << "adaptive: " << other->n_dofs() << " unknowns, error "
                << error_over_sources(*other, *truth, sources) << std::endl;
      }

    // Every uniform mesh with up to twice as many unknowns, also those that
    // have nodes at the sensors.
    double best = 1e10;
    for (unsigned int n = 10; (n + 1) * (n + 1) <= 2 * model->n_dofs(); ++n)
      {
        const auto uniform =
          make_fem_model(setting, level(n, time_step), solver, ranges);
        const double here = error_over_sources(*uniform, *truth, sources);
        figures << "uniform: " << uniform->n_dofs() << " unknowns, error "
                << here << std::endl;
        best = std::min(best, here);
      }
    figures << "uniform: 2601 unknowns, error "
            << error_over_sources(
                 *make_fem_model(setting, level(50, time_step), solver, ranges),
                 *truth,
                 sources)
            << std::endl;
    check("an adapted mesh is better than any uniform one of twice its size",
          error < best,
          std::to_string(error) + " and " + std::to_string(best));

    check("the mesh is the same each time",
          predict(*make_fem_model(setting, adaptive, solver, ranges),
                  {0.4, 0.4}) == predict(*model, {0.4, 0.4}));
    check("it says so",
          model->description().find("adapted mesh") != std::string::npos,
          model->description());

    // Checks by refinement refine the same mesh once more.
    FemLevelParameters refined = adaptive;
    refined.final_refinements  = 1;
    refined.adaptive_time_step = time_step;
    refined.time_step          = time_step / 2.;
    const auto n_cells         = [&](const FemLevelParameters &here) {
      return make_adapted_mesh<2>(setting, here, solver, ranges)
        .triangulation->n_active_cells();
    };
    check("refined once more", n_cells(refined) == 4 * n_cells(adaptive));

    // Other dimensions, priors without bounds, and a nonlinear equation.
    for (const unsigned int dim : {1u, 3u})
      {
        FemLevelParameters small   = level(dim == 1 ? 10 : 4, 0.01);
        small.adaptive_refinements = 2;
        const auto here =
          make_fem_model(source_setting(dim),
                         small,
                         solver,
                         std::vector<ParameterRange>(dim, {0.2}));
        check("adapted in dimension " + std::to_string(dim),
              std::isfinite(predict(*here, std::vector<double>(dim, 0.4))[0]) &&
                here->n_dofs() > std::pow(dim == 1 ? 11 : 5, dim));
      }
    ModelSetting reaction =
      written_setting("nonlinear reaction",
                      2,
                      "set Source = 5 + 20*x\nset Dirichlet value = 1 + x\n",
                      {{"alpha", 0.9}},
                      {"alpha"});
    reaction.sensors           = {{"sensor", {0.3, 0.4}, 0.}};
    FemLevelParameters small   = level(6, 1.);
    small.adaptive_refinements = 2;
    const auto nonlinear =
      make_fem_model(reaction,
                     small,
                     solver,
                     {{0.5, 0., std::numeric_limits<double>::infinity()}});
    const double order = taylor_order(*nonlinear, {0.9}, 5);
    check("adapted to a nonlinear equation",
          nonlinear->n_dofs() > 49 && std::abs(order - 2.) < 0.1,
          std::to_string(order));
  }
} // namespace

int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);

  check_patches<2>();
  check_patches<3>();
  check_gradients<2>();
  check_gradients<3>();
  check_order();
  check_adaptation();
  return result();
}
