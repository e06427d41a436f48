// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_lane_loops_h
#define tempera_fem_lane_loops_h

#include <cstddef>

// Plain declarations only: the loops are compiled for several kinds of
// vector units (cmake/vector_sources.cmake), and an inline function would be
// kept in one of its versions, perhaps in one that the processor cannot run.

namespace Tempera
{
  /**
   * A Cholesky factorisation \f$P A P^T = L D L^T\f$ as CHOLMOD keeps it: by
   * columns, of which the first entry is that of \f$D\f$.
   */
  struct CholeskyColumns
  {
    std::size_t n;
    /** Where columns begin, and how many entries they have. */
    const int    *starts, *lengths;
    const int    *rows;
    const double *values;
    /** Row \f$j\f$ of \f$P A P^T\f$ is this one of \f$A\f$. */
    const int *order;
  };


  /**
   * Operations on several vectors at once, whose entries take turns: lane
   * \f$l\f$ of entry \f$i\f$ is at \f$i n + l\f$, \f$n\f$ the number of
   * lanes. What comes out in a lane does not depend on the others, bit by bit.
   */
  struct LaneLoops
  {
    static constexpr std::size_t n_lanes = 8;

    /** A matrix that is stored by rows times the vectors. */
    void (*multiply)(const std::size_t n_rows,
                     const int        *starts,
                     const int        *columns,
                     const double     *values,
                     const double     *vectors,
                     double           *results);

    /**
     * Solve with the factorised matrix.
     *
     * @param memory As long as the vectors.
     */
    void (*solve)(const CholeskyColumns &factor,
                  const double          *right_hand_sides,
                  double                *memory,
                  double                *solutions);
  };

  extern const LaneLoops lane_loops_baseline, lane_loops_v3, lane_loops_v4;


  /** Those for the vector units of this processor. */
  const LaneLoops &
  lane_loops();
} // namespace Tempera

#endif
