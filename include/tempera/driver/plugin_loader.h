// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_plugin_loader_h
#define tempera_driver_plugin_loader_h

#include <tempera/driver/parameter_file.h>

#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /**
   * Load a shared library for the rest of the program's life and let it
   * register what it adds (see tempera/plugin.h). A library that is loaded
   * already is left as it is. One that cannot be a plugin of this program is a
   * UserError.
   *
   * @param origin Where the library is named, for messages.
   */
  void
  load_plugin(const std::string &file, const std::string &origin);


  /** The libraries that add problems and other things to the program. */
  struct PluginParameters
  {
    /**
     * Load what the file names. This comes before everything else is declared,
     * since it adds to what can be named.
     */
    explicit PluginParameters(const ParameterFile &file);

    /** With absolute paths. */
    std::vector<std::string> libraries;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);

    /** Whether an assignment is that of the libraries. */
    static bool
    is_set_by(const Assignment &assignment);

    /**
     * The libraries that an assignment names: relative names start from the
     * folder of the parameter file, or on the command line from here.
     */
    static std::vector<std::string>
    resolved(const Assignment &assignment);
  };
} // namespace Tempera

#endif
