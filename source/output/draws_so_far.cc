// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/draws_so_far.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  DrawsSoFar::DrawsSoFar(const Analysis &analysis)
    : burn_in(analysis.burn_in)
    , kept_rounds(analysis.n_draws / std::max(1u, analysis.n_chains) *
                  analysis.thinning)
    , effective_draws(std::numeric_limits<double>::infinity())
    , replica_r_hat(analysis.replica_r_hat)
  {
    const auto add_column = [this](const Analysis::Column &column) {
      const Diagnostics &found = column.diagnostics;
      // A number that does not vary at all is known.
      if (found.standard_deviation.value == 0. && column.is_derived)
        return;
      add("'" + column.name + "'",
          std::isnan(found.bulk_size) || std::isnan(found.mean_size) ?
            0. :
            std::min(found.bulk_size, found.mean_size),
          found.r_hat);
    };
    for (const Analysis::Column &column : analysis.columns)
      add_column(column);
    // That of a flat likelihood under a uniform prior is one number.
    if (analysis.energy.diagnostics.standard_deviation.value != 0.)
      add_column(analysis.energy);
    if (analysis.modes.modes.size() > 1)
      for (std::size_t i = 0; i < analysis.modes.modes.size(); ++i)
        add("share of mode " + std::to_string(i + 1),
            analysis.modes.modes[i].effective_size,
            analysis.modes.modes[i].r_hat);
    if (fewest.empty() || analysis.n_used == 0)
      effective_draws = 0.;
  }



  void
  DrawsSoFar::add(const std::string &what,
                  const double       size,
                  const double       its_r_hat)
  {
    const double known = std::isnan(size) ? 0. : size;
    if (fewest.empty() || known < effective_draws)
      {
        effective_draws = known;
        fewest          = what;
      }
    // What is not a number agrees with nothing.
    const double agreement = std::isnan(its_r_hat) ?
                               std::numeric_limits<double>::infinity() :
                               its_r_hat;
    if (worst.empty() || agreement > r_hat)
      {
        r_hat = agreement;
        worst = what;
      }
  }



  bool
  DrawsSoFar::is_enough(const double n_wanted) const
  {
    return effective_draws >= n_wanted && r_hat < Convergence::largest_r_hat &&
           !(replica_r_hat > Analysis::bad_replica_r_hat);
  }



  std::uint64_t
  DrawsSoFar::expected_rounds(const double n_wanted) const
  {
    const double all =
      kept_rounds *
      (effective_draws > 0. ? std::max(2., n_wanted / effective_draws) : 2.);
    return burn_in + static_cast<std::uint64_t>(std::min(all, 1e18));
  }



  std::string
  DrawsSoFar::text(const double n_wanted) const
  {
    return std::to_string(std::llround(std::min(effective_draws, 1e15))) +
           (n_wanted > 0. ? " of " + to_text(n_wanted) : "") +
           " effective draws" +
           (fewest.empty() ? "" : " (fewest: " + fewest + ")") +
           (std::isfinite(r_hat) && r_hat > 0. ?
              ", R-hat " + to_text(std::round(1000. * r_hat) / 1000., 4) +
                " (" + worst + ")" :
              ", chains do not agree yet") +
           (replica_r_hat > Analysis::bad_replica_r_hat ?
              ", replicas do not agree yet" :
              "");
  }
} // namespace Tempera
