// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_beside_h
#define tempera_base_beside_h

#include <future>

namespace Tempera
{
  /**
   * For std::async(): begin at once, beside the caller, or else when the result
   * is asked for. So it is also if the system has no thread left.
   *
   * @param is_wanted False where memory matters more than time.
   */
  constexpr std::launch
  beside(const bool is_wanted = true)
  {
    return is_wanted ? std::launch::async | std::launch::deferred :
                       std::launch::deferred;
  }
} // namespace Tempera

#endif
