// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_forward_sensor_h
#define tempera_forward_sensor_h

#include <string>
#include <vector>

namespace Tempera
{
  /** Where and when something is measured. */
  struct Sensor
  {
    /** For messages: where the sensor was declared. */
    std::string         name;
    std::vector<double> place;
    double              time = 0.;
  };
} // namespace Tempera

#endif
