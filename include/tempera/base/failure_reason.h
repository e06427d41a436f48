// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_failure_reason_h
#define tempera_base_failure_reason_h

#include <string>

namespace Tempera
{
  /**
   * Can say why there is no result, where the result alone is not a number.
   * What is evaluated may be this in addition to what it is otherwise.
   */
  class FailureReason
  {
  public:
    virtual ~FailureReason() = default;

    /** A sentence on the last failure; empty if none is known. */
    virtual std::string
    failure_reason() const = 0;
  };


  /** What an object that need not be a FailureReason says. */
  template <class Object>
  std::string
  failure_reason_of(const Object *object)
  {
    const auto *reason = dynamic_cast<const FailureReason *>(object);
    return reason != nullptr ? reason->failure_reason() : "";
  }
} // namespace Tempera

#endif
