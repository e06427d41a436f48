// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/nonlinear_model.h>
#include <tempera/fem/trajectory_replay.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    /** One by Newton's method, at the last one also that of the adjoint. */
    constexpr double solves_per_jacobian = 1.;

    const ModelSetting &
    on_one_process(const ModelSetting &setting)
    {
      if (n_processes(setting.communicator) > 1)
        throw UserError("A nonlinear equation is solved by one process alone. "
                        "Set 'Parallel/Processes per replica' to 1.");
      return setting;
    }

    /** The Jacobian of a residual need be neither symmetric nor definite. */
    LinearSolverType
    checked_solver(const SolverParameters &solver)
    {
      if (solver.linear_solver != LinearSolverType::automatic &&
          solver.linear_solver != LinearSolverType::umfpack)
        throw UserError(
          "'Solver/Linear solver = " + name_of(solver.linear_solver) +
          "' needs matrices that are symmetric and positive "
          "definite, which those of a nonlinear equation need "
          "not be. Set it to 'UMFPACK' or 'automatic'.");
      return solver.linear_solver;
    }
  } // namespace



  /** The sweep back, kept until somebody asks for it. */
  template <int dim>
  class NonlinearModel<dim>::Adjoint : public Linearisation
  {
  public:
    Adjoint(const NonlinearModel &model, std::vector<double> theta)
      : model(model)
      , theta(std::move(theta))
      , load(model.course.n_interior)
      , replay(*model.schedule, model.course)
    {}

    /** The way forwards; false if there is no solution. */
    bool
    predict(const dealii::ArrayView<double> &observed) const
    {
      const std::vector<NodalVector> &data = model.data_at(theta);
      std::fill(observed.begin(), observed.end(), 0.);
      return replay.run(
        [&](const unsigned int n, const StepInstants &instants) {
          const bool is_solved = model.advance(n, theta, data, load, instants);
          if (is_solved)
            model.course.observe(n, instants[0]->value, observed);
          return is_solved;
        });
    }

    /** See TimeCourse::sweep_back(). */
    void
    sweep_back(const dealii::ArrayView<const double> &weights,
               std::vector<NodalVector>              &sensitivities,
               const TimeCourse::StepListener        &listener) const
    {
      // Other evaluations have used the memory for the data meanwhile.
      const std::vector<NodalVector> *data =
        replay.keeps_all() ? nullptr : &model.data_at(theta);
      const auto advance = [&](const unsigned int  n,
                               const StepInstants &instants) {
        return model.advance(n, theta, *data, load, instants);
      };
      std::unique_ptr<const StepOperator> here;
      model.course.sweep_back(
        weights,
        [&](const unsigned int n) -> const StepOperator & {
          here = model.linearised_step(n,
                                       theta,
                                       replay.instants_of_step(n, advance),
                                       true);
          return *here;
        },
        sensitivities,
        listener);
    }

    void
    apply_transpose(const dealii::ArrayView<const double> &weights,
                    const dealii::ArrayView<double> &gradient) const override
    {
      const TimeCourse        &course = model.course;
      const ParameterValues    parameters{dealii::make_array_view(theta),
                                       dealii::make_array_view(
                                         model.unknowns())};
      std::vector<NodalVector> sensitivities =
        course.make_data(course.n_variable_channels());
      std::vector<double> residual_gradient(gradient.size(), 0.);
      try
        {
          sweep_back(weights,
                     sensitivities,
                     // The assembler still has the states of this step.
                     [&](const unsigned int,
                         const dealii::Vector<double> &multiplier) {
                       model.assembler.subtract_parameter_derivatives(
                         parameters, multiplier, residual_gradient);
                     });
        }
      catch (const UnsuitableMatrix &)
        {
          // A Jacobian that is singular at the solution: a fold.
          NoDerivative().apply_transpose(weights, gradient);
          return;
        }
      model.apply_to_data(theta, sensitivities, gradient);
      for (unsigned int i = 0; i < gradient.size(); ++i)
        gradient[i] += residual_gradient[i];
    }

  private:
    const NonlinearModel          &model;
    const std::vector<double>      theta;
    mutable dealii::Vector<double> load;
    mutable TrajectoryReplay       replay;
  };



  template <int dim>
  NonlinearModel<dim>::NonlinearModel(const ModelSetting       &setting,
                                      const FemLevelParameters &level,
                                      const SolverParameters   &solver,
                                      const Mesh<dim>          &mesh)
    : MeshModel<dim>(on_one_process(setting), level, solver, true, mesh)
    , general_factory(checked_solver(solver), false, solver.tolerance)
    , symmetric_factory(checked_solver(solver),
                        solver.linear_solver == LinearSolverType::automatic,
                        solver.tolerance,
                        nullptr,
                        solves_per_jacobian)
    , assembler(*setting.problem, this->space)
    , schedule(this->make_schedule())
  {}



  template <int dim>
  std::unique_ptr<const StepOperator>
  NonlinearModel<dim>::linearised_step(const unsigned int         n,
                                       const std::vector<double> &theta,
                                       const StepInstants        &instants,
                                       const bool with_history) const
  {
    TimeCourse::StepStates states;
    this->course.states_of_step(n, instants, states);
    assembler.set_states(states, this->course.time_of_step(n));
    const EvolutionMatrices matrices = assembler.jacobian(theta);
    return std::make_unique<const StepOperator>(matrices,
                                                this->course.scheme_of_step(n),
                                                this->course.grid.step,
                                                assembler.is_symmetric() ?
                                                  symmetric_factory :
                                                  general_factory,
                                                with_history);
  }



  template <int dim>
  void
  NonlinearModel<dim>::set_velocity(const unsigned int  n,
                                    const StepInstants &instants) const
  {
    if (!this->course.has_inertia)
      return;
    const TimeScheme &scheme  = this->course.scheme_of_step(n);
    const double      inverse = 1. / (this->course.grid.step * scheme.theta[0]);
    NodalVector      &velocity = instants[0]->velocity;
    velocity.set_zero();
    for (unsigned int j = 0; j <= scheme.n_old; ++j)
      velocity.add(scheme.alpha[j] * inverse, instants[j]->value);
    for (unsigned int j = 1; j <= scheme.n_old; ++j)
      velocity.add(-scheme.theta[j] / scheme.theta[0], instants[j]->velocity);
  }



  template <int dim>
  bool
  NonlinearModel<dim>::solve_step(const unsigned int            n,
                                  const std::vector<double>    &theta,
                                  const dealii::Vector<double> &load,
                                  const StepInstants           &instants) const
  {
    // A step shorter than this is none.
    constexpr double shortest = 1. / 1024.;
    // Where the residual decreases no more although the update is as small as
    // this, rounding is what hinders it.
    constexpr double smallest_update = 1e-7;
    // What the residual must have lost of its length for a step to be taken.
    constexpr double decrease = 1e-4;

    NodalVector           &value = instants[0]->value;
    TimeCourse::StepStates states;
    dealii::Vector<double> residual(load.size()), update(load.size());

    // The norm of the residual at the present value, infinite if it is none.
    const auto norm_of_residual = [&]() {
      set_velocity(n, instants);
      this->course.states_of_step(n, instants, states);
      assembler.set_states(states, this->course.time_of_step(n));
      assembler.residual(theta, residual);
      residual -= load;
      const double norm = residual.l2_norm();
      return std::isfinite(norm) ? norm :
                                   std::numeric_limits<double>::infinity();
    };

    double norm = norm_of_residual();
    for (unsigned int i = 0; i < this->solver.newton_iterations; ++i)
      {
        if (norm == 0.)
          return true;
        if (!std::isfinite(norm))
          return false;
        try
          {
            linearised_step(n, theta, instants, false)
              ->solver->solve(update, residual);
          }
        catch (const UnsuitableMatrix &)
          {
            return false;
          }

        // As long as the residual does not decrease, half the step.
        value.interior -= update;
        const double size     = value.interior.l2_norm();
        const double distance = update.l2_norm();
        if (!std::isfinite(size))
          return false;
        const double old_norm = norm;
        norm                  = norm_of_residual();
        if (distance <= this->solver.newton_tolerance * size)
          return std::isfinite(norm);
        for (double length = 1.; norm > (1. - decrease * length) * old_norm;)
          {
            length *= 0.5;
            if (length < shortest)
              return distance <= smallest_update * size;
            value.interior.add(length, update);
            norm = norm_of_residual();
          }
      }
    return false;
  }



  template <int dim>
  bool
  NonlinearModel<dim>::advance(const unsigned int              n,
                               const std::vector<double>      &theta,
                               const std::vector<NodalVector> &data,
                               dealii::Vector<double>         &load,
                               const StepInstants             &instants) const
  {
    Instant &here = *instants[0];
    if (n == 0)
      {
        this->course.set_initial(data, here);
        return true;
      }
    // The guess is the last instant, never the chain's past: an energy is a
    // function of its unknowns alone.
    here                = *instants[1];
    load                = 0.;
    here.value.boundary = 0.;
    this->course.add_data(n, data, load, here.value.boundary);
    return solve_step(n, theta, load, instants);
  }



  template <int dim>
  bool
  NonlinearModel<dim>::solve(const std::vector<double>       &theta,
                             const dealii::ArrayView<double> &observed,
                             const InstantListener           &listener) const
  {
    const std::vector<NodalVector> &data = this->data_at(theta);
    dealii::Vector<double>          load(this->course.n_interior);
    std::vector<Instant>            memory;
    std::fill(observed.begin(), observed.end(), 0.);
    return this->course.march(
      [&](const unsigned int n, const StepInstants &instants) {
        if (!advance(n, theta, data, load, instants))
          return false;
        this->course.observe(n, instants[0]->value, observed);
        if (listener)
          listener(n, instants[0]->value);
        return true;
      },
      memory);
  }



  template <int dim>
  bool
  NonlinearModel<dim>::solve_adjoint(
    const std::vector<double>             &theta,
    const dealii::ArrayView<const double> &weights,
    const TimeCourse::StepListener        &listener) const
  {
    const Adjoint       adjoint(*this, theta);
    std::vector<double> ignored(this->n_predictions());
    if (!adjoint.predict(dealii::make_array_view(ignored)))
      return false;
    try
      {
        std::vector<NodalVector> none;
        adjoint.sweep_back(weights, none, listener);
        return true;
      }
    catch (const UnsuitableMatrix &)
      {
        return false;
      }
  }



  template <int dim>
  std::shared_ptr<const Linearisation>
  NonlinearModel<dim>::evaluate(
    const dealii::ArrayView<const double> &parameters,
    const dealii::ArrayView<double>       &predictions,
    const bool) const
  {
    std::vector<double> theta = this->all_parameters(parameters);
    if (!schedule)
      return solve(theta, predictions, {}) ? nullptr :
                                             this->no_solution(predictions);
    const auto adjoint = std::make_shared<Adjoint>(*this, std::move(theta));
    if (adjoint->predict(predictions))
      return adjoint;
    return this->no_solution(predictions);
  }



  template <int dim>
  std::string
  NonlinearModel<dim>::description() const
  {
    return this->description_of_size() + ", Newton's method";
  }



  template class NonlinearModel<1>;
  template class NonlinearModel<2>;
  template class NonlinearModel<3>;
} // namespace Tempera
