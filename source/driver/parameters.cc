// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/base/utf8.h>
#include <tempera/driver/parameters.h>
#include <tempera/pinn/equation.h>
#include <tempera/problems/problem.h>

#include <deal.II/base/parameter_acceptor.h>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace Tempera
{
  namespace
  {
    using Path = std::vector<std::string>;

    /** Gives a struct of parameters its section. */
    class Section : public dealii::ParameterAcceptor
    {
    public:
      template <class Values>
      Section(const Path &path, Values &values, dealii::ParameterHandler &prm)
        : dealii::ParameterAcceptor("/" + join(path, "/"))
      {
        enter_my_subsection(prm);
        values.declare(prm);
        leave_my_subsection(prm);
      }
    };


    std::string
    first_letter_upper(std::string text)
    {
      text[0] =
        static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
      return text;
    }


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

    /** Parameters that name a file to read. */
    const std::vector<std::pair<Path, std::string>> file_parameters{
      {{"Problem"}, "Mesh file"},
      {{"Observations"}, "File"},
      {{"Sampler"}, "Start file"}};

    /** A relative file name starts from the folder of the parameter file. */
    std::string
    resolved(const Assignment &assignment)
    {
      if (PluginParameters::is_set_by(assignment))
        return join(PluginParameters::resolved(assignment), ", ");
      const auto here = std::make_pair(assignment.section, assignment.name);
      if (assignment.value.empty() ||
          std::find(file_parameters.begin(), file_parameters.end(), here) ==
            file_parameters.end())
        return assignment.value;
      return (std::filesystem::current_path() / assignment.folder /
              assignment.value)
        .lexically_normal()
        .string();
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
      const std::string synthetic =
        file.value_of({"Observations"}, "Synthetic data", "none");
      if (!synthetic.empty() && synthetic != "none" && synthetic != "exact" &&
          std::find(names.begin(), names.end(), synthetic) == names.end())
        names.push_back(synthetic);
      return names;
    }

    /** The parameters that a file sets in a section, each once. */
    std::vector<std::string>
    names_in_section(const ParameterFile &file, const Path &section)
    {
      std::vector<std::string> names;
      for (const Assignment &assignment : file.assignments())
        if (assignment.section == section &&
            std::find(names.begin(), names.end(), assignment.name) ==
              names.end())
          names.push_back(assignment.name);
      return names;
    }

    /** Whether a problem has settings of its own. */
    bool
    declares_settings(Problem &problem)
    {
      dealii::ParameterHandler prm;
      problem.declare(prm);
      std::ostringstream json;
      prm.print_parameters(json, dealii::ParameterHandler::JSON);
      return json.str().find("pattern_description") != std::string::npos;
    }

    /**
     * Every level of an equation needs a mesh or points.
     *
     * @param remedy The parameters that say how fine it is.
     */
    void
    check_that_levels_exist(const ParameterFile            &file,
                            const std::vector<std::string> &names,
                            const std::string              &remedy)
    {
      std::vector<std::string> with_section;
      for (const OpenedSection &section : file.sections())
        if (section.path.size() == 2 && section.path[0] == "Levels")
          with_section.push_back(section.path[1]);
      for (const std::string &name : names)
        if (!file.has_section({"Levels", name}))
          throw UserError("The level '" + name +
                          "' has no section in 'Levels' that says how fine it "
                          "is. Add 'subsection Levels', 'subsection " +
                          name + "' with " + remedy + "." +
                          did_you_mean(name, with_section, false));
    }

    /** One level may be the plain energy; a second is a slip of the pen. */
    void
    check_that_levels_differ(const ParameterFile            &file,
                             const std::vector<std::string> &names)
    {
      std::vector<std::string> with_section, without_section;
      for (const std::string &name : names)
        (file.has_section({"Levels", name}) ? with_section : without_section)
          .push_back(name);
      if (without_section.size() > 1)
        throw UserError(
          "The levels '" + without_section[0] + "' and '" + without_section[1] +
          "' of 'Sampler/Ladder/Levels' have no section in 'Levels', so they "
          "would be the same. Give them one, or use one name." +
          did_you_mean(without_section[1], with_section, false));
    }

    /** What the energies of a run are made of. */
    enum class Family
    {
      analytic,
      finite_elements,
      network
    };

    Family
    family_of(const ParameterFile &file)
    {
      const std::string equation =
        file.value_of({"Network"}, "Equation", "none");
      const std::string problem = file.value_of({"Problem"}, "Type", "none");
      if (equation != "none" && problem != "none")
        throw UserError("'Problem/Type' asks for finite elements and 'Network/"
                        "Equation' for a network. Remove one of them.");
      if (problem != "none" && ProblemRegistry::entries().count(problem) == 0)
        throw UserError("There is no problem '" + problem +
                        "' for 'Problem/Type'." +
                        did_you_mean(problem, ProblemRegistry::names()));
      if (equation != "none" &&
          EquationRegistry::entries().count(equation) == 0)
        throw UserError("There is no equation '" + equation +
                        "' for 'Network/Equation'." +
                        did_you_mean(equation, EquationRegistry::names()));
      return equation != "none" ? Family::network :
             problem != "none"  ? Family::finite_elements :
                                  Family::analytic;
    }

    /** An analytic energy and an equation exclude each other. */
    void
    check_that_family_is_clear(const ParameterFile &file, const Family family)
    {
      const bool has_problem = family == Family::finite_elements;
      for (const Assignment &assignment : file.assignments())
        {
          const std::string section =
            assignment.section.empty() ? "" : assignment.section[0];
          if (has_problem && section == "Energy")
            throw UserError(
              assignment.origin +
              ": the section 'Energy' is for analytic energies, but "
              "'Problem/Type' names an equation. Remove one or the other.");
          if (family == Family::network &&
              (section == "Energy" || section == "Problem" ||
               section == "Solver"))
            throw UserError(assignment.origin + ": the section '" + section +
                            "' does not go with a network, but 'Network/"
                            "Equation' asks for one. Remove one or the other.");
          if (family != Family::network && section == "Network" &&
              assignment.name != "Equation")
            throw UserError(assignment.origin +
                            ": the section 'Network' needs an equation. Set "
                            "'Network/Equation'; 'tempera list' names what "
                            "there is.");
          if (family == Family::analytic &&
              (section == "Observations" || section == "Solver"))
            throw UserError(assignment.origin + ": the section '" + section +
                            "' needs an equation. Set 'Problem/Type'; "
                            "'tempera list' names what there is.");
        }
    }
  } // namespace


  struct Parameters::Implementation
  {
    dealii::ParameterHandler              prm;
    std::vector<std::unique_ptr<Section>> sections;
  };



  void
  GeneralParameters::declare(dealii::ParameterHandler &prm)
  {
    declare_whole_number(
      prm,
      "Random seed",
      run.seed,
      0,
      "Seed of all random numbers. The same seed gives the same draws.");
    declare_whole_number(
      prm,
      "Iterations",
      run.iterations,
      1,
      "Number of rounds, burn-in included. In a round every rung takes its kernel steps, then swaps are tested.");
    declare_whole_number(
      prm,
      "Burn-in",
      run.burn_in,
      0,
      "Number of rounds at the beginning in which the sampler adapts and whose draws are not kept.");
    declare_whole_number(
      prm, "Thinning", run.thinning, 1, "Keep one draw of so many rounds.");
    prm.add_parameter(
      "Chains",
      n_chains,
      "Number of independent ladders. They share nothing but the solvers, and each costs as much as one alone. A single ladder cannot tell that it has missed a part of the answer; several that differ can.",
      dealii::Patterns::Integer(1, 1000));
    prm.add_parameter(
      "Target",
      target,
      "'posterior': what is known after the measurements. 'prior': the likelihood is left out, so that unknowns (and weights of a network) are drawn from their priors; the measurements are not used, and nothing is solved. To see what was assumed, and to check the sampler. An analytic energy has no prior in this sense.",
      one_of({"posterior", "prior"}));
    prm.add_parameter(
      "Work budget",
      run.work_budget,
      "End the run when it has cost so many forward solves of the coldest rung's level, even before 'Iterations'. A sweep in time counts 1 forwards and 1 backwards, on another level in the ratio of unknowns times time steps; gradients that were precomputed count as the sweeps that they save. 0: no budget.",
      dealii::Patterns::Double(0.));
    prm.add_parameter(
      "Output directory",
      output_directory,
      "Folder for the results; the option --output overrides it. A run that is there already is not overwritten unless --overwrite is given.",
      dealii::Patterns::Anything());
  }



  void
  StartParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter(
      "Start from",
      from,
      "'point': where 'Start' says. 'prior': every rung at its own draw from the prior, which needs a problem. 'file': where 'Start file' says. Of several chains with priors at hand, only the first begins at 'Start'; the others are drawn from the prior, because chains that begin together may all miss the same.",
      one_of({"point", "prior", "file"}));
    prm.add_parameter(
      "Start file",
      file,
      "CSV file with a column for each unknown, and one line for all rungs or one per rung. A relative name starts from the folder of the parameter file.",
      Anything());
    prm.add_parameter(
      "Start",
      points,
      "Start point: one number per unknown, separated by commas. Several points, one per rung, are separated by semicolons. Empty: zero, or a point well inside the bounds.",
      List(List(Double(), 1), 0, List::max_int_value, ";"));
  }



  EnergyParameters::EnergyParameters()
  {
    for (const std::string &name : AnalyticRegistry::names())
      types[name] = AnalyticRegistry::create(name);
  }



  void
  EnergyParameters::declare(dealii::ParameterHandler &prm)
  {
    prm.add_parameter(
      "Type",
      type,
      "The energy to sample. 'tempera list' describes them; each has a section of its name.",
      one_of(AnalyticRegistry::names()));
    reference.declare(prm);
    for (const auto &entry : types)
      {
        prm.enter_subsection(first_letter_upper(entry.first));
        entry.second->declare(prm);
        prm.leave_subsection();
      }
  }



  void
  ProblemSettings::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    std::vector<std::string> types = ProblemRegistry::names();
    types.insert(types.begin(), "none");
    prm.add_parameter(
      "Type",
      type,
      "The equation whose unknowns are sought. 'tempera list' describes them. 'none': the energy is the analytic one of the section 'Energy'.",
      one_of(types));
    prm.add_parameter("Dimension",
                      dimension,
                      "Number of space dimensions.",
                      Integer(1, 3));
    prm.add_parameter(
      "Mesh file",
      domain.mesh_file,
      "A mesh that deal.II reads: gmsh (.msh), UCD (.inp), VTK (.vtk) and others, of lines, quadrilaterals or hexahedra. A relative name starts from the folder of the parameter file. Empty: a box.",
      Anything());
    prm.add_parameter(
      "Lower corner",
      domain.lower,
      "Corner of the box with the smallest coordinates: one number for all directions or one for each. Not used with a mesh file.",
      List(Double(), 1, 3));
    prm.add_parameter("Upper corner",
                      domain.upper,
                      "Corner of the box with the largest coordinates.",
                      List(Double(), 1, 3));
    declare_number_list(
      prm,
      "Final time",
      final_time,
      {"last observation"},
      0.,
      true,
      "Time at which the simulation ends, or 'last observation'.",
      false);
  }



  void
  UnknownsSettings::declare(dealii::ParameterHandler &prm)
  {
    values.clear();
    for (const ProblemParameter &parameter : problem->parameters())
      values.push_back(parameter.default_value);
    for (unsigned int i = 0; i < values.size(); ++i)
      prm.add_parameter(
        problem->parameters()[i].name,
        values[i],
        problem->parameters()[i].documentation +
          " A number, if it is known; otherwise its prior: uniform(lower, upper), normal(mean, standard deviation) or log-normal(median, standard deviation of the logarithm).",
        dealii::Patterns::Anything());
  }



  void
  EquationSettings::declare(dealii::ParameterHandler &prm)
  {
    problem->declare(prm);
  }



  Parameters::Parameters(const ParameterFile &file)
    : question(file.question())
    , plugins(file)
    , implementation(std::make_unique<Implementation>())
  {
    // Structure first: which levels there are decides which sections exist.
    // A map keeps the addresses of its values, which the handler remembers.
    const std::vector<std::string> names       = level_names(file, ladder);
    const Family                   family      = family_of(file);
    const bool                     is_analytic = family == Family::analytic;
    const bool                     is_network  = family == Family::network;
    const auto                     add_level   = [&](const std::string &name) {
      if (is_analytic)
        levels[name];
      else if (is_network)
        network_levels[name];
      else
        fem_levels[name];
    };
    for (const std::string &name : names)
      add_level(name);
    // A level that a file shares with others need not be used by each.
    if (!is_analytic)
      for (const OpenedSection &section : file.sections())
        if (section.path.size() == 2 && section.path[0] == "Levels")
          add_level(section.path[1]);
    if (is_network)
      network.coefficients.equation = EquationRegistry::create(
        file.value_of({"Network"}, "Equation", "none"));
    if (family == Family::finite_elements)
      {
        const std::string problem_type =
          file.value_of({"Problem"}, "Type", problem.type);
        const std::string text = file.value_of({"Problem"}, "Dimension", "2");
        const int         dimension = std::atoi(text.c_str());
        unknowns.problem            = ProblemRegistry::create(
          problem_type, dimension >= 1 && dimension <= 3 ? dimension : 2);
        unknowns.problem->add_parameters(
          names_in_section(file, {"Problem", "Unknowns"}));
        equation.problem = unknowns.problem;
      }

    check_that_family_is_clear(file, family);
    const auto add = [&](const Path &path, auto &values) {
      implementation->sections.push_back(
        std::make_unique<Section>(path, values, implementation->prm));
    };
    add({}, plugins);
    add({}, general);
    if (is_analytic)
      add({"Energy"}, energy);
    if (!is_network)
      add({"Problem"}, problem);
    if (is_analytic)
      // That there are networks; the rest belongs to one.
      add({"Network"}, network.network.choice);
    if (is_network)
      {
        add({"Network"}, network.network);
        add({"Network", "Coefficients"}, network.coefficients);
        add({"Network", "Data"}, network.data);
        add({"Network", "Likelihood"}, network.likelihood);
        add({"Network", "Warm start"}, network.warm_start);
        add({"Observations"}, network.observations);
      }
    if (family == Family::finite_elements)
      {
        add({"Problem", "Unknowns"}, unknowns);
        if (declares_settings(*equation.problem))
          add({"Problem", "Equation"}, equation);
        add({"Observations"}, observations);
        add({"Solver"}, solver);
      }
    for (auto &level : levels)
      add({"Levels", level.first}, level.second);
    for (auto &level : fem_levels)
      add({"Levels", level.first}, level.second);
    for (auto &level : network_levels)
      add({"Levels", level.first}, level.second);
    add({"Sampler"}, start);
    add({"Sampler", "Ladder"}, ladder);
    add({"Sampler", "Kernel"}, kernel);
    add({"Sampler", "Swaps"}, swaps);
    add({"Output"}, output);
    add({"Parallel"}, parallel);

    apply(file);

    if (is_analytic)
      check_that_levels_differ(file, names);
    else
      check_that_levels_exist(file,
                              names,
                              is_network ? "'Collocation points'" :
                                           "'Subdivisions' and 'Time step'");
    if (general.output_directory.empty())
      throw UserError("The parameter 'Output directory' is empty. Name a "
                      "folder, or remove it for the default.");
  }



  Parameters::~Parameters() = default;



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
          throw UserError(assignment.origin + ": there is no parameter '" +
                          assignment.name + "' " + name_of(assignment.section) +
                          "." + where_else(all, {}, assignment.name) +
                          did_you_mean(assignment.name, names));

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
