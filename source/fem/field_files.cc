// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/fem/field_files.h>
#include <tempera/fem/partition.h>

#include <deal.II/base/utilities.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/numerics/data_out.h>

#include <filesystem>
#include <fstream>

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
  } // namespace



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

    std::error_code error;
    if (is_first)
      std::filesystem::create_directories(names.folder, error);
    throw_together(communicator,
                   error ? "The folder '" + names.folder +
                             "' for fields cannot be made: " + error.message() +
                             ". Look at what is in its place." :
                           "");

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
        dealii::DataOutBase::VtkFlags flags;
        flags.time = fields[i].time;
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
    std::string message;
    try
      {
        if (is_first)
          write_file(names.folder + "/" + names.stem + ".pvd",
                     [&](std::ostream &file) {
                       dealii::DataOutBase::write_pvd_record(file,
                                                             times_and_names);
                     });
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
