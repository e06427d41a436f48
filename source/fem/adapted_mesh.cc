// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/fem/adapted_mesh.h>
#include <tempera/fem/evolution_model.h>
#include <tempera/fem/nonlinear_model.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/grid/grid_refinement.h>
#include <deal.II/numerics/error_estimator.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    /** How many values of the unknowns, and how many time levels, are tried. */
    constexpr unsigned int n_samples = 16, n_times = 8;

    /** Point @p index of a sequence of low discrepancy in the unit cube. */
    std::vector<double>
    spread_point(const unsigned int index, const unsigned int dimension)
    {
      // Additive recurrence with powers of the positive root of
      // x^(d+1) = x + 1, which generalises the golden ratio.
      double root = 1.5;
      for (unsigned int i = 0; i < 100; ++i)
        root = std::pow(1. + root, 1. / (dimension + 1.));
      std::vector<double> result;
      double              step = 1.;
      for (unsigned int i = 0; i < dimension; ++i)
        {
          step /= root;
          const double place = 0.5 + index * step;
          result.push_back(place - std::floor(place));
        }
      return result;
    }

    /** A value of an unknown; @p middle is that of 0.5 if it has no bounds. */
    double
    spread_value(const double          place,
                 const double          middle,
                 const ParameterRange &range)
    {
      if (std::isfinite(range.lower) && std::isfinite(range.upper))
        return range.lower + place * (range.upper - range.lower);
      if (!std::isfinite(range.lower) && !std::isfinite(range.upper))
        return middle + (2. * place - 1.) * range.scale;
      // With one bound, a multiple of the distance from it.
      const double bound =
        std::isfinite(range.lower) ? range.lower : range.upper;
      const double distance = middle - bound;
      if (distance == 0.)
        return middle;
      return bound + distance * std::exp((2. * place - 1.) * range.scale /
                                         std::abs(distance));
    }

    template <int dim>
    std::unique_ptr<const MeshModel<dim>>
    make_model_on(const Mesh<dim>          &mesh,
                  const ModelSetting       &setting,
                  const FemLevelParameters &level,
                  const SolverParameters   &solver)
    {
      if (setting.problem->has_residual())
        return std::make_unique<const NonlinearModel<dim>>(setting,
                                                           level,
                                                           solver,
                                                           mesh);
      return std::make_unique<const EvolutionModel<dim>>(
        setting, level, solver, true, mesh);
    }

    /** Kelly's indicators of some functions, by function and cell. */
    template <int dim>
    std::vector<dealii::Vector<float>>
    kelly_indicators(const SpaceDiscretisation<dim>            &space,
                     const std::vector<dealii::Vector<double>> &fields)
    {
      const dealii::DoFHandler<dim>     &dof_handler = space.get_dof_handler();
      std::vector<dealii::Vector<float>> result(
        fields.size(),
        dealii::Vector<float>(
          dof_handler.get_triangulation().n_active_cells()));
      std::vector<const dealii::Vector<double> *> solutions;
      std::vector<dealii::Vector<float> *>        errors;
      for (std::size_t i = 0; i < fields.size(); ++i)
        {
          solutions.push_back(&fields[i]);
          errors.push_back(&result[i]);
        }
      dealii::KellyErrorEstimator<dim>::estimate(
        dof_handler,
        dealii::QGauss<dim - 1>(dof_handler.get_fe().degree + 1),
        {},
        solutions,
        errors);
      return result;
    }

    /** Time levels, evenly spaced, the last one included. */
    template <int dim>
    std::vector<unsigned int>
    times_of(const MeshModel<dim> &model)
    {
      const unsigned int        n = std::min(n_times, model.n_steps());
      std::vector<unsigned int> result;
      for (unsigned int i = 1; i <= n; ++i)
        result.push_back(i * model.n_steps() / n);
      return result;
    }

    using Fields = std::vector<dealii::Vector<double>>;

    /** The solution at some times; empty if there is none. */
    template <int dim>
    Fields
    solution_at(const MeshModel<dim>            &model,
                const std::vector<double>       &theta,
                const std::vector<unsigned int> &times)
    {
      Fields              result;
      std::vector<double> ignored(model.n_predictions());
      if (!model.solve(theta,
                       dealii::make_array_view(ignored),
                       [&](const unsigned int n, const NodalVector &value) {
                         if (std::binary_search(times.begin(), times.end(), n))
                           result.push_back(model.get_space().field_of(value));
                       }))
        return {};
      return result;
    }

    /** The adjoint solution for the sum of all observations, likewise. */
    template <int dim>
    Fields
    adjoint_at(const MeshModel<dim>            &model,
               const std::vector<double>       &theta,
               const std::vector<unsigned int> &times)
    {
      Fields                    result;
      NodalVector               value = model.get_course().make_vector();
      const std::vector<double> weights(model.n_predictions(), 1.);
      if (!model.solve_adjoint(
            theta,
            dealii::make_array_view(weights),
            [&](const unsigned int            n,
                const dealii::Vector<double> &multiplier) {
              if (std::binary_search(times.begin(), times.end(), n))
                {
                  value.interior = multiplier;
                  result.push_back(model.get_space().field_of(value));
                }
            }))
        return {};
      std::reverse(result.begin(), result.end());
      return result;
    }

    template <int dim>
    dealii::Vector<float>
    error_indicators(const MeshModel<dim>              &model,
                     const ModelSetting                &setting,
                     const std::vector<ParameterRange> &ranges)
    {
      // The estimator is much faster for many fields at a time, of which so
      // many bytes are kept.
      constexpr double most_memory = 2e8;

      const SpaceDiscretisation<dim> &space = model.get_space();
      const std::vector<unsigned int> times = times_of(model);
      const auto *linear = dynamic_cast<const EvolutionModel<dim> *>(&model);
      const bool  adjoint_is_fixed =
        linear != nullptr && linear->unknowns_in_operator().empty();

      dealii::Vector<float> result(
        space.get_dof_handler().get_triangulation().n_active_cells());
      Fields                             solutions, adjoints;
      std::vector<dealii::Vector<float>> of_adjoints;
      const auto                         add_products = [&]() {
        if (of_adjoints.empty() || !adjoint_is_fixed)
          of_adjoints = kelly_indicators(space, adjoints);
        const auto of_solutions = kelly_indicators(space, solutions);
        for (std::size_t i = 0; i < of_solutions.size(); ++i)
          for (std::size_t cell = 0; cell < result.size(); ++cell)
            result[cell] +=
              of_solutions[i][cell] * of_adjoints[i % of_adjoints.size()][cell];
        solutions.clear();
        if (!adjoint_is_fixed)
          adjoints.clear();
      };
      for (unsigned int sample = 0; sample < n_samples; ++sample)
        {
          std::vector<double> theta = setting.values;
          const auto place = spread_point(sample, setting.unknowns.size());
          for (std::size_t i = 0; i < place.size(); ++i)
            theta[setting.unknowns[i]] =
              spread_value(place[i],
                           setting.values[setting.unknowns[i]],
                           ranges[i]);
          const Fields solution = solution_at(model, theta, times);
          if (solution.empty())
            continue;
          if (adjoints.empty() || !adjoint_is_fixed)
            {
              const Fields adjoint = adjoint_at(model, theta, times);
              if (adjoint.empty())
                continue;
              adjoints.insert(adjoints.end(), adjoint.begin(), adjoint.end());
            }
          solutions.insert(solutions.end(), solution.begin(), solution.end());
          if (sizeof(double) * double(model.n_dofs()) * solutions.size() >
              most_memory)
            add_products();
        }
      if (!solutions.empty())
        add_products();
      if (!(result.l1_norm() > 0.) || !std::isfinite(result.l1_norm()))
        throw UserError("The mesh of a level cannot be adapted: for values "
                        "from the priors of the unknowns the equation has no "
                        "solution, or the sensors see nothing of it. Look at "
                        "the priors, or set 'Adaptive refinements' to 0.");
      return result;
    }

    /** By active cell. */
    template <int dim>
    std::vector<bool>
    cells_to_refine(const Mesh<dim>                   &mesh,
                    const ModelSetting                &setting,
                    const FemLevelParameters          &level,
                    const SolverParameters            &solver,
                    const std::vector<ParameterRange> &ranges)
    {
      FemLevelParameters here = level;
      if (level.adaptive_time_step > 0.)
        here.time_step = level.adaptive_time_step;
      SolverParameters adjoint = solver;
      adjoint.gradient         = FemGradient::adjoint;
      // A linear equation's adjoint solution needs no trajectory.
      if (!setting.problem->has_residual())
        adjoint.trajectory_memory = std::numeric_limits<double>::infinity();

      dealii::GridRefinement::refine_and_coarsen_fixed_number(
        *mesh.triangulation,
        error_indicators(*make_model_on(mesh, setting, here, adjoint),
                         setting,
                         ranges),
        level.adaptive_share,
        0.);
      std::vector<bool> result;
      mesh.triangulation->save_refine_flags(result);
      return result;
    }

    template <int dim>
    void
    refine(Mesh<dim> &mesh, const std::vector<bool> &cells)
    {
      mesh.triangulation->load_refine_flags(cells);
      mesh.triangulation->execute_coarsening_and_refinement();
      mesh.is_lattice =
        mesh.is_lattice && !mesh.triangulation->has_hanging_nodes();
    }
  } // namespace



  template <int dim>
  Mesh<dim>
  make_adapted_mesh(const ModelSetting                &setting,
                    const FemLevelParameters          &level,
                    const SolverParameters            &solver,
                    const std::vector<ParameterRange> &ranges)
  {
    if (setting.sensors.empty())
      throw UserError("A level has 'Adaptive refinements', but there are no "
                      "sensors to adapt the mesh to. Set them to 0.");

    Mesh<dim> mesh =
      make_mesh<dim>(setting.domain, level, setting.communicator);
    if (n_processes(setting.communicator) == 1)
      for (unsigned int i = 0; i < level.adaptive_refinements; ++i)
        refine(mesh, cells_to_refine(mesh, setting, level, solver, ranges));
    else
      {
        // One process decides for all: what they find together would depend on
        // their number, by rounding, and with it the mesh.
        const bool decides =
          dealii::Utilities::MPI::this_mpi_process(setting.communicator) == 0;
        ModelSetting alone = setting;
        alone.communicator = MPI_COMM_SELF;
        Mesh<dim> own;
        if (decides)
          own = make_mesh<dim>(setting.domain, level, alone.communicator);
        for (unsigned int i = 0; i < level.adaptive_refinements; ++i)
          {
            std::vector<bool> flags;
            std::string       message;
            if (decides)
              try
                {
                  flags = cells_to_refine(own, alone, level, solver, ranges);
                  refine(own, flags);
                }
              catch (const UserError &error)
                {
                  message = error.what();
                }
            throw_together(setting.communicator, message);
            refine(mesh,
                   dealii::Utilities::MPI::broadcast(setting.communicator,
                                                     flags));
          }
      }
    mesh.triangulation->refine_global(level.final_refinements);
    return mesh;
  }



  template Mesh<1>
  make_adapted_mesh<1>(const ModelSetting &,
                       const FemLevelParameters &,
                       const SolverParameters &,
                       const std::vector<ParameterRange> &);
  template Mesh<2>
  make_adapted_mesh<2>(const ModelSetting &,
                       const FemLevelParameters &,
                       const SolverParameters &,
                       const std::vector<ParameterRange> &);
  template Mesh<3>
  make_adapted_mesh<3>(const ModelSetting &,
                       const FemLevelParameters &,
                       const SolverParameters &,
                       const std::vector<ParameterRange> &);
} // namespace Tempera
