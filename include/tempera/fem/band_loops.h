// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_band_loops_h
#define tempera_fem_band_loops_h

#include <cstddef>

// Plain declarations only: the loops are compiled for several kinds of
// vector units (cmake/vector_sources.cmake), and an inline function would be
// kept in one of its versions, perhaps in one that the processor cannot run.

namespace Tempera
{
  /**
   * The lower triangle of a symmetric band matrix, column by column from the
   * diagonal down:
   *
   *     column k    | d a a a a 0 0 0 0 0 x x x |
   *     column k+1                              | d a a a a 0 ...
   *
   * The stride is one more than a multiple of n_lanes, so that a row begins a
   * vector in all columns or in none. Loops work on whole vectors: below a
   * column they read zeros, and above it, where the column before ends, they
   * leave numbers that nobody uses (x).
   */
  struct BandShape
  {
    std::size_t n_rows = 0;
    /** Entries below the diagonal. */
    std::size_t width = 0;
    /** From column to column. */
    std::size_t stride = 1;

    static constexpr std::size_t n_lanes = 8;

    /** Room that is needed beside the band itself. */
    static constexpr std::size_t margin = 4 * n_lanes;
  };


  /**
   * The inner loops of Cholesky's factorisation \f$LL^T\f$ of a band. There
   * are columns up to the next multiple of n_lanes, and memory is aligned to
   * vectors.
   */
  struct BandLoops
  {
    /**
     * The matrix becomes its factor, with the inverse of \f$L\f$'s diagonal.
     *
     * @param pivots The squares of that diagonal.
     */
    void (*factorise)(const BandShape &shape, double *band, double *pivots);

    /**
     * The right hand side becomes the solution.
     *
     * @param x With a margin of zeros behind it.
     */
    void (*solve)(const BandShape &shape, const double *factor, double *x);
  };

  extern const BandLoops band_loops_baseline;
  extern const BandLoops band_loops_v3;
  extern const BandLoops band_loops_v4;
} // namespace Tempera

#endif
