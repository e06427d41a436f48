// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/driver/parameter_reference.h>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

#include <algorithm>
#include <map>
#include <sstream>

namespace Tempera
{
  std::vector<ParameterDescription>
  all_parameters()
  {
    // First what all runs have, then what each kind of target adds.
    auto       descriptions = Parameters(ParameterFile()).descriptions();
    const auto has          = [](const std::vector<ParameterDescription> &list,
                        const ParameterDescription              &one,
                        const bool                               is_same) {
      return std::any_of(
        list.begin(), list.end(), [&](const ParameterDescription &other) {
          return other.section == one.section && other.name == one.name &&
                 (!is_same || (other.documentation == one.documentation &&
                               other.default_value == one.default_value));
        });
    };
    // Beside what is in the same section already.
    const auto add = [&](const ParameterDescription &one) {
      auto place = descriptions.end();
      while (place != descriptions.begin() &&
             std::prev(place)->section != one.section)
        --place;
      descriptions.insert(place == descriptions.begin() ? descriptions.end() :
                                                          place,
                          one);
    };
    for (const std::string &kind : TargetRegistry::names())
      {
        const TargetSelector selector =
          TargetRegistry::create(kind)->selector();
        std::map<std::string, std::vector<ParameterDescription>> of_choices;
        for (const auto &choice : selector.choices)
          if (!selector.is_default())
            {
              ParameterFile file;
              file.add_from_command_line(selector.text() + " = " +
                                         choice.first);
              file.open_section({"Levels", "fine"}, "");
              of_choices[choice.first] = Parameters(file).descriptions();
            }
        for (const auto &choice : of_choices)
          for (ParameterDescription one : choice.second)
            {
              // Choices may have parameters of the same name.
              const bool is_common =
                std::all_of(of_choices.begin(),
                            of_choices.end(),
                            [&](const auto &other) {
                              return has(other.second, one, true);
                            });
              if (is_common && has(descriptions, one, false))
                continue;
              if (!is_common)
                one.documentation =
                  "With '" + choice.first + "': " + one.documentation;
              add(one);
            }
      }
    add(
      {{"Model", "Unknowns"},
       "(any name)",
       "",
       "any text",
       {},
       "With 'external': the parameters of the model, under names of your own, in the order of its input. A number, if it is known; otherwise its prior."});
    add(
      {{"Problem", "Unknowns"},
       "(any name)",
       "",
       "any text",
       {},
       "With 'expressions': the variables of the formulas, under names of your own. A number, if it is known; otherwise its prior."});
    return descriptions;
  }



  std::string
  parameter_reference_text(
    const std::vector<ParameterDescription> &descriptions)
  {
    std::string text, section = "-";
    for (const ParameterDescription &parameter : descriptions)
      {
        const std::string its_section = join(parameter.section, "/");
        if (its_section != section)
          {
            section = its_section;
            text += section.empty() ? "Outside all sections\n" :
                                      "\nSection " + section + "\n";
          }
        text += "  " + parameter.name + " = " + parameter.default_value + "\n" +
                "      " + parameter.documentation + "\n" +
                "      Valid: " + parameter.pattern + ".\n";
      }
    return text;
  }



  std::string
  parameter_reference_json(
    const std::vector<ParameterDescription> &descriptions)
  {
    boost::property_tree::ptree array;
    for (const ParameterDescription &parameter : descriptions)
      {
        boost::property_tree::ptree entry;
        entry.put("section", join(parameter.section, "/"));
        entry.put("name", parameter.name);
        entry.put("default", parameter.default_value);
        entry.put("pattern", parameter.pattern);
        entry.put("documentation", parameter.documentation);
        array.push_back({"", entry});
      }
    std::ostringstream          text;
    boost::property_tree::ptree root;
    root.put_child("parameters", array);
    boost::property_tree::write_json(text, root);
    return text.str();
  }
} // namespace Tempera
