// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/field_files.h>
#include <tempera/fem/partition.h>

#include <deal.II/base/utilities.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/numerics/data_out.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

namespace Tempera
{
  namespace
  {
    std::string
    cannot_be_written(const std::string &path)
    {
      return "The file '" + path +
             "' cannot be written. Look at the free space and the permissions "
             "of its folder. What was written before is kept.";
    }

    /** Write a file through a function, and throw a UserError if it fails. */
    template <class Write>
    void
    write_file(const std::string &path, const Write &write)
    {
      std::ofstream file(path);
      try
        {
          if (file)
            write(file);
        }
      catch (const dealii::ExcIO &)
        {
          // deal.II's word for a stream that has failed.
          file.setstate(std::ios::failbit);
        }
      file.close();
      if (!file)
        throw UserError(cannot_be_written(path));
    }

    /** Make a folder; what is wrong if that fails. */
    std::string
    made_folder(const std::string &folder)
    {
      std::error_code error;
      std::filesystem::create_directories(folder, error);
      return error ? "The folder '" + folder +
                       "' for fields cannot be made: " + error.message() +
                       ". Look at what is in its place." :
                     "";
    }

    /** By default most of the time would go into the last tenth of the size. */
    dealii::DataOutBase::VtkFlags
    quick_flags()
    {
      dealii::DataOutBase::VtkFlags flags;
      flags.compression_level = dealii::DataOutBase::VtkFlags::best_speed;
      return flags;
    }

    /** One file by all processes. */
    template <int dim>
    void
    write_together(const std::string          &path,
                   const dealii::DataOut<dim> &data_out,
                   const MPI_Comm              communicator)
    {
      std::string message;
      try
        {
          data_out.write_vtu_in_parallel(path, communicator);
        }
      catch (const std::exception &)
        {
          message = cannot_be_written(path);
        }
      throw_together(communicator, message);
    }

    /** A field with the values that the own cells need of others. */
    template <int dim>
    void
    distribute(const dealii::DoFHandler<dim>                      &dof_handler,
               const dealii::Vector<double>                       &field,
               dealii::LinearAlgebra::distributed::Vector<double> &result)
    {
      dealii::IndexSet relevant;
      dealii::DoFTools::extract_locally_relevant_dofs(dof_handler, relevant);
      result.reinit(dof_handler.locally_owned_dofs(),
                    relevant,
                    dof_handler.get_communicator());
      // The own ones come first, in the same order.
      for (unsigned int i = 0; i < result.locally_owned_size(); ++i)
        result.local_element(i) = field[i];
      result.update_ghost_values();
    }

    /** Numbers of points of a raster over a box of so large sides. */
    std::array<unsigned int, 2>
    raster_size(const double width, const double height)
    {
      constexpr double most_points = 60., fewest_points = 8.;
      const auto       n = [&](const double side) {
        return static_cast<unsigned int>(
          std::max(fewest_points,
                   std::round(most_points * side / std::max(width, height))));
      };
      return {{n(width), n(height)}};
    }

    /**
     * The mean at all times at the points of a raster over the domain, as a
     * table with a line for each point: what a report draws, and small enough
     * for any program that reads tables.
     */
    template <class VectorType>
    std::string
    map_of(const dealii::DoFHandler<2>    &dof_handler,
           const std::vector<FieldAtTime> &fields,
           const std::vector<VectorType>  &means)
    {
      constexpr double outside      = -std::numeric_limits<double>::max();
      const MPI_Comm   communicator = dof_handler.get_communicator();
      const bool       is_shared    = n_processes(communicator) > 1;

      // As the two corners, the second with its signs changed.
      std::array<double, 4> corners;
      corners.fill(std::numeric_limits<double>::max());
      for (const auto &cell : dof_handler.active_cell_iterators())
        if (cell->is_locally_owned())
          for (const unsigned int v : cell->vertex_indices())
            for (unsigned int d = 0; d < 2; ++d)
              {
                corners[d]     = std::min(corners[d], cell->vertex(v)[d]);
                corners[d + 2] = std::min(corners[d + 2], -cell->vertex(v)[d]);
              }
      if (is_shared)
        for (double &corner : corners)
          corner = dealii::Utilities::MPI::min(corner, communicator);
      const dealii::Point<2>     low(corners[0], corners[1]);
      const dealii::Tensor<1, 2> size(
        {-corners[2] - low[0], -corners[3] - low[1]});
      const std::array<unsigned int, 2> n = raster_size(size[0], size[1]);
      dealii::Tensor<1, 2>              step;
      for (unsigned int d = 0; d < 2; ++d)
        step[d] = size[d] / n[d];
      const auto point = [&](const unsigned int i, const unsigned int j) {
        return dealii::Point<2>(low[0] + (i + 0.5) * step[0],
                                low[1] + (j + 0.5) * step[1]);
      };

      std::vector<std::vector<double>> values(fields.size(),
                                              std::vector<double>(n[0] * n[1],
                                                                  outside));
      const dealii::FiniteElement<2>  &element = dof_handler.get_fe();
      const dealii::Mapping<2>        &mapping =
        dealii::get_default_linear_mapping(dof_handler.get_triangulation());
      dealii::Vector<double> local(element.n_dofs_per_cell());
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          if (!cell->is_locally_owned())
            continue;
          const auto box = cell->bounding_box().get_boundary_points();
          std::array<std::pair<int, int>, 2> range;
          for (unsigned int d = 0; d < 2; ++d)
            range[d] = {
              std::max<int>(0,
                            std::ceil((box.first[d] - low[d]) / step[d] - 0.5)),
              std::min<int>(n[d] - 1,
                            std::floor((box.second[d] - low[d]) / step[d] -
                                       0.5))};
          for (int j = range[1].first; j <= range[1].second; ++j)
            for (int i = range[0].first; i <= range[0].second; ++i)
              {
                dealii::Point<2> unit;
                try
                  {
                    unit =
                      mapping.transform_real_to_unit_cell(cell, point(i, j));
                  }
                catch (const dealii::Mapping<2>::ExcTransformationFailed &)
                  {
                    continue;
                  }
                if (!dealii::GeometryInfo<2>::is_inside_unit_cell(unit, 1e-10))
                  continue;
                for (std::size_t t = 0; t < fields.size(); ++t)
                  {
                    cell->get_dof_values(means[t], local);
                    double &value = values[t][j * n[0] + i];
                    value         = 0.;
                    for (unsigned int k = 0; k < local.size(); ++k)
                      value += local[k] * element.shape_value(k, unit);
                  }
              }
        }
      if (is_shared)
        for (std::vector<double> &one : values)
          {
            const std::vector<double> own = one;
            dealii::Utilities::MPI::max(own, communicator, one);
          }

