// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/channel.h>

#include <algorithm>

namespace Tempera
{
  namespace
  {
    /** What the steps see of a factor that is known at the time levels. */
    std::vector<std::pair<unsigned int, double>>
    step_weights(const DataKind             kind,
                 const std::vector<double> &levels,
                 const TimeScheme          &scheme,
                 const TimeScheme          &first_scheme)
    {
      std::vector<double> result(levels.size(), 0.);
      switch (kind)
        {
          case DataKind::initial_value:
          case DataKind::initial_velocity:
            result[0] = levels[0];
            break;
          case DataKind::dirichlet:
            // What holds at the beginning is the initial value.
            result    = levels;
            result[0] = 0.;
            break;
          case DataKind::source:
          case DataKind::flux:
            for (std::size_t n = 1; n < levels.size(); ++n)
              {
                const TimeScheme &here = n == 1 ? first_scheme : scheme;
                for (unsigned int j = 0; j <= here.n_old; ++j)
                  result[n] += here.theta[j] * levels[n - j];
              }
        }

      std::vector<std::pair<unsigned int, double>> list;
      for (std::size_t n = 0; n < result.size(); ++n)
        if (result[n] != 0.)
          list.emplace_back(n, result[n]);
      return list;
    }
  } // namespace



  std::vector<Channel>
  make_channels(const Problem                   &problem,
                const std::vector<unsigned int> &unknowns,
                const TimeGrid                  &grid,
                const TimeScheme                &scheme,
                const TimeScheme                &first_scheme)
  {
    std::vector<Channel> channels;

    const auto add = [&](const DataTerm            &term,
                         const double               time,
                         const std::vector<double> &levels) {
      const auto weights =
        step_weights(term.kind, levels, scheme, first_scheme);
      if (weights.empty())
        return;
      const bool is_constant = !problem.depends_on(term.function, unknowns);
      const auto same        = std::find_if(
        channels.begin(), channels.end(), [&](const Channel &channel) {
          return channel.kind == term.kind && channel.time == time &&
                 channel.boundaries == term.boundaries &&
                 channel.weights == weights &&
                 channel.is_constant == is_constant;
        });
      if (same != channels.end())
        same->functions.push_back(term.function);
      else
        channels.push_back({term.kind,
                            term.boundaries,
                            {term.function},
                            time,
                            weights,
                            is_constant});
    };

    for (const DataTerm &term : problem.data_terms())
      {
        if (term.function == no_function)
          continue;
        std::vector<double> factors(grid.n_steps + 1, 1.);
        if (term.time_factor)
          for (unsigned int n = 0; n <= grid.n_steps; ++n)
            factors[n] = term.time_factor(grid.time(n));

        const bool is_initial = term.kind == DataKind::initial_value ||
                                term.kind == DataKind::initial_velocity;
        if (is_initial || !problem.functions()[term.function].varies_in_time)
          add(term, 0., factors);
        else
          for (unsigned int n = 0; n <= grid.n_steps; ++n)
            {
              std::vector<double> one_level(grid.n_steps + 1, 0.);
              one_level[n] = factors[n];
              add(term, grid.time(n), one_level);
            }
      }
    std::stable_partition(channels.begin(),
                          channels.end(),
                          [](const Channel &channel) {
                            return !channel.is_constant;
                          });
    return channels;
  }
} // namespace Tempera
