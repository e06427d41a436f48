// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/study/posterior_grid.h>

#include <deal.II/base/numbers.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  PosteriorGrid::PosteriorGrid(
    const Energy                                        &energy,
    const unsigned int                                   n_bins,
    const unsigned int                                   n_points,
    const std::vector<double>                           &centre,
    const std::function<void(std::size_t, std::size_t)> &after_evaluation)
    : n_unknowns(energy.space().dimension())
    , n_bins{{n_bins, n_unknowns == 1 ? 1 : n_bins}}
    , centre(centre)
    , probabilities(std::size_t(this->n_bins[0]) * this->n_bins[1], 0.)
    , angles(n_angles, 0.)
  {
    const StateSpace &space = energy.space();
    if (n_unknowns < 1 || n_unknowns > 2)
      throw UserError("'tempera truth' evaluates the posterior of one or two "
                      "unknowns everywhere; here there are " +
                      std::to_string(n_unknowns) +
                      ". Fix the others with --set.");
    for (unsigned int i = 0; i < n_unknowns; ++i)
      if (!std::isfinite(space[i].lower) || !std::isfinite(space[i].upper))
        throw UserError(
          "'tempera truth' evaluates the posterior everywhere, "
          "but '" +
          space[i].name +
          "' has no bounds. Give it a uniform prior, or bounds ('between 0 and "
          "2'), with --set.");
    if (energy.is_stochastic())
      throw UserError("'tempera truth' needs a deterministic energy. Switch "
                      "the noise of the first rung's level off.");
    for (unsigned int i = 0; i < n_unknowns; ++i)
      {
        names[i] = space[i].name;
        lower[i] = space[i].lower;
        upper[i] = space[i].upper;
      }

    const unsigned int              n_first = n_bins * n_points;
    const std::vector<unsigned int> n{n_first, n_unknowns == 1 ? 1 : n_first};
    const std::size_t               n_energies = std::size_t{n[0]} * n[1];
    std::vector<double>             energies(n_energies);
    const auto at = [&](const unsigned int i, const unsigned int direction) {
      return lower[direction] +
             (upper[direction] - lower[direction]) * (i + 0.5) / n[direction];
    };
    for (std::size_t begin = 0; begin < n_energies;)
      {
        const std::size_t end =
          std::min<std::size_t>(begin + energy.n_together(), n_energies);
        std::vector<std::vector<double>> states;
        for (std::size_t here = begin; here < end; ++here)
          {
            states.push_back({at(here / n[1], 0)});
            if (n_unknowns > 1)
              states.back().push_back(at(here % n[1], 1));
          }
        for (const EnergyValues &values : energy.values_at(states))
          energies[begin++] = values.energy();
        if (after_evaluation)
          after_evaluation(begin, n_energies);
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
    log_integral = std::log(sum) - least;
    for (unsigned int i = 0; i < n_unknowns; ++i)
      log_integral += std::log((upper[i] - lower[i]) / n[i]);
    for (unsigned int i = 0; i < n[0]; ++i)
      for (unsigned int j = 0; j < n[1]; ++j)
        {
          const double x = at(i, 0), y = at(j, 1);
          const double p = energies[std::size_t(i) * n[1] + j] / sum;
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
      const double place =
        (value - lower[i]) / (upper[i] - lower[i]) * n_bins[i];
      return static_cast<std::size_t>(
        std::max(0., std::min(n_bins[i] - 1., std::floor(place))));
    };
    return index(first, 0) * n_bins[1] + index(second, 1);
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
  PosteriorGrid::compare(const std::vector<std::vector<double>> &draws) const
  {
    AssertDimension(draws.size(), n_unknowns);
    GridComparison      result;
    const std::size_t   n = draws[0].size();
    std::vector<double> histogram(probabilities.size(), 0.);
    std::vector<double> turns(n_angles, 0.);
    result.n_draws = n;
    for (std::size_t i = 0; i < n; ++i)
      {
        const double first  = draws[0][i];
        const double second = n_unknowns > 1 ? draws[1][i] : 0.;
        histogram[bin(first, second)] += 1. / n;
        if (has_centre())
          turns[angle(first, second)] += 1. / n;
        if (first < 0.5 * (lower[0] + upper[0]))
          result.lower_share += 1. / n;
      }
    const auto truth = moments();
    for (unsigned int i = 0; i < n_unknowns; ++i)
      {
        double mean = 0.;
        for (const double value : draws[i])
          mean += value / n;
        result.mean_errors.push_back((mean - truth[i].first) / truth[i].second);
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
    const auto centre_of = [&](const unsigned int i, const unsigned int d) {
      return to_text(lower[d] + (upper[d] - lower[d]) * (i + 0.5) / n_bins[d]);
    };
    std::string text =
      names[0] + (n_unknowns > 1 ? "," + names[1] : "") + ",probability\n";
    for (unsigned int i = 0; i < n_bins[0]; ++i)
      for (unsigned int j = 0; j < n_bins[1]; ++j)
        text += centre_of(i, 0) +
                (n_unknowns > 1 ? "," + centre_of(j, 1) : "") + "," +
                to_text(probabilities[std::size_t(i) * n_bins[1] + j]) + "\n";
    return text;
  }



  std::vector<std::pair<double, double>>
  PosteriorGrid::moments() const
  {
    std::vector<std::pair<double, double>> result;
    for (unsigned int i = 0; i < n_unknowns; ++i)
      result.emplace_back(means[i],
                          std::sqrt(squares[i] - means[i] * means[i]));
    return result;
  }
} // namespace Tempera
