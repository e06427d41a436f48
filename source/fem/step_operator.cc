// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/step_operator.h>

namespace Tempera
{
  StepOperator::StepOperator(const EvolutionMatrices   &matrices,
                             const TimeScheme          &scheme,
                             const double               time_step,
                             const LinearSolverFactory &factory,
                             const bool                 with_history)
    : scheme(scheme)
    , is_symmetric(factory.is_symmetric())
  {
    const auto  &alpha   = scheme.alpha;
    const auto  &theta   = scheme.theta;
    const double inverse = 1. / time_step;

    // A sum of the three matrices; those that do not occur may be missing.
    const auto combine =
      [&](const double inertia, const double capacity, const double stiffness) {
        OperatorMatrix sum;
        sum.copy_from(*matrices.stiffness);
        sum.scale(stiffness);
        if (matrices.inertia)
          sum.add(inertia, *matrices.inertia);
        if (matrices.capacity)
          sum.add(capacity, *matrices.capacity);
        return sum;
      };
    // Factors of u_j and v_j behind the inertia.
    const auto inertia_of_value = [&](const unsigned int j) {
      return alpha[0] * alpha[j] * inverse * inverse / theta[0];
    };
    const auto inertia_of_velocity = [&](const unsigned int j) {
      return (alpha[j] - alpha[0] * theta[j] / theta[0]) * inverse;
    };

    matrix = combine(inertia_of_value(0), alpha[0] * inverse, theta[0]);
    solver = factory.make(matrix.interior);
    // What the solver needs of it, it has; the coupling is still used.
    matrix.interior.clear();

    for (unsigned int j = 0; j < 3; ++j)
      {
        velocity_of_values[j]     = alpha[j] * inverse / theta[0];
        velocity_of_velocities[j] = -theta[j] / theta[0];
      }
    if (!with_history)
      return;

    if (!matrices.capacity && !matrices.inertia && theta[1] == 0.)
      {
        // Nothing remembers what was before.
      }
    else if (scheme.n_old == 1)
      {
        HistoryTerm term;
        term.matrix =
          combine(-inertia_of_value(1), -alpha[1] * inverse, -theta[1]);
        term.values[1] = 1.;
        history.push_back(std::move(term));
      }
    else if (matrices.capacity)
      {
        HistoryTerm term;
        term.matrix = combine(0., -1., 0.);
        for (unsigned int j = 1; j <= scheme.n_old; ++j)
          term.values[j] = alpha[j] * inverse;
        history.push_back(std::move(term));
      }
    if (matrices.inertia)
      {
        HistoryTerm term;
        term.matrix = combine(-1., 0., 0.);
        for (unsigned int j = 1; j <= scheme.n_old; ++j)
          {
            if (scheme.n_old > 1)
              term.values[j] = inertia_of_value(j);
            term.velocities[j] = inertia_of_velocity(j);
          }
        history.push_back(std::move(term));
      }
  }
} // namespace Tempera
