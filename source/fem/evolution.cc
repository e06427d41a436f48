// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/evolution.h>
#include <tempera/fem/lane_loops.h>

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
                     const InstantListener           &listener,
                     const unsigned int               n_lanes) const
  {
    std::fill(observed.begin(), observed.end(), 0.);
    course.march(
      [&](const unsigned int n, const StepInstants &instants) {
        advance(n, data, instants, n_lanes);
        course.observe(n, instants[0]->value, observed, n_lanes);
        if (listener)
          listener(n, instants[0]->value);
        return true;
      },
      memory_for(n_lanes).window,
      n_lanes);
    if (step->matrix.partition)
      step->matrix.partition->sum(observed);
  }



  void
  Evolution::advance(const unsigned int              n,
                     const std::vector<NodalVector> &data,
                     const StepInstants             &instants,
                     const unsigned int              n_lanes) const
  {
    if (n == 0)
      {
        course.set_initial(data, *instants[0]);
        return;
      }

    Memory                 &mine            = memory_for(n_lanes);
    NodalVector            &combination     = mine.combination;
    dealii::Vector<double> &product         = mine.product;
    dealii::Vector<double> &right_hand_side = mine.right_hand_side;

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
          term.matrix.multiply(right_hand_side, *state, n_lanes);
        else
          {
            term.matrix.multiply(product, *state, n_lanes);
            right_hand_side += product;
          }
        is_first = false;
      }
    if (is_first)
      right_hand_side = 0.;

    NodalVector &value = instants[0]->value;
    value.boundary     = 0.;
    course.add_data(n, data, right_hand_side, value.boundary);
    here.matrix.subtract_coupling(right_hand_side, value.boundary, n_lanes);

    if (here.solver->uses_guess())
      value.interior = instants[1]->value.interior;
    if (n_lanes == 1)
      here.solver->solve(value.interior, right_hand_side);
    else
      here.solver->solve_lanes(value.interior, right_hand_side);

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
                     const TimeCourse::StepListener        &listener,
                     const unsigned int                     n_lanes) const
  {
    course.sweep_back(
      weights,
      [this](const unsigned int n) -> const StepOperator & {
        return step_operator(n);
      },
      sensitivities,
      listener,
      n_lanes);
  }



  unsigned int
  Evolution::most_lanes() const
  {
    const bool have_lanes = !step->matrix.partition &&
                            step->solver->has_lanes() &&
                            (!first_step || first_step->solver->has_lanes());
    return have_lanes ? LaneLoops::n_lanes : 1;
  }



  Evolution::Memory &
  Evolution::memory_for(const unsigned int n_lanes) const
  {
    Memory &result = n_lanes == 1 ? memory : memory_with_lanes;
    if (result.product.size() == 0)
      {
        result.combination = course.make_vector(n_lanes);
        result.product.reinit(course.n_interior * n_lanes);
        result.right_hand_side.reinit(course.n_interior * n_lanes);
      }
    return result;
  }
} // namespace Tempera
