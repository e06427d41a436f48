// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_row_products_h
#define tempera_fem_row_products_h

#include <cstddef>

namespace Tempera
{
  /** Rows of matrices for row_products() are padded to a multiple of this. */
  constexpr std::size_t row_padding = 4;

  /** A number of columns, padded. */
  constexpr std::size_t
  padded(const std::size_t n)
  {
    return (n + row_padding - 1) / row_padding * row_padding;
  }

  /**
   * Products of a matrix with several vectors, with the machine's vector
   * units. Rows and vectors have @p n_columns entries, a multiple of
   * row_padding.
   *
   * @param results By vector, then by row.
   */
  void
  row_products(const double        *matrix,
               const std::size_t    n_rows,
               const std::size_t    n_columns,
               const double *const *vectors,
               const std::size_t    n_vectors,
               double              *results);
} // namespace Tempera

#endif
