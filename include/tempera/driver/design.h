// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_design_h
#define tempera_driver_design_h

#include <tempera/driver/command_line.h>
#include <tempera/driver/parameter_file.h>
#include <tempera/study/ladder_design.h>

namespace Tempera
{
  /** Throw a UserError unless a file leaves it to us how to sample. */
  void
  check_design(const ParameterFile &file);

  /**
   * Find a ladder for what a file asks, and add all that is decided to the
   * file, as if it stood there. What the file says itself stays.
   */
  LadderDesign
  add_design(ParameterFile &file, const Environment &environment);

  /** The same settings for all processes: those of the first. */
  void
  share_design(ParameterFile &file);

  /** The settings of the run in a folder, which is to go on. */
  void
  add_design_of(const std::string &folder, ParameterFile &file);

  /** The settings of a design as a parameter file. */
  std::string
  design_as_file(const ParameterFile &file);
} // namespace Tempera

#endif
