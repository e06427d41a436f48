// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_user_error_h
#define tempera_base_user_error_h

#include <stdexcept>
#include <string>

namespace Tempera
{
  /**
   * A mistake of the person who runs the program. The message says what is
   * wrong, which parameter or file says so, and what to do about it. The
   * program prints it and ends with exit code 1.
   */
  class UserError : public std::runtime_error
  {
  public:
    explicit UserError(const std::string &message)
      : std::runtime_error(message)
    {}
  };
} // namespace Tempera

#endif
