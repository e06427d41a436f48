// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/output/prior_conflict.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /** Of all unknowns together. */
    constexpr double level = 0.0005;

    /**
     * Whether distances of numbers in (0, 1) from one of the ends have the law
     * of a conflict.
     */
    bool
    is_pressed(const std::vector<double> &draws,
               const double               bound,
               const double               effective_size)
    {
      constexpr double near = 0.25, least_share = 0.9;
      // Two and more standard deviations beyond the bound have 1.82 and more,
      // a truth at the bound itself has 1.57.
      constexpr double least_ratio = 1.83, largest_ratio = 2.3, n_errors = 1.5;
      // Of an exponential law 0.095.
      constexpr double short_part = 0.1, least_short = 0.075,
                       largest_short = 0.125;

      Moments     distances, squares;
      std::size_t n_near = 0;
      for (const double draw : draws)
        {
          const double distance = std::abs(draw - bound);
          distances.add(distance);
          squares.add(distance * distance);
          n_near += distance < near;
        }
      if (n_near < least_share * draws.size() || !(distances.mean() > 0.))
        return false;
      const auto n_short =
        std::count_if(draws.begin(), draws.end(), [&](const double draw) {
          return std::abs(draw - bound) < short_part * distances.mean();
        });
      const double short_share = double(n_short) / draws.size();
      const double ratio       = squares.mean() / std::pow(distances.mean(), 2);
      // The error of the ratio of an exponential law.
      const double error = 2. / std::sqrt(std::max(1., effective_size));
      const double share_error =
        2. * std::sqrt(0.095 / std::max(1., effective_size));
      return ratio - n_errors * error > least_ratio &&
             ratio - n_errors * error < largest_ratio &&
             short_share > least_short - share_error &&
             short_share < largest_short + share_error;
    }
  } // namespace



  bool
  find_prior_conflict(const std::vector<double> &draws,
                      const double               effective_size,
                      const Distribution        &prior,
                      const unsigned int         n_unknowns,
                      PriorConflict             &conflict)
  {
    if (draws.empty())
      return false;
    if (std::isfinite(prior.lower()) && std::isfinite(prior.upper()))
      {
        std::vector<double> probabilities;
        for (const double draw : draws)
          probabilities.push_back(prior.cdf(draw));
        for (const bool is_upper : {false, true})
          if (is_pressed(probabilities, is_upper ? 1. : 0., effective_size))
            {
              conflict.is_wall  = true;
              conflict.is_upper = is_upper;
              conflict.value    = is_upper ? prior.upper() : prior.lower();
              return true;
            }
      }
    if (prior.is_uniform())
      return false;

    // Farther out there are no numbers between 0 and 1.
    constexpr double farthest = 37.;
    Moments          posterior, values;
    for (const double draw : draws)
      {
        values.add(draw);
        posterior.add(
          std::max(-farthest, std::min(farthest, prior.normal_number(draw))));
      }
    constexpr double largest_part = 0.8;
    if (!(posterior.variance() < largest_part))
      return false;
    conflict.distance = posterior.mean() / std::sqrt(1. - posterior.variance());
    conflict.is_upper = conflict.distance > 0.;
    conflict.value    = values.mean();
    return n_unknowns * std::erfc(std::abs(conflict.distance) / std::sqrt(2.)) <
           level;
  }
} // namespace Tempera
