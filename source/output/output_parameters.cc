// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/output/output_parameters.h>

namespace Tempera
{
  void
  OutputParameters::declare(dealii::ParameterHandler &prm)
  {
    prm.add_parameter(
      "Draws",
      draws,
      "Rungs whose draws are written to draws.RUNG.csv: all, the coldest only, or none.",
      one_of({"all", "coldest", "none"}));
  }
} // namespace Tempera
