// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_words_h
#define tempera_base_words_h

#include <tempera/base/patterns.h>

#include <deal.II/base/parameter_handler.h>

#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /** The words of a parameter file for the values of an enumeration. */
  template <class Enumeration>
  using Words = std::vector<std::pair<std::string, Enumeration>>;


  /** Declare a choice in the current section. */
  template <class Enumeration>
  void
  declare_choice(dealii::ParameterHandler &prm,
                 const std::string        &name,
                 Enumeration              &value,
                 const Words<Enumeration> &words,
                 const std::string        &documentation)
  {
    std::vector<std::string> choices;
    std::string              present;
    for (const auto &word : words)
      {
        choices.push_back(word.first);
        if (word.second == value)
          present = word.first;
      }
    prm.declare_entry(name, present, one_of(choices), documentation);
    prm.add_action(name, [&value, words](const std::string &text) {
      for (const auto &word : words)
        if (word.first == text)
          value = word.second;
    });
  }
} // namespace Tempera

#endif
