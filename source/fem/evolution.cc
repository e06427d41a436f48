// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/evolution.h>

#include <algorithm>
#include <array>

namespace Tempera
{
  /**
   * One step. With \f$u_0\f$ the new value and \f$u_1, u_2\f$ the old ones it
   * solves \f$K u_0 = F - \sum_m H_m \sum_j (p_{mj} u_j + q_{mj} v_j)\f$, then
   * \f$v_0 = \sum_j r_j u_j + \sum_{j\ge1} s_j v_j\f$.
   */
  struct Evolution::StepOperator
  {
    /** \f$-H_m\f$ with its factors of the old values and velocities. */
    struct HistoryTerm
    {
      OperatorMatrix        matrix;
      std::array<double, 3> values{{0., 0., 0.}};
      std::array<double, 3> velocities{{0., 0., 0.}};

      /** Whether it is just the matrix times the last value. */
      bool
      is_simple() const
      {
        return values[1] == 1. && values[2] == 0. && velocities[1] == 0. &&
               velocities[2] == 0.;
      }
    };

    TimeScheme                    scheme;
    OperatorMatrix                matrix;
    std::unique_ptr<LinearSolver> solver;
    std::vector<HistoryTerm>      history;
    /** \f$r_j\f$ and \f$s_j\f$ */
    std::array<double, 3> velocity_of_values, velocity_of_velocities;
  };



  Evolution::Evolution(const EvolutionMatrices    &matrices,
                       const TimeGrid             &grid,
                       const SolverParameters     &parameters,
                       std::vector<Channel>        the_channels,
                       std::vector<ObservationRow> the_observations)
    : grid(grid)
    , channels(std::move(the_channels))
    , observations(std::move(the_observations))
    , has_inertia(matrices.inertia != nullptr)
    , n_interior(matrices.stiffness->interior.m())
    , n_boundary(matrices.n_boundary)
    , by_level(grid.n_steps + 1)
  {
    for (unsigned int i = 0; i < observations.size(); ++i)
      for (const auto &level : observations[i].levels)
        by_level[level.first].emplace_back(i, level.second);

    const TimeScheme scheme = TimeScheme::named(parameters.time_stepping);
    step                    = make_step(matrices, scheme, parameters);
    if (scheme.n_old > 1)
      first_step =
        make_step(matrices,
                  TimeScheme::for_first_step(parameters.time_stepping),
                  parameters);

    const NodalVector zero(n_interior, n_boundary);
    values.assign(scheme.n_old + 1, zero);
    if (has_inertia)
      velocities.assign(scheme.n_old + 1, zero);
    combination = multiplier = zero;
    right_hand_side.reinit(n_interior);
  }



  Evolution::~Evolution() = default;



  std::unique_ptr<Evolution::StepOperator>
  Evolution::make_step(const EvolutionMatrices &matrices,
                       const TimeScheme        &scheme,
                       const SolverParameters  &parameters) const
  {
    auto result    = std::make_unique<StepOperator>();
    result->scheme = scheme;

    const auto  &alpha   = scheme.alpha;
    const auto  &theta   = scheme.theta;
    const double inverse = 1. / grid.step;

    // A sum of the three matrices; those that do not occur may be missing.
    const auto combine =
      [&](const double inertia, const double capacity, const double stiffness) {
        OperatorMatrix sum;
        sum.copy_from(*matrices.stiffness);
        sum.add(stiffness - 1., *matrices.stiffness);
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

    result->matrix = combine(inertia_of_value(0), alpha[0] * inverse, theta[0]);
    result->solver = make_linear_solver(parameters.linear_solver,
                                        result->matrix.interior,
                                        true,
                                        parameters.tolerance);

    using HistoryTerm = StepOperator::HistoryTerm;
    if (scheme.n_old == 1)
      {
        HistoryTerm term;
        term.matrix =
          combine(-inertia_of_value(1), -alpha[1] * inverse, -theta[1]);
        term.values[1] = 1.;
        result->history.push_back(std::move(term));
      }
    else if (matrices.capacity)
      {
        HistoryTerm term;
        term.matrix = combine(0., -1., 0.);
        for (unsigned int j = 1; j <= scheme.n_old; ++j)
          term.values[j] = alpha[j] * inverse;
        result->history.push_back(std::move(term));
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
        result->history.push_back(std::move(term));
      }

    for (unsigned int j = 0; j < 3; ++j)
      {
        result->velocity_of_values[j]     = alpha[j] * inverse / theta[0];
        result->velocity_of_velocities[j] = -theta[j] / theta[0];
      }
    return result;
  }



  std::vector<NodalVector>
  Evolution::make_data() const
  {
    return std::vector<NodalVector>(channels.size(),
                                    NodalVector(n_interior, n_boundary));
  }



  std::string
  Evolution::solver_name() const
  {
    return step->solver->name();
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
      for (const auto &entry : by_level[n])
        for (const auto &node : observations[entry.first].nodes)
          observed[entry.first] +=
            entry.second * node.second * values[0][node.first];
      if (trajectory != nullptr)
        {
          trajectory->values.push_back(values[0]);
          if (has_inertia)
            trajectory->velocities.push_back(velocities[0]);
        }
    };

    for (std::size_t c = 0; c < channels.size(); ++c)
      if (channels[c].kind == DataKind::initial_value)
        values[0].add(channels[c].weights[0], data[c]);
      else if (channels[c].kind == DataKind::initial_velocity && has_inertia)
        velocities[0].add(channels[c].weights[0], data[c]);
    end_level(0);

    for (unsigned int n = 1; n <= grid.n_steps; ++n)
      {
        const StepOperator &here = step_operator(n);
        // Index j is now the j-th old value.
        std::rotate(values.begin(), values.end() - 1, values.end());
        if (has_inertia)
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
                term.matrix.multiply(multiplier.interior, *state);
                right_hand_side += multiplier.interior;
              }
            is_first = false;
          }
        if (is_first)
          right_hand_side = 0.;

