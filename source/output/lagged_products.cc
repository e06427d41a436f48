// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/vector_units.h>
#include <tempera/output/lagged_products.h>
#include <tempera/output/spectrum_loops.h>

#include <boost/math/constants/constants.hpp>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    template <typename Numbers>
    ComplexArray
    parts_of(Numbers &numbers)
    {
      return {numbers.real.data(), numbers.imaginary.data()};
    }
  } // namespace



  LaggedProducts::LaggedProducts(const std::size_t n_lags)
    : loops(for_vector_units(spectrum_loops_baseline,
                             spectrum_loops_v3,
                             spectrum_loops_v4))
    , n_lags(n_lags)
    , roots(2 * n_lags)
    , numbers(2 * n_lags)
    , other(2 * n_lags)
    , powers(n_lags + 1, 0.)
    , cross_powers(n_lags + 1)
    , before(n_lags + 1)
  {
    const std::size_t n = 2 * n_lags, quarter = n / 4;
    for (std::size_t k = 0; k < n; ++k)
      if (k < std::max<std::size_t>(1, quarter))
        {
          const double angle =
            2. * boost::math::constants::pi<double>() * k / n;
          roots.real[k]      = std::cos(angle);
          roots.imaginary[k] = -std::sin(angle);
        }
      else if (quarter > 0)
        {
          // A quarter of a turn.
          roots.real[k]      = roots.imaginary[k - quarter];
          roots.imaginary[k] = -roots.real[k - quarter];
        }
  }



  void
  LaggedProducts::transform()
  {
    std::size_t n = 2 * n_lags, stride = 1;
    for (; n >= 4; n /= 4, stride *= 4)
      {
        loops.pass_by_four(
          n, stride, parts_of(roots), parts_of(numbers), parts_of(other));
        std::swap(numbers, other);
      }
    if (n == 2)
      {
        loops.pass_by_two(stride, parts_of(numbers), parts_of(other));
        std::swap(numbers, other);
      }
  }



  void
  LaggedProducts::add(const double     *sequence,
                      const std::size_t length,
                      const double      mean)
  {
    std::fill(before.real.begin(), before.real.end(), 0.);
    std::fill(before.imaginary.begin(), before.imaginary.end(), 0.);
    const auto take = [&](const std::size_t begin, std::vector<double> &piece) {
      const std::size_t n =
        begin < length ? std::min(n_lags, length - begin) : 0;
      for (std::size_t i = 0; i < n; ++i)
        piece[i] = sequence[begin + i] - mean;
      std::fill(piece.begin() + n, piece.end(), 0.);
    };
    for (std::size_t begin = 0; begin < length; begin += 2 * n_lags)
      {
        take(begin, numbers.real);
        take(begin + n_lags, numbers.imaginary);
        transform();
        loops.add_powers(n_lags,
                         parts_of(numbers),
                         powers.data(),
                         parts_of(cross_powers),
                         parts_of(before));
      }
  }



  std::vector<double>
  LaggedProducts::sums()
  {
    const std::size_t n = 2 * n_lags;
    for (std::size_t k = 0; k <= n_lags; ++k)
      {
        const double sign         = k % 2 == 0 ? 1. : -1.;
        const double real         = powers[k] + sign * cross_powers.real[k],
                     imaginary    = sign * cross_powers.imaginary[k];
        const std::size_t mirror  = (n - k) % n;
        numbers.real[mirror]      = real;
        numbers.imaginary[mirror] = -imaginary;
        numbers.real[k]           = real;
        numbers.imaginary[k]      = imaginary;
      }
    // The inverse but for a factor and a conjugate.
    transform();
    numbers.real.resize(n_lags);
    for (double &sum : numbers.real)
      sum /= n;
    return std::move(numbers.real);
  }
} // namespace Tempera
