// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/file_digest.h>
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/base/utf8.h>
#include <tempera/driver/parameters.h>

#include <deal.II/base/parameter_handler.h>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <sstream>

namespace Tempera
{
  namespace
  {
    using Path = std::vector<std::string>;

    void
    describe(const boost::property_tree::ptree &tree,
             const Path                        &section,
             std::vector<ParameterDescription> &result)
    {
      for (const auto &child : tree)
        if (child.second.find("pattern_description") !=
            child.second.not_found())
          {
            const std::string pattern =
              child.second.get<std::string>("pattern_description");
            result.push_back({section,
                              child.first,
                              child.second.get<std::string>("default_value"),
                              pattern_in_words(pattern),
                              choices_of_pattern(pattern),
                              child.second.get<std::string>("documentation")});
          }
      // What a section has of its own comes before what is inside it.
      for (const auto &child : tree)
        if (child.second.find("pattern_description") ==
            child.second.not_found())
          {
            Path inner = section;
            inner.push_back(child.first);
            describe(child.second, inner, result);
          }
    }

    /** A sentence that names a section which ends so and has the parameter. */
    std::string
    where_else(const std::vector<ParameterDescription> &all,
               const Path                              &end_of_section,
               const std::string                       &name)
    {
      for (const ParameterDescription &parameter : all)
        if (parameter.section.size() > end_of_section.size() &&
            std::equal(end_of_section.rbegin(),
                       end_of_section.rend(),
                       parameter.section.rbegin()) &&
            (name.empty() || parameter.name == name))
          return " There is one in '" +
                 join(name.empty() ?
                        Path(parameter.section.begin(),
                             parameter.section.end() - end_of_section.size()) :
                        parameter.section,
                      "/") +
                 "'.";
      return "";
    }

    std::string
    name_of(const Path &section)
    {
      return section.empty() ? "outside all sections" :
                               "in section '" + join(section, "/") + "'";
    }

    /** The levels that a file names, each once. */
    std::vector<std::string>
    level_names(const ParameterFile &file, const LadderParameters &defaults)
    {
      std::vector<std::string> names;
      for (const std::string &name : dealii::Utilities::split_string_list(
             file.value_of({"Sampler", "Ladder"},
                           "Levels",
                           join(defaults.levels, ", ")),
             ','))
        {
          if (name.empty() || name.find_first_of("/.") != std::string::npos)
            throw UserError(
              "The parameter 'Sampler/Ladder/Levels' has an empty name or one "
              "with a '/' or a '.'. Write names separated by commas.");
          if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
        }
      return names;
    }


    bool
    contains(const std::vector<std::string> &list, const std::string &word)
    {
      return std::find(list.begin(), list.end(), word) != list.end();
    }


    /** A file says something of a kind of target that it does not ask for. */
    void
    check_foreign_sections(const ParameterFile &file, const TargetType &chosen)
    {
      const TargetSelector selector = chosen.selector();
      std::map<std::string, std::vector<TargetSelector>> owners;
      for (const std::string &name : TargetRegistry::names())
        {
          const auto other = TargetRegistry::create(name);
          for (const std::string &section : other->sections())
            if (!contains(chosen.sections(), section))
              owners[section].push_back(other->selector());
        }
      for (const Assignment &assignment : file.assignments())
        {
          const auto owner = owners.find(
            assignment.section.empty() ? "" : assignment.section[0]);
          if (owner == owners.end())
            continue;
          std::vector<std::string> needed;
          bool                     is_selector = false;
          for (const TargetSelector &one : owner->second)
            {
              needed.push_back("'" + one.text() + "'");
              is_selector = is_selector || (assignment.section.size() == 1 &&
                                            assignment.name == one.name);
            }
          if (selector.is_default() && is_selector)
            continue;
          if (selector.is_default())
            throw UserError(assignment.origin + ": the section '" +
                            owner->first + "' needs an equation. Set " +
                            join(needed, " or ") +
                            "; 'tempera list' names what there is.");
          throw UserError(assignment.origin + ": the section '" + owner->first +
                          "' does not go with '" + selector.text() +
                          "', which the file asks for. Remove one or the "
                          "other.");
        }
    }
  } // namespace


