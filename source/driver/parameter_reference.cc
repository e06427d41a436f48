// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/driver/parameter_reference.h>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

#include <sstream>

namespace Tempera
{
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
