// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_space_discretisation_h
#define tempera_fem_space_discretisation_h

#include <tempera/fem/hanging_nodes.h>
#include <tempera/fem/integration_points.h>
#include <tempera/fem/lattice.h>
#include <tempera/fem/mesh.h>
#include <tempera/fem/operator_matrix.h>
#include <tempera/forward/sensor.h>
#include <tempera/problems/problem.h>

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/lac/full_matrix.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /** A value at a place as a combination of degrees of freedom. */
  using PointRow = std::vector<std::pair<unsigned int, double>>;


  /**
   * Mesh and elements of one level: matrices, integrals and point values. The
   * degrees of freedom on a Dirichlet boundary are numbered last. Those that
   * hang (see HangingNodes) are none.
   *
   * Of several processes each sees the degrees of freedom that it needs for
   * its own equations, in this order: its own ones with an equation, those on a
   * Dirichlet boundary (its own ones first), and those with an equation of
   * another process, the ghosts. It has all cells that its equations need, so
   * that what it integrates is complete.
   */
  template <int dim>
  class SpaceDiscretisation
  {
  public:
    /**
     * @param problem Says where Dirichlet values are given.
     * @param additional_points Integration points per direction beyond those
     * that are enough for the matrices.
     */
    SpaceDiscretisation(const Mesh<dim>   &mesh,
                        const unsigned int degree,
                        const Problem     &problem,
                        const unsigned int additional_points = 0);

    /** Of all processes. */
    unsigned int
    n_dofs() const
    {
      return n_all_dofs;
    }

    /** Number of own degrees of freedom with an equation. */
    unsigned int
    n_interior() const
    {
      return n_interior_dofs;
    }

    /** Number of those on a Dirichlet boundary that this process sees. */
    unsigned int
    n_boundary() const
    {
      return n_boundary_dofs;
    }

    /** Number of all that this process sees, ghosts included. */
    unsigned int
    n_local() const
    {
      return node_coordinates.size() / dim;
    }

    /** How equations are dealt to processes; null if there is only one. */
    const std::shared_ptr<const Partition> &
    get_partition() const
    {
      return partition;
    }

    /** Sum numbers over all processes. */
    void
    sum(const dealii::ArrayView<double> &numbers) const
    {
      if (partition)
        partition->sum(numbers);
    }

    /** Coordinates of all degrees of freedom that this process sees. */
    const std::vector<double> &
    nodes() const
    {
      return node_coordinates;
    }

    const IntegrationPoints &
    cells() const
    {
      return cell_points;
    }

    /** Points on faces of some boundaries; all of them if none is named. */
    IntegrationPoints
    faces(const std::vector<dealii::types::boundary_id> &boundaries) const;

    /**
     * For each degree of freedom whether it is on one of the boundaries. Called
     * by all processes.
     */
    std::vector<bool>
    is_on(const std::vector<dealii::types::boundary_id> &boundaries) const;

    /** The lattice, or a null pointer if the mesh is none. */
    const Lattice *
    get_lattice() const
    {
      return lattice.get();
    }

    /**
     * Coefficients \f$c_{ed}\f$ at the integration points of the cells, by
     * component of the test function and of the trial function: 0 is the
     * value, the others are the derivatives. A null pointer is zero.
     */
    using PointCoefficients =
      std::array<std::array<const double *, 1 + dim>, 1 + dim>;

    /**
     * The matrix of
     * \f$\int\sum_{ed} c_{ed}\,(D_d\varphi_j)(D_e\varphi_i)\f$.
     */
    OperatorMatrix
    assemble(const PointCoefficients &coefficients) const;

    /** A matrix of zeros. */
    OperatorMatrix
    make_matrix() const;

    /**
     * By block of points and pair of its shape functions: the number of the
     * entry in the rows of the interior matrix; -2 - k for number k of the
     * coupling, -1 for none. Only on one process.
     */
    std::vector<int>
    entries_of(const IntegrationPoints &points) const;

    /** The matrix of a term, given its coefficient at points_of() it. */
    OperatorMatrix
    assemble(const OperatorTerm        &term,
             const IntegrationPoints   &points,
             const std::vector<double> &coefficient) const;

    /**
     * Add to each point of a term what its coefficient there contributes to
     * \f$\lambda\cdot A u\f$. For one process alone.
     *
     * @param rows \f$\lambda\f$
     * @param function \f$u\f$
     */
    void
    add_products(const OperatorTerm           &term,
                 const IntegrationPoints      &points,
                 const dealii::Vector<double> &rows,
                 const NodalVector            &function,
                 std::vector<double>          &products) const;

    /** Where the coefficient of a term is needed. */
    std::shared_ptr<const IntegrationPoints>
    points_of(const OperatorTerm &term) const;

    /**
     * The values at the places of sensors. Of several processes, each has the
     * part with its own degrees of freedom. A place outside is a UserError that
     * names the sensor.
     */
    std::vector<PointRow>
    rows_of(const std::vector<Sensor> &sensors) const;

    /**
     * A function by own degrees of freedom in deal.II's order, which has the
     * hanging ones at the end. Called by all processes.
     */
    dealii::Vector<double>
    field_of(const NodalVector &function) const;

    /** Whether cells have larger neighbours. */
    bool
    is_adapted() const
    {
      return has_hanging_nodes;
    }

    const dealii::DoFHandler<dim> &
    get_dof_handler() const
    {
      return dof_handler;
    }

  private:
    /** Throw a UserError if a boundary that is named does not exist. */
    void
    check_boundaries(const Problem &problem) const;

    void
    number_dofs(const Problem &problem);

    /** By own degree of freedom, before any numbering: see is_on(). */
    std::vector<bool>
    own_on(const std::vector<dealii::types::boundary_id> &boundaries) const;

    /** Collect the cells, and number what this process sees. */
    void
    find_local_dofs();

    unsigned int
    local_dof(const dealii::types::global_dof_index dof) const;

    /** Columns of the matrix; those on the boundary have none. */
    bool
    is_on_boundary(const unsigned int dof) const
    {
      return dof >= n_interior_dofs && dof < n_interior_dofs + n_boundary_dofs;
    }

    unsigned int
    matrix_column(const unsigned int dof) const
    {
      return dof < n_interior_dofs ? dof : dof - n_boundary_dofs;
    }

    /** The place of a sensor, if it has as many coordinates as it must. */
    dealii::Point<dim>
    place_of(const Sensor &sensor) const;

    [[noreturn]] void
    throw_outside(const Sensor &sensor) const;

    using ActiveCell = typename dealii::DoFHandler<dim>::active_cell_iterator;

    /** Shape functions that do not vanish at a point of the unit cell. */
    std::vector<std::pair<dealii::types::global_dof_index, double>>
    shapes_at(const ActiveCell &cell, const dealii::Point<dim> &unit) const;

    /** The row of a sensor if there is only one process. */
    PointRow
    row_of(const Sensor &sensor) const;

    void
    find_cell_points();

    void
    find_lattice();

    void
    make_sparsity_pattern();

    /** Add the matrix of a block. */
    void
    distribute(const dealii::FullMatrix<double> &local,
               const unsigned int               *dofs,
               OperatorMatrix                   &matrix) const;

    /** Outlives the handler of its degrees of freedom. */
    const Mesh<dim>         mesh;
    const dealii::FE_Q<dim> element;
    /** Of integration. */
    const unsigned int      n_points_per_direction;
    dealii::DoFHandler<dim> dof_handler;
    HangingNodes<dim>       hanging;
    unsigned int            n_own_hanging = 0;

    // Of all processes; found once, so that asking needs no message.
    unsigned int n_all_dofs        = 0;
    bool         has_hanging_nodes = false;

    unsigned int n_interior_dofs = 0, n_boundary_dofs = 0;
    /** deal.II's number of the first own one. */
    dealii::types::global_dof_index first_dof = 0;
    /** deal.II's numbers of those of others, with our numbers. */
    std::vector<std::pair<dealii::types::global_dof_index, unsigned int>>
      foreign_dofs;
    /** Cells that own equations need, and all own cells. */
    std::vector<ActiveCell>          cells_here;
    std::shared_ptr<const Partition> partition;

    std::vector<double>      node_coordinates;
    IntegrationPoints        cell_points;
    std::unique_ptr<Lattice> lattice;

    std::shared_ptr<dealii::SparsityPattern> sparsity_pattern;
    /** Rows and columns that couple to the boundary, sorted. */
    std::vector<OperatorMatrix::Entry> coupling_pattern;
  };
} // namespace Tempera

#endif
