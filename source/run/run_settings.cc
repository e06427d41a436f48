// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/user_error.h>
#include <tempera/base/words.h>
#include <tempera/run/run_settings.h>

#include <deal.II/base/parameter_handler.h>

#include <algorithm>
#include <sstream>

namespace Tempera
{
  void
  StartParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    declare_choice<StartFrom>(
      prm,
      "Start from",
      from,
      {{"point", StartFrom::point},
       {"prior", StartFrom::prior},
       {"file", StartFrom::file}},
      "'point': where 'Start' says. 'prior': every rung at its own draw from the prior, which needs a problem. 'file': where 'Start file' says. Of several chains with priors at hand, only the first begins at 'Start'; the others are drawn from the prior, because chains that begin together may all miss the same.");
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



  void
  RunSettings::check_effective_draws() const
  {
    constexpr std::uint64_t fewest = 100;
    if (effective_draws > 0 && effective_draws < fewest)
      throw UserError("'Effective draws' is " +
                      std::to_string(effective_draws) +
                      ", but so few say too little of how good they are. Give "
                      "at least " +
                      std::to_string(fewest) +
                      ", or 0 for a run that ends with 'Iterations'.");
  }



  std::vector<std::string>
  RunSettings::used_levels() const
  {
    std::vector<std::string> names;
    for (const std::string &name : ladder.levels)
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    return names;
  }



  void
  RunSettings::declare_general(ParameterSections &sections)
  {
    sections.add({},
                 [&](dealii::ParameterHandler &prm) {
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
                   declare_whole_number(prm,
                                        "Thinning",
                                        run.thinning,
                                        1,
                                        "Keep one draw of so many rounds.");
                   declare_choice<LadderFrom>(
                     prm,
                     "Ladder",
                     ladder_from,
                     {{"as needed", LadderFrom::as_needed},
                      {"automatic", LadderFrom::pilots},
                      {"given", LadderFrom::settings}},
                     "'automatic': short pilots find temperatures, levels, paces and kernel, and the file has no section 'Sampler'. 'given': what the section 'Sampler' says, with its defaults. 'as needed': automatic for a file without such a section, which networks and stochastic energies do without, too.");
                   prm.add_parameter(
                     "Chains",
                     n_chains,
                     "Number of independent ladders. They share nothing but the solvers, and each costs as much as one alone. A single ladder cannot tell that it has missed a part of the answer; several that differ can.",
                     dealii::Patterns::Integer(1, 1000));
                   declare_choice<SampledLaw>(
                     prm,
                     "Target",
                     target,
                     {{"posterior", SampledLaw::posterior},
                      {"prior", SampledLaw::prior}},
                     "'posterior': what is known after the measurements. 'prior': the likelihood is left out, so that unknowns (and weights of a network) are drawn from their priors; the measurements are not used, and nothing is solved. To see what was assumed, and to check the sampler. An analytic energy has no prior in this sense.");
                   prm.add_parameter(
                     "Work budget",
                     run.work_budget,
                     "End the run when each of its chains has cost so many forward solves of the coldest rung's level, even before 'Iterations'. A sweep in time counts 1 forwards and 1 backwards, on another level in the ratio of unknowns times time steps; gradients that were precomputed count as the sweeps that they save. 0: no budget.",
                     dealii::Patterns::Double(0.));
                   declare_whole_number(
                     prm,
                     "Effective draws",
                     effective_draws,
                     0,
                     "End the run when it knows its answer as well as so many independent draws would, even before 'Iterations': counted for each unknown, derived number, the energy and the share of each mode, the lowest decides; and all R-hat below 1.01. Looked at after 100 rounds that follow burn-in, then whenever their number has doubled. At least 100, since what fewer say of themselves is not to be believed. A run that is resumed with a larger number goes on as if it had been asked for at once. 0: all rounds are done.");
                   prm.add_parameter(
                     "Time limit",
                     time_limit,
                     "Stop after so many seconds since the run began or was resumed, with a checkpoint and with results, as if it had been interrupted: --resume goes on. The results take a little longer. 0: no limit.",
                     dealii::Patterns::Double(0.));
                   prm.add_parameter(
                     "Output directory",
                     folder,
                     "Folder for the results; the option --output overrides it. A run that is there already is not overwritten unless --overwrite is given.",
                     dealii::Patterns::Anything());
                 });
  }



  void
  RunSettings::declare_sections(ParameterSections &sections)
  {
    sections.add_struct({"Sampler"}, start);
    sections.add_struct({"Sampler", "Ladder"}, ladder);
    sections.add_struct({"Sampler", "Kernel"}, kernel);
    sections.add_struct({"Sampler", "Swaps"}, swaps);
    sections.add_struct({"Output"}, output);
    sections.add_struct({"Parallel"}, parallel);
  }



  std::string
  RunSettings::complete_parameters() const
  {
    if (!parameters.empty())
      return parameters;
    RunSettings              copy = *this;
    dealii::ParameterHandler prm;
    HandlerSections          sections(prm);
    copy.declare_general(sections);
    copy.declare_sections(sections);
    std::ostringstream text;
    prm.print_parameters(text,
                         dealii::ParameterHandler::PRM |
                           dealii::ParameterHandler::KeepDeclarationOrder);
    return text.str();
  }
} // namespace Tempera
