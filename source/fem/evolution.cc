// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/evolution.h>

#include <algorithm>

namespace Tempera
{
  Evolution::Evolution(const EvolutionMatrices   &matrices,
                       const TimeCourse          &course,
                       const LinearSolverFactory &factory)
    : course(course)
    , step(std::make_unique<StepOperator>(matrices,
                                          course.scheme,
                                          course.grid.step,
                                          factory))
    , combination(course.make_vector())
    , product(course.n_interior)
    , right_hand_side(course.n_interior)
  {
    if (course.scheme.n_old > 1)
      first_step = std::make_unique<StepOperator>(matrices,
                                                  course.first_scheme,
                                                  course.grid.step,
                                                  factory);
    values.assign(course.scheme.n_old + 1, course.make_vector());
    if (course.has_inertia)
      velocities = values;
  }



  std::string
  Evolution::solver_name() const
  {
    return step->solver->name();
  }



  LinearSolver::Iterations
  Evolution::iterations() const
  {
    return step->solver->iterations();
  }



  void
  Evolution::forward(const std::vector<NodalVector>  &data,
                     const dealii::ArrayView<double> &observed,
                     Trajectory                      *trajectory) const
  {
    std::fill(observed.begin(), observed.end(), 0.);
    for (NodalVector &value : values)
      value.set_zero();
    for (NodalVector &velocity : velocities)
      velocity.set_zero();
    if (trajectory != nullptr)
      {
        trajectory->values.clear();
        trajectory->velocities.clear();
      }

    const auto end_level = [&](const unsigned int n) {
      course.observe(n, values[0], observed);
      if (trajectory != nullptr)
        {
          trajectory->values.push_back(values[0]);
          if (course.has_inertia)
            trajectory->velocities.push_back(velocities[0]);
        }
    };

    course.add_initial(data,
                       values[0],
                       course.has_inertia ? velocities[0] : combination);
    end_level(0);

    for (unsigned int n = 1; n <= course.grid.n_steps; ++n)
      {
        const StepOperator &here = step_operator(n);
        // Index j is now the j-th old value.
        std::rotate(values.begin(), values.end() - 1, values.end());
        if (course.has_inertia)
          std::rotate(velocities.begin(),
                      velocities.end() - 1,
                      velocities.end());

        bool is_first = true;
        for (const StepOperator::HistoryTerm &term : here.history)
          {
            const NodalVector *state = &values[1];
            if (!term.is_simple())
              {
                combination.set_zero();
                for (unsigned int j = 1; j <= here.scheme.n_old; ++j)
                  {
                    if (term.values[j] != 0.)
                      combination.add(term.values[j], values[j]);
                    if (term.velocities[j] != 0.)
                      combination.add(term.velocities[j], velocities[j]);
                  }
                state = &combination;
              }
            if (is_first)
              term.matrix.multiply(right_hand_side, *state);
            else
              {
                term.matrix.multiply(product, *state);
                right_hand_side += product;
              }
            is_first = false;
          }
        if (is_first)
          right_hand_side = 0.;

        NodalVector &value = values[0];
        value.boundary     = 0.;
        course.add_data(n, data, right_hand_side, value.boundary);
        here.matrix.subtract_coupling(right_hand_side, value.boundary);

        if (here.solver->uses_guess())
          value.interior = values[1].interior;
        here.solver->solve(value.interior, right_hand_side);

        if (course.has_inertia)
          {
            velocities[0].set_zero();
            for (unsigned int j = 0; j <= here.scheme.n_old; ++j)
              velocities[0].add(here.velocity_of_values[j], values[j]);
            for (unsigned int j = 1; j <= here.scheme.n_old; ++j)
              velocities[0].add(here.velocity_of_velocities[j], velocities[j]);
          }
        end_level(n);
      }
    if (step->matrix.partition)
      step->matrix.partition->sum(observed);
  }



  void
  Evolution::adjoint(const dealii::ArrayView<const double> &weights,
                     std::vector<NodalVector>              &sensitivities,
                     const TimeCourse::StepListener        &listener) const
  {
    course.sweep_back(
      weights,
      [this](const unsigned int n) -> const StepOperator & {
        return step_operator(n);
      },
      sensitivities,
      listener);
  }
} // namespace Tempera
