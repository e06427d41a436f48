// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/identifiability.h>
#include <tempera/driver/simulation.h>
#include <tempera/driver/version.h>
#include <tempera/inference/csv_table.h>
#include <tempera/inference/prior_energy.h>
#include <tempera/output/draw_subset.h>
#include <tempera/output/draws_file.h>
#include <tempera/output/journal.h>
#include <tempera/output/prediction_band.h>
#include <tempera/output/progress.h>
#include <tempera/output/replica_marginals.h>
#include <tempera/output/run_folder.h>
#include <tempera/output/samples_picture.h>
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

    /** Start points from a file: a column for each unknown. */
    std::vector<std::vector<double>>
    read_start(const std::string &file, const Ladder &ladder)
    {
      if (file.empty())
        throw UserError("'Sampler/Start from = file' needs the name of a file "
                        "in 'Sampler/Start file'.");
      const CsvTable table(file);
      if (table.n_rows() != 1 && table.n_rows() != ladder.size())
        throw UserError("The file '" + file + "' has " +
                        counted(table.n_rows(), "line") +
                        " of start points, but the ladder has " +
                        counted(ladder.size(), "rung") +
                        ". Give one line for all rungs or one per rung.");
      std::vector<std::vector<double>> points(table.n_rows());
      for (unsigned int i = 0; i < ladder.space().dimension(); ++i)
        {
          const auto column = table.column(ladder.space()[i].name);
          for (std::size_t row = 0; row < points.size(); ++row)
            points[row].push_back(column[row]);
        }
      return points;
    }

    /** Keep the curves of a run that has failed, if they can be kept. */
    void
    save(PredictionBand  &prediction,
         const RunReport &report,
         std::ostream    &terminal)
    {
      try
        {
          prediction.write(report);
          terminal << prediction.text();
        }
      catch (const UserError &)
        {
          // The first mistake is the one to tell.
        }
    }

    std::vector<std::vector<double>>
    make_start(const Parameters &parameters,
               const Inversion  *inversion,
               const Ladder     &ladder)
    {
      const StateSpace &space = ladder.space();
      if ((parameters.start.from != "file" && !parameters.start.file.empty()) ||
          (parameters.start.from != "point" &&
           !parameters.start.points.empty()))
        throw UserError("'Sampler/Start from' is '" + parameters.start.from +
                        "', but another way to start is given too. Remove "
                        "'Start' or 'Start file', or change 'Start from'.");
      if (parameters.start.from == "file")
        return read_start(parameters.start.file, ladder);
      if (parameters.start.from == "prior")
        {
          if (inversion == nullptr)
            throw UserError(
              "'Sampler/Start from = prior' needs an equation "
              "with priors. Set 'Problem/Type', or give 'Start'.");
          return inversion->draw_from_prior(parameters.general.run.seed,
                                            ladder.size());
        }
      if (!parameters.start.points.empty())
        return parameters.start.points;
      if (inversion != nullptr)
        return {inversion->middle()};
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
    /** Random weights: one point for all rungs would be the same answer. */
    std::vector<std::vector<double>>
    make_network_start(const Parameters       &parameters,
                       const NetworkInversion &network,
                       const Ladder           &ladder)
    {
      if (parameters.start.from == "file")
        return read_start(parameters.start.file, ladder);
      if (!parameters.start.points.empty() || !parameters.start.file.empty())
        throw UserError("A network starts with random weights, and with "
                        "coefficients drawn from their priors. Remove 'Sampler/"
                        "Start', or set 'Start from = file'.");
      return network.draw_starts(parameters.general.run.seed, ladder.size());
    }
  } // namespace



  std::vector<Level>
  make_levels(const Parameters &parameters)
  {
    const auto inversion = parameters.has_problem() ?
                             std::make_unique<Inversion>(parameters) :
                             nullptr;
    const auto network   = parameters.has_network() ?
                             std::make_unique<NetworkInversion>(parameters) :
                             nullptr;
    return make_levels(parameters, inversion.get(), network.get());
  }



  std::vector<Level>
  make_levels(const Parameters       &parameters,
              const Inversion        *inversion,
              const NetworkInversion *network)
  {
    const std::shared_ptr<const Energy> analytic =
      inversion != nullptr || network != nullptr ?
        nullptr :
        parameters.energy.types.at(parameters.energy.type)
          ->create(parameters.energy.reference);
    const bool samples_prior = parameters.general.samples_prior();
    if (samples_prior && analytic)
      throw UserError(
        "'Target = prior' leaves the likelihood out, but an analytic energy "
        "has none: it is not made of a prior and data. Remove 'Target', or set "
        "'Problem/Type' or 'Network/Equation'.");
    if (samples_prior && network != nullptr && network->has_warm_start())
      throw UserError(
        "'Network/Warm start/Method' moves the start towards the data, but "
        "'Target = prior' leaves them out. Set the method to 'none'.");
    PriorEnergy::Formula prior;
    if (samples_prior && inversion != nullptr)
      prior = independent_priors(inversion->get_unknowns());
    else if (samples_prior)
      prior = network->prior_formula();
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
             inversion != nullptr ?
               inversion->energy(name) :
             network != nullptr ?
               network->energy(name) :
               decorate(analytic, parameters.levels.at(name), levels.size())});
        if (!known && samples_prior)
          levels.back().energy =
            std::make_shared<PriorEnergy>(levels.back().energy, prior);
      }
    return levels;
  }



  Simulation::Simulation(const Parameters &parameters)
    : parameters(parameters)
    , inversion(parameters.has_problem() ?
                  std::make_unique<Inversion>(parameters) :
                  nullptr)
    , network(parameters.has_network() ?
                std::make_unique<NetworkInversion>(parameters) :
                nullptr)
  {
    Ladder ladder(parameters.ladder,
                  parameters.kernel,
                  make_levels(parameters, inversion.get(), network.get()));
    if (network)
      ladder.set_step_factors(network->step_factors());
    const std::vector<std::vector<double>> start =
      network ? make_network_start(parameters, *network, ladder) :
                make_start(parameters, inversion.get(), ladder);

    const StateSpace &space = ladder.space();
    description.indices     = space.recorded();
    for (const unsigned int i : description.indices)
      {
        description.names.push_back(space[i].name);
        description.lower.push_back(space[i].lower);
        description.upper.push_back(space[i].upper);
      }
    if (inversion)
      {
        description.truth       = parameters.observations.truth;
        description.true_circle = parameters.observations.true_circle;
        if (inversion->place_unknowns() == std::vector<unsigned int>{0, 1})
          for (const Sensor &sensor : inversion->get_observations().sensors)
            description.sensors.push_back(sensor.place);
      }
    if (!inversion && (parameters.output.n_field_draws > 0 ||
                       parameters.output.n_mean_draws > 0))
      throw UserError(
        std::string("'Output/Field draws' and 'Output/Mean field draws' need "
                    "an equation") +
        (network ? " that is solved with finite elements" :
                   ", but the energy is analytic") +
        ". Set them to 0.");
    if (network)
      {
        description.truth      = parameters.network.observations.truth;
        description.prediction = network->make_prediction(ladder);
      }
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
    std::string   text;
    if (inversion)
      {
        text +=
          "--     . problem: " + parameters.problem.type + ", " +
          counted(inversion->get_observations().values.size(), "measurement") +
          "\n";
        for (const Unknown &unknown : inversion->get_unknowns())
          text += "--     . unknown " + unknown.name + ": " +
                  unknown.prior.text() + "\n";
        for (const Level &level : ladder.get_levels())
          text +=
            "--     . level '" + level.name +
            "': " + inversion->model(level.name).description() +
            "; gradient: " + inversion->model(level.name).gradient_method() +
            "\n";
      }
    else if (network)
      text += network->layout(ladder);
    else
      text += "--     . energy: " + parameters.energy.type + ", " +
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
      adapts = adapts || ladder[i].kernel->adapts_step_size() ||
               ladder[i].kernel->adapts_preconditioner();
    if (adapts && run.burn_in < least_burn_in)
      text += "--     . note: a burn-in of " + std::to_string(run.burn_in) +
              " rounds is too short to adapt what is to be adapted\n";
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
    ReplicaMarginals replicas(description);
    replicas.connect(signals);
    SamplesPicture picture(folder, description);
    picture.connect(signals);
    std::unique_ptr<PredictionBand> prediction;
    if (description.prediction)
      {
        prediction = std::make_unique<PredictionBand>(folder, description);
        prediction->connect(signals);
      }
    DrawSubset solved_draws(
      inversion ? std::max({parameters.output.n_field_draws,
                            parameters.output.n_mean_draws,
                            parameters.output.n_information_draws}) :
      network   ? n_network_information_draws() :
                  0);
    solved_draws.connect(signals);
    Progress progress(journal, description.n_rounds, is_terminal);
    progress.connect(signals);

    signals.end_of_burn_in.connect([&](const RunReport &report) {
      if (is_terminal)
        terminal << "\r\033[K";
      journal.write(burn_in_text(report));
    });

    bool complete = false;
    auto begin    = std::chrono::steady_clock::now();
    signals.end_of_run.connect([&](const RunReport &report) {
      const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
      complete = !report.interrupted;
      journal.write(summary.text(report));
      if (prediction)
        journal.write(prediction->text());
      for (std::size_t i = 0; i < report.level_names.size(); ++i)
        journal.write("   evaluations of level '" + report.level_names[i] +
                      "', burn-in included: " +
                      std::to_string(report.evaluations[i]) + "\n");
      if (inversion)
        journal.write("   work in forward solves of level '" +
                      report.level_names[report.rungs[0].level] +
                      "', burn-in included: " + to_text(report.work, 6) +
                      ", of which set-up " + to_text(report.set_up_work, 3) +
                      "\n");
      journal.write("\n-- " + std::to_string(report.rounds) + " rounds in " +
                    to_text(seconds, 3) + " s (" +
                    to_text(report.rounds / seconds, 3) + " per second)" +
                    (complete ? std::string() :
                                "\n-- interrupted before the " +
                                  std::to_string(report.n_rounds) +
                                  " rounds were done; what was drawn is kept") +
                    (complete && report.rounds < report.n_rounds ?
                       "\n-- the work budget is used up" :
                       "") +
                    "\n");
    });

    try
      {
        if (network && network->has_warm_start())
          for (unsigned int rung = 0;
               rung < description.kernels.size() && !stop.load();
               ++rung)
            {
              std::vector<double> state = sampler->replica(rung).position;
              journal.write(network->warm_up(
                sampler->get_ladder(),
                rung,
                parameters.general.run.seed,
                stop,
                [&](const std::string &text) { journal.write(text); },
                state));
              sampler->set_position(rung, state);
            }
        begin = std::chrono::steady_clock::now();
        sampler->run(stop);
      }
    catch (const UserError &)
      {
        // The journal may be what has failed: the terminal alone.
        terminal << summary.text(sampler->report());
        if (prediction)
          save(*prediction, sampler->report(), terminal);
        throw;
      }
    if (complete && sampler->report().rounds <= parameters.general.run.burn_in)
      throw UserError("The 'Work budget' ended within burn-in, so that no draw "
                      "was kept. Raise it, or lower 'Burn-in'.");
    if (inversion || network)
      journal.write(compare_with_prior(sampler->get_ladder(),
                                       sampler->report(),
                                       summary.get_marginals(),
                                       replicas.r_hats(),
                                       solved_draws,
                                       folder,
                                       stop));
    if (inversion)
      write_fields(solved_draws, folder.get_path() + "/fields");
    return complete;
  }



  unsigned int
  Simulation::n_network_information_draws() const
  {
    // Each takes a linear system in all misfits.
    constexpr unsigned int most = 10;
    return std::min(most, parameters.output.n_information_draws);
  }



  std::string
  Simulation::compare_with_prior(const Ladder                &ladder,
                                 const RunReport             &report,
                                 const std::vector<Marginal> &marginals,
                                 const std::vector<double>   &replica_r_hats,
                                 const DrawSubset            &draws,
                                 const RunFolder             &folder,
                                 const std::atomic<bool>     &is_stopped) const
  {
    if (marginals.empty() || marginals[0].moments().count() == 0)
      return "";
    // With weights in the place of standard deviations, the temperature is a
    // part of the likelihood.
    const bool is_posterior =
      std::abs(report.rungs[0].temperature - 1.) <= 1e-12 ||
      (network && parameters.network.likelihood.is_weighted() &&
       ladder[0].exponents.reference == 1.);
    if (!is_posterior)
      return "\nWhat the data tell is not said: the coldest temperature is " +
             to_text(report.rungs[0].temperature, 4) +
             ", and only draws at temperature 1 are draws from the "
             "posterior.\n";

    const auto        stop = [&]() { return is_stopped.load(); };
    const Information information =
      network ?
        network->information(ladder,
                             draws.evenly_spaced(n_network_information_draws()),
                             stop) :
        average_information(inversion->get_unknowns(),
                            inversion->get_likelihood(),
                            inversion->model(parameters.ladder.levels[0]),
                            draws.evenly_spaced(
                              parameters.output.n_information_draws),
                            JacobianMethod::cheaper,
                            stop);
    const Identifiability identifiability(network ? network->get_unknowns() :
                                                    inversion->get_unknowns(),
                                          marginals,
                                          information,
                                          replica_r_hats);
    folder.write("identifiability.csv", identifiability.csv());
    return identifiability.text();
  }



  void
  Simulation::write_fields(const DrawSubset  &draws,
                           const std::string &folder) const
  {
    const OutputParameters &output = parameters.output;
    const FemModel &model = inversion->model(parameters.ladder.levels[0]);
    // Without the noise level, which is no business of the solver.
    const auto states = [&](const unsigned int n) {
      std::vector<std::vector<double>> result = draws.evenly_spaced(n);
      for (std::vector<double> &state : result)
        state.resize(model.n_parameters());
      return result;
    };
    unsigned int number = 0;
    for (const std::vector<double> &state : states(output.n_field_draws))
      model.write_fields({state},
                         {folder,
                          "draw_" + std::to_string(number++),
                          output.n_field_times});
    if (output.n_mean_draws > 1 && draws.get_draws().size() > 1)
      model.write_fields(states(output.n_mean_draws),
                         {folder, "posterior", output.n_field_times});
  }
} // namespace Tempera
