// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/row_products.h>

// One copy of the loops for each generation of processors; which one runs is
// decided when the program starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#  define TEMPERA_CLONES \
    __attribute__((      \
      target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#  define TEMPERA_CLONES
#endif

namespace Tempera
{
  namespace
  {
    // Four numbers at a time; the compiler splits them where it must.
    typedef double Lanes __attribute__((vector_size(4 * sizeof(double))));

    inline Lanes
    load(const double *address)
    {
      Lanes result;
      __builtin_memcpy(&result, address, sizeof(Lanes));
      return result;
    }

    inline double
    sum_of(const Lanes &lanes)
    {
      return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    }

    /**
     * Some rows times some vectors at once, so that what is loaded is used
     * several times.
     */
    template <int n_rows, int n_vectors>
    __attribute__((always_inline)) inline void
    block(const double        *matrix,
          const std::size_t    n_columns,
          const double *const *vectors,
          double              *results,
          const std::size_t    stride)
    {
      Lanes sums[n_rows][n_vectors];
#pragma GCC unroll 8
      for (int row = 0; row < n_rows; ++row)
#pragma GCC unroll 8
        for (int k = 0; k < n_vectors; ++k)
          sums[row][k] = Lanes{0., 0., 0., 0.};

      for (std::size_t column = 0; column < n_columns; column += 4)
#pragma GCC unroll 8
        for (int k = 0; k < n_vectors; ++k)
          {
            const Lanes vector = load(vectors[k] + column);
#pragma GCC unroll 8
            for (int row = 0; row < n_rows; ++row)
              sums[row][k] += load(matrix + row * n_columns + column) * vector;
          }

#pragma GCC unroll 8
      for (int row = 0; row < n_rows; ++row)
#pragma GCC unroll 8
        for (int k = 0; k < n_vectors; ++k)
          results[k * stride + row] = sum_of(sums[row][k]);
    }

    template <int n_vectors>
    __attribute__((always_inline)) inline void
    all_rows(const double        *matrix,
             const std::size_t    n_rows,
             const std::size_t    n_columns,
             const double *const *vectors,
             double              *results)
    {
      std::size_t row = 0;
      for (; row + 3 <= n_rows; row += 3)
        block<3, n_vectors>(
          matrix + row * n_columns, n_columns, vectors, results + row, n_rows);
      for (; row < n_rows; ++row)
        block<1, n_vectors>(
          matrix + row * n_columns, n_columns, vectors, results + row, n_rows);
    }
  } // namespace



  TEMPERA_CLONES
  void
  row_products(const double        *matrix,
               const std::size_t    n_rows,
               const std::size_t    n_columns,
               const double *const *vectors,
               const std::size_t    n_vectors,
               double              *results)
  {
    std::size_t done = 0;
    for (; done + 4 <= n_vectors; done += 4)
      all_rows<4>(
        matrix, n_rows, n_columns, vectors + done, results + done * n_rows);
    for (; done + 2 <= n_vectors; done += 2)
      all_rows<2>(
        matrix, n_rows, n_columns, vectors + done, results + done * n_rows);
    if (done < n_vectors)
      all_rows<1>(
        matrix, n_rows, n_columns, vectors + done, results + done * n_rows);
  }
} // namespace Tempera
