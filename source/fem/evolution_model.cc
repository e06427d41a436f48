// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/evolution_model.h>
#include <tempera/fem/field_files.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    /** Add the matrix of a term to what there is. */
    void
    add_to(std::unique_ptr<OperatorMatrix> &sum, OperatorMatrix term)
    {
      if (sum)
        sum->add(1., term);
      else
        {
          sum = std::make_unique<OperatorMatrix>();
          sum->copy_from(term);
        }
    }

    void
    add_term(EvolutionMatrices    &matrices,
             const OperatorKind    kind,
             const OperatorMatrix &term)
    {
      OperatorMatrix copy;
      copy.copy_from(term);
      add_to(kind == OperatorKind::inertia  ? matrices.inertia :
             kind == OperatorKind::capacity ? matrices.capacity :
                                              matrices.stiffness,
             std::move(copy));
    }

    /** Where the equation cannot be solved. */
    class NoDerivative : public Linearisation
    {
    public:
      void
      apply_transpose(const dealii::ArrayView<const double> &,
                      const dealii::ArrayView<double> &gradient) const override
      {
        std::fill(gradient.begin(),
                  gradient.end(),
                  std::numeric_limits<double>::quiet_NaN());
      }
    };

    double
    bilinear(const dealii::Vector<double> &rows,
             const OperatorMatrix         &matrix,
             const NodalVector            &state,
             dealii::Vector<double>       &memory)
    {
      matrix.multiply(memory, state);
      return rows * memory;
    }
  } // namespace



  /** The sweep back, kept until somebody asks for it. */
  template <int dim>
  class EvolutionModel<dim>::Adjoint : public Linearisation
  {
  public:
    Adjoint(const EvolutionModel            &model,
            std::vector<double>              theta,
            std::shared_ptr<const Evolution> evolution,
            Trajectory                       trajectory)
      : model(model)
      , theta(std::move(theta))
      , evolution(std::move(evolution))
      , trajectory(std::move(trajectory))
    {}

    void
    apply_transpose(const dealii::ArrayView<const double> &weights,
                    const dealii::ArrayView<double> &gradient) const override
    {
      std::vector<std::vector<NodalVector>> sensitivities(
        1, evolution->make_data());

      const std::vector<unsigned int> &unknowns = model.setting.unknowns;
      std::vector<double>              operator_gradient(unknowns.size(), 0.);
      Evolution::StepListener          listener;

      // Derivatives of the matrices, by unknown.
      std::vector<EvolutionMatrices> derivatives(unknowns.size());
      Evolution::StepStates          states;
      dealii::Vector<double>         memory(model.space.n_interior());
      if (!trajectory.values.empty())
        {
          fill_derivatives(derivatives);
          listener = [&](const unsigned int            n,
                         const dealii::Vector<double> &multiplier) {
            evolution->states_of_step(n, trajectory, states);
            for (unsigned int i = 0; i < unknowns.size(); ++i)
              {
                const EvolutionMatrices &d = derivatives[i];
                if (d.inertia)
                  operator_gradient[i] -=
                    bilinear(multiplier, *d.inertia, states.inertia, memory);
                if (d.capacity)
                  operator_gradient[i] -=
                    bilinear(multiplier, *d.capacity, states.capacity, memory);
                if (d.stiffness)
                  operator_gradient[i] -= bilinear(multiplier,
                                                   *d.stiffness,
                                                   states.stiffness,
                                                   memory);
              }
          };
        }

      evolution->adjoint(weights, sensitivities[0], listener);
      const auto functional = model.data_map->prepare(sensitivities, false);
      double     value;
      model.data_map->apply(*functional,
                            {dealii::make_array_view(theta),
                             dealii::make_array_view(unknowns)},
                            dealii::ArrayView<double>(&value, 1),
                            gradient);
      for (unsigned int i = 0; i < unknowns.size(); ++i)
        gradient[i] += operator_gradient[i];
    }

  private:
    void
    fill_derivatives(std::vector<EvolutionMatrices> &derivatives) const
    {
      const std::vector<unsigned int> &unknowns = model.setting.unknowns;
      const IntegrationPoints         &cells    = model.space.cells();
      const std::size_t                n        = cells.weights.size();
      std::vector<double>              values(n), slopes(n * unknowns.size());
      for (const OperatorTerm &term : model.setting.problem->operator_terms())
        {
          model.setting.problem->evaluate(
            {term.function},
            0.,
            dealii::make_array_view(cells.coordinates),
            {dealii::make_array_view(theta), dealii::make_array_view(unknowns)},
            dealii::make_array_view(values),
            dealii::make_array_view(slopes));
          const auto &named =
            model.setting.problem->functions()[term.function].parameters;
          for (unsigned int i = 0; i < unknowns.size(); ++i)
            if (std::find(named.begin(), named.end(), unknowns[i]) !=
                named.end())
              add_term(derivatives[i],
                       term.kind,
                       model.space.assemble(term.kind,
                                            {slopes.begin() + i * n,
                                             slopes.begin() + (i + 1) * n}));
        }
    }

    const EvolutionModel                  &model;
    const std::vector<double>              theta;
    const std::shared_ptr<const Evolution> evolution;
    const Trajectory                       trajectory;
  };



  template <int dim>
  EvolutionModel<dim>::EvolutionModel(const ModelSetting       &setting,
                                      const FemLevelParameters &level,
                                      const SolverParameters   &solver,
                                      const bool                use_products)
    : setting(setting)
    , solver(solver)
    , space(setting.mesh_file, level, *setting.problem)
    , grid(setting.final_time, level.time_step)
    , channels(make_channels(*setting.problem,
                             grid,
                             TimeScheme::named(solver.time_stepping),
                             TimeScheme::for_first_step(solver.time_stepping)))
    , observations(make_observations())
    , data_map(
        make_data_map<dim>(*setting.problem, space, channels, use_products))
    , data(channels.size(), NodalVector(space.n_interior(), space.n_boundary()))
  {
    setting.problem->verify_dependencies();
    for (const OperatorTerm &term : setting.problem->operator_terms())
      if (setting.problem->functions()[term.function].varies_in_time)
        throw UserError("The coefficient '" +
                        setting.problem->functions()[term.function].name +
                        "' of the operator varies in time, which this version "
                        "cannot solve.");
    if (unknowns_in_operator().empty())
      evolution = make_evolution(setting.values);
  }



  template <int dim>
  std::vector<ObservationRow>
  EvolutionModel<dim>::make_observations() const
  {
    constexpr double tolerance = 1e-9;

    std::vector<ObservationRow> result;
    for (const Sensor &sensor : setting.sensors)
      {
        const double position = sensor.time / grid.step;
        if (!(position >= -tolerance && position <= grid.n_steps + tolerance))
          throw UserError("The time " + to_text(sensor.time) + " of " +
                          sensor.name +
                          " is not between 0 and the final time " +
                          to_text(setting.final_time) +
                          ". Correct it, or raise 'Problem/Final time'.");
        ObservationRow row;
        row.nodes = space.row_of(sensor);
        // Between two levels the value is interpolated.
        const double below = std::floor(position + tolerance);
        const double part  = position - below;
        if (part <= tolerance)
          row.levels = {{static_cast<unsigned int>(below), 1.}};
        else
          row.levels = {{static_cast<unsigned int>(below), 1. - part},
                        {static_cast<unsigned int>(below) + 1, part}};
        result.push_back(row);
      }
    return result;
  }



  template <int dim>
  std::vector<unsigned int>
  EvolutionModel<dim>::unknowns_in_operator() const
  {
    std::vector<unsigned int> result;
    for (const unsigned int parameter : setting.unknowns)
      if (setting.problem->operator_depends_on(parameter))
        result.push_back(parameter);
    return result;
  }



  template <int dim>
  EvolutionMatrices
  EvolutionModel<dim>::assemble_matrices(const ParameterValues &theta) const
  {
    EvolutionMatrices        matrices;
    const IntegrationPoints &cells = space.cells();
    std::vector<double>      coefficient(cells.weights.size());
    for (const OperatorTerm &term : setting.problem->operator_terms())
      {
        setting.problem->evaluate({term.function},
                                  0.,
                                  dealii::make_array_view(cells.coordinates),
                                  theta,
                                  dealii::make_array_view(coefficient),
                                  {});
        add_term(matrices, term.kind, space.assemble(term.kind, coefficient));
      }
    matrices.n_boundary = space.n_boundary();
    return matrices;
  }



  template <int dim>
  std::shared_ptr<const Evolution>
  EvolutionModel<dim>::make_evolution(const std::vector<double> &theta) const
  {
    return std::make_shared<Evolution>(assemble_matrices(
                                         {dealii::make_array_view(theta), {}}),
                                       grid,
                                       solver,
                                       channels,
                                       observations);
  }



  template <int dim>
  std::vector<double>
  EvolutionModel<dim>::all_parameters(
    const dealii::ArrayView<const double> &unknowns) const
  {
    std::vector<double> result = setting.values;
    for (unsigned int i = 0; i < unknowns.size(); ++i)
      result[setting.unknowns[i]] = unknowns[i];
    return result;
  }



  template <int dim>
  std::shared_ptr<const Linearisation>
  EvolutionModel<dim>::evaluate(
    const dealii::ArrayView<const double> &parameters,
    const dealii::ArrayView<double>       &predictions,
    const bool) const
  {
    std::vector<double> theta = all_parameters(parameters);
    data_map->assemble({dealii::make_array_view(std::as_const(theta)), {}},
                       data);
    Trajectory                       trajectory;
    std::shared_ptr<const Evolution> here = evolution;
    if (!here)
      try
        {
          here = make_evolution(theta);
        }
      catch (const UserError &)
        {
          // Parameters for which the equation cannot be solved are not
          // plausible: the sampler rejects and counts what is not finite.
          std::fill(predictions.begin(),
                    predictions.end(),
                    std::numeric_limits<double>::quiet_NaN());
          return std::make_shared<NoDerivative>();
        }
    here->forward(data, predictions, evolution ? nullptr : &trajectory);
    return std::make_shared<Adjoint>(*this,
                                     std::move(theta),
                                     here,
                                     std::move(trajectory));
  }



  template <int dim>
  SolverWork
  EvolutionModel<dim>::work() const
  {
    const double sweep = double(n_dofs()) * n_steps();
    return {sweep, sweep, 0.};
  }



  template <int dim>
  std::string
  EvolutionModel<dim>::description() const
  {
    return counted(n_dofs(), "unknown") + ", " + counted(n_steps(), "step") +
           " of " + solver.time_stepping +
           (evolution ? " with " + evolution->solver_name() : "") + ", " +
           data_map->description();
  }



  template <int dim>
  void
  EvolutionModel<dim>::write_fields(
    const std::vector<std::vector<double>> &states,
    const FieldFileNames                   &names) const
  {
    // Time levels to write, evenly spaced.
    const unsigned int n_times = std::min(names.n_times, grid.n_steps + 1);
    std::vector<unsigned int> levels;
    for (unsigned int i = 0; i < n_times; ++i)
      levels.push_back(n_times == 1 ?
                         grid.n_steps :
                         std::lround(double(i) * grid.n_steps / (n_times - 1)));

    const dealii::Vector<double> zero(n_dofs());
    std::vector<FieldAtTime>     fields;
    for (const unsigned int level : levels)
      fields.push_back({grid.time(level), zero, zero});

    std::vector<double> ignored(n_predictions());
    Trajectory          trajectory;
    unsigned int        count = 0;
    for (const std::vector<double> &state : states)
      {
        const std::vector<double> theta =
          all_parameters(dealii::make_array_view(state));
        data_map->assemble({dealii::make_array_view(theta), {}}, data);
        (evolution ? evolution : make_evolution(theta))
          ->forward(data, dealii::make_array_view(ignored), &trajectory);
        ++count;
        for (std::size_t t = 0; t < levels.size(); ++t)
          for (unsigned int i = 0; i < n_dofs(); ++i)
            {
              // Welford's update.
              const double value = trajectory.values[levels[t]][i];
              const double delta = value - fields[t].mean[i];
              fields[t].mean[i] += delta / count;
              fields[t].deviation[i] += delta * (value - fields[t].mean[i]);
            }
      }
    for (FieldAtTime &field : fields)
      if (count > 1)
        for (double &sum : field.deviation)
          sum = std::sqrt(sum / (count - 1));
      else
        field.deviation.reinit(0);
    write_field_files(space.get_dof_handler(), fields, names);
  }



  template class EvolutionModel<1>;
  template class EvolutionModel<2>;
  template class EvolutionModel<3>;
} // namespace Tempera
