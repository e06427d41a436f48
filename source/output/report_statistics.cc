// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/report_statistics.h>

#include <algorithm>
#include <cmath>
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
        double      sum = 0.;
        std::size_t n   = 0;
        for (const std::vector<double> &chain : chains)
          {
            for (std::size_t i = 0; i + lag < chain.size(); ++i)
              sum += (chain[i] - mean) * (chain[i + lag] - mean);
            n += chain.size();
          }
        return sum / (n * variance);
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
      const double      place = probability * (sorted.size() - 1);
      const std::size_t below = std::min<std::size_t>(place, sorted.size() - 1);
      const std::size_t above = std::min(below + 1, sorted.size() - 1);
      return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
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
      std::sort(values.begin(), values.end());
      Histogram result;
      if (values.empty())
        return result;

      constexpr double left_out = 1e-3;
      double           low      = quantile(values, left_out),
             high               = quantile(values, 1. - left_out);
      if (!(high > low))
        {
          // A number that hardly ever changes gets one bin around it.
          const double half = std::max(1e-3 * std::abs(low), 1e-12);
          low -= half;
          high += half;
        }
      const unsigned int n_bins = std::min(
        60., std::max(8., std::ceil(2. * std::cbrt(double(values.size())))));
      result.low   = low;
      result.width = (high - low) / n_bins;
      result.density.assign(n_bins, 0.);
      for (const double value : values)
        if (value >= low && value <= high)
          {
            const unsigned int bin =
              std::min<double>((value - low) / result.width, n_bins - 1);
            result.density[bin] += 1. / (values.size() * result.width);
          }
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
      for (std::size_t step = 1; n > 4; step *= 2)
        {
          result = Autocorrelation();
          for (std::size_t i = 0; i <= n_lags && i * step <= n / 4; ++i)
            result.lags.push_back(i * step);
          bool all_have_fallen = true;
          for (std::size_t i = 0; i < numbers.size(); ++i)
            {
              result.values.emplace_back();
              for (const double lag : result.lags)
                result.values.back().push_back(correlation(
                  numbers[i], lag, moments[i].first, moments[i].second));
              all_have_fallen =
                all_have_fallen && !(result.values.back().back() > fallen);
            }
          if (all_have_fallen || 2 * step * n_lags > n / 4)
            break;
        }
      return result;
    }



    std::vector<std::vector<double>>
    rank_histograms(const std::vector<std::vector<double>> &chains,
                    const unsigned int                      n_bins)
    {
      std::vector<std::pair<double, std::size_t>> all;
      for (std::size_t chain = 0; chain < chains.size(); ++chain)
        for (const double draw : chains[chain])
          if (std::isfinite(draw))
            all.emplace_back(draw, chain);
      std::sort(all.begin(), all.end());

      std::vector<std::vector<double>> result(chains.size(),
                                              std::vector<double>(n_bins, 0.));
      std::vector<std::size_t>         counts(chains.size(), 0);
      for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end)
        {
          while (end < all.size() && all[end].first == all[begin].first)
            ++end;
          const double       rank = 0.5 * (begin + end);
          const unsigned int bin =
            std::min<double>(rank / all.size() * n_bins, n_bins - 1);
          for (std::size_t i = begin; i < end; ++i)
            {
              result[all[i].second][bin] += 1.;
              ++counts[all[i].second];
            }
        }
      for (std::size_t chain = 0; chain < chains.size(); ++chain)
        for (double &share : result[chain])
          share /= std::max<std::size_t>(1, counts[chain]);
      return result;
    }
  } // namespace ReportStatistics
} // namespace Tempera
