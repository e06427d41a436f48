// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/base/vector_units.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace Tempera
{
  namespace
  {
    VectorUnits
    units_of_processor()
    {
#ifdef TEMPERA_HAS_X86_LOOPS
      if (__builtin_cpu_supports("x86-64-v4"))
        return VectorUnits::v4;
      if (__builtin_cpu_supports("x86-64-v3"))
        return VectorUnits::v3;
#endif
      return VectorUnits::baseline;
    }

    VectorUnits
    units_to_use()
    {
      const VectorUnits best   = units_of_processor();
      const char *const wanted = std::getenv("TEMPERA_VECTOR_UNITS");
      if (wanted == nullptr || *wanted == '\0')
        return best;
      for (const VectorUnits units :
           {VectorUnits::baseline, VectorUnits::v3, VectorUnits::v4})
        if (wanted == std::string(name_of(units)))
          return std::min(units, best);
      throw UserError("The environment variable TEMPERA_VECTOR_UNITS is '" +
                      std::string(wanted) +
                      "'. Write baseline, v3 or v4, or unset it.");
    }
  } // namespace



  VectorUnits
  vector_units()
  {
    static const VectorUnits units = units_to_use();
    return units;
  }



  const char *
  name_of(const VectorUnits units)
  {
    return units == VectorUnits::v4 ? "v4" :
           units == VectorUnits::v3 ? "v3" :
                                      "baseline";
  }
} // namespace Tempera
