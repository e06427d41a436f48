// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/time_course.h>

#include <algorithm>

namespace Tempera
{
  TimeCourse::TimeCourse(
    const TimeGrid                              &grid,
    const std::string                           &scheme,
    const bool                                   has_inertia,
    std::vector<Channel>                         the_channels,
    std::vector<ObservationRow>                  the_observations,
    const std::pair<unsigned int, unsigned int> &n_unknowns)
    : grid(grid)
    , scheme(TimeScheme::named(scheme))
    , first_scheme(TimeScheme::for_first_step(scheme))
    , has_inertia(has_inertia)
    , channels(std::move(the_channels))
    , n_interior(n_unknowns.first)
    , n_boundary(n_unknowns.second)
    , observations(std::move(the_observations))
    , data_at(grid.n_steps + 1)
    , observed_at(grid.n_steps + 1)
  {
    for (unsigned int c = 0; c < channels.size(); ++c)
      {
        for (const auto &entry : channels[c].weights)
          data_at[entry.first].emplace_back(c, entry.second);
        if (!channels[c].is_constant)
          n_variable = c + 1;
      }
    for (unsigned int i = 0; i < observations.size(); ++i)
      for (const auto &instant : observations[i].instants)
        observed_at[instant.first].emplace_back(i, instant.second);
  }



  double
  TimeCourse::time_of_step(const unsigned int n) const
  {
    const TimeScheme &here = scheme_of_step(n);
    double            time = 0.;
    for (unsigned int j = 0; j <= here.n_old; ++j)
      time += here.theta[j] * grid.time(n - j);
    return time;
  }



  std::vector<NodalVector>
  TimeCourse::make_data(const std::size_t  n_channels,
                        const unsigned int n_lanes) const
  {
    return std::vector<NodalVector>(n_channels, make_vector(n_lanes));
  }



  double
  TimeCourse::size_of_instant() const
  {
    return sizeof(double) * (double(n_interior) + n_boundary) *
           (has_inertia ? 2. : 1.);
  }



  void
  TimeCourse::set_initial(const std::vector<NodalVector> &data,
                          Instant                        &instant) const
  {
    instant.value.set_zero();
    if (has_inertia)
      instant.velocity.set_zero();
    for (const auto &entry : data_at[0])
      if (channels[entry.first].kind == DataKind::initial_value)
        instant.value.add(entry.second, data[entry.first]);
      else if (channels[entry.first].kind == DataKind::initial_velocity &&
               has_inertia)
        instant.velocity.add(entry.second, data[entry.first]);
  }



  bool
  TimeCourse::march(const Advance        &advance,
                    std::vector<Instant> &memory,
                    const unsigned int    n_lanes) const
  {
    const unsigned int n_instants = scheme.n_old + 1;
    while (memory.size() < n_instants)
      memory.push_back(make_instant(n_lanes));
    StepInstants instants{};
    for (unsigned int n = 0; n <= grid.n_steps; ++n)
      {
        for (unsigned int j = 0; j <= std::min(n, scheme.n_old); ++j)
          instants[j] = &memory[(n - j) % n_instants];
        if (!advance(n, instants))
          return false;
      }
    return true;
  }



  void
  TimeCourse::add_data(const unsigned int              n,
                       const std::vector<NodalVector> &data,
                       dealii::Vector<double>         &load,
                       dealii::Vector<double>         &boundary) const
  {
    for (const auto &entry : data_at[n])
      if (channels[entry.first].kind == DataKind::dirichlet)
        boundary.add(entry.second, data[entry.first].boundary);
      else
        load.add(entry.second, data[entry.first].interior);
  }



  void
  TimeCourse::observe(const unsigned int               n,
                      const NodalVector               &value,
                      const dealii::ArrayView<double> &observed,
                      const unsigned int               n_lanes) const
  {
    for (const auto &entry : observed_at[n])
      for (const auto &node : observations[entry.first].nodes)
        for (std::size_t lane = 0; lane < n_lanes; ++lane)
          observed[entry.first * n_lanes + lane] +=
            entry.second * node.second * value[node.first * n_lanes + lane];
  }



