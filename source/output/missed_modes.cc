// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/beside.h>
#include <tempera/output/missed_modes.h>
#include <tempera/output/sorting.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/lapack_full_matrix.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    constexpr unsigned int n_quantiles = 19, n_batches = 20;
    constexpr unsigned int least_batches = 3;
    /** A batch carries weight if it has this part of the half-line's. */
    constexpr double least_batch_part = 1. / n_batches;
    /** Principal components that are looked at. */
    constexpr unsigned int most_components = 2;


    /** Draws of all chains along one direction; weights sum to 1. */
    struct WeightedDraws
    {
      std::vector<double>       values, weights;
      std::vector<unsigned int> batches;
    };


    /** Weights of all chains' draws of a rung; empty if none is finite. */
    std::vector<double>
    weights_of(const std::vector<std::vector<RungSample>> &chains,
               const unsigned int                          rung)
    {
      double largest = -std::numeric_limits<double>::infinity();
      for (const auto &chain : chains)
        for (const double log_weight : chain[rung].log_weights)
          if (std::isfinite(log_weight))
            largest = std::max(largest, log_weight);
      std::vector<double> weights;
      double              sum = 0.;
      for (const auto &chain : chains)
        for (const double log_weight : chain[rung].log_weights)
          {
            weights.push_back(
              std::isfinite(log_weight) ? std::exp(log_weight - largest) : 0.);
            sum += weights.back();
          }
      if (!(sum > 0.))
        return {};
      for (double &weight : weights)
        weight /= sum;
      return weights;
    }

    double
    kish_size(const std::vector<double> &weights)
    {
      double squares = 0.;
      for (const double weight : weights)
        squares += weight * weight;
      return squares > 0. ? 1. / squares : 0.;
    }

    /** Batches in time: pieces of chains, one chain after another. */
    std::vector<unsigned int>
    batches_of(const std::vector<std::vector<RungSample>> &chains,
               const unsigned int                          rung)
    {
      std::size_t n = 0, number = 0;
      for (const auto &chain : chains)
        n += chain[rung].columns[0].size();
      std::vector<unsigned int> batches;
      for (const auto &chain : chains)
        for (std::size_t i = 0; i < chain[rung].columns[0].size(); ++i)
          batches.push_back(number++ * n_batches / n);
      return batches;
    }


    /** A linear function of the columns. */
    struct Direction
    {
      std::string         name;
      std::vector<double> origin, factors;

      std::vector<double>
      values(const std::vector<std::vector<RungSample>> &chains,
             const unsigned int                          rung) const
      {
        std::vector<double> result;
        for (const auto &chain : chains)
          {
            const auto       &columns = chain[rung].columns;
            const std::size_t begin   = result.size();
            result.resize(begin + columns[0].size(), 0.);
            for (std::size_t j = 0; j < columns.size(); ++j)
              if (factors[j] != 0.)
                for (std::size_t i = 0; i < columns[j].size(); ++i)
                  result[begin + i] += factors[j] * (columns[j][i] - origin[j]);
          }
        return result;
      }
    };

    /** The columns, then the leading principal components of a rung. */
    std::vector<Direction>
    directions_of(const std::vector<std::string>             &names,
                  const std::vector<std::vector<RungSample>> &chains,
                  const unsigned int                          rung)
    {
      const std::size_t      n = names.size();
      std::vector<Direction> directions;
      for (std::size_t j = 0; j < n; ++j)
        {
          directions.push_back(
            {names[j], std::vector<double>(n), std::vector<double>(n)});
          directions.back().factors[j] = 1.;
        }
      // Of many columns, such as what a network predicts at many places, a
      // matrix of all pairs would be large.
      constexpr std::size_t most_columns = 200;
      if (n < 2 || n > most_columns)
        return directions;

      std::vector<double> means(n, 0.), deviations(n, 0.);
      std::size_t         n_draws = 0;
      for (const auto &chain : chains)
        n_draws += chain[rung].columns[0].size();
      for (std::size_t j = 0; j < n; ++j)
        {
          for (const auto &chain : chains)
            for (const double value : chain[rung].columns[j])
              means[j] += value / n_draws;
          for (const auto &chain : chains)
            for (const double value : chain[rung].columns[j])
              deviations[j] += std::pow(value - means[j], 2) / n_draws;
          deviations[j] = std::sqrt(deviations[j]);
        }
      dealii::LAPACKFullMatrix<double> correlation(n, n);
      correlation = 0.;
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k <= j; ++k)
          {
            double sum = 0.;
            if (deviations[j] > 0. && deviations[k] > 0.)
              for (const auto &chain : chains)
                for (std::size_t i = 0; i < chain[rung].columns[j].size(); ++i)
                  sum += (chain[rung].columns[j][i] - means[j]) *
                         (chain[rung].columns[k][i] - means[k]);
            if (sum != 0.)
              sum /= n_draws * deviations[j] * deviations[k];
            if (!std::isfinite(sum))
              return directions;
            correlation(j, k) = correlation(k, j) = sum;
          }
      dealii::Vector<double>     eigenvalues(n);
      dealii::FullMatrix<double> eigenvectors(n, n);
      correlation.compute_eigenvalues_symmetric(
        -1., double(n) + 1., 1e-10, eigenvalues, eigenvectors);
      // In increasing order, as LAPACK gives them.
      for (std::size_t component = 0;
           component < std::min<std::size_t>(most_components, n);
           ++component)
        {
          const std::size_t number = n - 1 - component;
          if (number >= eigenvalues.size() || !(eigenvalues[number] > 1e-12))
            break;
          Direction direction = {"principal component " +
                                   std::to_string(component + 1),
                                 means,
                                 std::vector<double>(n, 0.)};
          for (std::size_t j = 0; j < n; ++j)
            if (deviations[j] > 0.)
              direction.factors[j] = eigenvectors(j, number) / deviations[j] /
                                     std::sqrt(eigenvalues[number]);
          directions.push_back(direction);
        }
      return directions;
    }


    /** Quantiles of some values, and how many of them a value exceeds. */
    class Bounds
    {
    public:
      explicit Bounds(const std::vector<double> &values)
      {
        std::vector<std::size_t> places;
        for (unsigned int k = 1; k <= n_quantiles; ++k)
          places.push_back((values.size() - 1) * k / (n_quantiles + 1));
        const std::vector<double> quantiles = order_statistics(values, places);
        std::copy(quantiles.begin(), quantiles.end(), bounds.begin());
        bounds[n_quantiles] = std::numeric_limits<double>::infinity();

        low    = quantiles.front();
        factor = n_cells / (quantiles.back() - low);
        if (!std::isfinite(factor))
          factor = 0.;
        // From the last bound that is not above a cell it is not far.
        first.fill(0);
        for (unsigned int k = 0; k < n_quantiles; ++k)
          for (unsigned int cell = cell_of(bounds[k]) + 1; cell < n_cells;
               ++cell)
            first[cell] = k + 1;
      }

      double
      operator[](const unsigned int k) const
      {
        return bounds[k];
      }

      unsigned int
      n_below(const double value) const
      {
        unsigned int n = first[cell_of(value)];
        while (bounds[n] < value)
          ++n;
        return n;
      }

    private:
      static constexpr unsigned int n_cells = 256;

      /** Never decreases with the value. */
      unsigned int
      cell_of(const double value) const
      {
        const double place = (value - low) * factor;
        return place > 0. ? std::min<double>(place, n_cells - 1.) : 0.;
      }

      /** The last one is infinite. */
      std::array<double, n_quantiles + 1> bounds;
      double                              low, factor;
      /** By cell: bounds that are below all of its values. */
      std::array<unsigned char, n_cells> first;
    };


    /** The half-line where most is missing, if anything is. */
    void
    look_along(const Direction           &direction,
               const unsigned int         rung,
               const WeightedDraws       &hot,
               const std::vector<double> &cold,
               std::vector<MissedMode>   &missed)
    {
      const Bounds bounds(hot.values);
      // By the number of bounds below: cold draws; weight by batch.
      std::array<std::size_t, n_quantiles + 1> counts = {};
      for (const double value : cold)
        ++counts[bounds.n_below(value)];
      std::array<std::array<double, n_batches>, n_quantiles + 1> weights = {};
      for (std::size_t i = 0; i < hot.values.size(); ++i)
        weights[bounds.n_below(hot.values[i])][hot.batches[i]] +=
          hot.weights[i];

      bool        any = false;
      MissedMode  worst;
      std::size_t n_cold_below = 0;
      for (unsigned int k = 0; k < n_quantiles; ++k)
        {
          const double bound = bounds[k];
          n_cold_below += counts[k];
          // Weight by batch on both sides.
          std::array<std::array<double, n_batches>, 2> weight = {};
          for (unsigned int i = 0; i <= n_quantiles; ++i)
            for (unsigned int batch = 0; batch < n_batches; ++batch)
              weight[i > k][batch] += weights[i][batch];
          for (const bool is_above : {false, true})
            {
              double expected = 0.;
              for (const double one : weight[is_above])
                expected += one;
              const double found_below = double(n_cold_below) / cold.size();
              const double found = is_above ? 1. - found_below : found_below;
              if (expected < MissedModes::least_expected ||
                  found >= MissedModes::least_found_part * expected)
                continue;
              const auto n_carrying =
                std::count_if(weight[is_above].begin(),
                              weight[is_above].end(),
                              [&](const double one) {
                                return one >= least_batch_part * expected;
                              });
              if (n_carrying >= int(least_batches) &&
                  (!any || expected - found > worst.expected - worst.found))
                {
                  any   = true;
                  worst = {rung,
                           direction.name,
                           is_above,
                           bound,
                           expected,
                           found,
                           direction.origin,
                           direction.factors};
                }
            }
        }
      if (any)
        missed.push_back(worst);
    }
  } // namespace



  MissedModes
  find_missed_modes(const std::vector<std::string>             &names,
                    const std::vector<std::vector<RungSample>> &chains)
  {
    MissedModes result;
    if (chains.empty())
      return result;
    result.kish_sizes.assign(chains[0].size(), 0.);
    if (names.empty())
      return result;
    // Every other rung beside the rest, unless that takes much memory.
    constexpr std::size_t many = 1 << 17;
    const bool is_short = chains.size() * chains[0][0].columns[0].size() < many;
    std::vector<std::vector<MissedMode>> missed(chains[0].size());
    const auto                           look = [&](const unsigned int begin) {
      for (unsigned int rung = begin; rung < chains[0].size(); rung += 2)
        {
          WeightedDraws hot;
          hot.weights = weights_of(chains, rung);
          result.kish_sizes[rung] = kish_size(hot.weights);
          if (!result.can_tell(rung))
            continue;
          hot.batches = batches_of(chains, rung);
          for (const Direction &direction : directions_of(names, chains, rung))
            {
              hot.values = direction.values(chains, rung);
              look_along(direction,
                         rung,
                         hot,
                         direction.values(chains, 0),
                         missed[rung]);
            }
        }
    };
    std::future<void> others = std::async(beside(is_short), look, 2);
    look(1);
    others.get();
    for (const std::vector<MissedMode> &of_rung : missed)
      result.missed.insert(result.missed.end(), of_rung.begin(), of_rung.end());
    return result;
  }
} // namespace Tempera
