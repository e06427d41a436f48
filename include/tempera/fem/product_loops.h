// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_product_loops_h
#define tempera_fem_product_loops_h

#include <cstddef>

// Plain declarations only: the loops are compiled for several kinds of
// vector units (cmake/vector_sources.cmake), and an inline function would be
// kept in one of its versions, perhaps in one that the processor cannot run.

namespace Tempera
{
  /**
   * Inner loops of data maps. Each number that they return is a sum of its own
   * in a fixed order, so that it does not depend on what else is asked for.
   */
  struct ProductLoops
  {
    /** Rows for row_products() are padded with zeros to a multiple of this. */
    static constexpr std::size_t column_padding = 4;

    /** Columns for column_products() are, to a multiple of this. */
    static constexpr std::size_t row_padding = 8;

    /**
     * Products of a matrix that is stored by rows with several vectors: for
     * few long rows.
     *
     * @param distance Between the beginnings of two rows.
     * @param results By vector, then by row.
     */
    void (*row_products)(const double        *matrix,
                         const std::size_t    n_rows,
                         const std::size_t    n_columns,
                         const std::size_t    distance,
                         const double *const *vectors,
                         const std::size_t    n_vectors,
                         double              *results);

    /** The same for a matrix that is stored by columns: for many rows. */
    void (*column_products)(const double        *matrix,
                            const std::size_t    n_rows,
                            const std::size_t    n_columns,
                            const double *const *vectors,
                            const std::size_t    n_vectors,
                            double              *results);

    /**
     * \f$\int g\varphi_i\f$ along a line of cells.
     *
     * @param values Of \f$g\f$, by quadrature point of a cell, then by cell.
     * @param weighted_shapes Weights times shape functions, by quadrature
     * point, then by shape function, then by cell.
     */
    void (*integrate)(const std::size_t n_cells,
                      const std::size_t degree,
                      const double     *values,
                      const double     *weighted_shapes,
                      double           *integrals);
  };

  extern const ProductLoops product_loops_baseline, product_loops_v3,
    product_loops_v4;


  /** Those for the vector units of this processor. */
  const ProductLoops &
  product_loops();


  /** A number of columns, padded. */
  std::size_t
  padded_columns(const std::size_t n);

  /** A number of rows, padded. */
  std::size_t
  padded_rows(const std::size_t n);
} // namespace Tempera

#endif