  namespace
  {
    /** What to write instead of a setting of earlier versions; or nothing. */
    std::string
    in_its_place(const Assignment &assignment)
    {
      Path path = assignment.section;
      path.push_back(assignment.name);
      return join(path, "/") == "Output/Refinement draws" ?
               " It has become 'Mesh error': the same number of draws, or "
               "'automatic'." :
               "";
    }
  } // namespace


  struct Parameters::Implementation
  {
    dealii::ParameterHandler prm;
    HandlerSections          sections{prm};
    /** By selector: what was chosen. */
    std::map<std::string, std::string> choices;
  };



  void
  Parameters::choose_type(const ParameterFile &file)
  {
    std::unique_ptr<TargetType> default_type;
    for (const std::string &name : TargetRegistry::names())
      {
        auto                 one      = TargetRegistry::create(name);
        const TargetSelector selector = one->selector();
        if (selector.is_default())
          {
            default_type = std::move(one);
            continue;
          }
        const std::string choice =
          file.value_of({selector.section}, selector.name, "none");
        if (choice == "none")
          continue;
        if (type)
          throw UserError("'" + type->selector().text() + "' asks for one " +
                          "kind of model and '" + selector.text() +
                          "' for another. Remove one of them.");
        if (selector.choices.count(choice) == 0)
          {
            std::vector<std::string> names;
            for (const auto &entry : selector.choices)
              names.push_back(entry.first);
            throw UserError("There is no " + selector.noun + " '" + choice +
                            "' for '" + selector.text() + "'." +
                            did_you_mean(choice, names));
          }
        type = std::move(one);
      }
    if (!type)
      type = std::move(default_type);
  }



  Parameters::Parameters(const ParameterFile &file)
    : plugins(file)
    , implementation(std::make_unique<Implementation>())
  {
    // Structure first: what is sampled, and which levels there are, decides
    // which sections exist.
    const std::vector<std::string> levels = level_names(file, settings.ladder);
    choose_type(file);
    check_foreign_sections(file, *type);

    ParameterSections &sections = implementation->sections;
    sections.add_struct({}, plugins);
    settings.declare_general(sections);
    const auto declare_selector = [&](const TargetSelector &selector) {
      std::string &choice = implementation->choices[selector.text()];
      choice              = selector.default_value;
      std::vector<std::string> words;
      if (!selector.is_default())
        words.push_back("none");
      for (const auto &entry : selector.choices)
        words.push_back(entry.first);
      sections.add({selector.section}, [&](dealii::ParameterHandler &prm) {
        prm.add_parameter(selector.name,
                          choice,
                          selector.documentation,
                          one_of(words));
      });
    };
    declare_selector(type->selector());
    type->declare(file, levels, sections);
    if (type->selector().is_default())
      for (const std::string &name : TargetRegistry::names())
        {
          const TargetSelector other = TargetRegistry::create(name)->selector();
          if (!other.is_default() && !other.choices.empty())
            declare_selector(other);
        }
    settings.declare_sections(sections);

    apply(file);

    type->check(file, levels);
    if (settings.folder.empty())
      throw UserError("The parameter 'Output directory' is empty. Name a "
                      "folder, or remove it for the default.");
    settings.question   = file.question();
    settings.parameters = effective_file();
    settings.files      = input_files();
  }



  Parameters::~Parameters() = default;



  std::unique_ptr<Target>
  Parameters::make_target(const ProcessLayout &layout) const
  {
    return type->make({layout.group_communicator(),
                       layout.is_helper() ? nullptr : &layout.get_peers()});
  }



  std::vector<InputFile>
  Parameters::input_files() const
  {
    std::vector<InputFile> result;
    const auto             add = [&](const std::string &parameter,
                         const std::string &path,
                         const bool         is_library) {
      if (!path.empty())
        result.push_back({parameter, path, file_digest(path), is_library});
    };
    for (const auto &file : type->files())
      add(file.first, file.second, false);
    add("Sampler/Start file", settings.start.file, false);
    for (const std::string &library : plugins.libraries)
      add("Additional shared libraries", library, true);
    return result;
  }



