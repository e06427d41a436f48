// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/mesh.h>
#include <tempera/fem/partition.h>

#include <deal.II/distributed/shared_tria.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_in.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

namespace Tempera
{
  namespace
  {
    template <int dim>
    dealii::Point<dim>
    corner(const std::vector<double> &numbers, const std::string &name)
    {
      if (numbers.size() != 1 && numbers.size() != dim)
        throw UserError("'Problem/" + name + "' has " +
                        counted(numbers.size(), "number") + " in " +
                        counted(dim, "dimension") +
                        ". Give one number for all directions or one for "
                        "each.");
      dealii::Point<dim> point;
      for (unsigned int d = 0; d < dim; ++d)
        point[d] = numbers[numbers.size() == 1 ? 0 : d];
      return point;
    }


    /** A mesh without cells, parallel if there are several processes. */
    template <int dim>
    std::shared_ptr<dealii::Triangulation<dim>>
    empty_triangulation(const MPI_Comm communicator, const bool is_adapted)
    {
      using Shared = dealii::parallel::shared::Triangulation<dim>;

      // So that masters of hanging nodes do not hang themselves.
      const auto smoothing =
        is_adapted ?
          dealii::Triangulation<dim>::limit_level_difference_at_vertices :
          dealii::Triangulation<dim>::none;
      if (n_processes(communicator) == 1)
        return std::make_shared<dealii::Triangulation<dim>>(smoothing);
      if (is_adapted && dim > 1)
        return std::make_shared<Shared>(communicator,
                                        smoothing,
                                        false,
                                        Shared::partition_zorder);
      if constexpr (dim > 1)
        return std::make_shared<
          dealii::parallel::distributed::Triangulation<dim>>(communicator);
      else
        throw UserError(
          "A mesh in one dimension cannot be shared by several processes. Set "
          "'Parallel/Processes per replica' to 1.");
    }


    template <int dim>
    void
    make_box(const Domain               &domain,
             const FemLevelParameters   &level,
             dealii::Triangulation<dim> &triangulation,
             const bool                  is_distributed)
    {
      std::vector<unsigned int> subdivisions = level.subdivisions;
      if (subdivisions.size() == 1)
        subdivisions.assign(dim, subdivisions[0]);
      if (subdivisions.size() != dim)
        throw UserError("A level names " +
                        counted(subdivisions.size(), "number") +
                        " of 'Subdivisions' in " + counted(dim, "dimension") +
                        ". Give one number for all directions or one for "
                        "each.");
      double n_nodes = 1.;
      for (const unsigned int n : subdivisions)
        n_nodes *= std::ldexp(double(n), level.refinements) * level.degree + 1.;
      if (n_nodes > 1e8)
        throw UserError("A level would have " + to_text(n_nodes, 3) +
                        " unknowns, more than this version can hold. Lower "
                        "its 'Subdivisions', 'Refinements' or 'Degree'.");
      const auto lower = corner<dim>(domain.lower, "Lower corner");
      const auto upper = corner<dim>(domain.upper, "Upper corner");
      for (unsigned int d = 0; d < dim; ++d)
        if (!(upper[d] > lower[d]))
          throw UserError("'Problem/Upper corner' must be above "
                          "'Problem/Lower corner' in every direction.");

      // Every process holds all cells of the coarsest mesh: few of them.
      unsigned int n_halvings = 0;
      if (is_distributed)
        while (std::all_of(subdivisions.begin(),
                           subdivisions.end(),
                           [](const unsigned int n) { return n % 2 == 0; }))
          {
            for (unsigned int &n : subdivisions)
              n /= 2;
            ++n_halvings;
          }
      dealii::GridGenerator::subdivided_hyper_rectangle(
        triangulation, subdivisions, lower, upper, true);
      triangulation.refine_global(n_halvings);
    }


    template <int dim>
    void
    read_mesh(const std::string          &mesh_file,
              dealii::Triangulation<dim> &triangulation)
    {
      const bool is_readable(std::ifstream{mesh_file});
      if (dealii::Utilities::MPI::min(int(is_readable),
                                      triangulation.get_communicator()) == 0)
        throw UserError("The mesh file '" + mesh_file +
                        "' cannot be read. Correct 'Problem/Mesh file'.");
      try
        {
          dealii::GridIn<dim> reader(triangulation);
          reader.read(mesh_file);
        }
      catch (const std::exception &exception)
        {
          std::string reason = exception.what();
          const auto  begin  = reason.find("Additional information:");
          if (begin != std::string::npos)
            reason = reason.substr(begin + 23);
          reason = reason.substr(0, reason.find("\n\nStacktrace"));
          reason = reason.substr(0, reason.find("\n-----"));
          throw UserError(
            "The mesh file '" + mesh_file +
            "' is not a mesh that deal.II reads in " +
            counted(dim, "dimension") +
            ". Give a file of gmsh (.msh), UCD (.ucd, .inp), VTK (.vtk) or "
            "another known kind. deal.II says: " +
            reason);
        }
      if (!triangulation.all_reference_cells_are_hyper_cube())
        throw UserError("The mesh file '" + mesh_file +
                        "' has triangles or tetrahedra, but the elements Qp "
                        "need lines, quadrilaterals or hexahedra. Recombine "
                        "the cells in gmsh.");
    }
  } // namespace



  template <int dim>
  Mesh<dim>
  make_mesh(const Domain             &domain,
            const FemLevelParameters &level,
            const MPI_Comm            communicator)
  {
    const bool is_distributed = n_processes(communicator) > 1;

    Mesh<dim>  mesh;
    const bool is_adapted = level.adaptive_refinements > 0;
    mesh.triangulation    = empty_triangulation<dim>(communicator, is_adapted);
    mesh.is_lattice       = domain.mesh_file.empty();
    if (mesh.is_lattice)
      make_box(domain,
               level,
               *mesh.triangulation,
               is_distributed && !is_adapted);
    else
      read_mesh(domain.mesh_file, *mesh.triangulation);
    mesh.triangulation->refine_global(level.refinements);

    if (is_distributed &&
        mesh.triangulation->n_global_active_cells() < n_processes(communicator))
      throw_too_coarse(communicator);
    return mesh;
  }



  void
  throw_too_coarse(const MPI_Comm communicator)
  {
    throw UserError(
      "A level is too coarse for " + std::to_string(n_processes(communicator)) +
      " processes: one of them would have nothing to solve. Raise its "
      "'Subdivisions' or 'Refinements', or lower "
      "'Parallel/Processes per replica'.");
  }



  template Mesh<1>
  make_mesh<1>(const Domain &, const FemLevelParameters &, const MPI_Comm);
  template Mesh<2>
  make_mesh<2>(const Domain &, const FemLevelParameters &, const MPI_Comm);
  template Mesh<3>
  make_mesh<3>(const Domain &, const FemLevelParameters &, const MPI_Comm);
} // namespace Tempera
