// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/evolution_model.h>
#include <tempera/fem/trajectory_replay.h>

#include <algorithm>
#include <limits>

namespace Tempera
{
  /** The sweep back, kept until somebody asks for it. */
  template <int dim>
  class EvolutionModel<dim>::Adjoint : public Linearisation
  {
  public:
    Adjoint(const EvolutionModel            &model,
            std::vector<double>              theta,
            std::shared_ptr<const Evolution> evolution)
      : model(model)
      , theta(std::move(theta))
      , evolution(std::move(evolution))
    {
      if (model.schedule)
        replay =
          std::make_unique<TrajectoryReplay>(*model.schedule, model.course);
    }

    /** The way forwards. */
    void
    predict(const dealii::ArrayView<double> &observed) const
    {
      const std::vector<NodalVector> &data = model.data_at(theta);
      if (!replay)
        {
          evolution->forward(data, observed);
          return;
        }
      std::fill(observed.begin(), observed.end(), 0.);
      replay->run([&](const unsigned int n, const StepInstants &instants) {
        evolution->advance(n, data, instants);
        model.course.observe(n, instants[0]->value, observed);
        return true;
      });
      model.space.sum(observed);
    }

    void
    apply_transpose(const dealii::ArrayView<const double> &weights,
                    const dealii::ArrayView<double> &gradient) const override
    {
      const TimeCourse        &course = model.course;
      std::vector<NodalVector> sensitivities =
        course.make_data(course.n_variable_channels());
      std::vector<double> operator_gradient(gradient.size(), 0.);

      const auto derivatives = model.operators.derivatives_at(theta);
      typename OperatorFamily<dim>::FieldSensitivity of_fields(model.operators);
      TimeCourse::StepStates                         states;
      dealii::Vector<double>                         memory(course.n_interior);
      TimeCourse::StepListener                       listener;
      // Other evaluations have used the memory for the data meanwhile.
      const std::vector<NodalVector> *data =
        replay && !replay->keeps_all() ? &model.data_at(theta) : nullptr;
      const auto advance = [&](const unsigned int  n,
                               const StepInstants &instants) {
        evolution->advance(n, *data, instants);
        return true;
      };
      if (!derivatives.empty() || !of_fields.empty())
        listener = [&](const unsigned int            n,
                       const dealii::Vector<double> &multiplier) {
          course.states_of_step(n,
                                replay->instants_of_step(n, advance),
                                states);
          for (const auto &derivative : derivatives)
            {
              derivative.matrix->multiply(
                memory,
                derivative.kind == OperatorKind::inertia  ? states.inertia :
                derivative.kind == OperatorKind::capacity ? states.capacity :
                                                            states.stiffness);
              const double product = multiplier * memory;
              for (const auto &factor : derivative.factors)
                operator_gradient[factor.first] -= factor.second * product;
            }
          of_fields.add(multiplier, states);
        };

      try
        {
          evolution->adjoint(weights, sensitivities, listener);
        }
      catch (const UnsuitableMatrix &)
        {
          NoDerivative().apply_transpose(weights, gradient);
          return;
        }
      of_fields.subtract_from(theta,
                              operator_gradient.data() +
                                model.unknowns().size());
      model.apply_to_data(theta, sensitivities, gradient);
      model.space.sum(dealii::make_array_view(operator_gradient));
      for (unsigned int i = 0; i < gradient.size(); ++i)
        gradient[i] += operator_gradient[i];
    }

  private:
    const EvolutionModel                  &model;
    const std::vector<double>              theta;
    const std::shared_ptr<const Evolution> evolution;
    /** Only if the operator has unknowns. */
    std::unique_ptr<TrajectoryReplay> replay;
  };



  template <int dim>
  EvolutionModel<dim>::EvolutionModel(const ModelSetting       &setting,
                                      const FemLevelParameters &level,
                                      const SolverParameters   &solver,
                                      const bool                use_products,
                                      const Mesh<dim>          &mesh)
    : MeshModel<dim>(setting, level, solver, use_products, mesh)
    , operators(*setting.problem,
                this->space,
                setting.values,
                setting.unknowns,
                setting.fields)
    , factory(solver.linear_solver,
              operators.is_symmetric(),
              solver.tolerance,
              this->space.get_partition(),
              unknowns_in_operator().empty() ?
                std::numeric_limits<double>::infinity() :
                2. * this->course.grid.n_steps)
  {
    if (unknowns_in_operator().empty())
      evolution = std::make_shared<Evolution>(operators.at(setting.values),
                                              this->course,
                                              factory);
    else
      schedule = this->make_schedule();
  }



