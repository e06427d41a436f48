// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/field_files.h>
#include <tempera/fem/lane_loops.h>
#include <tempera/fem/mesh_model.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    const ModelSetting &
    verified(const ModelSetting &setting)
    {
      setting.problem->verify();
      return setting;
    }

    TimeGrid
    make_grid(const ModelSetting &setting, const FemLevelParameters &level)
    {
      return setting.problem->order_in_time() == 0 ?
               TimeGrid() :
               TimeGrid(setting.final_time, level.time_step);
    }

    /** A stationary equation is one step of the simplest scheme. */
    std::string
    scheme_name(const ModelSetting &setting, const SolverParameters &solver)
    {
      return setting.problem->order_in_time() == 0 ? "backward Euler" :
                                                     solver.time_stepping;
    }

    template <int dim>
    std::vector<ObservationRow>
    make_observations(const ModelSetting             &setting,
                      const SpaceDiscretisation<dim> &space,
                      const TimeGrid                 &grid)
    {
      constexpr double tolerance = 1e-9;

      const std::vector<PointRow> rows = space.rows_of(setting.sensors);
      std::vector<ObservationRow> result;
      for (std::size_t k = 0; k < rows.size(); ++k)
        {
          const Sensor  &sensor = setting.sensors[k];
          ObservationRow row;
          row.nodes             = rows[k];
          const double position = sensor.time / grid.step;
          if (grid.is_stationary)
            row.instants = {{1, 1.}};
          else if (!(position >= -tolerance &&
                     position <= grid.n_steps + tolerance))
            throw UserError("The time " + to_text(sensor.time) + " of " +
                            sensor.name +
                            " is not between 0 and the final time " +
                            to_text(setting.final_time) +
                            ". Correct it, or raise 'Problem/Final time'.");
          else
            {
              // Between two instants the value is interpolated.
              const double       below   = std::floor(position + tolerance);
              const double       part    = position - below;
              const unsigned int instant = static_cast<unsigned int>(below);
              if (part <= tolerance)
                row.instants = {{instant, 1.}};
              else
                row.instants = {{instant, 1. - part}, {instant + 1, part}};
            }
          result.push_back(row);
        }
      return result;
    }

    template <int dim>
    TimeCourse
    make_course(const ModelSetting             &setting,
                const FemLevelParameters       &level,
                const SolverParameters         &solver,
                const SpaceDiscretisation<dim> &space)
    {
      const TimeGrid    grid   = make_grid(setting, level);
      const std::string scheme = scheme_name(setting, solver);
      return TimeCourse(grid,
                        scheme,
                        setting.problem->order_in_time() == 2,
                        make_channels(*setting.problem,
                                      setting.varying(),
                                      grid,
                                      TimeScheme::named(scheme),
                                      TimeScheme::for_first_step(scheme)),
                        make_observations(setting, space, grid),
                        {space.n_interior(), space.n_boundary()});
    }
  } // namespace



  void
  NoDerivative::apply_transpose(const dealii::ArrayView<const double> &,
                                const dealii::ArrayView<double> &gradient) const
  {
    std::fill(gradient.begin(),
              gradient.end(),
              std::numeric_limits<double>::quiet_NaN());
  }



  template <int dim>
  MeshModel<dim>::MeshModel(const ModelSetting       &setting,
                            const FemLevelParameters &level,
                            const SolverParameters   &solver,
                            const bool                use_products,
                            const Mesh<dim>          &mesh)
    : setting(verified(setting))
    , solver(solver)
    , space(mesh.triangulation ?
              mesh :
              make_mesh<dim>(setting.domain, level, setting.communicator),
            level.degree,
            *setting.problem,
            level.additional_points)
    , course(make_course(setting, level, solver, space))
    , data(course.make_data(course.channels.size()))
  {
    const auto split = course.channels.begin() + course.n_variable_channels();
    data_map         = make_data_map<dim>(*setting.problem,
                                  space,
                                  {course.channels.begin(), split},
                                  use_products,
                                  setting.fields);

    const std::vector<Channel> constant(split, course.channels.end());
    std::vector<NodalVector> constant_data = course.make_data(constant.size());
    make_data_map<dim>(*setting.problem, space, constant, use_products)
      ->assemble({dealii::make_array_view(setting.values), {}}, constant_data);
    for (std::size_t c = 0; c < constant.size(); ++c)
      if (!is_finite(constant_data[c]))
        throw UserError(
          "'" + setting.problem->functions()[constant[c].functions[0]].name +
          "' is not finite everywhere. Look at its formula: does it divide by "
          "zero, or take a root or a logarithm of something negative?");
    std::move(constant_data.begin(),
              constant_data.end(),
              data.begin() + course.n_variable_channels());
  }



  template <int dim>
  const std::vector<NodalVector> &
  MeshModel<dim>::data_at(const std::vector<double> &theta) const
  {
    data_map->assemble({dealii::make_array_view(theta), {}}, data);
    return data;
  }



  template <int dim>
  std::vector<NodalVector>
  MeshModel<dim>::constant_data() const
  {
    std::vector<NodalVector> result = data;
    for (unsigned int c = 0; c < course.n_variable_channels(); ++c)
      result[c].set_zero();
    return result;
  }



  template <int dim>
  bool
  MeshModel<dim>::is_finite(const NodalVector &vector) const
  {
    double size = vector.interior.l2_norm() + vector.boundary.l2_norm();
    space.sum(dealii::ArrayView<double>(&size, 1));
    return std::isfinite(size);
  }



  template <int dim>
  std::vector<double>
  MeshModel<dim>::all_parameters(
    const dealii::ArrayView<const double> &unknowns) const
  {
    std::vector<double> result = setting.values;
    const std::size_t   n      = setting.unknowns.size();
    for (unsigned int i = 0; i < n; ++i)
      result[setting.unknowns[i]] = unknowns[i];
    result.insert(result.end(), unknowns.begin() + n, unknowns.end());
    return result;
  }



  template <int dim>
  void
  MeshModel<dim>::apply_to_data(const std::vector<double>       &theta,
                                const std::vector<NodalVector>  &weights,
                                const dealii::ArrayView<double> &gradient) const
  {
    const auto functional = data_map->prepare({weights}, false);
    double     value;
    data_map->apply(*functional,
                    {dealii::make_array_view(theta),
                     dealii::make_array_view(setting.unknowns)},
                    dealii::ArrayView<double>(&value, 1),
                    gradient);
  }



  template <int dim>
  std::shared_ptr<const Linearisation>
  MeshModel<dim>::no_solution(const dealii::ArrayView<double> &predictions,
                              const std::string               &reason) const
  {
    std::fill(predictions.begin(),
              predictions.end(),
              std::numeric_limits<double>::quiet_NaN());
    return std::make_shared<NoDerivative>(reason);
  }



  template <int dim>
  std::unique_ptr<const ReplaySchedule>
  MeshModel<dim>::make_schedule() const
  {
    if (solver.gradient == FemGradient::differences)
      return nullptr;
    constexpr double   megabyte = 1e6;
    const unsigned int n_old    = course.scheme.n_old;
    const unsigned int fewest =
      ReplaySchedule::fewest_instants(n_steps(), n_old);
    // The process with the largest part decides: all go back by the same
    // steps.
    const double size = dealii::Utilities::MPI::max(course.size_of_instant(),
                                                    setting.communicator);
    const double n_instants =
      std::floor(solver.trajectory_memory * megabyte / size);
    if (n_instants < fewest)
      throw UserError(
        "'Solver/Trajectory memory' is " + to_text(solver.trajectory_memory) +
        " MB, but the adjoint of a level with " + counted(n_dofs(), "unknown") +
        " needs at least " +
        to_text(std::ceil(1000. * fewest * size / megabyte) / 1000.) +
        " MB, for " + counted(fewest, "instant") +
        ". Raise it, make the mesh coarser, or set 'Solver/Gradient = finite "
        "differences', which need none.");
    return std::make_unique<const ReplaySchedule>(n_steps(), n_old, n_instants);
  }



  template <int dim>
  SolverWork
  MeshModel<dim>::work_with(const ReplaySchedule *schedule) const
  {
    const double sweep = double(n_dofs()) * n_steps();
    return {sweep,
            sweep + (schedule ? n_dofs() * schedule->n_repeated_steps() : 0.),
            0.};
  }



  template <int dim>
  std::string
  MeshModel<dim>::description_of_size() const
  {
    return counted(n_dofs(), "unknown") +
           (space.is_adapted() ? " on an adapted mesh" : "") + ", " +
           (course.grid.is_stationary ?
              "stationary" :
              counted(n_steps(), "step") + " of " + solver.time_stepping) +
           (space.get_partition() ?
              " on " + std::to_string(n_processes(setting.communicator)) +
                " processes" :
              "");
  }



  template <int dim>
  std::vector<std::vector<double>>
  MeshModel<dim>::predict(const std::vector<std::vector<double>> &states) const
  {
    std::vector<std::vector<double>> result = solve_all(states, {});
    for (std::vector<double> &predictions : result)
      if (predictions.empty())
        predictions.assign(n_predictions(),
                           std::numeric_limits<double>::quiet_NaN());
    return result;
  }



  template <int dim>
  std::vector<std::vector<double>>
  MeshModel<dim>::solve_all(const std::vector<std::vector<double>> &states,
                            const LaneListener &listener) const
  {
    constexpr unsigned int           n_lanes = 1;
    std::vector<std::vector<double>> result;
    for (std::size_t i = 0; i < states.size(); ++i)
      {
        InstantListener of_one;
        if (listener)
          of_one = [&](const unsigned int n, const NodalVector &value) {
            listener(i, n, value, n_lanes);
          };
        result.emplace_back(n_predictions());
        if (!solve(all_parameters(dealii::ArrayView<const double>(
                     states[i].data(), n_parameters())),
                   dealii::make_array_view(result.back()),
                   of_one))
          result.back().clear();
      }
    return result;
  }



  template <int dim>
  void
  MeshModel<dim>::write_fields(const std::vector<std::vector<double>> &states,
                               const FieldFileNames &names) const
  {
    // Instants to write, evenly spaced; the solution of a stationary
    // equation is at the last one.
    const TimeGrid    &grid = course.grid;
    const unsigned int n_times =
      grid.is_stationary ? 1 : std::min(names.n_times, grid.n_steps + 1);
    std::vector<unsigned int> instants;
    for (unsigned int i = 0; i < n_times; ++i)
      instants.push_back(
        n_times == 1 ? grid.n_steps :
                       std::lround(double(i) * grid.n_steps / (n_times - 1)));

    const dealii::Vector<double> zero(
      space.field_of(course.make_vector()).size());
    std::vector<FieldAtTime> fields;
    for (const unsigned int instant : instants)
      fields.push_back({grid.time(instant), zero, zero});

    // So many states at a time, by state and time: one counts only if it can be
    // solved to the end.
    constexpr std::size_t n_at_a_time = LaneLoops::n_lanes;
    std::vector<std::vector<dealii::Vector<double>>> here(
      n_at_a_time, std::vector<dealii::Vector<double>>(instants.size()));
    NodalVector  of_one = course.make_vector();
    unsigned int count  = 0;
    for (std::size_t begin = 0; begin < states.size(); begin += n_at_a_time)
      {
        const std::size_t end = std::min(begin + n_at_a_time, states.size());
        const auto        observed =
          solve_all({states.begin() + begin, states.begin() + end},
                    [&](const std::size_t  first,
                        const unsigned int n,
                        const NodalVector &values,
                        const unsigned int n_lanes) {
                      const auto instant =
                        std::lower_bound(instants.begin(), instants.end(), n);
                      if (instant == instants.end() || *instant != n)
                        return;
                      const std::size_t t = instant - instants.begin();
                      for (std::size_t lane = 0;
                           lane < n_lanes && first + lane < end - begin;
                           ++lane)
                        {
                          if (n_lanes > 1)
                            of_one.copy_from_lane(values, lane);
                          here[first + lane][t] =
                            space.field_of(n_lanes > 1 ? of_one : values);
                        }
                    });
        for (std::size_t k = 0; k < observed.size(); ++k)
          {
            if (observed[k].empty())
              continue;
            ++count;
            for (std::size_t t = 0; t < instants.size(); ++t)
              for (unsigned int i = 0; i < zero.size(); ++i)
                {
                  // Welford's update.
                  const double value = here[k][t][i];
                  const double delta = value - fields[t].mean[i];
                  fields[t].mean[i] += delta / count;
                  fields[t].deviation[i] += delta * (value - fields[t].mean[i]);
                }
          }
      }
    if (count == 0)
      throw UserError("The equation cannot be solved for the values that a "
                      "field was asked for, so that there is nothing to write. "
                      "Take other values, or set the number of fields to 0.");
    for (FieldAtTime &field : fields)
      if (count > 1)
        for (double &sum : field.deviation)
          sum = std::sqrt(sum / (count - 1));
      else
        field.deviation.reinit(0);
    write_field_files(space.get_dof_handler(), fields, names);
  }



  template class MeshModel<1>;
  template class MeshModel<2>;
  template class MeshModel<3>;
} // namespace Tempera
