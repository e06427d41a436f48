// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/design.h>
#include <tempera/driver/parameters.h>

#include <deal.II/base/mpi.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

namespace Tempera
{
  namespace
  {
    /** Where the settings of a design come from, for messages. */
    const std::string origin = "the automatic ladder";

    using Settings = std::vector<std::pair<std::string, std::string>>;

    std::string
    path_of(const Assignment &assignment)
    {
      std::vector<std::string> path = assignment.section;
      path.push_back(assignment.name);
      return join(path, "/");
    }

    /** Add settings that the file does not give itself. */
    void
    add_settings(const Settings &settings, ParameterFile &file)
    {
      std::set<std::string> given;
      for (const Assignment &assignment : file.assignments())
        given.insert(path_of(assignment));
      for (const auto &setting : settings)
        if (given.count(setting.first) == 0)
          file.add(setting.first, setting.second, origin);
    }

    void
    add_level(const LevelSettings &level, ParameterFile &file)
    {
      for (const auto &setting : level.settings)
        file.add("Levels/" + level.name + "/" + setting.first,
                 setting.second,
                 origin);
    }
  } // namespace



  void
  check_design(const ParameterFile &file)
  {
    if (file.has_section({"Sampler"}) || !file.sections_in({"Sampler"}).empty())
      throw UserError("A ladder is to be designed, but the file has a section "
                      "'Sampler' that says how to sample. Remove the section, "
                      "or run the file as it is.");
  }



  LadderDesign
  add_design(ParameterFile &file, const Environment &environment)
  {
    const Parameters plain(file);
    DesignTask       task;
    task.levels = plain.settings.used_levels();
    task.seed   = plain.settings.run.seed;
    for (const std::string &level : file.sections_in({"Levels"}))
      if (level != task.levels[0])
        task.levels.push_back(level);

    // Levels that the user gives are those to be taken.
    std::vector<LevelSettings> coarser;
    if (task.levels.size() == 1)
      coarser = plain.target_type().coarser_levels(task.levels[0]);
    ParameterFile with_levels = file;
    for (const LevelSettings &level : coarser)
      {
        add_level(level, with_levels);
        task.levels.push_back(level.name);
      }
    const Parameters              parameters(with_levels);
    const std::unique_ptr<Target> target = parameters.make_target();
    const LadderDesign            design = design_ladder(
      *target,
      task,
      [&](const std::string &words) {
        environment.out << "-- pilot: " << words << std::endl;
      },
      environment.stop);
    if (!design.objection.empty())
      return design;

    const std::vector<std::string> &used = design.options[0].levels;
    for (const LevelSettings &level : coarser)
      if (std::find(used.begin(), used.end(), level.name) != used.end())
        add_level(level, file);
    add_settings(design.settings, file);
    return design;
  }



  void
  share_design(ParameterFile &file)
  {
    if (n_processes() == 1)
      return;
    Settings settings;
    for (const Assignment &assignment : file.assignments())
      if (assignment.origin == origin)
        settings.push_back({path_of(assignment), assignment.value});
    settings = dealii::Utilities::MPI::broadcast(MPI_COMM_WORLD, settings);
    if (this_process() != 0)
      add_settings(settings, file);
  }



  void
  add_design_of(const std::string &folder, ParameterFile &file)
  {
    const ParameterFile         old(folder + "/parameters.prm");
    const std::set<std::string> outside = {"Chains", "Burn-in", "Iterations"};
    Settings                    settings;
    for (const Assignment &assignment : old.assignments())
      if (assignment.section.empty() ? outside.count(assignment.name) > 0 :
                                       assignment.section[0] == "Sampler" ||
                                         assignment.section[0] == "Levels")
        settings.push_back({path_of(assignment), assignment.value});
    add_settings(settings, file);
  }



  std::string
  design_as_file(const ParameterFile &file)
  {
    // By section, outer ones first.
    std::map<std::vector<std::string>, std::string> lines;
    for (const Assignment &assignment : file.assignments())
      if (assignment.origin == origin)
        lines[assignment.section] +=
          "set " + assignment.name + " = " + assignment.value + "\n";
    std::string text;
    for (const auto &section : lines)
      {
        std::string indent;
        for (const std::string &name : section.first)
          {
            text += indent + "subsection " + name + "\n";
            indent += "  ";
          }
        std::size_t begin = 0;
        while (begin < section.second.size())
          {
            const std::size_t end = section.second.find('\n', begin) + 1;
            text += indent + section.second.substr(begin, end - begin);
            begin = end;
          }
        for (std::size_t i = 0; i < section.first.size(); ++i)
          {
            indent.resize(indent.size() - 2);
            text += indent + "end\n";
          }
      }
    return text;
  }
} // namespace Tempera
