// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/parameter_sections.h>

#include <deal.II/base/parameter_handler.h>

namespace Tempera
{
  void
  HandlerSections::add(
    const Path                                            &section,
    const std::function<void(dealii::ParameterHandler &)> &declare)
  {
    for (const std::string &name : section)
      prm.enter_subsection(name);
    declare(prm);
    for (std::size_t i = 0; i < section.size(); ++i)
      prm.leave_subsection();
  }
} // namespace Tempera
