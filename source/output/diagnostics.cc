// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/output/diagnostics.h>

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

namespace Tempera
{
  namespace
  {
    using Chains = std::vector<std::vector<double>>;

    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

    /** Both halves of each chain, all of one length. */
    Chains
    split(const Chains &chains)
    {
      std::size_t length = std::numeric_limits<std::size_t>::max();
      for (const std::vector<double> &chain : chains)
        length = std::min(length, chain.size() / 2);
      Chains halves;
      for (const std::vector<double> &chain : chains)
        {
          const auto end = chain.end(), middle = end - length;
          halves.emplace_back(middle - length, middle);
          halves.emplace_back(middle, end);
        }
      return halves;
    }


    /**
     * Put in place of each value the normal quantile of its rank among the
     * values of all chains; equal values share their mean rank.
     */
    void
    normalise_ranks(Chains &chains)
    {
      std::vector<double *> order;
      for (std::vector<double> &chain : chains)
        for (double &value : chain)
          order.push_back(&value);
      std::sort(order.begin(),
                order.end(),
                [](const double *a, const double *b) { return *a < *b; });

      const boost::math::normal_distribution<> normal;
      for (std::size_t begin = 0, end; begin < order.size(); begin = end)
        {
          const double value = *order[begin];
          for (end = begin + 1; end < order.size() && *order[end] == value;)
            ++end;
          const double rank = 0.5 * (begin + 1. + end);
          const double quantile =
            boost::math::quantile(normal,
                                  (rank - 0.375) / (order.size() + 0.25));
          for (std::size_t i = begin; i < end; ++i)
            *order[i] = quantile;
        }
    }


    /** Distances from the median of all chains. */
    Chains
    fold(Chains chains)
    {
      std::vector<double> all;
      for (const std::vector<double> &chain : chains)
        all.insert(all.end(), chain.begin(), chain.end());
      // Each chain has been split, so there is an even number of draws.
      const auto upper = all.begin() + all.size() / 2;
      std::nth_element(all.begin(), upper, all.end());
      const double median =
        0.5 * (*upper + *std::max_element(all.begin(), upper));
      for (std::vector<double> &chain : chains)
        for (double &value : chain)
          value = std::abs(value - median);
      return chains;
    }


    /** The mean of the variances of the chains, and the variance of means. */
    struct Variances
    {
      explicit Variances(const Chains &chains)
        : length(chains[0].size())
      {
        Moments means;
        for (const std::vector<double> &chain : chains)
          {
            Moments moments;
            for (const double value : chain)
              moments.add(value);
            within += moments.variance() / chains.size();
            means.add(moments.mean());
          }
        between_means = means.variance();
      }

      /** An estimate of the variance of the law that is not too small. */
      double
      total() const
      {
        return (length - 1) / length * within + between_means;
      }

      const double length;
      double       within = 0., between_means = 0.;
    };

    double
    r_hat(const Chains &chains)
    {
      const Variances variances(chains);
      return std::sqrt(variances.total() / variances.within);
    }


    /** Fourier transform in place, radix 2; the length is a power of two. */
    void
    fourier_transform(std::vector<std::complex<double>> &values)
    {
      const std::size_t n = values.size();
      for (std::size_t i = 1, j = 0; i < n; ++i)
        {
          std::size_t bit = n / 2;
          for (; j & bit; bit /= 2)
            j ^= bit;
          j ^= bit;
          if (i < j)
            std::swap(values[i], values[j]);
        }
      std::vector<std::complex<double>> roots(n / 2);
      for (std::size_t k = 0; k < n / 2; ++k)
        roots[k] =
          std::polar(1., -boost::math::constants::two_pi<double>() * k / n);
      for (std::size_t half = 1; half < n; half *= 2)
        for (std::size_t begin = 0; begin < n; begin += 2 * half)
          for (std::size_t k = 0; k < half; ++k)
            {
              std::complex<double> &lower = values[begin + k],
                                   &upper = values[begin + k + half];
              const std::complex<double> term =
                roots[k * (n / half / 2)] * upper;
              upper = lower - term;
              lower += term;
            }
    }