  void
  TimeCourse::states_of_step(const unsigned int  n,
                             const StepInstants &instants,
                             StepStates         &states) const
  {
    const TimeScheme &here    = scheme_of_step(n);
    const double      inverse = 1. / grid.step;

    for (NodalVector *state :
         {&states.inertia, &states.capacity, &states.stiffness})
      if (state->interior.size() == n_interior)
        state->set_zero();
      else
        *state = make_vector();
    for (unsigned int j = 0; j <= here.n_old; ++j)
      {
        states.capacity.add(here.alpha[j] * inverse, instants[j]->value);
        states.stiffness.add(here.theta[j], instants[j]->value);
      }
    for (unsigned int j = 0; has_inertia && j <= here.n_old; ++j)
      states.inertia.add(here.alpha[j] * inverse, instants[j]->velocity);
  }



  void
  TimeCourse::sweep_back(const dealii::ArrayView<const double> &weights,
                         const StepAt                          &step_at,
                         std::vector<NodalVector>              &sensitivities,
                         const StepListener                    &listener,
                         const unsigned int                     n_lanes) const
  {
    // Derivatives in the states of this and older instants.
    const NodalVector        zero = make_vector(n_lanes);
    std::vector<NodalVector> values(scheme.n_old + 1, zero), velocities;
    if (has_inertia)
      velocities = values;
    NodalVector            combination = zero;
    dealii::Vector<double> lambda(n_interior * n_lanes);
    for (NodalVector &sensitivity : sensitivities)
      sensitivity.set_zero();

    const auto begin_instant = [&](const unsigned int n) {
      for (const auto &entry : observed_at[n])
        for (const auto &node : observations[entry.first].nodes)
          for (std::size_t lane = 0; lane < n_lanes; ++lane)
            values[0][node.first * n_lanes + lane] +=
              weights[entry.first * n_lanes + lane] * entry.second *
              node.second;
    };

    for (unsigned int n = grid.n_steps; n > 0; --n)
      {
        const StepOperator &here = step_at(n);
        begin_instant(n);
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

        // The multiplier of the step before is the guess.
        if (n_lanes == 1)
          here.solver->solve_transposed(lambda, value.interior);
        else
          here.solver->solve_lanes(lambda, value.interior);
        here.matrix.subtract_transposed_coupling(value.boundary,
                                                 lambda,
                                                 n_lanes);
        if (listener)
          listener(n, lambda);

        for (const auto &entry : data_at[n])
          if (entry.first >= sensitivities.size())
            continue;
          else if (channels[entry.first].kind == DataKind::dirichlet)
            sensitivities[entry.first].boundary.add(entry.second,
                                                    value.boundary);
          else
            sensitivities[entry.first].interior.add(entry.second, lambda);

        for (const StepOperator::HistoryTerm &term : here.history)
          {
            term.matrix.multiply_transposed(combination,
                                            lambda,
                                            here.is_symmetric,
                                            n_lanes);
            for (unsigned int j = 1; j <= here.scheme.n_old; ++j)
              {
                if (term.values[j] != 0.)
                  values[j].add(term.values[j], combination);
                if (term.velocities[j] != 0.)
                  velocities[j].add(term.velocities[j], combination);
              }
          }

        // The instant below is the next one; the last one begins empty.
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

    begin_instant(0);
    for (const auto &entry : data_at[0])
      if (entry.first >= sensitivities.size())
        continue;
      else if (channels[entry.first].kind == DataKind::initial_value)
        sensitivities[entry.first].add(entry.second, values[0]);
      else if (channels[entry.first].kind == DataKind::initial_velocity &&
               has_inertia)
        sensitivities[entry.first].add(entry.second, velocities[0]);
  }
} // namespace Tempera
