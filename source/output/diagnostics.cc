// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/output/diagnostics.h>

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>

namespace Tempera
{
  namespace
  {
    using Chains  = std::vector<std::vector<double>>;
    using Complex = std::complex<double>;

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


    /** Mean of the variances of halves, and variance of their means. */
    struct Variances
    {
      Variances(const std::vector<Moments> &halves, const std::size_t half)
        : half(half)
      {
        Moments means;
        for (const Moments &moments : halves)
          {
            within += moments.variance() / halves.size();
            means.add(moments.mean());
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

    std::vector<Moments>
    moments_of_halves(const SplitDraws &draws)
    {
      std::vector<Moments> result(draws.n_halves());
      for (std::size_t i = 0; i < draws.n_halves(); ++i)
        {
          const double *const begin = draws.begin_of_half(i);
          for (const double *value = begin; value != begin + draws.half;
               ++value)
            result[i].add(*value);
        }
      return result;
    }


    /** Fourier transforms of one length, a power of two, in place. */
    class FourierTransform
    {
    public:
      explicit FourierTransform(const std::size_t n)
        : n(n)
        , reversed(n, 0)
      {
        // The roots of each stage one after another, as they are needed.
        for (std::size_t half = 1; half < n; half *= 2)
          for (std::size_t k = 0; k < half; ++k)
            roots.push_back(
              std::polar(1., -boost::math::constants::pi<double>() * k / half));
        for (std::size_t i = 1; i < n; ++i)
          reversed[i] = reversed[i / 2] / 2 + (i % 2 == 1 ? n / 2 : 0);
      }

      void
      operator()(std::vector<Complex> &values) const
      {
        for (std::size_t i = 1; i < n; ++i)
          if (i < reversed[i])
            std::swap(values[i], values[reversed[i]]);
        const Complex *root = roots.data();
        for (std::size_t half = 1; half < n; root += half, half *= 2)
          for (std::size_t begin = 0; begin < n; begin += 2 * half)
            for (std::size_t k = 0; k < half; ++k)
              {
                Complex &lower = values[begin + k],
                        &upper = values[begin + k + half];
                // Written out: the product of the library looks for infinity.
                const Complex term(root[k].real() * upper.real() -
                                     root[k].imag() * upper.imag(),
                                   root[k].real() * upper.imag() +
                                     root[k].imag() * upper.real());
                upper = lower - term;
                lower += term;
              }
      }

    private:
      const std::size_t    n;
      std::vector<Complex> roots;
      /** Each index with its bits in reversed order. */
      std::vector<std::uint32_t> reversed;
    };


    /**
     * Autocovariances (divided by the length) of the lags below @p n_lags, a
     * power of two; mean of all halves. Each piece of @p n_lags draws meets the
     * twice as long one that begins at the same place: short lags of long
     * chains need short transforms.
     */
    std::vector<double>
    autocovariances(const SplitDraws           &draws,
                    const std::vector<Moments> &moments,
                    const std::size_t           n_lags)
    {
      const std::size_t      n = 2 * n_lags;
      const FourierTransform transform(n);

      std::vector<Complex> powers(n), values(n);
      for (std::size_t number = 0; number < draws.n_halves(); ++number)
        {
          const double *const half = draws.begin_of_half(number);
          const double        mean = moments[number].mean();
          for (std::size_t begin = 0; begin < draws.half; begin += n_lags)
            {
              for (std::size_t i = 0; i < n; ++i)
                {
                  const double value =
                    begin + i < draws.half ? half[begin + i] - mean : 0.;
                  values[i] = Complex(i < n_lags ? value : 0., value);
                }
              transform(values);
              // The transforms a of the real and b of the imaginary part, told
              // apart by their symmetry; a times the conjugate of b.
              for (std::size_t k = 0; k <= n_lags; ++k)
                {
                  const Complex one   = values[k],
                                other = values[(n - k) & (n - 1)];
                  const double a_real = one.real() + other.real(),
                               a_imag = one.imag() - other.imag(),
                               b_real = one.imag() + other.imag(),
                               b_imag = other.real() - one.real();
                  powers[k] +=
                    Complex(0.25 * (a_real * b_real + a_imag * b_imag),
                            0.25 * (a_imag * b_real - a_real * b_imag));
                }
            }
        }
      // The other half follows from symmetry.
      for (std::size_t k = 1; k < n_lags; ++k)
        powers[n - k] = std::conj(powers[k]);
      // The inverse but for a factor and a conjugate.
      transform(powers);
      std::vector<double> result(std::min(n_lags, draws.half));
      for (std::size_t lag = 0; lag < result.size(); ++lag)
        result[lag] =
          powers[lag].real() / (double(n) * draws.half * draws.n_halves());
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
    correlations(const SplitDraws           &draws,
                 const std::vector<Moments> &moments,
                 const Variances            &variances,
                 const std::size_t           n_lags)
    {
      std::vector<double> result = autocovariances(draws, moments, n_lags);
      for (double &value : result)
        value = 1. - (variances.within - value) / variances.total();
      result[0] = 1.;
      return result;
    }


    double
    effective_size(const SplitDraws &draws)
    {
      constexpr std::size_t first_lags = 512;

      const std::vector<Moments> moments = moments_of_halves(draws);
      const Variances            variances(moments, draws.half);
      if (!(variances.within > 0.))
        return not_a_number;

      const std::size_t all_lags = power_of_two(draws.half);
      std::size_t       n_lags   = std::min(first_lags, all_lags);
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
              n_lags = std::min(8 * n_lags, all_lags);
              continue;
            }

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
        return boost::math::quantile(boost::math::normal_distribution<>(),
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
        : values(draws.values)
        , order(draws.values.size())
      {
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(),
                  order.end(),
                  [&](const std::uint32_t a, const std::uint32_t b) {
                    return values[a] < values[b];
                  });
      }

      double
      operator[](const std::size_t number) const
      {
        return values[order[number]];
      }

      std::size_t
      index(const std::size_t number) const
      {
        return order[number];
      }

      std::size_t
      size() const
      {
        return order.size();
      }

      /** Number of the first value that is not smaller. */
      std::size_t
      first_from(const double value) const
      {
        return std::partition_point(order.begin(),
                                    order.end(),
                                    [&](const std::uint32_t i) {
                                      return values[i] < value;
                                    }) -
               order.begin();
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
      const std::vector<double> &values;
      std::vector<std::uint32_t> order;
    };


    /**
     * Gives the normal score of every draw in a half, in increasing order of
     * their keys; equal keys share their mean rank.
     *
     * @param next Gives the next key, and the index of its draw.
     */
    template <typename Next, typename Take>
    void
    for_each_score(const SplitDraws   &draws,
                   const NormalScores &score,
                   const Next         &next,
                   const Take         &take)
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
          take(index, here);
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


    /** R-hat of the ranks of distances from the median. */
    double
    folded_r_hat(const SplitDraws   &draws,
                 const SortedDraws  &sorted,
                 const NormalScores &score)
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
      double               next_below = distance_below();
      double               next_above = distance_above();
      std::vector<Moments> moments(draws.n_halves());
      for_each_score(
        draws,
        score,
        [&]() {
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
        },
        [&](const std::uint32_t index, const double one) {
          moments[draws.half_of(index)].add(one);
        });
      return Variances(moments, draws.half).r_hat();
    }


    /** Put the normal score of its rank in the place of each draw. */
    void
    set_scores(const SortedDraws  &sorted,
               const NormalScores &score,
               SplitDraws         &draws)
    {
      // Keys are read before their group is overwritten.
      std::size_t number = 0;
      for_each_score(
        draws,
        score,
        [&]() {
          const std::size_t here = number++;
          return std::pair<double, std::uint32_t>(sorted[here],
                                                  sorted.index(here));
        },
        [&](const std::uint32_t index, const double one) {
          draws.values[index] = one;
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
      result.r_hat_folded = folded_r_hat(draws, sorted, score);
      set_scores(sorted, score, draws);
      result.r_hat_bulk =
        Variances(moments_of_halves(draws), draws.half).r_hat();
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



  Diagnostics
  diagnose(const std::vector<std::vector<double>> &chains)
  {
    Diagnostics result;
    SplitDraws  draws(chains);
    if (draws.values.empty() || !draws.are_finite())
      return result;
    Moments moments;
    for (const double value : draws.values)
      moments.add(value);
    const double mean               = moments.mean();
    result.mean.value               = mean;
    result.standard_deviation.value = moments.standard_deviation();

    const std::array<double, 3>           probabilities = {{0.05, 0.5, 0.95}};
    const std::array<EstimatedValue *, 3> quantiles     = {
          {&result.quantile_5, &result.median, &result.quantile_95}};
    {
      const SortedDraws sorted(draws);
      for (unsigned int i = 0; i < 3; ++i)
        quantiles[i]->value = sorted.quantile(probabilities[i]);
      if (draws.half < least_half)
        return result;

      // The effective sizes for which the draws' order is needed afterwards.
      result.mean_size  = effective_size(draws);
      SplitDraws others = draws;
      for (unsigned int i = 0; i < 3; ++i)
        {
          const double bound = quantiles[i]->value;
          others.set(chains,
                     [&](const double draw) { return double(draw <= bound); });
          const double size = effective_size(others);
          if (i != 1)
            result.tail_size = std::isnan(result.tail_size) ?
                                 size :
                                 std::min(result.tail_size, size);
          quantiles[i]->error =
            error_of_quantile(sorted, probabilities[i], size);
        }
      others.set(chains, [&](const double draw) {
        return (draw - mean) * (draw - mean);
      });
      double squares = 0., fourth_powers = 0.;
      for (const double square : others.values)
        {
          squares += square / others.values.size();
          fourth_powers += square * square / others.values.size();
        }
      result.mean.error =
        result.standard_deviation.value / std::sqrt(result.mean_size);
      // Kenney and Keeping: the variance of a variance; the root's to first
      // order.
      result.standard_deviation.error =
        std::sqrt((fourth_powers - squares * squares) / effective_size(others) /
                  squares / 4.);
      others = SplitDraws({});

      const Ranked ranked = look_at_ranks(sorted, draws);
      result.r_hat_bulk   = ranked.r_hat_bulk;
      result.r_hat_folded = ranked.r_hat_folded;
      result.r_hat        = ranked.r_hat;
    }
    result.bulk_size = effective_size(draws);
    return result;
  }



  std::vector<double>
  autocorrelations(const std::vector<std::vector<double>> &chains,
                   const std::size_t                       n_lags)
  {
    const SplitDraws draws(chains);
    if (!draws.are_usable())
      return {};
    const std::vector<Moments> moments = moments_of_halves(draws);
    const Variances            variances(moments, draws.half);
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
