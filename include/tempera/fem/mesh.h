// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_mesh_h
#define tempera_fem_mesh_h

#include <tempera/fem/domain.h>
#include <tempera/fem/fem_parameters.h>

#include <deal.II/base/mpi.h>
#include <deal.II/grid/tria.h>

#include <memory>

namespace Tempera
{
  /** The cells of a level. */
  template <int dim>
  struct Mesh
  {
    /**
     * Of several processes, a parallel::distributed::Triangulation, or if the
     * mesh is to be adapted a parallel::shared::Triangulation without
     * artificial cells: then each knows all cells.
     */
    std::shared_ptr<dealii::Triangulation<dim>> triangulation;
    /** Whether it is a box whose cells are a tensor product of intervals. */
    bool is_lattice = false;
  };


  /**
   * Make the mesh of a level; all processes of the communicator call it. What
   * one process cannot do is the same UserError on all of them.
   */
  template <int dim>
  Mesh<dim>
  make_mesh(const Domain             &domain,
            const FemLevelParameters &level,
            const MPI_Comm            communicator);

  /** Throw the UserError of a process without an equation. */
  [[noreturn]] void
  throw_too_coarse(const MPI_Comm communicator);
} // namespace Tempera

#endif
