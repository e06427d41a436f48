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

    /** Whether distances from a bound have the law of a conflict. */
    bool
    is_pressed(const std::vector<double> &draws,
               const double               bound,
               const double               range,
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
          const double distance = std::abs(draw - bound) / range;
          distances.add(distance);
          squares.add(distance * distance);
          n_near += distance < near;
        }
      if (n_near < least_share * draws.size() || !(distances.mean() > 0.))
        return false;
      const auto n_short =
        std::count_if(draws.begin(), draws.end(), [&](const double draw) {
          return std::abs(draw - bound) / range < short_part * distances.mean();
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
                      const std::vector<double> &prior_draws,
                      const double               lower,
                      const double               upper,
                      const unsigned int         n_unknowns,
                      PriorConflict             &conflict)
  {
    if (draws.empty() || prior_draws.empty())
      return false;
    if (std::isfinite(lower) && std::isfinite(upper))
      {
        for (const bool is_upper : {false, true})
          if (is_pressed(
                draws, is_upper ? upper : lower, upper - lower, effective_size))
            {
              conflict.is_wall  = true;
              conflict.is_upper = is_upper;
              conflict.value    = is_upper ? upper : lower;
              return true;
            }
        return false;
      }

    // Where the law has its plain shape.
    const bool is_logarithmic = std::isfinite(lower);
    const auto plain          = [&](const double value) {
      return is_logarithmic ? std::log(value - lower) : value;
    };
    Moments prior, posterior;
    for (const double draw : prior_draws)
      prior.add(plain(draw));
    for (const double draw : draws)
      posterior.add(plain(draw));
    const double     variance     = prior.variance() - posterior.variance();
    constexpr double largest_part = 0.8;
    if (!(posterior.variance() < largest_part * prior.variance()))
      return false;
    conflict.distance = (posterior.mean() - prior.mean()) / std::sqrt(variance);
    conflict.is_upper = conflict.distance > 0.;
    conflict.value =
      is_logarithmic ? lower + std::exp(posterior.mean()) : posterior.mean();
    return n_unknowns * std::erfc(std::abs(conflict.distance) / std::sqrt(2.)) <
           level;
  }
} // namespace Tempera
