// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/posterior_grid.h>

#include <deal.II/base/numbers.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  PosteriorGrid::PosteriorGrid(const Energy              &energy,
                               const unsigned int         n_bins,
                               const unsigned int         n_points,
                               const std::vector<double> &centre)
    : n_bins(n_bins)
    , centre(centre)
    , probabilities(std::size_t(n_bins) * n_bins, 0.)
    , angles(n_angles, 0.)
  {
    const StateSpace &space = energy.space();
    if (space.dimension() != 2)
      throw UserError("'tempera truth' evaluates the posterior of two unknowns "
                      "everywhere; here there are " +
                      std::to_string(space.dimension()) +
                      ". Fix the others with --set.");
    for (unsigned int i = 0; i < 2; ++i)
      if (!std::isfinite(space[i].lower) || !std::isfinite(space[i].upper))
        throw UserError("'tempera truth' evaluates the posterior everywhere, "
                        "but '" +
                        space[i].name +
                        "' has no bounds. Give it a uniform prior with --set.");
    if (energy.is_stochastic())
      throw UserError("'tempera truth' needs a deterministic energy. Switch "
                      "the noise of the first rung's level off.");
    for (unsigned int i = 0; i < 2; ++i)
      {
        names[i] = space[i].name;
        lower[i] = space[i].lower;
        upper[i] = space[i].upper;
      }

    const unsigned int  n = n_bins * n_points;
    std::vector<double> energies(std::size_t(n) * n);
    Evaluation          evaluation;
    evaluation.reference_gradient.resize(2);
    evaluation.potential_gradient.resize(2);
    const auto at = [&](const unsigned int i, const unsigned int direction) {
      return lower[direction] +
             (upper[direction] - lower[direction]) * (i + 0.5) / n;
    };
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
        {
          const std::array<double, 2> state{{at(i, 0), at(j, 1)}};
          energy.evaluate(dealii::ArrayView<const double>(state.data(), 2),
                          RandomKey(),
                          Request::values,
                          evaluation);
          energies[std::size_t(i) * n + j] = evaluation.energy();
        }

    // Where the energy is not finite, nothing is plausible.
    double least = std::numeric_limits<double>::infinity();
    for (const double value : energies)
      if (std::isfinite(value))
        least = std::min(least, value);
    if (!std::isfinite(least))
      throw UserError("The energy is finite nowhere on the grid. Look at the "
                      "noise of the observations and at the known parameters "
                      "of the problem.");
    double sum = 0.;
    for (double &value : energies)
      {
        value = std::isfinite(value) ? std::exp(least - value) : 0.;
        sum += value;
      }
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
        {
          const double x = at(i, 0), y = at(j, 1);
          const double p = energies[std::size_t(i) * n + j] / sum;
          probabilities[bin(x, y)] += p;
          if (has_centre())
            angles[angle(x, y)] += p;
          if (x < 0.5 * (lower[0] + upper[0]))
            share += p;
          means[0] += p * x;
          means[1] += p * y;
          squares[0] += p * x * x;
          squares[1] += p * y * y;
        }
  }



  std::size_t
  PosteriorGrid::bin(const double first, const double second) const
  {
    const auto index = [&](const double value, const unsigned int i) {
      const double place = (value - lower[i]) / (upper[i] - lower[i]) * n_bins;
      return static_cast<std::size_t>(
        std::max(0., std::min(n_bins - 1., std::floor(place))));
    };
    return index(first, 0) * n_bins + index(second, 1);
  }



  unsigned int
  PosteriorGrid::angle(const double first, const double second) const
  {
    const double turn = std::atan2(second - centre[1], first - centre[0]) /
                          (2. * dealii::numbers::PI) +
                        0.5;
    return std::min<unsigned int>(n_angles - 1, turn * n_angles);
  }



  GridComparison
  PosteriorGrid::compare(const std::vector<double> &first,
                         const std::vector<double> &second) const
  {
    GridComparison      result;
    const std::size_t   n = first.size();
    std::vector<double> histogram(probabilities.size(), 0.);
    std::vector<double> turns(n_angles, 0.);
    result.n_draws = n;
    for (std::size_t i = 0; i < n; ++i)
      {
        histogram[bin(first[i], second[i])] += 1. / n;
        if (has_centre())
          turns[angle(first[i], second[i])] += 1. / n;
        if (first[i] < 0.5 * (lower[0] + upper[0]))
          result.lower_share += 1. / n;
      }
    for (std::size_t i = 0; i < histogram.size(); ++i)
      result.total_variation += 0.5 * std::abs(histogram[i] - probabilities[i]);
    for (unsigned int i = 0; i < n_angles; ++i)
      if (turns[i] > 0.)
        {
          result.angular_divergence +=
            turns[i] * std::log(turns[i] / angles[i]);
          ++result.n_angles_visited;
        }
    return result;
  }



  std::string
  PosteriorGrid::csv() const
  {
    std::string text = names[0] + "," + names[1] + ",probability\n";
    for (unsigned int i = 0; i < n_bins; ++i)
      for (unsigned int j = 0; j < n_bins; ++j)
        text +=
          to_text(lower[0] + (upper[0] - lower[0]) * (i + 0.5) / n_bins) + "," +
          to_text(lower[1] + (upper[1] - lower[1]) * (j + 0.5) / n_bins) + "," +
          to_text(probabilities[std::size_t(i) * n_bins + j]) + "\n";
    return text;
  }



  std::array<std::pair<double, double>, 2>
  PosteriorGrid::moments() const
  {
    std::array<std::pair<double, double>, 2> result;
    for (unsigned int i = 0; i < 2; ++i)
      result[i] = {means[i], std::sqrt(squares[i] - means[i] * means[i])};
    return result;
  }
} // namespace Tempera
