// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/random.h>

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>

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
    constexpr double two_pi = 6.283185307179586476925;
    for (std::size_t first = 0; first < numbers.size(); first += block_size)
      {
        const auto        words = block(key, first / block_size);
        const std::size_t n     = std::min(block_size, numbers.size() - first);
        for (std::size_t i = 0; i < n; i += 2)
          {
            const double radius =
              std::sqrt(-2. * std::log(to_uniform(words[i])));
            const double angle = two_pi * to_uniform(words[i + 1]);
            numbers[first + i] = radius * std::cos(angle);
            if (i + 1 < n)
              numbers[first + i + 1] = radius * std::sin(angle);
          }
      }
  }



  double
  uniform(const RandomKey &key)
  {
    return to_uniform(block(key, 0)[0]);
  }
} // namespace Tempera
