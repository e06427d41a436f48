// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/output/diagnostics.h>
#include <tempera/output/lagged_products.h>
#include <tempera/output/sorting.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace Tempera
{
  namespace
  {
    using Chains = std::vector<std::vector<double>>;

    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

    /** Less in half a chain is not looked at. */
    constexpr std::size_t least_half = 4;


    /** The last draws of all chains, as many of each, one chain after another;
     * their halves, without the one in the middle if their number is odd. */
    class SplitDraws
    {
    public:
      explicit SplitDraws(const Chains &chains)
        : n_chains(chains.size())
        , length(std::numeric_limits<std::size_t>::max())
      {
        for (const std::vector<double> &chain : chains)
          length = std::min(length, chain.size());
        if (chains.empty())
          length = 0;
        half = length / 2;
        values.reserve(n_chains * length);
        for (const std::vector<double> &chain : chains)
          values.insert(values.end(), chain.end() - length, chain.end());
      }

      bool
      are_finite() const
      {
        return std::all_of(values.begin(),
                           values.end(),
                           [](const double value) {
                             return std::isfinite(value);
                           });
      }

      /** Whether there are enough, and all of them are finite. */
      bool
      are_usable() const
      {
        return half >= least_half && are_finite();
      }

      std::size_t
      n_halves() const
      {
        return 2 * n_chains;
      }

      const double *
      begin_of_half(const std::size_t number) const
      {
        return values.data() + number / 2 * length +
               (number % 2 == 1 ? length - half : 0);
      }

      /** The half in which a value is; n_halves() if it is in the middle. */
      std::size_t
      half_of(const std::uint32_t index) const
      {
        // Division of short integers is a good deal faster.
        const std::uint32_t length_32 = length, chain = index / length_32,
                            place = index - chain * length_32;
        return place < half           ? 2 * chain :
               place >= length - half ? 2 * chain + 1 :
                                        n_halves();
      }

      /** Whether a draw is in none of the halves. */
      bool
      is_in_the_middle(const std::uint32_t index) const
      {
        return 2 * half < length && half_of(index) == n_halves();
      }

      /** Put a function of each draw in its place. */
      template <typename Function>
      void
      set(const Chains &chains, const Function &function)
      {
        auto value = values.begin();
        for (const std::vector<double> &chain : chains)
          for (auto draw = chain.end() - length; draw != chain.end(); ++draw)
            *value++ = function(*draw);
      }

      std::size_t         n_chains, length, half;
      std::vector<double> values;
    };


    struct MeanAndVariance
    {
      double mean, variance;
    };

    /** Exact for numbers that are all equal. */
    MeanAndVariance
    mean_and_variance(const double *const numbers, const std::size_t n)
    {
      // Four sums at a time: an addition waits for the one before.
      const double first = numbers[0];
      const auto   sum   = [&](const auto &function) {
        std::array<double, 4> sums = {{0., 0., 0., 0.}};
        std::size_t           i    = 0;
        for (; i + 4 <= n; i += 4)
          for (unsigned int k = 0; k < 4; ++k)
            sums[k] += function(numbers[i + k] - first);
        for (; i < n; ++i)
          sums[0] += function(numbers[i] - first);
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
      };
      const double mean = sum([](const double number) { return number; }) / n;
      const double squares = sum([mean](const double number) {
        return (number - mean) * (number - mean);
      });
      return {first + mean, n > 1 ? squares / (n - 1) : 0.};
    }


    /** Mean of the variances of halves, and variance of their means. */
    struct Variances
    {
      Variances(const std::vector<MeanAndVariance> &halves,
                const std::size_t                   half)
        : half(half)
      {
        Moments means;
        for (const MeanAndVariance &moments : halves)
          {
            within += moments.variance / halves.size();
            means.add(moments.mean);
          }
        between_means = means.variance();
      }

      /** An estimate of the variance of the law that is not too small. */
      double
      total() const
      {
        return (half - 1) / half * within + between_means;
      }

      double
      r_hat() const
      {
        return std::sqrt(total() / within);
      }

      const double half;
      double       within = 0., between_means = 0.;
    };

    std::vector<MeanAndVariance>
    moments_of_halves(const SplitDraws &draws)
    {
      std::vector<MeanAndVariance> result;
      for (std::size_t i = 0; i < draws.n_halves(); ++i)
        result.push_back(mean_and_variance(draws.begin_of_half(i), draws.half));
      return result;
    }


    /**
     * Autocovariances (divided by the length) of the lags below @p n_lags, a
     * power of two; mean of all halves.
     */
    std::vector<double>
    autocovariances(const SplitDraws                   &draws,
                    const std::vector<MeanAndVariance> &moments,
                    const std::size_t                   n_lags)
    {
      LaggedProducts products(n_lags);
      for (std::size_t i = 0; i < draws.n_halves(); ++i)
        products.add(draws.begin_of_half(i), draws.half, moments[i].mean);
      std::vector<double> result = products.sums();
      result.resize(std::min(n_lags, draws.half));
      for (double &sum : result)
        sum /= double(draws.half) * draws.n_halves();
      return result;
    }

    /** A power of two that is not smaller. */
    std::size_t
    power_of_two(const std::size_t least)
    {
      std::size_t result = 1;
      while (result < least)
        result *= 2;
      return result;
    }

    /** Correlations of the lags below @p n_lags; see autocovariances(). */
    std::vector<double>
    correlations(const SplitDraws                   &draws,
                 const std::vector<MeanAndVariance> &moments,
                 const Variances                    &variances,
                 const std::size_t                   n_lags)
    {
      std::vector<double> result = autocovariances(draws, moments, n_lags);
      for (double &value : result)
        value = 1. - (variances.within - value) / variances.total();
      result[0] = 1.;
      return result;
    }


    /** Transforms of fewer lags are hardly faster. */
    constexpr std::size_t few_lags = 128, first_lags = 512;

    /**
     * @param lags Powers of two: so many lags are looked at first; on return,
     * as many as were needed. The result does not depend on it.
     */
    double
    effective_size(const SplitDraws &draws, std::size_t &lags)
    {
      const std::vector<MeanAndVariance> moments = moments_of_halves(draws);
      const Variances                    variances(moments, draws.half);
      if (!(variances.within > 0.))
        return not_a_number;

      const std::size_t all_lags = power_of_two(draws.half);
      std::size_t       n_lags   = std::min(lags, all_lags);
      while (true)
        {
          const std::vector<double> correlation =
            correlations(draws, moments, variances, n_lags);

          // Geyer: sums of two neighbours are positive and decrease; where the
          // estimates are not so, only noise is left.
          double      sum = 0., smallest = std::numeric_limits<double>::max();
          bool        has_ended = false;
          std::size_t lag       = 0;
          while (!has_ended && lag + 1 < correlation.size())
            {
              const double pair = correlation[lag] + correlation[lag + 1];
              has_ended         = !(pair > 0.);
              if (!has_ended)
                {
                  smallest = std::min(smallest, pair);
                  sum += smallest;
                  lag += 2;
                }
            }
          if (!has_ended && n_lags < all_lags)
            {
              n_lags = std::min(4 * n_lags, all_lags);
              continue;
            }
          lags = std::max(few_lags, power_of_two(lag + lag / 2));

          double time = 2. * sum - 1.;
          // The first lag that was left out, as the authors do.
          if (lag < correlation.size())
            time += std::max(0., correlation[lag]);

          // Chains that oscillate may be better than independent draws; no
          // more than this is believed.
          const double n_draws = double(draws.half) * draws.n_halves();
          return n_draws / std::max(time, 1. / std::log10(n_draws));
        }
    }


    double
    effective_size(const SplitDraws &draws)
    {
      std::size_t lags = first_lags;
      return effective_size(draws, lags);
    }


    /** Normal quantiles of ranks among @p n values. */
    class NormalScores
    {
    public:
      explicit NormalScores(const std::size_t n)
        : n(n)
      {
        // The law is symmetric.
        for (std::size_t rank = 1; rank <= (n + 1) / 2; ++rank)
          scores.push_back(compute(rank));
      }

      double
      operator()(const double rank) const
      {
        if (rank != std::floor(rank))
          return compute(rank);
        const std::size_t whole = rank;
        return whole <= scores.size() ? scores[whole - 1] : -scores[n - whole];
      }

    private:
      double
      compute(const double rank) const
      {
        // Else it would be computed with extended precision.
        using Policy = boost::math::policies::policy<
          boost::math::policies::promote_double<false>>;
        return boost::math::quantile(
          boost::math::normal_distribution<double, Policy>(),
          (rank - 0.375) / (n + 0.25));
      }

      const std::size_t   n;
      std::vector<double> scores;
    };


    /** The draws in their order. */
    class SortedDraws
    {
    public:
      explicit SortedDraws(const SplitDraws &draws)
        : sorted(draws.values)
      {}

      double
      operator[](const std::size_t number) const
      {
        return sorted.values[number];
      }

      std::uint32_t
      index(const std::size_t number) const
      {
        return sorted.places[number];
      }

      std::size_t
      size() const
      {
        return sorted.values.size();
      }

      /** Number of the first value that is not smaller. */
      std::size_t
      first_from(const double value) const
      {
        return std::lower_bound(sorted.values.begin(),
                                sorted.values.end(),
                                value) -
               sorted.values.begin();
      }

      /** Straight between order statistics (type 7 of Hyndman and Fan). */
      double
      quantile(const double probability) const
      {
        const double      place = probability * (size() - 1);
        const std::size_t below = std::floor(place);
        const std::size_t above = std::min(below + 1, size() - 1);
        const double      low = (*this)[below], high = (*this)[above];
        return high > low ? low + (place - below) * (high - low) : low;
      }

    private:
      const SortedNumbers sorted;
    };


    /**
     * Put the normal score of its rank in the place of every draw in a half;
     * equal keys share their mean rank.
     *
     * @param next Gives the next key in increasing order, and the index of its
     * draw.
     */
    template <typename Next>
    void
    set_scores_of_keys(const NormalScores &score,
                       SplitDraws         &draws,
                       const Next         &next)
    {
      // Draws in a half with the same key, and how many came before.
      std::vector<std::uint32_t> equal;
      std::size_t                n_before     = 0;
      double                     key_of_equal = 0.;
      const auto                 flush        = [&]() {
        if (equal.empty())
          return;
        const double here = score(n_before + 0.5 * (equal.size() + 1.));
        for (const std::uint32_t index : equal)
          draws.values[index] = here;
        n_before += equal.size();
        equal.clear();
      };
      for (std::size_t i = 0; i < draws.values.size(); ++i)
        {
          const std::pair<double, std::uint32_t> one = next();
          if (draws.is_in_the_middle(one.second))
            continue;
          if (!equal.empty() && one.first != key_of_equal)
            flush();
          key_of_equal = one.first;
          equal.push_back(one.second);
        }
      flush();
    }


    /** The median of the halves. */
    double
    median_of_halves(const SplitDraws &draws, const SortedDraws &sorted)
    {
      // An even number, since every chain has two halves.
      const std::size_t n = draws.n_halves() * draws.half;
      if (n == sorted.size())
        return 0.5 * sorted[n / 2 - 1] + 0.5 * sorted[n / 2];
      double      median = 0.;
      std::size_t place  = 0;
      for (std::size_t i = 0; i < sorted.size(); ++i)
        if (!draws.is_in_the_middle(sorted.index(i)))
          {
            if (place == n / 2 - 1 || place == n / 2)
              median += 0.5 * sorted[i];
            ++place;
          }
      return median;
    }


    /** Put the score of its distance from the median in each draw's place. */
    void
    set_folded_scores(const SortedDraws  &sorted,
                      const NormalScores &score,
                      SplitDraws         &draws)
    {
      constexpr double none   = std::numeric_limits<double>::infinity();
      const double     median = median_of_halves(draws, sorted);
      // Below the median distances grow downwards, above it upwards.
      std::size_t above = sorted.first_from(median), below = above;
      const auto  distance_below = [&]() {
        return below > 0 ? median - sorted[below - 1] : none;
      };
      const auto distance_above = [&]() {
        return above < sorted.size() ? sorted[above] - median : none;
      };
      double next_below = distance_below();
      double next_above = distance_above();
      set_scores_of_keys(score, draws, [&]() {
        std::pair<double, std::uint32_t> result;
        if (next_below <= next_above)
          {
            result     = {next_below, sorted.index(--below)};
            next_below = distance_below();
          }
        else
          {
            result     = {next_above, sorted.index(above++)};
            next_above = distance_above();
          }
        return result;
      });
    }


    /** Put the normal score of its rank in the place of each draw. */
    void
    set_scores(const SortedDraws  &sorted,
               const NormalScores &score,
               SplitDraws         &draws)
    {
      std::size_t number = 0;
      set_scores_of_keys(score, draws, [&]() {
        const std::size_t here = number++;
        return std::pair<double, std::uint32_t>(sorted[here],
                                                sorted.index(here));
      });
    }


    struct Ranked
    {
      double r_hat_bulk, r_hat_folded, r_hat;
    };

    /** What ranks tell; the draws are lost. */
    Ranked
    look_at_ranks(const SortedDraws &sorted, SplitDraws &draws)
    {
      const NormalScores score(draws.n_halves() * draws.half);
      Ranked             result;
      const auto         r_hat = [&draws]() {
        return Variances(moments_of_halves(draws), draws.half).r_hat();
      };
      set_folded_scores(sorted, score, draws);
      result.r_hat_folded = r_hat();
      set_scores(sorted, score, draws);
      result.r_hat_bulk = r_hat();
      // Draws of two values that are equally frequent have but one distance
      // from their median, which says nothing.
      result.r_hat = std::isnan(result.r_hat_folded) ?
                       result.r_hat_bulk :
                       std::max(result.r_hat_bulk, result.r_hat_folded);
      return result;
    }


    /** Half the distance of the order statistics around a quantile. */
    double
    error_of_quantile(const SortedDraws &sorted,
                      const double       probability,
                      const double       size)
    {
      if (!std::isfinite(size))
        return not_a_number;
      const boost::math::beta_distribution<>   share(size * probability + 1.,
                                                   size * (1. - probability) +
                                                     1.);
      const boost::math::normal_distribution<> normal;
      const double                             n  = sorted.size();
      const auto                               at = [&](const double place) {
        return sorted[std::min(n, std::max(1., place)) - 1.];
      };
      const double low = boost::math::quantile(share,
                                               boost::math::cdf(normal, -1.)),
                   high =
                     boost::math::quantile(share, boost::math::cdf(normal, 1.));
      return 0.5 * (at(std::ceil(high * n)) - at(std::floor(low * n)));
    }
  } // namespace



  Convergence
  convergence(const std::vector<std::vector<double>> &chains)
  {
    SplitDraws draws(chains);
    if (!draws.are_usable())
      return {not_a_number, not_a_number};
    const double r_hat = look_at_ranks(SortedDraws(draws), draws).r_hat;
    return {r_hat, effective_size(draws)};
  }



  double
  rank_r_hat(const std::vector<std::vector<double>> &chains)
  {
    SplitDraws draws(chains);
    return draws.are_usable() ? look_at_ranks(SortedDraws(draws), draws).r_hat :
                                not_a_number;
  }



  Diagnostics
  diagnose(const std::vector<std::vector<double>> &chains)
  {
    Diagnostics result;
    SplitDraws  draws(chains);
    if (draws.values.empty() || !draws.are_finite())
      return result;
    const double          n = draws.values.size();
    const MeanAndVariance moments =
      mean_and_variance(draws.values.data(), draws.values.size());
    const double mean               = moments.mean;
    result.mean.value               = mean;
    result.standard_deviation.value = std::sqrt(moments.variance);

    const SortedDraws                     sorted(draws);
    const std::array<double, 3>           probabilities = {{0.05, 0.5, 0.95}};
    const std::array<EstimatedValue *, 3> quantiles     = {
          {&result.quantile_5, &result.median, &result.quantile_95}};
    for (unsigned int i = 0; i < 3; ++i)
      quantiles[i]->value = sorted.quantile(probabilities[i]);
    if (draws.half < least_half)
      return result;

    std::size_t lags = first_lags;
    result.mean_size = effective_size(draws, lags);
    result.mean.error =
      result.standard_deviation.value / std::sqrt(result.mean_size);
    for (unsigned int i = 0; i < 3; ++i)
      {
        const double bound = quantiles[i]->value;
        draws.set(chains,
                  [&](const double draw) { return double(draw <= bound); });
        const double size = effective_size(draws, lags);
        if (i != 1)
          result.tail_size = std::isnan(result.tail_size) ?
                               size :
                               std::min(result.tail_size, size);
        quantiles[i]->error = error_of_quantile(sorted, probabilities[i], size);
      }

    draws.set(chains,
              [&](const double draw) { return (draw - mean) * (draw - mean); });
    double squares = 0., fourth_powers = 0.;
    for (const double square : draws.values)
      {
        squares += square;
        fourth_powers += square * square;
      }
    squares /= n;
    fourth_powers /= n;
    // Kenney and Keeping: the variance of a variance; the root's to first
    // order.
    result.standard_deviation.error =
      std::sqrt((fourth_powers - squares * squares) /
                effective_size(draws, lags) / squares / 4.);

    const Ranked ranked = look_at_ranks(sorted, draws);
    result.r_hat_bulk   = ranked.r_hat_bulk;
    result.r_hat_folded = ranked.r_hat_folded;
    result.r_hat        = ranked.r_hat;
    result.bulk_size    = effective_size(draws, lags);
    return result;
  }



  std::vector<double>
  autocorrelations(const std::vector<std::vector<double>> &chains,
                   const std::size_t                       n_lags)
  {
    const SplitDraws draws(chains);
    if (!draws.are_usable())
      return {};
    const std::vector<MeanAndVariance> moments = moments_of_halves(draws);
    const Variances                    variances(moments, draws.half);
    if (!(variances.within > 0.))
      return {};
    std::vector<double> result =
      correlations(draws, moments, variances, power_of_two(n_lags + 1));
    result.resize(std::min(result.size(), n_lags + 1));
    return result;
  }



  double
  effective_size_of_mean(const std::vector<std::vector<double>> &chains)
  {
    const SplitDraws draws(chains);
    return draws.are_usable() ? effective_size(draws) : not_a_number;
  }



  double
  distance_from_law(const std::vector<double>                 &draws,
                    const std::function<double(const double)> &cdf)
  {
    if (draws.empty())
      return not_a_number;
    const std::vector<double> sorted   = SortedNumbers(draws).values;
    const double              n        = sorted.size();
    double                    distance = 0.;
    for (std::size_t i = 0; i < sorted.size(); ++i)
      {
        const double probability = cdf(sorted[i]);
        distance =
          std::max({distance, (i + 1) / n - probability, probability - i / n});
      }
    return distance;
  }
} // namespace Tempera