        NodalVector &value = values[0];
        value.boundary     = 0.;
        for (std::size_t c = 0; c < channels.size(); ++c)
          {
            const double weight = channels[c].weights[n];
            if (weight == 0.)
              continue;
            if (channels[c].kind == DataKind::dirichlet)
              value.boundary.add(weight, data[c].boundary);
            else
              right_hand_side.add(weight, data[c].interior);
          }
        here.matrix.subtract_coupling(right_hand_side, value.boundary);

        if (here.solver->uses_guess())
          value.interior = values[1].interior;
        here.solver->solve(value.interior, right_hand_side);

        if (has_inertia)
          {
            velocities[0].set_zero();
            for (unsigned int j = 0; j <= here.scheme.n_old; ++j)
              velocities[0].add(here.velocity_of_values[j], values[j]);
            for (unsigned int j = 1; j <= here.scheme.n_old; ++j)
              velocities[0].add(here.velocity_of_velocities[j], velocities[j]);
          }
        end_level(n);
      }
  }



  void
  Evolution::adjoint(const dealii::ArrayView<const double> &weights,
                     std::vector<NodalVector>              &sensitivities,
                     const StepListener                    &listener) const
  {
    // Here the states are derivatives in the states of the same level.
    for (NodalVector &value : values)
      value.set_zero();
    for (NodalVector &velocity : velocities)
      velocity.set_zero();
    for (NodalVector &sensitivity : sensitivities)
      sensitivity.set_zero();

    const auto begin_level = [&](const unsigned int n) {
      for (const auto &entry : by_level[n])
        for (const auto &node : observations[entry.first].nodes)
          values[0][node.first] +=
            weights[entry.first] * entry.second * node.second;
    };

    dealii::Vector<double> &lambda = multiplier.interior;
    for (unsigned int n = grid.n_steps; n > 0; --n)
      {
        const StepOperator &here = step_operator(n);
        begin_level(n);
        NodalVector &value = values[0];

        if (has_inertia)
          {
            NodalVector &velocity = velocities[0];
            value.add(here.velocity_of_values[0], velocity);
            for (unsigned int j = 1; j <= here.scheme.n_old; ++j)
              {
                values[j].add(here.velocity_of_values[j], velocity);
                velocities[j].add(here.velocity_of_velocities[j], velocity);
              }
          }

        if (here.solver->uses_guess())
          lambda = 0.;
        here.solver->solve_transposed(lambda, value.interior);
        here.matrix.subtract_transposed_coupling(value.boundary, lambda);
        if (listener)
          listener(n, lambda);

        for (std::size_t c = 0; c < channels.size(); ++c)
          {
            const double weight = channels[c].weights[n];
            if (weight == 0.)
              continue;
            if (channels[c].kind == DataKind::dirichlet)
              sensitivities[c].boundary.add(weight, value.boundary);
            else
              sensitivities[c].interior.add(weight, lambda);
          }

        for (const StepOperator::HistoryTerm &term : here.history)
          {
            term.matrix.multiply_transposed(combination, lambda, true);
            for (unsigned int j = 1; j <= here.scheme.n_old; ++j)
              {
                if (term.values[j] != 0.)
                  values[j].add(term.values[j], combination);
                if (term.velocities[j] != 0.)
                  velocities[j].add(term.velocities[j], combination);
              }
          }

        // The level below is the next one; the last one begins empty.
        std::rotate(values.begin(), values.begin() + 1, values.end());
        values.back().set_zero();
        if (has_inertia)
          {
            std::rotate(velocities.begin(),
                        velocities.begin() + 1,
                        velocities.end());
            velocities.back().set_zero();
          }
      }

    begin_level(0);
    for (std::size_t c = 0; c < channels.size(); ++c)
      if (channels[c].kind == DataKind::initial_value)
        sensitivities[c].add(channels[c].weights[0], values[0]);
      else if (channels[c].kind == DataKind::initial_velocity && has_inertia)
        sensitivities[c].add(channels[c].weights[0], velocities[0]);
  }



  void
  Evolution::states_of_step(const unsigned int n,
                            const Trajectory  &trajectory,
                            StepStates        &states) const
  {
    const TimeScheme &scheme  = step_operator(n).scheme;
    const double      inverse = 1. / grid.step;

    const NodalVector zero(n_interior, n_boundary);
    states.capacity = states.stiffness = zero;
    for (unsigned int j = 0; j <= scheme.n_old; ++j)
      {
        states.capacity.add(scheme.alpha[j] * inverse,
                            trajectory.values[n - j]);
        states.stiffness.add(scheme.theta[j], trajectory.values[n - j]);
      }
    if (has_inertia)
      {
        states.inertia = zero;
        for (unsigned int j = 0; j <= scheme.n_old; ++j)
          states.inertia.add(scheme.alpha[j] * inverse,
                             trajectory.velocities[n - j]);
      }
  }
} // namespace Tempera
