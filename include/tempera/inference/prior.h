// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_prior_h
#define tempera_inference_prior_h

#include <tempera/base/distribution.h>

#include <optional>
#include <string>

namespace Tempera
{
  /** The prior distribution of one unknown number. */
  using Prior = Distribution;


  /** A parameter as a user gives it: a number if it is known, else a prior. */
  class NumberOrPrior
  {
  public:
    /**
     * @param parameter Named by the UserError of a text that is neither.
     * @param lower Numbers must be above, priors must not reach below.
     */
    NumberOrPrior(const std::string &text,
                  const std::string &parameter,
                  const double       lower);

    bool
    is_number() const
    {
      return !its_prior.has_value();
    }

    /** The number, or a value in the middle of the prior. */
    double
    middle() const
    {
      return is_number() ? number : its_prior->middle();
    }

    /** Unless it is a number. */
    const Prior &
    prior() const
    {
      return *its_prior;
    }

  private:
    double               number = 0.;
    std::optional<Prior> its_prior;
  };


  /** Something to be found. */
  struct Unknown
  {
    std::string name;
    Prior       prior;
    /** Whether its draws are recorded. */
    bool is_recorded = true;
  };
} // namespace Tempera

#endif
