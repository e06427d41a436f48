// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_patterns_h
#define tempera_base_patterns_h

#include <tempera/base/number_list.h>

#include <deal.II/base/parameter_handler.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace Tempera
{
  /** What a pattern allows, in words, from its description by deal.II. */
  std::string
  pattern_in_words(const std::string &description);

  /** The words that a pattern allows, alone or beside other values. */
  std::vector<std::string>
  choices_of_pattern(const std::string &description);

  /** One of these words. */
  dealii::Patterns::Selection
  one_of(const std::vector<std::string> &choices);

  /** A comma-separated list, not empty, of words from @p choices. */
  dealii::Patterns::List
  some_of(const std::vector<std::string> &choices);

  /**
   * Declare a whole number of up to 64 bits (deal.II's integers end at 31) in
   * the current section; 1e6 is one too.
   */
  void
  declare_whole_number(dealii::ParameterHandler &prm,
                       const std::string        &name,
                       std::uint64_t            &value,
                       const std::uint64_t       smallest,
                       const std::string        &documentation);

  /** The same, or a keyword, for which there is no value. */
  void
  declare_whole_number(dealii::ParameterHandler     &prm,
                       const std::string            &name,
                       std::optional<std::uint64_t> &value,
                       const std::uint64_t           smallest,
                       const std::string            &keyword,
                       const std::string            &documentation);

  /**
   * Declare a list of numbers, all at least (or above, if @p strictly)
   * @p smallest, that may be replaced by one of some keywords. A list that is
   * not one of many numbers has exactly one. Without a bound, inf and -inf are
   * numbers too.
   */
  void
  declare_number_list(dealii::ParameterHandler       &prm,
                      const std::string              &name,
                      NumberList                     &value,
                      const std::vector<std::string> &keywords,
                      const double                    smallest,
                      const bool                      strictly,
                      const std::string              &documentation,
                      const bool                      many            = true,
                      const bool                      may_be_infinite = false);

  /** Declare a number above @p bound. */
  void
  declare_number_above(dealii::ParameterHandler &prm,
                       const std::string        &name,
                       double                   &value,
                       const double              bound,
                       const std::string        &documentation,
                       const bool                may_be_infinite = false);

  /** Declare a list, not empty, of numbers above @p bound. */
  void
  declare_numbers_above(dealii::ParameterHandler &prm,
                        const std::string        &name,
                        std::vector<double>      &value,
                        const double              bound,
                        const std::string        &documentation);
} // namespace Tempera

#endif
