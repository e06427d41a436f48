// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_space_discretisation_h
#define tempera_fem_space_discretisation_h

#include <tempera/fem/fem_parameters.h>
#include <tempera/fem/integration_points.h>
#include <tempera/fem/lattice.h>
#include <tempera/fem/operator_matrix.h>
#include <tempera/forward/sensor.h>
#include <tempera/problems/problem.h>

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/tria.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace Tempera
{
  /** A value at a place as a combination of degrees of freedom. */
  using PointRow = std::vector<std::pair<unsigned int, double>>;


  /**
   * Mesh and elements of one level: matrices, integrals and point values. The
   * degrees of freedom on a Dirichlet boundary are numbered last.
   */
  template <int dim>
  class SpaceDiscretisation
  {
  public:
    /**
     * @param mesh_file Empty for the unit box.
     * @param problem Says where Dirichlet values are given.
     */
    SpaceDiscretisation(const std::string        &mesh_file,
                        const FemLevelParameters &level,
                        const Problem            &problem);

    unsigned int
    n_dofs() const
    {
      return dof_handler.n_dofs();
    }

    /** Number of degrees of freedom with an equation. */
    unsigned int
    n_interior() const
    {
      return n_interior_dofs;
    }

    unsigned int
    n_boundary() const
    {
      return n_dofs() - n_interior_dofs;
    }

    /** Coordinates of all degrees of freedom. */
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

    /** For each degree of freedom whether it is on one of the boundaries. */
    std::vector<bool>
    is_on(const std::vector<dealii::types::boundary_id> &boundaries) const;

    /** The lattice, or a null pointer if the mesh is none. */
    const Lattice *
    get_lattice() const
    {
      return lattice.get();
    }

    /**
     * The matrix of a term, given its coefficient at the integration points of
     * the cells.
     */
    OperatorMatrix
    assemble(const OperatorKind         kind,
             const std::vector<double> &coefficient) const;

    /** A place outside is a UserError that names the sensor. */
    PointRow
    row_of(const Sensor &sensor) const;

    const dealii::DoFHandler<dim> &
    get_dof_handler() const
    {
      return dof_handler;
    }

  private:
    void
    make_mesh(const std::string &mesh_file, const FemLevelParameters &level);

    void
    number_dofs(const Problem &problem);

    void
    find_cell_points();

    void
    find_lattice();

    void
    make_sparsity_pattern();

    dealii::Triangulation<dim> triangulation;
    const dealii::FE_Q<dim>    element;
    dealii::DoFHandler<dim>    dof_handler;

    bool                     is_box;
    unsigned int             n_interior_dofs = 0;
    std::vector<double>      node_coordinates;
    IntegrationPoints        cell_points;
    std::unique_ptr<Lattice> lattice;

    std::shared_ptr<dealii::SparsityPattern> sparsity_pattern;
    /** Rows and columns that couple to the boundary, sorted. */
    std::vector<OperatorMatrix::Entry> coupling_pattern;
  };
} // namespace Tempera

#endif
