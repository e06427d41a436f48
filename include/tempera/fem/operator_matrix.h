// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_operator_matrix_h
#define tempera_fem_operator_matrix_h

#include <tempera/fem/partition.h>

#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/vector.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * A finite element function, or a functional on them: the values at degrees
   * of freedom with an equation, and at those on a Dirichlet boundary.
   *
   * Of several processes each has the values of its own equations. On the
   * boundary each has those of a function wherever it needs them; those of a
   * functional are the sums over the processes.
   *
   * Several of them may be one, with lanes: the entries of all of them at a
   * degree of freedom, then those at the next one (see LaneLoops).
   */
  struct NodalVector
  {
    dealii::Vector<double> interior;
    dealii::Vector<double> boundary;

    NodalVector() = default;

    NodalVector(const unsigned int n_interior,
                const unsigned int n_boundary,
                const unsigned int n_lanes = 1)
      : interior(n_interior * n_lanes)
      , boundary(n_boundary * n_lanes)
    {}

    void
    set_zero()
    {
      interior = 0.;
      boundary = 0.;
    }

    void
    add(const double factor, const NodalVector &other)
    {
      interior.add(factor, other.interior);
      if (boundary.size() > 0)
        boundary.add(factor, other.boundary);
    }

    /** Become the vector in a lane of another one, as short as this one is. */
    void
    copy_from_lane(const NodalVector &lanes, const std::size_t lane);

    /** Write this vector into a lane of another one. */
    void
    copy_to_lane(NodalVector &lanes, const std::size_t lane) const;

    /** Entry of a degree of freedom; boundary ones come last. */
    double &
    operator[](const std::size_t dof)
    {
      return dof < interior.size() ? interior[dof] :
                                     boundary[dof - interior.size()];
    }

    double
    operator[](const std::size_t dof) const
    {
      return dof < interior.size() ? interior[dof] :
                                     boundary[dof - interior.size()];
    }
  };


  /**
   * The rows of an operator that belong to degrees of freedom with an
   * equation: a square matrix, and the few entries that couple it to the
   * boundary. Of several processes each has its own rows; their columns are
   * those of an extended vector (see Partition).
   */
  class OperatorMatrix
  {
  public:
    dealii::SparseMatrix<double> interior;

    /** An entry in a column of the boundary. */
    struct Entry
    {
      unsigned int row, column;
      double       value;
    };
    std::vector<Entry> coupling;

    /** Null if there is only one process. */
    std::shared_ptr<const Partition> partition;

    /** Become a matrix with the same entries. */
    void
    copy_from(const OperatorMatrix &other);

    /** Multiply with a number. */
    void
    scale(const double factor);

    /** Add a multiple of a matrix that was assembled on the same mesh. */
    void
    add(const double factor, const OperatorMatrix &other);

    /** result = A function */
    void
    multiply(dealii::Vector<double> &result,
             const NodalVector      &function,
             const unsigned int      n_lanes = 1) const;

    /** result = A^T rows; a symmetric matrix is read by rows. */
    void
    multiply_transposed(NodalVector                  &result,
                        const dealii::Vector<double> &rows,
                        const bool                    is_symmetric,
                        const unsigned int            n_lanes = 1) const;

    /** The part of multiply() that comes from the boundary, subtracted. */
    void
    subtract_coupling(dealii::Vector<double>       &result,
                      const dealii::Vector<double> &boundary,
                      const unsigned int            n_lanes = 1) const;

    /** The part of multiply_transposed() for the boundary, subtracted. */
    void
    subtract_transposed_coupling(dealii::Vector<double>       &boundary,
                                 const dealii::Vector<double> &rows,
                                 const unsigned int n_lanes = 1) const;

  private:
    /** The matrix by rows, for products with lanes. */
    struct Rows
    {
      std::vector<int>    starts, columns;
      std::vector<double> values;
    };

    void
    multiply_interior(dealii::Vector<double>       &result,
                      const dealii::Vector<double> &vector,
                      const unsigned int            n_lanes) const;

    void
    add_coupling(const double                  factor,
                 dealii::Vector<double>       &result,
                 const dealii::Vector<double> &boundary,
                 const unsigned int            n_lanes) const;

    void
    add_transposed_coupling(const double                  factor,
                            dealii::Vector<double>       &boundary,
                            const dealii::Vector<double> &rows,
                            const unsigned int            n_lanes) const;

    /** Those of the matrix as it is now, made when first asked for. */
    const Rows &
    get_rows() const;

    mutable std::shared_ptr<const Rows> rows_for_lanes;
  };
} // namespace Tempera

#endif
