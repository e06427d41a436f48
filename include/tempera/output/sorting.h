// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_sorting_h
#define tempera_output_sorting_h

#include <cstddef>
#include <cstdint>
#include <vector>

namespace Tempera
{
  /**
   * Finite numbers in increasing order, and where they stood; of equal ones
   * the first comes first. Takes 24 bytes a number while it sorts, and 12
   * afterwards.
   */
  struct SortedNumbers
  {
    explicit SortedNumbers(const std::vector<double> &numbers);

    std::vector<double>        values;
    std::vector<std::uint32_t> places;
  };

  /**
   * Some of the finite @p numbers as if they were sorted.
   *
   * @param places Which ones; in increasing order.
   */
  std::vector<double>
  order_statistics(const std::vector<double>      &numbers,
                   const std::vector<std::size_t> &places);
} // namespace Tempera

#endif
