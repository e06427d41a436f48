// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_number_list_h
#define tempera_base_number_list_h

#include <tempera/base/text.h>
#include <tempera/base/user_error.h>

#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /**
   * A parameter that is either a list of numbers or a keyword that says how
   * the numbers come about.
   */
  struct NumberList
  {
    NumberList() = default;

    NumberList(const char *keyword)
      : keyword(keyword)
    {}

    NumberList(std::vector<double> numbers)
      : numbers(std::move(numbers))
    {}

    std::string         keyword;
    std::vector<double> numbers;
  };


  /**
   * Entry @p rung of a list that has one entry for all rungs or one per rung;
   * any other length is a UserError that names the parameter.
   */
  template <typename T>
  T
  entry_for_rung(const std::vector<T> &list,
                 const unsigned int    rung,
                 const unsigned int    n_rungs,
                 const std::string    &parameter)
  {
    if (list.size() != 1 && list.size() != n_rungs)
      throw UserError("The parameter '" + parameter + "' has " +
                      counted(list.size(), "entry") + ", but the ladder has " +
                      counted(n_rungs, "rung") +
                      ". Give one entry for all rungs or one per rung.");
    return list.size() == 1 ? list[0] : list[rung];
  }
} // namespace Tempera

#endif
