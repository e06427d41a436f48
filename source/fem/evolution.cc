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
                     const InstantListener           &listener) const
  {
    std::fill(observed.begin(), observed.end(), 0.);
    course.march(
      [&](const unsigned int n, const StepInstants &instants) {
        advance(n, data, instants);
        course.observe(n, instants[0]->value, observed);
        if (listener)
          listener(n, instants[0]->value);
        return true;
      },
      window);
    if (step->matrix.partition)
      step->matrix.partition->sum(observed);
  }



  void
  Evolution::advance(const unsigned int              n,
                     const std::vector<NodalVector> &data,
                     const StepInstants             &instants) const
  {
    if (n == 0)
      {
        course.set_initial(data, *instants[0]);
        return;
      }

    const StepOperator &here     = step_operator(n);
    bool                is_first = true;
    for (const StepOperator::HistoryTerm &term : here.history)
      {
        const NodalVector *state = &instants[1]->value;
        if (!term.is_simple())
          {
            combination.set_zero();
            for (unsigned int j = 1; j <= here.scheme.n_old; ++j)
              {
                if (term.values[j] != 0.)
                  combination.add(term.values[j], instants[j]->value);
                if (term.velocities[j] != 0.)
                  combination.add(term.velocities[j], instants[j]->velocity);
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

    NodalVector &value = instants[0]->value;
    value.boundary     = 0.;
    course.add_data(n, data, right_hand_side, value.boundary);
    here.matrix.subtract_coupling(right_hand_side, value.boundary);

    if (here.solver->uses_guess())
      value.interior = instants[1]->value.interior;
    here.solver->solve(value.interior, right_hand_side);

    if (course.has_inertia)
      {
        NodalVector &velocity = instants[0]->velocity;
        velocity.set_zero();
        for (unsigned int j = 0; j <= here.scheme.n_old; ++j)
          velocity.add(here.velocity_of_values[j], instants[j]->value);
        for (unsigned int j = 1; j <= here.scheme.n_old; ++j)
          velocity.add(here.velocity_of_velocities[j], instants[j]->velocity);
      }
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
