// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/inference/prior.h>

namespace Tempera
{
  NumberOrPrior::NumberOrPrior(const std::string &text,
                               const std::string &parameter,
                               const double       lower)
  {
    const auto value = Prior::number_from_text(text);
    if (value && !(*value > lower))
      throw UserError("'" + parameter + "' is " + text +
                      ", but it must be above " + to_text(lower) + ".");
    if (value)
      {
        number = *value;
        return;
      }
    its_prior = Prior::from_text(text, parameter);
    if (its_prior->lower() < lower)
      throw UserError("The prior '" + text + "' of '" + parameter +
                      "' reaches below " + to_text(lower) +
                      ", where the equation has no meaning. Take "
                      "log-normal, or cut it, for instance normal(1, 1) "
                      "above " +
                      to_text(lower) + ".");
  }
} // namespace Tempera