      std::string text = "x,y";
      for (const FieldAtTime &field : fields)
        text += ",mean t=" + to_text(field.time, 6);
      text += "\n";
      for (unsigned int j = 0; j < n[1]; ++j)
        for (unsigned int i = 0; i < n[0]; ++i)
          {
            const dealii::Point<2> here = point(i, j);
            text += to_text(here[0], 10) + "," + to_text(here[1], 10);
            for (const std::vector<double> &one : values)
              {
                const double value = one[j * n[0] + i];
                text += "," + (value == outside ? "" : to_text(value, 6));
              }
            text += "\n";
          }
      return text;
    }

    using Columns = std::vector<std::pair<std::string, std::vector<double>>>;

    template <int dim>
    void
    write_lattice(const FieldLattice &lattice,
                  const Columns      &columns,
                  const std::string  &path)
    {
      dealii::Point<dim> lower, upper;
      for (unsigned int d = 0; d < dim; ++d)
        {
          lower[d] = lattice.lower[d];
          upper[d] = lattice.upper[d];
        }
      dealii::Triangulation<dim> mesh;
      dealii::GridGenerator::subdivided_hyper_rectangle(mesh,
                                                        lattice.subdivisions,
                                                        lower,
                                                        upper);
      std::unique_ptr<dealii::FiniteElement<dim>> element;
      if (lattice.kind == FieldLattice::Kind::nodes)
        element = std::make_unique<dealii::FE_Q<dim>>(1);
      else
        element = std::make_unique<dealii::FE_DGQ<dim>>(0);
      dealii::DoFHandler<dim> dof_handler(mesh);
      dof_handler.distribute_dofs(*element);
      std::vector<dealii::Point<dim>> places(dof_handler.n_dofs());
      dealii::DoFTools::map_dofs_to_support_points(
        dealii::StaticMappingQ1<dim>::mapping, dof_handler, places);
      std::vector<double> coordinates;
      for (const dealii::Point<dim> &place : places)
        for (unsigned int d = 0; d < dim; ++d)
          coordinates.push_back(place[d]);
      const FieldRows rows = lattice.rows_at(coordinates);

      dealii::DataOut<dim> data_out;
      data_out.attach_dof_handler(dof_handler);
      std::vector<double>                 values;
      std::vector<dealii::Vector<double>> vectors(columns.size());
      for (std::size_t c = 0; c < columns.size(); ++c)
        {
          rows.evaluate(columns[c].second.data(), values);
          vectors[c] = dealii::Vector<double>(values.begin(), values.end());
          std::string name = columns[c].first;
          std::replace(name.begin(), name.end(), ' ', '_');
          data_out.add_data_vector(vectors[c], name);
        }
      data_out.set_flags(quick_flags());
      data_out.build_patches();
      write_file(path, [&](std::ostream &file) { data_out.write_vtu(file); });
    }

