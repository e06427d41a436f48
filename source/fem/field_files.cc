// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/fem/field_files.h>

#include <deal.II/base/utilities.h>
#include <deal.II/numerics/data_out.h>

#include <filesystem>
#include <fstream>

namespace Tempera
{
  namespace
  {
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
        throw UserError("The file '" + path +
                        "' cannot be written. Look at the free space and the "
                        "permissions of its folder. What was written before "
                        "is kept.");
    }
  } // namespace



  template <int dim>
  void
  write_field_files(const dealii::DoFHandler<dim>  &dof_handler,
                    const std::vector<FieldAtTime> &fields,
                    const FieldFileNames           &names)
  {
    std::error_code error;
    std::filesystem::create_directories(names.folder, error);
    if (error)
      throw UserError("The folder '" + names.folder +
                      "' for fields cannot be made: " + error.message() +
                      ". Look at what is in its place.");

    std::vector<std::pair<double, std::string>> times_and_names;
    for (std::size_t i = 0; i < fields.size(); ++i)
      {
        dealii::DataOut<dim> data_out;
        data_out.attach_dof_handler(dof_handler);
        const bool has_deviation = fields[i].deviation.size() > 0;
        data_out.add_data_vector(fields[i].mean, has_deviation ? "mean" : "u");
        if (has_deviation)
          data_out.add_data_vector(fields[i].deviation, "standard_deviation");
        dealii::DataOutBase::VtkFlags flags;
        flags.time = fields[i].time;
        data_out.set_flags(flags);
        data_out.build_patches(dof_handler.get_fe().degree);

        const std::string name =
          names.stem + "_" + dealii::Utilities::int_to_string(i, 3) + ".vtu";
        write_file(names.folder + "/" + name,
                   [&](std::ostream &file) { data_out.write_vtu(file); });
        times_and_names.emplace_back(fields[i].time, name);
      }
    write_file(names.folder + "/" + names.stem + ".pvd",
               [&](std::ostream &file) {
                 dealii::DataOutBase::write_pvd_record(file, times_and_names);
               });
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
