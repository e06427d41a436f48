// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_lagged_products_h
#define tempera_output_lagged_products_h

#include <cstddef>
#include <vector>

namespace Tempera
{
  struct SpectrumLoops;

  /**
   * Sums \f$\sum_i x_i x_{i+l}\f$ over sequences, for all lags \f$l\f$ below a
   * power of two, \f$n\f$. By Fourier transforms of length \f$2n\f$, after
   * Rader (1970): the transform of a piece of \f$2n\f$ numbers is the sum of
   * those of its halves, every other number with another sign. So pieces of
   * \f$n\f$ numbers are transformed once, two at a time, and short lags of long
   * sequences need short transforms.
   */
  class LaggedProducts
  {
  public:
    explicit LaggedProducts(const std::size_t n_lags);

    /** Add a sequence of @p length numbers, less their @p mean. */
    void
    add(const double *sequence, const std::size_t length, const double mean);

    /** The sums of all that was added, which is used up. */
    std::vector<double>
    sums();

  private:
    /** Real and imaginary parts of complex numbers. */
    struct Numbers
    {
      explicit Numbers(const std::size_t n)
        : real(n, 0.)
        , imaginary(n, 0.)
      {}

      std::vector<double> real, imaginary;
    };

    /** In place; the other array is overwritten. */
    void
    transform();

    const SpectrumLoops &loops;
    const std::size_t    n_lags;
    Numbers              roots, numbers, other;
    std::vector<double>  powers;
    Numbers              cross_powers, before;
  };
} // namespace Tempera

#endif
