// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_design_h
#define tempera_driver_design_h

#include <tempera/driver/command_line.h>
#include <tempera/driver/parameter_file.h>
#include <tempera/study/ladder_design.h>

namespace Tempera
{
  /**
   * Whether a file leaves it to us how to sample; a UserError if it says both
   * yes and no.
   *
   * @param is_asked Whether a ladder is asked for in any case.
   */
  bool
  wants_design(const ParameterFile &file, const bool is_asked = false);

  /**
   * Find a ladder for what a file asks, and add all that is decided to the
   * file, as if it stood there. What the file says itself stays. Of several
   * processes, which call this together, the first one finds it and knows more
   * than the settings.
   */
  LadderDesign
  add_design(ParameterFile &file, const Environment &environment);

  /** The settings of the run in a folder, which is to go on; false if there is
   * none. */
  bool
  add_design_of(const std::string &folder, ParameterFile &file);

  /** The settings of a design as a parameter file. */
  std::string
  design_as_file(const ParameterFile &file);
} // namespace Tempera

#endif
