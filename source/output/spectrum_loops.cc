// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/spectrum_loops.h>

// Compiled once for each kind of vector units, with -ffast-math: nothing here
// may ask whether a number is finite.

namespace Tempera
{
  namespace
  {
    /** Numbers of a pass; each k is independent of all others. */
    struct Pass
    {
      std::size_t stride, distance;
      const double *__restrict__ root_r;
      const double *__restrict__ root_i;
      const double *__restrict__ from_r;
      const double *__restrict__ from_i;
      double *__restrict__ to_r;
      double *__restrict__ to_i;

      /** The transform of four numbers, times roots. */
      inline __attribute__((always_inline)) void
      transform(const std::size_t in,
                const std::size_t out,
                const std::size_t root) const
      {
        const double sum_02_r   = from_r[in] + from_r[in + 2 * distance],
                     sum_02_i   = from_i[in] + from_i[in + 2 * distance],
                     minus_02_r = from_r[in] - from_r[in + 2 * distance],
                     minus_02_i = from_i[in] - from_i[in + 2 * distance],
                     sum_13_r =
                       from_r[in + distance] + from_r[in + 3 * distance],
                     sum_13_i =
                       from_i[in + distance] + from_i[in + 3 * distance],
                     minus_13_r =
                       from_r[in + distance] - from_r[in + 3 * distance],
                     minus_13_i =
                       from_i[in + distance] - from_i[in + 3 * distance];
        to_r[out] = sum_02_r + sum_13_r;
        to_i[out] = sum_02_i + sum_13_i;
        put(out + stride,
            root,
            minus_02_r + minus_13_i,
            minus_02_i - minus_13_r);
        put(out + 2 * stride,
            2 * root,
            sum_02_r - sum_13_r,
            sum_02_i - sum_13_i);
        put(out + 3 * stride,
            3 * root,
            minus_02_r - minus_13_i,
            minus_02_i + minus_13_r);
      }

      inline __attribute__((always_inline)) void
      put(const std::size_t out,
          const std::size_t root,
          const double      real,
          const double      imaginary) const
      {
        to_r[out] = root_r[root] * real - root_i[root] * imaginary;
        to_i[out] = root_r[root] * imaginary + root_i[root] * real;
      }
    };

    void
    pass_by_four(const std::size_t   n,
                 const std::size_t   stride,
                 const ComplexArray &roots,
                 const ComplexArray &from,
                 const ComplexArray &to)
    {
      const std::size_t quarter = n / 4;
      const Pass        pass    = {stride,
                                   quarter * stride,
                                   roots.real,
                                   roots.imaginary,
                                   from.real,
                                   from.imaginary,
                                   to.real,
                                   to.imaginary};
      if (stride == 1)
        {
          const Pass first = {1,
                              quarter,
                              roots.real,
                              roots.imaginary,
                              from.real,
                              from.imaginary,
                              to.real,
                              to.imaginary};
#pragma GCC ivdep
          for (std::size_t i = 0; i < quarter; ++i)
            first.transform(i, 4 * i, i);
        }
      else
        for (std::size_t i = 0; i < quarter; ++i)
#pragma GCC ivdep
          for (std::size_t k = 0; k < stride; ++k)
            pass.transform(i * stride + k, 4 * i * stride + k, i * stride);
    }



    void
    pass_by_two(const std::size_t   stride,
                const ComplexArray &from,
                const ComplexArray &to)
    {
      const double *__restrict__ a = from.real;
      const double *__restrict__ b = from.imaginary;
      double *__restrict__ c       = to.real;
      double *__restrict__ d       = to.imaginary;
#pragma GCC ivdep
      for (std::size_t k = 0; k < stride; ++k)
        {
          c[k]          = a[k] + a[k + stride];
          d[k]          = b[k] + b[k + stride];
          c[k + stride] = a[k] - a[k + stride];
          d[k + stride] = b[k] - b[k + stride];
        }
    }



    void
    add_powers(const std::size_t   n,
               const ComplexArray &both,
               double *__restrict__ powers,
               const ComplexArray &cross_powers,
               const ComplexArray &before)
    {
      const double *__restrict__ z_r = both.real;
      const double *__restrict__ z_i = both.imaginary;
      double *__restrict__ cross_r   = cross_powers.real;
      double *__restrict__ cross_i   = cross_powers.imaginary;
      double *__restrict__ before_r  = before.real;
      double *__restrict__ before_i  = before.imaginary;
      const auto add = [&](const std::size_t k, const std::size_t mirror) {
        // Told apart by their symmetry.
        const double a_r = 0.5 * (z_r[k] + z_r[mirror]),
                     a_i = 0.5 * (z_i[k] - z_i[mirror]),
                     b_r = 0.5 * (z_i[k] + z_i[mirror]),
                     b_i = 0.5 * (z_r[mirror] - z_r[k]);
        powers[k] += a_r * a_r + a_i * a_i + b_r * b_r + b_i * b_i;
        cross_r[k] +=
          a_r * b_r + a_i * b_i + before_r[k] * a_r + before_i[k] * a_i;
        cross_i[k] +=
          a_i * b_r - a_r * b_i + before_i[k] * a_r - before_r[k] * a_i;
        before_r[k] = b_r;
        before_i[k] = b_i;
      };
      add(0, 0);
#pragma GCC ivdep
      for (std::size_t k = 1; k <= n; ++k)
        add(k, 2 * n - k);
    }
  } // namespace


#define TEMPERA_JOIN_AS_THEY_ARE(a, b) a##b
#define TEMPERA_JOIN(a, b) TEMPERA_JOIN_AS_THEY_ARE(a, b)

  const SpectrumLoops
    TEMPERA_JOIN(spectrum_loops_,
                 TEMPERA_UNITS) = {pass_by_four, pass_by_two, add_powers};
} // namespace Tempera
