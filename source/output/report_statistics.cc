// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/report_statistics.h>
#include <tempera/output/sorting.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace Tempera
{
  namespace ReportStatistics
  {
    namespace
    {
      constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

      using Chains = std::vector<std::vector<double>>;

      /** Where a quantile stands among @p n sorted numbers. */
      struct Place
      {
        Place(const double probability, const std::size_t n)
          : place(probability * (n - 1))
          , below(std::min<std::size_t>(place, n - 1))
          , above(std::min(below + 1, n - 1))
        {}

        double
        between(const double low, const double high) const
        {
          return low + (place - below) * (high - low);
        }

        double      place;
        std::size_t below, above;
      };


      /** Mean of all draws of all chains, and their variance about it. */
      std::pair<double, double>
      pooled_moments(const Chains &chains)
      {
        double      mean = 0., variance = 0.;
        std::size_t n = 0;
        for (const std::vector<double> &chain : chains)
          for (const double draw : chain)
            mean += (draw - mean) / ++n;
        for (const std::vector<double> &chain : chains)
          for (const double draw : chain)
            variance += (draw - mean) * (draw - mean) / n;
        return {mean, variance};
      }

      double
      correlation(const Chains     &chains,
                  const std::size_t lag,
                  const double      mean,
                  const double      variance)
      {
        if (!(variance > 1e-24 * mean * mean))
          return not_a_number;
        // Four sums at a time: an addition waits for the one before.
        std::array<double, 4> sums = {{0., 0., 0., 0.}};
        std::size_t           n    = 0;
        for (const std::vector<double> &chain : chains)
          {
            const std::size_t n_pairs =
              chain.size() > lag ? chain.size() - lag : 0;
            const auto product = [&](const std::size_t i) {
              return (chain[i] - mean) * (chain[i + lag] - mean);
            };
            std::size_t i = 0;
            for (; i + 4 <= n_pairs; i += 4)
              for (unsigned int k = 0; k < 4; ++k)
                sums[k] += product(i + k);
            for (; i < n_pairs; ++i)
              sums[0] += product(i);
            n += chain.size();
          }
        return (sums[0] + sums[1] + sums[2] + sums[3]) / (n * variance);
      }
    } // namespace



    std::vector<std::size_t>
    evenly_spaced(const std::size_t n, const std::size_t most)
    {
      std::vector<std::size_t> result;
      if (n <= most)
        for (std::size_t i = 0; i < n; ++i)
          result.push_back(i);
      else if (most == 1)
        result.push_back(0);
      else
        for (std::size_t i = 0; i < most; ++i)
          result.push_back(std::llround(double(i) * (n - 1) / (most - 1)));
      return result;
    }



    double
    quantile(const std::vector<double> &sorted, const double probability)
    {
      if (sorted.empty())
        return not_a_number;
      const Place place(probability, sorted.size());
      return place.between(sorted[place.below], sorted[place.above]);
    }



    std::vector<double>
    quantiles(const std::vector<double> &values,
              const std::vector<double> &probabilities)
    {
      std::vector<double> result(probabilities.size(), not_a_number);
      if (values.empty())
        return result;
      std::vector<std::size_t> wanted;
      for (const double probability : probabilities)
        {
          const Place place(probability, values.size());
          wanted.push_back(place.below);
          wanted.push_back(place.above);
        }
      const std::vector<double> found = order_statistics(values, wanted);
      for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = Place(probabilities[i], values.size())
                      .between(found[2 * i], found[2 * i + 1]);
      return result;
    }



    Histogram
    histogram(std::vector<double> values)
    {
      values.erase(std::remove_if(values.begin(),
                                  values.end(),
                                  [](const double value) {
                                    return !std::isfinite(value);
                                  }),
                   values.end());
      Histogram result;
      if (values.empty())
        return result;

      constexpr double    left_out = 1e-3;
      std::vector<double> ends =
        quantiles(values, {0., left_out, 1. - left_out, 1.});
      result.least   = ends.front();
      result.largest = ends.back();
      double low = ends[1], high = ends[2];
      if (!(high > low))
        {
          // A number that hardly ever changes gets its bins around it.
          const double half = std::max(1e-3 * std::abs(low), 1e-12);
          low -= half;
          high += half;
        }
      const double n_inner = std::min(
        60., std::max(8., std::ceil(2. * std::cbrt(double(values.size())))));
      const double width = (high - low) / n_inner;
      low  = std::max(std::min(low, result.least), low - n_inner * width);
      high = std::min(std::max(high, result.largest), high + n_inner * width);
      const unsigned int n_bins = std::ceil((high - low) / width - 1e-6);
      result.low                = low;
      result.width              = (high - low) / n_bins;
      result.density.assign(n_bins, 0.);
      for (const double value : values)
        if (value >= low && value <= high)
          {
            const unsigned int bin =
              std::min<double>((value - low) / result.width, n_bins - 1);
            result.density[bin] += 1.;
          }
        else
          ++result.n_beyond;
      for (double &density : result.density)
        density /= values.size() * result.width;
      return result;
    }



    PriorCurve
    prior_curve(const Distribution &law, const double low, const double high)
    {
      constexpr unsigned int n_points = 150;
      // What three standard deviations of a normal law leave out.
      constexpr double left_out = 0.00135;

      const bool is_box =
        std::isfinite(law.lower()) && std::isfinite(law.upper());
      PriorCurve result;
      result.low  = is_box ? law.lower() : law.quantile(left_out);
      result.high = is_box ? law.upper() : law.quantile(1. - left_out);
      std::vector<double> places;
      const auto          add = [&](const double from, const double to) {
        for (unsigned int i = 0; i <= n_points; ++i)
          places.push_back(
            std::min(law.upper(),
                     std::max(law.lower(), from + (to - from) * i / n_points)));
      };
      add(result.low, result.high);
      if (low < high)
        add(low, high);
      std::sort(places.begin(), places.end());
      places.erase(std::unique(places.begin(), places.end()), places.end());
      const auto add_point = [&](const double x, const double density) {
        // It may be infinite at a wall.
        if (std::isfinite(density))
          {
            result.x.push_back(x);
            result.density.push_back(density);
          }
      };
      if (places.front() == law.lower())
        add_point(law.lower(), 0.);
      for (const double x : places)
        add_point(x, law.density(x));
      if (places.back() == law.upper())
        add_point(law.upper(), 0.);
      return result;
    }



    Autocorrelation
    autocorrelation(
      const std::vector<std::vector<std::vector<double>>> &numbers)
    {
      constexpr std::size_t n_lags = 50;
      constexpr double      fallen = 0.1;

      std::size_t                            n = 0;
      std::vector<std::pair<double, double>> moments;
      for (const Chains &chains : numbers)
        {
          moments.push_back(pooled_moments(chains));
          for (const std::vector<double> &chain : chains)
            n = std::max(n, chain.size());
        }

      Autocorrelation result;
      if (n <= 4)
        return result;
      // The step for which the last lag is the one where all have fallen.
      std::size_t step = 1;
      while (2 * step * n_lags <= n / 4)
        {
          const std::size_t last            = n_lags * step;
          bool              all_have_fallen = true;
          for (std::size_t i = 0; i < numbers.size() && all_have_fallen; ++i)
            all_have_fallen = !(correlation(numbers[i],
                                            last,
                                            moments[i].first,
                                            moments[i].second) > fallen);
          if (all_have_fallen)
            break;
          step *= 2;
        }
      for (std::size_t i = 0; i <= n_lags && i * step <= n / 4; ++i)
        result.lags.push_back(i * step);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        {
          result.values.emplace_back();
          for (const double lag : result.lags)
            result.values.back().push_back(correlation(
              numbers[i], lag, moments[i].first, moments[i].second));
        }
      return result;
    }



    std::vector<std::vector<double>>
    rank_histograms(const std::vector<std::vector<double>> &chains,
                    const unsigned int                      n_bins)
    {
      std::vector<double>       all;
      std::vector<unsigned int> chain_of;
      for (std::size_t chain = 0; chain < chains.size(); ++chain)
        for (const double draw : chains[chain])
          if (std::isfinite(draw))
            {
              all.push_back(draw);
              chain_of.push_back(chain);
            }
      const SortedNumbers sorted(all);

      std::vector<std::vector<double>> result(chains.size(),
                                              std::vector<double>(n_bins, 0.));
      std::vector<std::size_t>         counts(chains.size(), 0);
      for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end)
        {
          while (end < all.size() && sorted.values[end] == sorted.values[begin])
            ++end;
          const double       rank = 0.5 * (begin + end);
          const unsigned int bin =
            std::min<double>(rank / all.size() * n_bins, n_bins - 1);
          for (std::size_t i = begin; i < end; ++i)
            {
              const unsigned int chain = chain_of[sorted.places[i]];
              result[chain][bin] += 1.;
              ++counts[chain];
            }
        }
      for (std::size_t chain = 0; chain < chains.size(); ++chain)
        for (double &share : result[chain])
          share /= std::max<std::size_t>(1, counts[chain]);
      return result;
    }
  } // namespace ReportStatistics
} // namespace Tempera
