// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_parameter_reference_h
#define tempera_driver_parameter_reference_h

#include <tempera/driver/parameters.h>

#include <string>
#include <vector>

namespace Tempera
{
  /** Of all targets that are registered, whatever a file would choose. */
  std::vector<ParameterDescription>
  all_parameters();

  /** Every parameter with default, valid values and sentence, for people. */
  std::string
  parameter_reference_text(
    const std::vector<ParameterDescription> &descriptions);

  /** The same for machines: a JSON object with an array "parameters". */
  std::string
  parameter_reference_json(
    const std::vector<ParameterDescription> &descriptions);
} // namespace Tempera

#endif
