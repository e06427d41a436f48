// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/vector_units.h>
#include <tempera/pinn/network_loops.h>

namespace Tempera
{
  extern const NetworkLoops<float> float_network_loops_baseline,
    float_network_loops_v3, float_network_loops_v4;
  extern const NetworkLoops<double> double_network_loops_baseline,
    double_network_loops_v3, double_network_loops_v4;



  template <>
  const NetworkLoops<float> &
  network_loops<float>(const VectorUnits units)
  {
    return for_vector_units(float_network_loops_baseline,
                            float_network_loops_v3,
                            float_network_loops_v4,
                            units);
  }



  template <>
  const NetworkLoops<double> &
  network_loops<double>(const VectorUnits units)
  {
    return for_vector_units(double_network_loops_baseline,
                            double_network_loops_v3,
                            double_network_loops_v4,
                            units);
  }
} // namespace Tempera
