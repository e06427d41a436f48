// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/band_loops.h>

// Compiled once for each kind of vector units, with -ffast-math: nothing here
// may ask whether a number is finite.

namespace Tempera
{
  namespace
  {
    constexpr std::size_t n_lanes = BandShape::n_lanes;
    /** Columns that are subtracted together. */
    constexpr std::size_t n_together = 4;

    using Lanes
      __attribute__((vector_size(n_lanes * sizeof(double)), may_alias)) =
        double;

    inline __attribute__((always_inline)) std::size_t
    least(const std::size_t a, const std::size_t b)
    {
      return a < b ? a : b;
    }

    /** A band by its rows. */
    template <typename Number>
    struct Columns
    {
      const std::size_t stride;
      Number *const     band;

      /** Such that [row] is an entry. */
      inline __attribute__((always_inline)) Number *
      operator[](const std::size_t column) const
      {
        return band + column * stride - column;
      }
    };

    /** The vector that begins at a row. */
    inline __attribute__((always_inline)) Lanes &
    lanes(double *column, const std::size_t row)
    {
      return *reinterpret_cast<Lanes *>(column + row);
    }

    inline __attribute__((always_inline)) const Lanes &
    lanes(const double *column, const std::size_t row)
    {
      return *reinterpret_cast<const Lanes *>(column + row);
    }

    /** Where the vector with a row begins. */
    inline __attribute__((always_inline)) std::size_t
    begin_of(const std::size_t row)
    {
      return row / n_lanes * n_lanes;
    }


    void
    factorise(const BandShape &shape, double *band, double *pivots)
    {
      const Columns<double> columns{shape.stride, band};
      for (std::size_t k = 0; k < shape.n_rows; k += n_together)
        {
          const std::size_t end = least(k + n_together, shape.n_rows);
          // All of them as if they ended where the last one does.
          const std::size_t last = k + n_together + shape.width;
          for (std::size_t j = k; j < end; ++j)
            {
              double *const y = columns[j];
              for (std::size_t c = k; c < j; ++c)
                {
                  const double *const x      = columns[c];
                  const double        factor = x[j];
                  for (std::size_t i = begin_of(j); i < last; i += n_lanes)
                    lanes(y, i) -= factor * lanes(x, i);
                }
              pivots[j]            = y[j];
              const double inverse = 1. / __builtin_sqrt(y[j]);
              for (std::size_t i = j; i < last; ++i)
                y[i] *= inverse;
            }
          for (std::size_t j = end; j < least(last, shape.n_rows); ++j)
            {
              const double *const c0 = columns[k], *const c1 = columns[k + 1],
                                  *const c2 = columns[k + 2],
                                  *const c3 = columns[k + 3];
              double *const              y  = columns[j];
              const double a0 = c0[j], a1 = c1[j], a2 = c2[j], a3 = c3[j];
              for (std::size_t i = begin_of(j); i < last; i += n_lanes)
                lanes(y, i) -= a0 * lanes(c0, i) + a1 * lanes(c1, i) +
                               a2 * lanes(c2, i) + a3 * lanes(c3, i);
            }
        }
      for (std::size_t k = 0; k < shape.n_rows; ++k)
        columns[k][k] = 1. / columns[k][k];
    }


    void
    solve(const BandShape &shape, const double *factor, double *x)
    {
      const Columns<const double> columns{shape.stride, factor};
      // Columns whose rows begin a vector, together.
      for (std::size_t k = 0; k < shape.n_rows; k += n_lanes)
        {
          for (std::size_t c = k; c < k + n_lanes; ++c)
            {
              x[c] *= columns[c][c];
              for (std::size_t i = c + 1; i < k + n_lanes; ++i)
                x[i] -= columns[c][i] * x[c];
            }
          for (std::size_t i = k + n_lanes; i < k + n_lanes + shape.width;
               i += n_lanes)
            {
              Lanes sum = lanes(x, i);
              for (std::size_t c = 0; c < n_lanes; ++c)
                sum -= x[k + c] * lanes(columns[k + c], i);
              lanes(x, i) = sum;
            }
        }
      for (std::size_t next = begin_of(shape.n_rows - 1) + n_lanes; next > 0;
           next -= n_lanes)
        {
          const std::size_t k = next - n_lanes;
          Lanes             sums[n_lanes];
          for (Lanes &sum : sums)
            sum = Lanes{};
          for (std::size_t i = next; i < next + shape.width; i += n_lanes)
            for (std::size_t c = 0; c < n_lanes; ++c)
              sums[c] += lanes(columns[k + c], i) * lanes(x, i);
          for (std::size_t c = next; c-- > k;)
            {
              double sum = x[c];
              for (std::size_t i = 0; i < n_lanes; ++i)
                sum -= sums[c - k][i];
              for (std::size_t i = c + 1; i < next; ++i)
                sum -= columns[c][i] * x[i];
              x[c] = sum * columns[c][c];
            }
        }
    }
  } // namespace


#define TEMPERA_JOIN_AS_THEY_ARE(a, b) a##b
#define TEMPERA_JOIN(a, b) TEMPERA_JOIN_AS_THEY_ARE(a, b)

  const BandLoops TEMPERA_JOIN(band_loops_, TEMPERA_UNITS) = {factorise, solve};
} // namespace Tempera
