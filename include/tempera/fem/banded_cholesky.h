// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_banded_cholesky_h
#define tempera_fem_banded_cholesky_h

#include <tempera/fem/band_loops.h>
#include <tempera/fem/linear_solver.h>

#include <deal.II/base/aligned_vector.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /** An order of the rows in which the entries are near the diagonal. */
  struct BandOrder
  {
    /** The narrower one of the order that is there and Cuthill and McKee's. */
    explicit BandOrder(const dealii::SparseMatrix<double> &matrix);

    /** Place of each row; empty if they stay. */
    std::vector<unsigned int> places;
    BandShape                 shape;
  };


  /**
   * Cholesky's factorisation of a symmetric matrix within its band, with
   * vector units. It does many times the work of a sparse factorisation, and on
   * meshes of some thousand unknowns in the plane it does that faster.
   */
  class BandedCholesky : public LinearSolver
  {
  public:
    /** UnsuitableMatrix if the matrix is not positive definite. */
    BandedCholesky(const dealii::SparseMatrix<double> &matrix,
                   std::shared_ptr<const BandOrder>    order);

    void
    solve(dealii::Vector<double>       &x,
          const dealii::Vector<double> &b) const override;

    void
    solve_transposed(dealii::Vector<double>       &x,
                     const dealii::Vector<double> &b) const override
    {
      solve(x, b);
    }

    double
    log_determinant() const override;

    std::string
    name() const override
    {
      return "Cholesky in a band";
    }

  private:
    const BandLoops                       &loops;
    const std::shared_ptr<const BandOrder> its_order;
    const BandOrder                       &order;
    dealii::AlignedVector<double>          factor;
  };
} // namespace Tempera

#endif