  std::string
  Parameters::resolved(const Assignment &assignment) const
  {
    if (PluginParameters::is_set_by(assignment))
      return join(PluginParameters::resolved(assignment), ", ");
    Path path = assignment.section;
    path.push_back(assignment.name);
    const std::string name    = join(path, "/");
    bool              is_file = name == "Sampler/Start file";
    for (const auto &file : type->files())
      is_file = is_file || file.first == name;
    if (assignment.value.empty() || !is_file)
      return assignment.value;
    return (std::filesystem::current_path() / assignment.folder /
            assignment.value)
      .lexically_normal()
      .string();
  }



  void
  Parameters::apply(const ParameterFile &file)
  {
    const std::vector<ParameterDescription> all = descriptions();

    const auto check_section = [&](const Path        &path,
                                   const std::string &origin) {
      for (std::size_t depth = 0; depth < path.size(); ++depth)
        {
          const Path               parent(path.begin(), path.begin() + depth);
          std::vector<std::string> children;
          for (const ParameterDescription &parameter : all)
            if (parameter.section.size() > depth &&
                std::equal(parent.begin(),
                           parent.end(),
                           parameter.section.begin()) &&
                std::find(children.begin(),
                          children.end(),
                          parameter.section[depth]) == children.end())
              children.push_back(parameter.section[depth]);
          if (std::find(children.begin(), children.end(), path[depth]) ==
              children.end())
            throw UserError(origin + ": there is no section '" + path[depth] +
                            "' " + name_of(parent) + "." +
                            where_else(all, {path[depth]}, "") +
                            did_you_mean(path[depth], children));
        }
    };

    for (const OpenedSection &section : file.sections())
      check_section(section.path, section.origin);

    dealii::ParameterHandler &prm = implementation->prm;
    for (const Assignment &assignment : file.assignments())
      {
        check_section(assignment.section, assignment.origin);

        std::vector<std::string> names;
        auto                     found = all.end();
        for (auto p = all.begin(); p != all.end(); ++p)
          if (p->section == assignment.section)
            {
              names.push_back(p->name);
              if (p->name == assignment.name)
                found = p;
            }
        if (found == all.end())
          {
            const std::string other = in_its_place(assignment);
            throw UserError(
              assignment.origin + ": there is no parameter '" +
              assignment.name + "' " + name_of(assignment.section) + "." +
              (!other.empty() ? other :
                                where_else(all, {}, assignment.name) +
                                  did_you_mean(assignment.name, names)));
          }

        for (const std::string &section : assignment.section)
          prm.enter_subsection(section);
        try
          {
            prm.set(assignment.name, resolved(assignment));
          }
        catch (const dealii::ParameterHandler::ExcValueDoesNotMatchPattern &)
          {
            // For a choice, or a list of them, name what is nearest.
            std::string wrong = assignment.value;
            for (const std::string &part :
                 dealii::Utilities::split_string_list(assignment.value, ','))
              if (std::find(found->choices.begin(),
                            found->choices.end(),
                            part) == found->choices.end())
                {
                  wrong = part;
                  break;
                }
            const bool is_word =
              !wrong.empty() &&
              std::isalpha(static_cast<unsigned char>(wrong[0]));
            const std::string hint =
              is_word ? did_you_mean(wrong, found->choices, false) : "";
            throw UserError(assignment.origin + ": '" + assignment.value +
                            "' is not a valid value of '" + assignment.name +
                            "' " + name_of(assignment.section) +
                            ". Expected: " + found->pattern + "." + hint);
          }
        for (std::size_t i = 0; i < assignment.section.size(); ++i)
          prm.leave_subsection();
      }
  }



  std::vector<ParameterDescription>
  Parameters::descriptions() const
  {
    std::ostringstream json;
    implementation->prm.print_parameters(
      json,
      dealii::ParameterHandler::JSON |
        dealii::ParameterHandler::KeepDeclarationOrder);
    // Names of levels and unknowns are the user's, in whatever encoding.
    std::istringstream          text(valid_utf8(json.str()));
    boost::property_tree::ptree tree;
    boost::property_tree::read_json(text, tree);
    std::vector<ParameterDescription> result;
    describe(tree, {}, result);
    return result;
  }



  std::string
  Parameters::effective_file() const
  {
    std::ostringstream text;
    implementation->prm.print_parameters(
      text,
      dealii::ParameterHandler::PRM |
        dealii::ParameterHandler::KeepDeclarationOrder);
    return text.str();
  }
} // namespace Tempera