    void
    write_lattice_map(const FieldLattice &lattice,
                      const Columns      &columns,
                      const std::string  &path)
    {
      const double width                  = lattice.upper[0] - lattice.lower[0],
                   height                 = lattice.upper[1] - lattice.lower[1];
      const std::array<unsigned int, 2> n = raster_size(width, height);
      std::vector<double>               points;
      for (unsigned int j = 0; j < n[1]; ++j)
        for (unsigned int i = 0; i < n[0]; ++i)
          {
            points.push_back(lattice.lower[0] + (i + 0.5) * width / n[0]);
            points.push_back(lattice.lower[1] + (j + 0.5) * height / n[1]);
          }
      const FieldRows                  rows = lattice.rows_at(points);
      std::vector<std::vector<double>> values(columns.size());
      std::string                      text = "x,y";
      for (std::size_t c = 0; c < columns.size(); ++c)
        {
          rows.evaluate(columns[c].second.data(), values[c]);
          text += "," + columns[c].first;
        }
      text += "\n";
      for (std::size_t q = 0; q < points.size() / 2; ++q)
        {
          text +=
            to_text(points[2 * q], 10) + "," + to_text(points[2 * q + 1], 10);
          for (const std::vector<double> &column : values)
            text += "," + to_text(column[q], 6);
          text += "\n";
        }
      write_file(path, [&](std::ostream &file) { file << text; });
    }
  } // namespace



  void
  write_lattice_files(const FieldLattice   &lattice,
                      const Columns        &columns,
                      const FieldFileNames &names)
  {
    const std::string mistake = made_folder(names.folder);
    if (!mistake.empty())
      throw UserError(mistake);
    const std::string path = names.folder + "/" + names.stem;
    switch (lattice.dimension())
      {
        case 1:
          write_lattice<1>(lattice, columns, path + ".vtu");
          break;
        case 2:
          write_lattice<2>(lattice, columns, path + ".vtu");
          write_lattice_map(lattice, columns, path + "_map.csv");
          break;
        default:
          write_lattice<3>(lattice, columns, path + ".vtu");
      }
  }



  template <int dim>
  void
  write_field_files(const dealii::DoFHandler<dim>  &dof_handler,
                    const std::vector<FieldAtTime> &fields,
                    const FieldFileNames           &names)
  {
    const MPI_Comm communicator = dof_handler.get_communicator();
    const bool     is_shared    = n_processes(communicator) > 1;
    const bool     is_first =
      !is_shared || dealii::Utilities::MPI::this_mpi_process(communicator) == 0;

    throw_together(communicator, is_first ? made_folder(names.folder) : "");

    std::vector<std::pair<double, std::string>> times_and_names;
    for (std::size_t i = 0; i < fields.size(); ++i)
      {
        dealii::DataOut<dim> data_out;
        data_out.attach_dof_handler(dof_handler);
        const bool has_deviation = fields[i].deviation.size() > 0;
        dealii::LinearAlgebra::distributed::Vector<double> mean, deviation;
        const auto add = [&](const dealii::Vector<double> &field,
                             const std::string            &name,
                             auto                         &distributed) {
          if (is_shared)
            {
              distribute(dof_handler, field, distributed);
              data_out.add_data_vector(distributed, name);
            }
          else
            data_out.add_data_vector(field, name);
        };
        add(fields[i].mean, has_deviation ? "mean" : "u", mean);
        if (has_deviation)
          add(fields[i].deviation, "standard_deviation", deviation);
        dealii::DataOutBase::VtkFlags flags = quick_flags();
        flags.time                          = fields[i].time;
        data_out.set_flags(flags);
        data_out.build_patches(dof_handler.get_fe().degree);

        const std::string name =
          names.stem + "_" + dealii::Utilities::int_to_string(i, 3) + ".vtu";
        const std::string path = names.folder + "/" + name;
        if (is_shared)
          write_together(path, data_out, communicator);
        else
          write_file(path,
                     [&](std::ostream &file) { data_out.write_vtu(file); });
        times_and_names.emplace_back(fields[i].time, name);
      }
    std::string map;
    if constexpr (dim == 2)
      if (!fields.empty() && fields[0].deviation.size() > 0)
        {
          if (is_shared)
            {
              std::vector<dealii::LinearAlgebra::distributed::Vector<double>>
                means(fields.size());
              for (std::size_t i = 0; i < fields.size(); ++i)
                distribute(dof_handler, fields[i].mean, means[i]);
              map = map_of(dof_handler, fields, means);
            }
          else
            {
              std::vector<dealii::Vector<double>> means;
              for (const FieldAtTime &field : fields)
                means.push_back(field.mean);
              map = map_of(dof_handler, fields, means);
            }
        }

    std::string message;
    try
      {
        if (is_first)
          {
            write_file(names.folder + "/" + names.stem + ".pvd",
                       [&](std::ostream &file) {
                         dealii::DataOutBase::write_pvd_record(file,
                                                               times_and_names);
                       });
            if (!map.empty())
              write_file(names.folder + "/" + names.stem + "_map.csv",
                         [&](std::ostream &file) { file << map; });
          }
      }
    catch (const UserError &failure)
      {
        message = failure.what();
      }
    throw_together(communicator, message);
  }



  template void
  write_field_files<1>(const dealii::DoFHandler<1> &,
                       const std::vector<FieldAtTime> &,
                       const FieldFileNames &);
  template void
  write_field_files<2>(const dealii::DoFHandler<2> &,
                       const std::vector<FieldAtTime> &,
                       const FieldFileNames &);
  template void
  write_field_files<3>(const dealii::DoFHandler<3> &,
                       const std::vector<FieldAtTime> &,
                       const FieldFileNames &);
} // namespace Tempera
