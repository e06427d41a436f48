// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_field_files_h
#define tempera_fem_field_files_h

#include <tempera/fem/fem_model.h>

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/vector.h>

#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /**
   * A field at one time, with its standard deviation or an empty vector: by
   * degree of freedom, the own ones first.
   */
  struct FieldAtTime
  {
    double                 time;
    dealii::Vector<double> mean, deviation;
  };


  /**
   * Write one VTU file per time and a PVD file that names them; in the plane,
   * of a mean with its deviation, also STEM_map.csv with the mean at the points
   * of a raster. Called by all processes that share the mesh.
   */
  template <int dim>
  void
  write_field_files(const dealii::DoFHandler<dim>  &dof_handler,
                    const std::vector<FieldAtTime> &fields,
                    const FieldFileNames           &names);


  /**
   * Write numbers on a lattice as STEM.vtu and, in the plane, at the points of
   * a raster as STEM_map.csv.
   *
   * @param columns By name.
   */
  void
  write_lattice_files(
    const FieldLattice                                             &lattice,
    const std::vector<std::pair<std::string, std::vector<double>>> &columns,
    const FieldFileNames                                           &names);
} // namespace Tempera

#endif
