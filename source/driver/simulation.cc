// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/simulation.h>
#include <tempera/driver/version.h>
#include <tempera/output/draws_file.h>
#include <tempera/output/journal.h>
#include <tempera/output/progress.h>
#include <tempera/output/run_folder.h>
#include <tempera/output/statistics_file.h>
#include <tempera/output/summary.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace Tempera
{
  namespace
  {
    const std::string rule(77, '-');

    std::vector<Level>
    make_levels(const Parameters &parameters)
    {
      const std::shared_ptr<const Energy> energy =
        parameters.energy.types.at(parameters.energy.type)
          ->create(parameters.energy.reference);
      std::vector<Level> levels;
      for (const std::string &name : parameters.ladder.levels)
        {
          const bool known =
            std::any_of(levels.begin(), levels.end(), [&](const Level &level) {
              return level.name == name;
            });
          if (!known)
            levels.push_back(
              {name,
               decorate(energy, parameters.levels.at(name), levels.size())});
        }
      return levels;
    }

    std::vector<std::vector<double>>
    make_start(const Parameters &parameters, const Ladder &ladder)
    {
      const StateSpace &space = ladder.space();
      if (!parameters.start.points.empty())
        return parameters.start.points;
      std::vector<double> point(space.dimension(), 0.);
      for (unsigned int i = 0; i < space.dimension(); ++i)
        if (std::isfinite(space[i].lower) && std::isfinite(space[i].upper))
          point[i] = 0.5 * (space[i].lower + space[i].upper);
        else if (space[i].lower > 0.)
          point[i] = space[i].lower + 1.;
        else if (space[i].upper < 0.)
          point[i] = space[i].upper - 1.;
      return {point};
    }
  } // namespace



  Simulation::Simulation(const Parameters &parameters)
    : parameters(parameters)
  {
    Ladder                                 ladder(parameters.ladder,
                  parameters.kernel,
                  make_levels(parameters));
    const std::vector<std::vector<double>> start =
      make_start(parameters, ladder);

    const StateSpace &space = ladder.space();
    description.indices     = space.recorded();
    for (const unsigned int i : description.indices)
      description.names.push_back(space[i].name);
    description.n_rounds = parameters.general.run.iterations;
    for (unsigned int i = 0; i < ladder.size(); ++i)
      description.kernels.push_back(entry_for_rung(
        parameters.kernel.types, i, ladder.size(), "Sampler/Kernel/Type"));

    sampler = std::make_unique<ReplicaExchange>(parameters.general.run,
                                                parameters.kernel,
                                                parameters.swaps,
                                                std::move(ladder),
                                                start);
  }



  std::string
  Simulation::layout() const
  {
    const Ladder &ladder = sampler->get_ladder();
    std::string   text   = "--     . energy: " + parameters.energy.type + ", " +
                       counted(ladder.space().dimension(), "unknown") + "\n";
    for (unsigned int i = 0; i < ladder.size(); ++i)
      text += "--     . rung " + std::to_string(i) + ": temperature " +
              to_text(ladder[i].temperature, 4) + ", level '" +
              ladder.get_levels()[ladder[i].level].name + "'" +
              (ladder.energy(i).is_stochastic() ? " (stochastic)" : "") + ", " +
              description.kernels[i] + ", " +
              counted(ladder[i].n_steps, "step") + " per round\n";
    if (ladder.size() > 1)
      text += "--     . swaps: " + parameters.swaps.rule + "\n";

    // What was asked for and will not happen, or not well.
    constexpr std::uint64_t least_burn_in = 100;

    const RunParameters &run    = parameters.general.run;
    bool                 adapts = ladder.has_automatic_spacing() ||
                  parameters.kernel.preconditioner.keyword == "adapt";
    for (unsigned int i = 0; i < ladder.size(); ++i)
      adapts = adapts || ladder[i].kernel->adapts_step_size();
    if (adapts && run.burn_in < least_burn_in)
      text += "--     . note: a burn-in of " + std::to_string(run.burn_in) +
              " rounds is too short to adapt step sizes and temperatures\n";
    if (ladder.has_automatic_spacing() &&
        (ladder.size() < 3 || parameters.swaps.rule == "none"))
      text += "--     . note: without swaps between at least 3 rungs there "
              "are no temperatures to adapt\n";
    if (ladder.size() > 1 && parameters.swaps.every > run.iterations)
      text += "--     . note: 'Every' is larger than 'Iterations': no swap "
              "will be tested\n";
    return text;
  }



  bool
  Simulation::run(std::ostream            &terminal,
                  const bool               is_terminal,
                  const bool               overwrite,
                  const std::atomic<bool> &stop)
  {
    const RunFolder folder(parameters.general.output_directory, overwrite);
    folder.write("parameters.prm", parameters.effective_file());
    Journal journal(terminal, folder);
    journal.write(rule + "\n-- Tempera " + version() +
                  ": replica exchange Langevin sampling\n" + layout() +
                  "--     . results in " + folder.get_path() + "\n" + rule +
                  "\n");

    // The slots below refer to what lives in this function; so must the
    // signals.
    const std::unique_ptr<ReplicaExchange> sampler = std::move(this->sampler);

    Signals                                &signals = sampler->signals;
    std::vector<std::unique_ptr<DrawsFile>> draws;
    for (unsigned int rung = 0; rung < description.kernels.size(); ++rung)
      if (parameters.output.draws == "all" ||
          (parameters.output.draws == "coldest" && rung == 0))
        {
          draws.push_back(
            std::make_unique<DrawsFile>(folder, description, rung));
          draws.back()->connect(signals);
        }
    StatisticsFile statistics(folder);
    statistics.connect(signals);
    Summary summary(description);
    summary.connect(signals);
    Progress progress(journal, description.n_rounds, is_terminal);
    progress.connect(signals);

    signals.end_of_burn_in.connect([&](const RunReport &report) {
      if (is_terminal)
        terminal << "\r\033[K";
      journal.write(burn_in_text(report));
    });

    bool       complete = false;
    const auto begin    = std::chrono::steady_clock::now();
    signals.end_of_run.connect([&](const RunReport &report) {
      const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
      complete = !report.interrupted;
      journal.write(summary.text(report));
      for (std::size_t i = 0; i < report.level_names.size(); ++i)
        journal.write("   evaluations of level '" + report.level_names[i] +
                      "', burn-in included: " +
                      std::to_string(report.evaluations[i]) + "\n");
      journal.write("\n-- " + std::to_string(report.rounds) + " rounds in " +
                    to_text(seconds, 3) + " s (" +
                    to_text(report.rounds / seconds, 3) + " per second)" +
                    (complete ? std::string() :
                                "\n-- interrupted before the " +
                                  std::to_string(report.n_rounds) +
                                  " rounds were done; what was drawn is kept") +
                    "\n");
    });

    try
      {
        sampler->run(stop);
      }
    catch (const UserError &)
      {
        // The journal may be what has failed: the terminal alone.
        terminal << summary.text(sampler->report());
        throw;
      }
    return complete;
  }
} // namespace Tempera
