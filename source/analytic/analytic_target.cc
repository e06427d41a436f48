// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/analytic/analytic_energy.h>
#include <tempera/analytic/decorators.h>
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/target/energy_target.h>
#include <tempera/target/target_type.h>

#include <cctype>
#include <map>

// An energy in closed form, with levels that differ by bias and noise.

namespace Tempera
{
  namespace
  {
    std::string
    first_letter_upper(std::string text)
    {
      text[0] =
        static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
      return text;
    }


    /** Reads of a parameter file what an analytic energy needs. */
    class AnalyticTargetType : public TargetType
    {
    public:
      AnalyticTargetType()
      {
        for (const std::string &name : AnalyticRegistry::names())
          types[name] = AnalyticRegistry::create(name);
      }

      TargetSelector
      selector() const override
      {
        return {
          "Energy",
          "Type",
          described_names<AnalyticRegistry>(),
          "energy",
          "Energies",
          "The energy to sample. 'tempera list' describes them; each has a section of its name.",
          "gaussian mixture"};
      }

      std::vector<std::string>
      sections() const override
      {
        return {"Energy"};
      }

      void
      declare(const ParameterSource          &source,
              const std::vector<std::string> &levels,
              ParameterSections              &sections) override
      {
        type = source.value_of({"Energy"}, "Type", selector().default_value);
        ladder_levels = levels;
        sections.add({"Energy"}, [&](dealii::ParameterHandler &prm) {
          reference.declare(prm);
          for (const auto &entry : types)
            {
              prm.enter_subsection(first_letter_upper(entry.first));
              entry.second->declare(prm);
              prm.leave_subsection();
            }
        });
        for (const std::string &level : levels)
          level_parameters[level];
        for (auto &level : level_parameters)
          sections.add_struct({"Levels", level.first}, level.second);
      }

      /** One level may be the plain energy; a second is a slip of the pen. */
      void
      check(const ParameterSource          &source,
            const std::vector<std::string> &levels) override
      {
        std::vector<std::string> with_section, without_section;
        for (const std::string &name : levels)
          (source.has_section({"Levels", name}) ? with_section :
                                                  without_section)
            .push_back(name);
        if (without_section.size() > 1)
          throw UserError(
            "The levels '" + without_section[0] + "' and '" +
            without_section[1] +
            "' of 'Sampler/Ladder/Levels' have no section in 'Levels', so they "
            "would be the same. Give them one, or use one name." +
            did_you_mean(without_section[1], with_section, false));
      }

      std::string
      obstacle_to_sharing() const override
      {
        return "an analytic energy has no mesh";
      }

      std::unique_ptr<Target>
      make(const TargetProcesses &) const override
      {
        const std::shared_ptr<const Energy> plain =
          types.at(type)->create(reference);
        std::vector<Level> levels;
        for (const std::string &name : ladder_levels)
          levels.push_back(
            {name, decorate(plain, level_parameters.at(name), levels.size())});
        const double width = reference.standard_deviation;
        return std::make_unique<EnergyTarget>("analytic",
                                              type,
                                              std::move(levels),
                                              width > 0. ? width : 1.);
      }

    private:
      std::string                                          type;
      ReferenceParameters                                  reference;
      std::map<std::string, std::unique_ptr<AnalyticType>> types;
      std::vector<std::string>                             ladder_levels;
      std::map<std::string, LevelParameters>               level_parameters;
    };


    const Registration<TargetRegistry, AnalyticTargetType>
      registration("analytic", "An energy in closed form.");
  } // namespace
} // namespace Tempera
