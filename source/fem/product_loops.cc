// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/product_loops.h>

// Compiled once for each kind of vector units, with -ffast-math: nothing here
// may ask whether a number is finite.

namespace Tempera
{
  namespace
  {
    template <typename Lanes>
    inline Lanes
    load(const double *address)
    {
      Lanes result;
      __builtin_memcpy(&result, address, sizeof(Lanes));
      return result;
    }

    // Four columns at a time; the compiler splits them where it must.
    using Columns =
      double __attribute__((vector_size(ProductLoops::column_padding * 8)));

    inline double
    sum_of(const Columns &lanes)
    {
      return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    }

    /**
     * Some rows times some vectors at once, so that what is loaded is used
     * several times.
     */
    template <int n_rows, int n_vectors>
    __attribute__((always_inline)) inline void
    block_of_rows(const double        *matrix,
                  const std::size_t    n_columns,
                  const std::size_t    distance,
                  const double *const *vectors,
                  double              *results,
                  const std::size_t    stride)
    {
      Columns sums[n_rows][n_vectors];
#pragma GCC unroll 8
      for (int row = 0; row < n_rows; ++row)
#pragma GCC unroll 8
        for (int k = 0; k < n_vectors; ++k)
          sums[row][k] = Columns{0., 0., 0., 0.};

      for (std::size_t column = 0; column < n_columns;
           column += ProductLoops::column_padding)
#pragma GCC unroll 8
        for (int k = 0; k < n_vectors; ++k)
          {
            const Columns vector = load<Columns>(vectors[k] + column);
#pragma GCC unroll 8
            for (int row = 0; row < n_rows; ++row)
              sums[row][k] +=
                load<Columns>(matrix + row * distance + column) * vector;
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
             const std::size_t    distance,
             const double *const *vectors,
             double              *results)
    {
      std::size_t row = 0;
      for (; row + 3 <= n_rows; row += 3)
        block_of_rows<3, n_vectors>(matrix + row * distance,
                                    n_columns,
                                    distance,
                                    vectors,
                                    results + row,
                                    n_rows);
      for (; row < n_rows; ++row)
        block_of_rows<1, n_vectors>(matrix + row * distance,
                                    n_columns,
                                    distance,
                                    vectors,
                                    results + row,
                                    n_rows);
    }

    void
    row_products(const double        *matrix,
                 const std::size_t    n_rows,
                 const std::size_t    n_columns,
                 const std::size_t    distance,
                 const double *const *vectors,
                 const std::size_t    n_vectors,
                 double              *results)
    {
      std::size_t done = 0;
      for (; done + 4 <= n_vectors; done += 4)
        all_rows<4>(matrix,
                    n_rows,
                    n_columns,
                    distance,
                    vectors + done,
                    results + done * n_rows);
      for (; done + 2 <= n_vectors; done += 2)
        all_rows<2>(matrix,
                    n_rows,
                    n_columns,
                    distance,
                    vectors + done,
                    results + done * n_rows);
      if (done < n_vectors)
        all_rows<1>(matrix,
                    n_rows,
                    n_columns,
                    distance,
                    vectors + done,
                    results + done * n_rows);
    }


    // Rows in lanes: no sum of lanes at the end, and no padding of columns.
#if defined(__AVX512F__)
    constexpr std::size_t n_lanes = 8;
    /** With four vectors, as many sums as there are registers for. */
    constexpr int most_registers = 5;
#elif defined(__AVX2__)
    constexpr std::size_t n_lanes        = 4;
    constexpr int         most_registers = 2;
#else
    constexpr std::size_t n_lanes        = 2;
    constexpr int         most_registers = 2;
#endif
    using Rows = double __attribute__((vector_size(n_lanes * 8)));
    static_assert(ProductLoops::row_padding % n_lanes == 0,
                  "Columns end between two registers.");

    /** Some registers of rows times some vectors. */
    template <int n_registers, int n_vectors>
    __attribute__((always_inline)) inline void
    block_of_columns(const double        *matrix,
                     const std::size_t    n_rows,
                     const std::size_t    n_columns,
                     const double *const *vectors,
                     double              *results)
    {
      Rows sums[n_registers][n_vectors];
#pragma GCC unroll 8
      for (int i = 0; i < n_registers; ++i)
#pragma GCC unroll 8
        for (int k = 0; k < n_vectors; ++k)
          sums[i][k] = Rows{};

      for (std::size_t column = 0; column < n_columns; ++column)
#pragma GCC unroll 8
        for (int i = 0; i < n_registers; ++i)
          {
            const Rows rows =
              load<Rows>(matrix + column * n_rows + i * n_lanes);
#pragma GCC unroll 8
            for (int k = 0; k < n_vectors; ++k)
              sums[i][k] += rows * vectors[k][column];
          }

#pragma GCC unroll 8
      for (int k = 0; k < n_vectors; ++k)
#pragma GCC unroll 8
        for (int i = 0; i < n_registers; ++i)
          __builtin_memcpy(results + k * n_rows + i * n_lanes,
                           &sums[i][k],
                           sizeof(Rows));
    }

    /** Rows from @p row on, so many registers at a time while they last. */
    template <int n_registers, int n_vectors>
    __attribute__((always_inline)) inline void
    columns_from(std::size_t          row,
                 const double        *matrix,
                 const std::size_t    n_rows,
                 const std::size_t    n_columns,
                 const double *const *vectors,
                 double              *results)
    {
      constexpr std::size_t at_once = n_registers * n_lanes;
      for (; row + at_once <= n_rows; row += at_once)
        block_of_columns<n_registers, n_vectors>(
          matrix + row, n_rows, n_columns, vectors, results + row);
      if constexpr (n_registers > 1)
        columns_from<n_registers - 1, n_vectors>(
          row, matrix, n_rows, n_columns, vectors, results);
    }

    void
    column_products(const double        *matrix,
                    const std::size_t    n_rows,
                    const std::size_t    n_columns,
                    const double *const *vectors,
                    const std::size_t    n_vectors,
                    double              *results)
    {
      std::size_t done = 0;
      for (; done + 4 <= n_vectors; done += 4)
        columns_from<most_registers, 4>(0,
                                        matrix,
                                        n_rows,
                                        n_columns,
                                        vectors + done,
                                        results + done * n_rows);
      for (; done + 2 <= n_vectors; done += 2)
        columns_from<most_registers, 2>(0,
                                        matrix,
                                        n_rows,
                                        n_columns,
                                        vectors + done,
                                        results + done * n_rows);
      if (done < n_vectors)
        columns_from<most_registers, 1>(0,
                                        matrix,
                                        n_rows,
                                        n_columns,
                                        vectors + done,
                                        results + done * n_rows);
    }


    void
    integrate(const std::size_t n_cells,
              const std::size_t degree,
              const double *__restrict__ values,
              const double *__restrict__ weighted_shapes,
              double *__restrict__ integrals)
    {
      if (degree == 1)
        {
          // The common case, node by node: each number is written once.
          const double *values_2 = values + n_cells;
          const double *left = weighted_shapes, *right = left + n_cells,
                       *left_2 = right + n_cells, *right_2 = left_2 + n_cells;
          integrals[0] = values[0] * left[0] + values_2[0] * left_2[0];
          for (std::size_t i = 1; i < n_cells; ++i)
            integrals[i] =
              (values[i] * left[i] + values_2[i] * left_2[i]) +
              (values[i - 1] * right[i - 1] + values_2[i - 1] * right_2[i - 1]);
          const std::size_t last = n_cells - 1;
          integrals[n_cells] =
            values[last] * right[last] + values_2[last] * right_2[last];
          return;
        }
      for (std::size_t i = 0; i <= n_cells * degree; ++i)
        integrals[i] = 0.;
      for (std::size_t q = 0; q <= degree; ++q)
        for (std::size_t i = 0; i <= degree; ++i)
          for (std::size_t cell = 0; cell < n_cells; ++cell)
            integrals[cell * degree + i] +=
              values[q * n_cells + cell] *
              weighted_shapes[(q * (degree + 1) + i) * n_cells + cell];
    }
  } // namespace


#define TEMPERA_JOIN_AS_THEY_ARE(a, b) a##b
#define TEMPERA_JOIN(a, b) TEMPERA_JOIN_AS_THEY_ARE(a, b)

  const ProductLoops
    TEMPERA_JOIN(product_loops_,
                 TEMPERA_UNITS) = {row_products, column_products, integrate};
} // namespace Tempera
