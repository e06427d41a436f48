// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_vector_units_h
#define tempera_base_vector_units_h

namespace Tempera
{
  /**
   * For what kinds of processor inner loops are compiled (`vector_sources` in
   * CMakeLists.txt). On x86 the levels of its ABI: v3 has vectors of 256 bits,
   * v4 of 512.
   */
  enum class VectorUnits
  {
    baseline,
    v3,
    v4
  };


  /**
   * The best that this processor has; less if the environment variable
   * TEMPERA_VECTOR_UNITS says so. The same during the whole run.
   */
  VectorUnits
  vector_units();


  /** As the environment variable writes it. */
  const char *
  name_of(const VectorUnits units);


  /** Of three tables of functions, the one for some units. */
  template <class Table>
  const Table &
  for_vector_units(const Table      &baseline,
                   const Table      &v3,
                   const Table      &v4,
                   const VectorUnits units = vector_units())
  {
    switch (units)
      {
        case VectorUnits::v4:
          return v4;
        case VectorUnits::v3:
          return v3;
        default:
          return baseline;
      }
  }
} // namespace Tempera

#endif
