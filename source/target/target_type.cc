// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/target/target_type.h>

namespace Tempera
{
  void
  check_that_levels_exist(const ParameterSource          &source,
                          const std::vector<std::string> &levels,
                          const std::string              &remedy)
  {
    for (const std::string &level : levels)
      if (!source.has_section({"Levels", level}))
        throw UserError(
          "The level '" + level +
          "' has no section in 'Levels' that says how fine it "
          "is. Add 'subsection Levels', 'subsection " +
          level + "' with " + remedy + "." +
          did_you_mean(level, source.sections_in({"Levels"}), false));
  }
} // namespace Tempera
