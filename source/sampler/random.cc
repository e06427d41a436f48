// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/random.h>

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    using Generator = r123::Philox4x64;

    constexpr std::size_t block_size = 4;

    Generator::ctr_type
    block(const RandomKey &key, const std::uint64_t index)
    {
      const Generator::key_type philox_key = {
        {key.seed, (std::uint64_t(key.chain) << 32) | key.rung}};
      const Generator::ctr_type counter = {
        {key.round,
         (std::uint64_t(key.substep) << 32) |
           static_cast<std::uint32_t>(key.purpose),
         index,
         key.stream}};
      return Generator()(counter, philox_key);
    }

    /** The upper 53 bits as a number in the middle of its cell of (0, 1). */
    double
    to_uniform(const std::uint64_t bits)
    {
      return (static_cast<double>(bits >> 11) + 0.5) * 0x1.0p-53;
    }
    /**
     * Cosine and sine of \f$2\pi v\f$, \f$0 < v < 1\f$, to an error of a few
     * units in the last place: the nearest quarter turn, and Taylor's series
     * for the rest, which is at most an eighth of a turn. Twice as fast as the
     * library's, and the same with every library.
     */
    inline void
    cosine_and_sine_of_turn(const double v, double &cosine, double &sine)
    {
      constexpr double half_pi = 1.57079632679489661923;
      const int        quarter = static_cast<int>(4. * v + 0.5);
      const double     x       = (4. * v - quarter) * half_pi;
      const double     y       = x * x;
      const double     short_cosine =
        1. + y * (-1. / 2. +
                  y * (1. / 24. +
                       y * (-1. / 720. +
                            y * (1. / 40320. +
                                 y * (-1. / 3628800. +
                                      y * (1. / 479001600. +
                                           y * (-1. / 87178291200. +
                                                y / 20922789888000.)))))));
      const double short_sine =
        x *
        (1. +
         y * (-1. / 6. +
              y * (1. / 120. +
                   y * (-1. / 5040. +
                        y * (1. / 362880. + y * (-1. / 39916800. +
                                                 y * (1. / 6227020800. -
                                                      y / 1307674368000.)))))));
      const bool   odd  = quarter & 1;
      const double sign = quarter & 2 ? -1. : 1.;
      cosine            = sign * (odd ? -short_sine : short_cosine);
      sine              = sign * (odd ? short_cosine : short_sine);
    }
  } // namespace



  void
  fill_uniforms(const RandomKey &key, const dealii::ArrayView<double> &numbers)
  {
    for (std::size_t first = 0; first < numbers.size(); first += block_size)
      {
        const auto        words = block(key, first / block_size);
        const std::size_t n     = std::min(block_size, numbers.size() - first);
        for (std::size_t i = 0; i < n; ++i)
          numbers[first + i] = to_uniform(words[i]);
      }
  }



  void
  fill_normals(const RandomKey &key, const dealii::ArrayView<double> &numbers)
  {
    if (numbers.size() >= long_array)
      {
        langevin_loops().normals(normal_stream(key),
                                 numbers.size(),
                                 numbers.data());
        return;
      }
    for (std::size_t first = 0; first < numbers.size(); first += block_size)
      {
        const auto        words = block(key, first / block_size);
        const std::size_t n     = std::min(block_size, numbers.size() - first);
        for (std::size_t i = 0; i < n; i += 2)
          {
            const double radius =
              std::sqrt(-2. * std::log(to_uniform(words[i])));
            double cosine, sine;
            cosine_and_sine_of_turn(to_uniform(words[i + 1]), cosine, sine);
            numbers[first + i] = radius * cosine;
            if (i + 1 < n)
              numbers[first + i + 1] = radius * sine;
          }
      }
  }



  NormalStream
  normal_stream(const RandomKey &key)
  {
    const auto words = block(key, std::numeric_limits<std::uint64_t>::max());
    const auto lower = [](const std::uint64_t word) {
      return static_cast<std::uint32_t>(word);
    };
    return {{lower(words[0]), lower(words[0] >> 32)},
            {lower(words[1]), lower(words[1] >> 32), lower(words[2])}};
  }



  double
  uniform(const RandomKey &key)
  {
    return to_uniform(block(key, 0)[0]);
  }
} // namespace Tempera
