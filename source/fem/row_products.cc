// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/row_products.h>

// One copy of the kernels for each generation of processors; which one runs is
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

    /** @p n vectors at once, so that the matrix is read once for all. */
    template <int n>
    __attribute__((always_inline)) inline void
    products(const double        *matrix,
             const std::size_t    n_rows,
             const std::size_t    n_columns,
             const double *const *vectors,
             double              *results)
    {
      for (std::size_t row = 0; row < n_rows; ++row, matrix += n_columns)
        {
          Lanes sums[n][2] = {};
          for (std::size_t column = 0; column < n_columns;
               column += row_padding)
            {
              const Lanes first  = load(matrix + column);
              const Lanes second = load(matrix + column + 4);
              for (int k = 0; k < n; ++k)
                {
                  sums[k][0] += first * load(vectors[k] + column);
                  sums[k][1] += second * load(vectors[k] + column + 4);
                }
            }
          for (int k = 0; k < n; ++k)
            {
              const Lanes sum           = sums[k][0] + sums[k][1];
              results[k * n_rows + row] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
            }
        }
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
      products<4>(
        matrix, n_rows, n_columns, vectors + done, results + done * n_rows);
    for (; done + 2 <= n_vectors; done += 2)
      products<2>(
        matrix, n_rows, n_columns, vectors + done, results + done * n_rows);
    if (done < n_vectors)
      products<1>(
        matrix, n_rows, n_columns, vectors + done, results + done * n_rows);
  }
} // namespace Tempera