    /** Autocovariances by lag (divided by the length), mean of all chains. */
    std::vector<double>
    autocovariances(const Chains &chains)
    {
      const std::size_t length = chains[0].size();
      // Zeros behind a chain keep its end from meeting its beginning.
      std::size_t padded = 1;
      while (padded < 2 * length)
        padded *= 2;

      std::vector<std::complex<double>> powers(padded), values(padded);
      for (const std::vector<double> &chain : chains)
        {
          const double mean =
            std::accumulate(chain.begin(), chain.end(), 0.) / length;
          std::fill(values.begin(), values.end(), 0.);
          for (std::size_t i = 0; i < length; ++i)
            values[i] = chain[i] - mean;
          fourier_transform(values);
          for (std::size_t i = 0; i < padded; ++i)
            powers[i] += std::norm(values[i]);
        }
      // The powers are real and even: this is the inverse but for a factor.
      fourier_transform(powers);
      std::vector<double> result(length);
      for (std::size_t lag = 0; lag < length; ++lag)
        result[lag] =
          powers[lag].real() / (double(padded) * length * chains.size());
      return result;
    }


    double
    effective_size(const Chains &chains)
    {
      const Variances variances(chains);
      if (!(variances.within > 0.))
        return not_a_number;
      const std::vector<double> covariances = autocovariances(chains);
      const double              total       = variances.total();
      const auto                correlation = [&](const std::size_t lag) {
        return lag == 0 ? 1. :
                                         1. - (variances.within - covariances[lag]) / total;
      };

      // Geyer: sums of two neighbours are positive and decrease; where the
      // estimates are not so, only noise is left.
      const std::size_t length = covariances.size();
      double            sum = 0., smallest = std::numeric_limits<double>::max();
      std::size_t       lag = 0;
      for (; lag + 1 < length; lag += 2)
        {
          const double pair = correlation(lag) + correlation(lag + 1);
          if (!(pair > 0.))
            break;
          smallest = std::min(smallest, pair);
          sum += smallest;
        }
      double time = 2. * sum - 1.;
      // The first lag that was left out, as the authors do.
      if (lag < length)
        time += std::max(0., correlation(lag));

      // Chains that oscillate may be better than independent draws; no more
      // than this is believed.
      const double n_draws = double(length) * chains.size();
      return n_draws / std::max(time, 1. / std::log10(n_draws));
    }
  } // namespace



  Convergence
  convergence(const std::vector<std::vector<double>> &chains)
  {
    constexpr std::size_t least_length = 4;

    bool is_usable = !chains.empty();
    for (const std::vector<double> &chain : chains)
      is_usable =
        is_usable && chain.size() >= 2 * least_length &&
        std::all_of(chain.begin(), chain.end(), [](const double value) {
          return std::isfinite(value);
        });
    if (!is_usable)
      return {not_a_number, not_a_number};

    Chains halves = split(chains), folded = fold(halves);
    normalise_ranks(halves);
    normalise_ranks(folded);
    // Draws of two values that are equally frequent have but one distance from
    // their median, which says nothing.
    const double of_draws = r_hat(halves), of_distances = r_hat(folded);
    return {std::isnan(of_distances) ? of_draws :
                                       std::max(of_draws, of_distances),
            effective_size(halves)};
  }



  double
  distance_from_law(std::vector<double>                        draws,
                    const std::function<double(const double)> &cdf)
  {
    if (draws.empty())
      return not_a_number;
    std::sort(draws.begin(), draws.end());
    const double n        = draws.size();
    double       distance = 0.;
    for (std::size_t i = 0; i < draws.size(); ++i)
      {
        const double probability = cdf(draws[i]);
        distance =
          std::max({distance, (i + 1) / n - probability, probability - i / n});
      }
    return distance;
  }
} // namespace Tempera
