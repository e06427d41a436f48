// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/vector_units.h>
#include <tempera/pinn/network_kernels.h>

namespace Tempera
{
  extern const NetworkKernels<float> float_network_kernels_baseline,
    float_network_kernels_v3, float_network_kernels_v4;
  extern const NetworkKernels<double> double_network_kernels_baseline,
    double_network_kernels_v3, double_network_kernels_v4;



  template <>
  const NetworkKernels<float> &
  network_kernels<float>(const VectorUnits units)
  {
    return for_vector_units(float_network_kernels_baseline,
                            float_network_kernels_v3,
                            float_network_kernels_v4,
                            units);
  }



  template <>
  const NetworkKernels<double> &
  network_kernels<double>(const VectorUnits units)
  {
    return for_vector_units(double_network_kernels_baseline,
                            double_network_kernels_v3,
                            double_network_kernels_v4,
                            units);
  }
} // namespace Tempera
