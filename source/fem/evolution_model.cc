// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/evolution_model.h>

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
      const TimeCourse                     &course = model.course;
      std::vector<std::vector<NodalVector>> sensitivities(
        1, course.make_data(course.n_variable_channels()));
      std::vector<double> operator_gradient(gradient.size(), 0.);

      const auto derivatives = model.operators.derivatives_at(theta);
      TimeCourse::StepStates   states;
      dealii::Vector<double>   memory(course.n_interior);
      TimeCourse::StepListener listener;
      if (!derivatives.empty())
        listener = [&](const unsigned int            n,
                       const dealii::Vector<double> &multiplier) {
          course.states_of_step(n, trajectory, states);
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
        };

      evolution->adjoint(weights, sensitivities[0], listener);
      const auto functional =
        model.get_data_map().prepare(sensitivities, false);
      double value;
      model.get_data_map().apply(*functional,
                                 {dealii::make_array_view(theta),
                                  dealii::make_array_view(model.unknowns())},
                                 dealii::ArrayView<double>(&value, 1),
                                 gradient);
      for (unsigned int i = 0; i < gradient.size(); ++i)
        gradient[i] += operator_gradient[i];
    }

  private:
    const EvolutionModel                  &model;
    const std::vector<double>              theta;
    const std::shared_ptr<const Evolution> evolution;
    /** Kept only if the operator has unknowns. */
    const Trajectory trajectory;
  };



  template <int dim>
  EvolutionModel<dim>::EvolutionModel(const ModelSetting       &setting,
                                      const FemLevelParameters &level,
                                      const SolverParameters   &solver,
                                      const bool                use_products)
    : MeshModel<dim>(setting, level, solver, use_products)
    , operators(*setting.problem, this->space, setting.values, setting.unknowns)
    , factory(solver.linear_solver, operators.is_symmetric(), solver.tolerance)
  {
    if (unknowns_in_operator().empty())
      evolution = std::make_shared<Evolution>(operators.at(setting.values),
                                              this->course,
                                              factory);
  }



  template <int dim>
  std::shared_ptr<const Evolution>
  EvolutionModel<dim>::evolution_at(const std::vector<double> &theta) const
  {
    if (evolution)
      return evolution;
    try
      {
        return std::make_shared<Evolution>(operators.at(theta),
                                           this->course,
                                           factory);
      }
    catch (const UserError &)
      {
        // The matrix of these parameters has no factorisation.
        return nullptr;
      }
  }



  template <int dim>
  bool
  EvolutionModel<dim>::solve(const std::vector<double>       &theta,
                             const dealii::ArrayView<double> &observed,
                             Trajectory                      &trajectory) const
  {
    const auto here = evolution_at(theta);
    if (here)
      here->forward(this->data_at(theta), observed, &trajectory);
    return here != nullptr;
  }



  template <int dim>
  std::shared_ptr<const Linearisation>
  EvolutionModel<dim>::evaluate(
    const dealii::ArrayView<const double> &parameters,
    const dealii::ArrayView<double>       &predictions,
    const bool) const
  {
    std::vector<double> theta = this->all_parameters(parameters);
    const auto          here  = evolution_at(theta);
    if (!here)
      {
        // Parameters for which the equation cannot be solved are not
        // plausible: the sampler rejects and counts what is not finite.
        std::fill(predictions.begin(),
                  predictions.end(),
                  std::numeric_limits<double>::quiet_NaN());
        return std::make_shared<NoDerivative>();
      }
    Trajectory trajectory;
    here->forward(this->data_at(theta),
                  predictions,
                  evolution ? nullptr : &trajectory);
    return std::make_shared<Adjoint>(*this,
                                     std::move(theta),
                                     here,
                                     std::move(trajectory));
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
