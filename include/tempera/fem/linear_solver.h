// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_linear_solver_h
#define tempera_fem_linear_solver_h

#include <tempera/base/solve_failed.h>
#include <tempera/fem/fem_parameters.h>
#include <tempera/fem/partition.h>

#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/vector.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /** A matrix that this solver cannot cope with, or that nobody can. */
  class UnsuitableMatrix : public SolveFailed
  {
  public:
    using SolveFailed::SolveFailed;
  };


  /** Solves many systems with one matrix; a failure is UnsuitableMatrix. */
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

    /** Whether there is solve_lanes(). */
    virtual bool
    has_lanes() const
    {
      return false;
    }

    /**
     * Solve with several right-hand sides, as LaneLoops wants them. The matrix
     * is symmetric where there is this.
     */
    virtual void
    solve_lanes(dealii::Vector<double>       &x,
                const dealii::Vector<double> &b) const;

    /**
     * The logarithm of the determinant of the matrix. Only Cholesky's
     * factorisation knows it; others throw a UserError.
     */
    virtual double
    log_determinant() const;

    /** Whether a good guess saves time. */
    virtual bool
    uses_guess() const
    {
      return false;
    }

    virtual std::string
    name() const = 0;

    /** What iterative solvers have done so far. */
    struct Iterations
    {
      unsigned int n_solves = 0, sum = 0, largest = 0;
    };

    virtual Iterations
    iterations() const
    {
      return {};
    }
  };


  /**
   * Prepares solvers for matrices that share a sparsity pattern. What depends
   * on the pattern alone, such as the order of elimination, is found once.
   */
  class LinearSolverFactory
  {
  public:
    /**
     * @param is_symmetric Whether the matrices are symmetric.
     * @param tolerance Of iterative solvers.
     * @param partition Null if there is only one process; otherwise matrices
     * have the rows of this process, and its columns.
     * @param solves_per_matrix How many systems are solved with each of many
     * matrices, roughly: with few of them a factor that is quickly made is
     * better than a small one. Infinite for one matrix alone.
     */
    LinearSolverFactory(
      const LinearSolverType           type,
      const bool                       is_symmetric,
      const double                     tolerance,
      std::shared_ptr<const Partition> partition = nullptr,
      const double solves_per_matrix = std::numeric_limits<double>::infinity());

    ~LinearSolverFactory();

    /**
     * The solver for a matrix, of which it keeps what it needs;
     * UnsuitableMatrix if there is none. 'automatic' goes on to UMFPACK where a
     * symmetric matrix is not positive definite.
     */
    std::unique_ptr<LinearSolver>
    make(const dealii::SparseMatrix<double> &matrix) const;

    bool
    is_symmetric() const
    {
      return symmetric;
    }

  private:
    struct Analyses;

    const LinearSolverType                 type;
    const bool                             symmetric;
    const double                           tolerance;
    const std::shared_ptr<const Partition> partition;
    const double                           solves_per_matrix;
    const std::unique_ptr<Analyses>        analyses;
  };
} // namespace Tempera

#endif
