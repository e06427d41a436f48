// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_linear_solver_h
#define tempera_fem_linear_solver_h

#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/vector.h>

#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /** Solves many systems with one matrix. */
  class LinearSolver
  {
  public:
    virtual ~LinearSolver() = default;

    /** @param x On entry a guess, for solvers that can use one. */
    virtual void
    solve(dealii::Vector<double> &x, const dealii::Vector<double> &b) const = 0;

    /** With the transposed matrix. */
    virtual void
    solve_transposed(dealii::Vector<double>       &x,
                     const dealii::Vector<double> &b) const = 0;

    /** Whether a good guess saves time. */
    virtual bool
    uses_guess() const
    {
      return false;
    }

    virtual std::string
    name() const = 0;
  };


  /** What a parameter file can name. */
  std::vector<std::string>
  linear_solver_names();

  /**
   * Prepare the solver of a name for a matrix, which must outlive it.
   *
   * @param is_symmetric Whether the matrix is symmetric and positive definite.
   */
  std::unique_ptr<LinearSolver>
  make_linear_solver(const std::string                  &name,
                     const dealii::SparseMatrix<double> &matrix,
                     const bool                          is_symmetric,
                     const double                        tolerance);
} // namespace Tempera

#endif
