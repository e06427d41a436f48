// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/lane_loops.h>

// Compiled once for each kind of vector units, with -ffast-math: nothing here
// may ask whether a number is finite.

namespace Tempera
{
  namespace
  {
#if defined(__AVX512F__)
    constexpr std::size_t n_numbers = 8;
#elif defined(__AVX2__)
    constexpr std::size_t n_numbers = 4;
#else
    constexpr std::size_t n_numbers = 2;
#endif
    constexpr std::size_t n_lanes = LaneLoops::n_lanes;
    constexpr std::size_t n_parts = n_lanes / n_numbers;
    using Part = double __attribute__((vector_size(n_numbers * 8)));

    /** One entry of all vectors. */
    struct Lanes
    {
      Part parts[n_parts];
    };

    __attribute__((always_inline)) inline Lanes
    load(const double *vectors, const std::size_t entry)
    {
      Lanes result;
      __builtin_memcpy(&result, vectors + entry * n_lanes, sizeof(Lanes));
      return result;
    }

    __attribute__((always_inline)) inline void
    store(const Lanes &lanes, double *vectors, const std::size_t entry)
    {
      __builtin_memcpy(vectors + entry * n_lanes, &lanes, sizeof(Lanes));
    }

    /** sum += factor * lanes */
    __attribute__((always_inline)) inline void
    add(const double factor, const Lanes &lanes, Lanes &sum)
    {
#pragma GCC unroll 4
      for (std::size_t i = 0; i < n_parts; ++i)
        sum.parts[i] += factor * lanes.parts[i];
    }

    __attribute__((always_inline)) inline Lanes
    zero()
    {
      Lanes result;
#pragma GCC unroll 4
      for (std::size_t i = 0; i < n_parts; ++i)
        result.parts[i] = Part{};
      return result;
    }

    /**
     * Sum of values times entries of the vectors; two sums, since each waits
     * for itself.
     */
    __attribute__((always_inline)) inline Lanes
    sum_of(const int    *places,
           const double *values,
           const int     n,
           const double *vectors)
    {
      Lanes sums[2] = {zero(), zero()};
      int   k       = 0;
      for (; k + 2 <= n; k += 2)
        {
          add(values[k], load(vectors, places[k]), sums[0]);
          add(values[k + 1], load(vectors, places[k + 1]), sums[1]);
        }
      if (k < n)
        add(values[k], load(vectors, places[k]), sums[0]);
      add(1., sums[1], sums[0]);
      return sums[0];
    }

    void
    multiply(const std::size_t n_rows,
             const int        *starts,
             const int        *columns,
             const double     *values,
             const double     *vectors,
             double           *results)
    {
      for (std::size_t row = 0; row < n_rows; ++row)
        store(sum_of(columns + starts[row],
                     values + starts[row],
                     starts[row + 1] - starts[row],
                     vectors),
              results,
              row);
    }

    void
    solve(const CholeskyColumns &factor,
          const double          *right_hand_sides,
          double                *memory,
          double                *solutions)
    {
      for (std::size_t j = 0; j < factor.n; ++j)
        store(load(right_hand_sides, factor.order[j]), memory, j);
      // Forwards each column is taken off the rows below it.
      for (std::size_t j = 0; j < factor.n; ++j)
        {
          const Lanes   here   = load(memory, j);
          const int     start  = factor.starts[j];
          const int     end    = start + factor.lengths[j];
          const int    *rows   = factor.rows;
          const double *values = factor.values;
          for (int k = start + 1; k < end; ++k)
            {
              Lanes below = load(memory, rows[k]);
              add(-values[k], here, below);
              store(below, memory, rows[k]);
            }
        }
      // Backwards it is a row.
      for (std::size_t j = factor.n; j-- > 0;)
        {
          const int start = factor.starts[j];
          Lanes     here  = zero();
          add(1. / factor.values[start], load(memory, j), here);
          add(-1.,
              sum_of(factor.rows + start + 1,
                     factor.values + start + 1,
                     factor.lengths[j] - 1,
                     memory),
              here);
          store(here, memory, j);
          store(here, solutions, factor.order[j]);
        }
    }
  } // namespace


#define TEMPERA_JOIN_AS_THEY_ARE(a, b) a##b
#define TEMPERA_JOIN(a, b) TEMPERA_JOIN_AS_THEY_ARE(a, b)

  const LaneLoops TEMPERA_JOIN(lane_loops_, TEMPERA_UNITS) = {multiply, solve};
} // namespace Tempera
