// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_solve_failed_h
#define tempera_base_solve_failed_h

#include <stdexcept>
#include <string>

namespace Tempera
{
  /**
   * There is no solution at some values of the unknowns, or the solver has not
   * found it. Such values have no energy: the sampler rejects them, counts
   * them, and goes on. Anything else that a solver throws ends the run, since a
   * bug must not look like a rejection.
   */
  class SolveFailed : public std::runtime_error
  {
  public:
    explicit SolveFailed(const std::string &reason)
      : std::runtime_error(reason)
    {}
  };
} // namespace Tempera

#endif