  template <int dim>
  std::shared_ptr<const Evolution>
  EvolutionModel<dim>::evolution_at(const std::vector<double> &theta) const
  {
    return evolution ? evolution :
                       std::make_shared<Evolution>(operators.at(theta),
                                                   this->course,
                                                   factory);
  }



  template <int dim>
  bool
  EvolutionModel<dim>::solve(const std::vector<double>       &theta,
                             const dealii::ArrayView<double> &observed,
                             const InstantListener           &listener) const
  {
    try
      {
        evolution_at(theta)->forward(this->data_at(theta), observed, listener);
        return true;
      }
    catch (const UnsuitableMatrix &)
      {
        return false;
      }
  }



  template <int dim>
  std::vector<std::vector<double>>
  EvolutionModel<dim>::solve_all(
    const std::vector<std::vector<double>>      &states,
    const typename MeshModel<dim>::LaneListener &listener) const
  {
    const unsigned int n_lanes = n_together();
    if (n_lanes == 1)
      return MeshModel<dim>::solve_all(states, listener);

    const TimeCourse        &course = this->course;
    const unsigned int       n      = this->n_predictions();
    std::vector<NodalVector> data =
      course.make_data(course.channels.size(), n_lanes);
    std::vector<double>              observed(n * n_lanes);
    std::vector<std::vector<double>> result(states.size(),
                                            std::vector<double>(n));
    // Always all lanes, so that a result does not depend on how many there are:
    // what the last ones have is solved again.
    for (std::size_t first = 0; first < states.size(); first += n_lanes)
      {
        const std::size_t n_here =
          std::min<std::size_t>(n_lanes, states.size() - first);
        for (std::size_t lane = 0; lane < n_here; ++lane)
          {
            const auto &of_one = this->data_at(this->all_parameters(
              dealii::ArrayView<const double>(states[first + lane].data(),
                                              this->n_parameters())));
            for (std::size_t c = 0; c < data.size(); ++c)
              of_one[c].copy_to_lane(data[c], lane);
          }
        InstantListener of_lanes;
        if (listener)
          of_lanes = [&](const unsigned int step, const NodalVector &values) {
            listener(first, step, values, n_lanes);
          };
        evolution->forward(data,
                           dealii::make_array_view(observed),
                           of_lanes,
                           n_lanes);
        for (std::size_t lane = 0; lane < n_here; ++lane)
          for (unsigned int k = 0; k < n; ++k)
            result[first + lane][k] = observed[k * n_lanes + lane];
      }
    return result;
  }



  template <int dim>
  bool
  EvolutionModel<dim>::solve_adjoint(
    const std::vector<double>             &theta,
    const dealii::ArrayView<const double> &weights,
    const TimeCourse::StepListener        &listener) const
  {
    try
      {
        std::vector<NodalVector> none;
        evolution_at(theta)->adjoint(weights, none, listener);
        return true;
      }
    catch (const UnsuitableMatrix &)
      {
        return false;
      }
  }



  template <int dim>
  std::shared_ptr<const Linearisation>
  EvolutionModel<dim>::evaluate(
    const dealii::ArrayView<const double> &parameters,
    const dealii::ArrayView<double>       &predictions,
    const bool) const
  {
    std::vector<double> theta = this->all_parameters(parameters);
    try
      {
        const auto here = evolution_at(theta);
        auto adjoint = std::make_shared<Adjoint>(*this, std::move(theta), here);
        adjoint->predict(predictions);
        // Without a schedule nobody asks for an adjoint that would need it.
        if (!evolution && !schedule)
          return nullptr;
        return adjoint;
      }
    catch (const UnsuitableMatrix &failure)
      {
        return this->no_solution(predictions, failure.what());
      }
  }



  template <int dim>
  std::string
  EvolutionModel<dim>::description() const
  {
    return this->description_of_size() +
           (evolution ? " with " + evolution->solver_name() : "") +
           (this->course.n_variable_channels() > 0 ?
              ", " + this->get_data_map().description() :
              "");
  }



  template class EvolutionModel<1>;
  template class EvolutionModel<2>;
  template class EvolutionModel<3>;
} // namespace Tempera
