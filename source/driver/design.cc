// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/design.h>
#include <tempera/driver/parameters.h>

#include <deal.II/base/mpi.h>

#include <algorithm>
#include <fstream>
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

    /** What the file says; empty if that is nothing. */
    std::string
    value_of(const ParameterFile &file, const std::string &path)
    {
      std::string value;
      for (const Assignment &assignment : file.assignments())
        if (path_of(assignment) == path)
          value = assignment.value;
      return value;
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



  namespace
  {
    /**
     * Make the number of rounds fit what the file says beside it: its own
     * burn-in, and whether a run ends when it knows enough.
     */
    void
    fit_iterations(const RunSettings   &plain,
                   const ParameterFile &file,
                   LadderDesign        &design)
    {
      std::uint64_t burn_in = 0, n_rounds = 0;
      for (const auto &setting : design.settings)
        if (setting.first == "Burn-in")
          burn_in = std::stoull(setting.second);
      for (auto &setting : design.settings)
        if (setting.first == "Iterations")
          {
            n_rounds = std::stoull(setting.second) - burn_in;
            if (value_of(file, "Effective draws") == "0")
              n_rounds = static_cast<std::uint64_t>(design.n_rounds) - burn_in;
            if (!value_of(file, "Burn-in").empty())
              burn_in = plain.run.burn_in;
            setting.second = std::to_string(
              burn_in + std::max<std::uint64_t>(n_rounds, plain.run.thinning));
          }
    }

    LadderDesign
    design_alone(ParameterFile &file, const Environment &environment)
    {
      constexpr double usual_draws = 1000.;

      const Parameters plain(file);
      // Before anything takes time.
      RunParameters run = plain.settings.run;
      if (value_of(file, "Burn-in").empty())
        run.burn_in = 0;
      run.check();
      plain.settings.check_effective_draws();
      if (plain.settings.samples_prior())
        {
          LadderDesign none;
          none.objection = "it is the prior";
          return none;
        }
      DesignTask task;
      task.levels          = plain.settings.used_levels();
      task.seed            = plain.settings.run.seed;
      task.effective_draws = plain.settings.effective_draws > 0 ?
                               plain.settings.effective_draws :
                               usual_draws;
      if (!value_of(file, "Chains").empty())
        task.n_chains = plain.settings.n_chains;
      // Data that were made by a level are no reason to sample with it.
      const std::string of_data = value_of(file, "Observations/Synthetic data");
      for (const std::string &level : file.sections_in({"Levels"}))
        if (level != task.levels[0] && level != of_data)
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
      LadderDesign                  design = design_ladder(
        *target,
        task,
        [&](const std::string &words) {
          environment.out << "-- pilot: " << words << std::endl;
        },
        environment.stop);
      design.is_stopped = environment.stop;
      if (!design.objection.empty() || design.is_stopped)
        return design;
      fit_iterations(plain.settings, file, design);

      const std::vector<std::string> &used = design.options[0].levels;
      for (const LevelSettings &level : coarser)
        if (std::find(used.begin(), used.end(), level.name) != used.end())
          add_level(level, file);
      add_settings(design.settings, file);
      file.add("Ladder", "given", origin);
      return design;
    }

    /** The same settings for all processes: those that the first has added. */
    void
    share_settings(ParameterFile &file)
    {
      if (n_processes() == 1)
        return;
      Settings settings;
      for (const Assignment &assignment : file.assignments())
        if (assignment.origin == origin)
          settings.push_back({path_of(assignment), assignment.value});
      settings = dealii::Utilities::MPI::broadcast(MPI_COMM_WORLD, settings);
      if (this_process() != 0)
        for (const auto &setting : settings)
          file.add(setting.first, setting.second, origin);
    }
  } // namespace



  bool
  wants_design(const ParameterFile &file, const bool is_asked)
  {
    const std::string from = value_of(file, "Ladder");
    const bool        is_given =
      file.has_section({"Sampler"}) || !file.sections_in({"Sampler"}).empty() ||
      std::any_of(file.assignments().begin(),
                  file.assignments().end(),
                  [](const Assignment &assignment) {
                    return !assignment.section.empty() &&
                           assignment.section[0] == "Sampler";
                  });
    if (is_given && (is_asked || from == "automatic"))
      throw UserError("A ladder is to be designed, but the file has a section "
                      "'Sampler' that says how to sample. Remove the section; "
                      "or take it as it is, with 'Ladder = given'.");
    // Anything else than these words is refused elsewhere.
    return !is_given && (is_asked || from.empty() || from == "automatic" ||
                         from == "as needed");
  }



  LadderDesign
  add_design(ParameterFile &file, const Environment &environment)
  {
    LadderDesign design;
    if (this_process() == 0)
      design = design_alone(file, environment);
    share_settings(file);
    if (n_processes() > 1)
      design.is_stopped =
        dealii::Utilities::MPI::broadcast(MPI_COMM_WORLD, design.is_stopped);
    return design;
  }



  bool
  add_design_of(const std::string &folder, ParameterFile &file)
  {
    const std::string name     = folder + "/parameters.prm";
    bool              is_there = false;
    if (this_process() == 0 && std::ifstream(name))
      {
        is_there = true;
        const ParameterFile         old(name);
        const std::set<std::string> outside = {"Chains",
                                               "Burn-in",
                                               "Iterations",
                                               "Effective draws"};
        Settings                    settings;
        for (const Assignment &assignment : old.assignments())
          if (assignment.section.empty() ? outside.count(assignment.name) > 0 :
                                           assignment.section[0] == "Sampler" ||
                                             assignment.section[0] == "Levels")
            settings.push_back({path_of(assignment), assignment.value});
        add_settings(settings, file);
        file.add("Ladder", "given", origin);
      }
    if (n_processes() > 1)
      is_there = dealii::Utilities::MPI::broadcast(MPI_COMM_WORLD, is_there);
    share_settings(file);
    return is_there;
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
