// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/archive_signature.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/identifiability.h>
#include <tempera/driver/refinement_check.h>
#include <tempera/driver/simulation.h>
#include <tempera/driver/version.h>
#include <tempera/inference/csv_table.h>
#include <tempera/inference/prior_energy.h>
#include <tempera/output/analysis.h>
#include <tempera/output/cmdstan_csv.h>
#include <tempera/output/prediction_band.h>
#include <tempera/output/progress.h>
#include <tempera/output/record.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/replica_marginals.h>
#include <tempera/output/report.h>
#include <tempera/output/samples_netcdf.h>
#include <tempera/output/samples_picture.h>
#include <tempera/output/statistics_file.h>
#include <tempera/output/summary_text.h>
#include <tempera/sampler/guarded_energy.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <future>
#include <iterator>
#include <sstream>

namespace Tempera
{
  namespace
  {
    const std::string rule(77, '-');

    /** Whether a folder holds a run that these parameters could go on with. */
    bool
    is_same_run(const std::string &folder, const std::string &parameters)
    {
      std::ifstream     file(folder + "/parameters.prm");
      const std::string old(std::istreambuf_iterator<char>(file), {});
      return !old.empty() && difference_of_parameters(old, parameters).empty();
    }

    /** Draws from each prior that are kept with the record. */
    constexpr unsigned int n_prior_draws = 1000;

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

    /**
     * Where a chain begins. With priors at hand, only the first one begins
     * where the parameters say: chains that begin together may all miss the
     * same.
     */
    std::vector<std::vector<double>>
    make_start(const Parameters  &parameters,
               const Inversion   *inversion,
               const Ladder      &ladder,
               const unsigned int chain)
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
      if (parameters.start.from == "prior" && inversion == nullptr)
        throw UserError("'Sampler/Start from = prior' needs an equation "
                        "with priors. Set 'Problem/Type', or give 'Start'.");
      if (parameters.start.from == "prior" ||
          (inversion != nullptr && chain > 0))
        return inversion->draw_from_prior(parameters.general.run.seed,
                                          ladder.size(),
                                          chain);
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
                       const Ladder           &ladder,
                       const unsigned int      chain)
    {
      if (parameters.start.from == "file")
        return read_start(parameters.start.file, ladder);
      if (!parameters.start.points.empty() || !parameters.start.file.empty())
        throw UserError("A network starts with random weights, and with "
                        "coefficients drawn from their priors. Remove 'Sampler/"
                        "Start', or set 'Start from = file'.");
      return network.draw_starts(parameters.general.run.seed,
                                 ladder.size(),
                                 chain);
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
  {
    times.enter("set-up");
    if (parameters.has_problem())
      inversion = std::make_unique<Inversion>(parameters);
    if (parameters.has_network())
      network = std::make_unique<NetworkInversion>(parameters);
    if (!inversion && (parameters.output.n_field_draws > 0 ||
                       parameters.output.n_mean_draws > 0))
      throw UserError(
        std::string("'Output/Field draws' and 'Output/Mean field draws' need "
                    "an equation") +
        (network ? " that is solved with finite elements" :
                   ", but the energy is analytic") +
        ". Set them to 0.");

    std::vector<Level> levels =
      make_levels(parameters, inversion.get(), network.get());
    for (Level &level : levels)
      level.energy = std::make_shared<GuardedEnergy>(level.energy);
    Ladder ladder(parameters.ladder, parameters.kernel, std::move(levels));
    if (network)
      ladder.set_step_factors(network->step_factors());
    describe(ladder);

    std::vector<std::unique_ptr<ReplicaExchange>> chains;
    for (unsigned int chain = 0; chain < description.n_chains; ++chain)
      {
        RunParameters run = parameters.general.run;
        run.chain         = chain;
        chains.push_back(std::make_unique<ReplicaExchange>(
          run,
          parameters.kernel,
          parameters.swaps,
          ladder,
          network ? make_network_start(parameters, *network, ladder, chain) :
                    make_start(parameters, inversion.get(), ladder, chain)));
      }
    ensemble = std::make_unique<Ensemble>(std::move(chains));
  }



  Simulation::~Simulation() = default;



  void
  Simulation::describe(const Ladder &ladder)
  {
    const RunParameters &run = parameters.general.run;
    description.version      = version();
    description.family       = inversion ? "finite elements" :
                               network   ? "network" :
                                           "analytic";
    description.title        = inversion ? parameters.problem.type :
                               network ? parameters.network.network.choice.equation :
                                         parameters.energy.type;
    description.parameters   = parameters.effective_file();
    description.seed         = run.seed;
    description.n_chains     = parameters.general.n_chains;
    description.n_rounds     = run.iterations;
    description.burn_in      = run.burn_in;
    description.thinning     = run.thinning;

    const StateSpace &space = ladder.space();
    description.indices     = space.recorded();
    for (const unsigned int i : description.indices)
      {
        description.names.push_back(space[i].name);
        description.lower.push_back(space[i].lower);
        description.upper.push_back(space[i].upper);
      }
    const std::vector<Unknown> unknowns = inversion ?
                                            inversion->get_unknowns() :
                                          network ? network->get_unknowns() :
                                                    std::vector<Unknown>();
    RandomKey                  key;
    key.seed    = run.seed;
    key.purpose = Purpose::start;
    for (const Unknown &unknown : unknowns)
      {
        // Streams that no start point uses.
        --key.stream;
        description.priors.push_back(unknown.prior.text());
        std::vector<double> draws(n_prior_draws);
        fill_uniforms(key, dealii::make_array_view(draws));
        for (double &draw : draws)
          draw = unknown.prior.quantile(draw);
        description.prior_draws.push_back(draws);
      }

    if (inversion)
      {
        description.truth       = parameters.observations.truth;
        description.true_circle = parameters.observations.true_circle;
        const Observations       &observations = inversion->get_observations();
        const GaussianLikelihood &likelihood   = inversion->get_likelihood();
        if (inversion->place_unknowns() == std::vector<unsigned int>{0, 1})
          for (const Sensor &sensor : observations.sensors)
            description.sensors.push_back(sensor.place);
        if (likelihood.has_unknown_deviation())
          description.deviation_unknown = int(unknowns.size()) - 1;
        const bool is_stationary =
          inversion->get_problem().order_in_time() == 0;
        for (std::size_t i = 0; i < observations.values.size(); ++i)
          {
            std::vector<std::string> place;
            for (const double coordinate : observations.sensors[i].place)
              place.push_back(to_text(coordinate, 6));
            description.measurements.push_back(
              {"(" + join(place, ", ") + ")" +
                 (is_stationary ?
                    "" :
                    ", t = " + to_text(observations.sensors[i].time, 6)),
               observations.values[i],
               likelihood.has_unknown_deviation() ?
                 0. :
                 likelihood.standard_deviation(i, 0.)});
          }
      }
    if (network)
      {
        description.truth      = parameters.network.observations.truth;
        description.prediction = network->make_prediction(ladder);
        network->describe_derived(description.derived_names,
                                  description.derive);
      }

    for (const Level &level : ladder.get_levels())
      description.levels.push_back(level.name);
    for (unsigned int i = 0; i < ladder.size(); ++i)
      {
        description.rung_levels.push_back(ladder[i].level);
        description.kernels.push_back(entry_for_rung(
          parameters.kernel.types, i, ladder.size(), "Sampler/Kernel/Type"));
      }
    description.tempers_likelihood = parameters.ladder.temper == "likelihood";
    description.n_recorded_rungs =
      parameters.output.draws == "coldest" ? 1 : ladder.size();
  }



  std::string
  Simulation::layout() const
  {
    const Ladder &ladder = (*ensemble)[0].get_ladder();
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
    text += "--     . " + counted(description.n_chains, "chain") +
            " of this ladder" +
            (description.n_chains > 1 ?
               ", independent of each other" :
               ": a part of the answer that it misses will not show") +
            "\n";

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



  void
  Simulation::connect_sinks()
  {
    for (unsigned int chain = 0; chain < ensemble->size(); ++chain)
      {
        records.push_back(
          std::make_unique<Record>(*folder, description, chain));
        records.back()->connect((*ensemble)[chain].signals);
      }
    if (description.prediction)
      {
        prediction = std::make_unique<PredictionBand>(*folder, description);
        for (unsigned int chain = 0; chain < ensemble->size(); ++chain)
          prediction->connect((*ensemble)[chain].signals, chain);
        prediction->write_at_end_of(ensemble->signals);
      }
    // Weights are not recorded; some states are kept here.
    network_draws = std::make_unique<DrawSubset>(
      network ? n_network_information_draws() : 0,
      (*ensemble)[0].get_ladder().space().dimension());
    for (unsigned int chain = 0; chain < ensemble->size(); ++chain)
      network_draws->connect((*ensemble)[chain].signals);
  }



  template <typename Archive>
  void
  Simulation::serialize_state(Archive &archive)
  {
    archive &n_warm;
    for (unsigned int chain = 0; chain < ensemble->size(); ++chain)
      archive &record_lengths[chain] & *records[chain] & (*ensemble)[chain];
    if (prediction)
      archive &*prediction;
    archive &*network_draws;
  }



  void
  Simulation::save_checkpoint()
  {
    for (unsigned int chain = 0; chain < records.size(); ++chain)
      record_lengths[chain] = records[chain]->sync();
    std::ostringstream state;
    {
      boost::archive::binary_oarchive archive(state);
      serialize_state(archive);
    }
    write_checkpoint(folder->get_path(),
                     {{version(), build_identity(), description.parameters},
                      state.str()});
    times.write(*folder);
  }



  void
  Simulation::load_checkpoint(const std::string &state)
  {
    try
      {
        check_signature(state);
        std::istringstream              stream(state);
        boost::archive::binary_iarchive archive(stream);
        serialize_state(archive);
      }
    catch (const UserError &)
      {
        throw;
      }
    catch (const std::exception &error)
      {
        throw UserError("The checkpoint in '" + folder->get_path() +
                        "' cannot be used: " + error.what() +
                        ". With --resume-previous the run goes on from the one "
                        "before it; or begin again with --overwrite.");
      }
  }



  void
  Simulation::open_records(const RunOptions &options)
  {
    record_lengths.resize(records.size(), 0);
    const std::string path = folder->get_path();
    if (options.old_run == OldRun::resume && has_checkpoint(path))
      {
        const RecordedRun recorded(path);
        load_checkpoint(
          read_checkpoint(path,
                          {version(), build_identity(), description.parameters},
                          options.resume));
        const bool is_same = description_to_json(recorded.description()) ==
                             description_to_json(description);
        for (unsigned int chain = 0; chain < records.size(); ++chain)
          records[chain]->resume(record_lengths[chain], !is_same);
        times.add_from(*folder);
        return;
      }
    for (const std::unique_ptr<Record> &record : records)
      record->begin();
  }



  void
  Simulation::warm_up(const std::atomic<bool> &stop)
  {
    if (!network || !network->has_warm_start())
      return;
    times.enter("warm start");
    const unsigned int n_rungs = description.kernels.size();
    while (n_warm < n_rungs * ensemble->size() && !stop.load())
      {
        const unsigned int  chain = n_warm / n_rungs, rung = n_warm % n_rungs;
        ReplicaExchange    &sampler = (*ensemble)[chain];
        std::vector<double> state   = sampler.replica(rung).position;
        const std::string   words   = network->warm_up(
          sampler.get_ladder(),
          rung,
          parameters.general.run.seed,
          chain,
          stop,
          [&](const std::string &text) { journal->write(text); },
          state);
        // Half a warm start is not one that an uninterrupted run has.
        if (stop.load())
          break;
        journal->write(words);
        sampler.set_position(rung, state);
        ++n_warm;
        save_checkpoint();
      }
  }



  bool
  Simulation::run(std::ostream            &terminal,
                  const RunOptions        &options,
                  const std::atomic<bool> &stop)
  {
    const std::string &path = parameters.general.output_directory;
    const bool         is_resumed =
      options.old_run == OldRun::resume && has_checkpoint(path);
    // Before the first checkpoint there is nothing to go on from.
    const bool is_begun_again = options.old_run == OldRun::resume &&
                                !is_resumed &&
                                is_same_run(path, description.parameters);
    folder = std::make_unique<RunFolder>(path,
                                         is_begun_again ? OldRun::overwrite :
                                         is_resumed     ? OldRun::resume :
                                         options.old_run == OldRun::resume ?
                                                      OldRun::refuse :
                                                      options.old_run);
    connect_sinks();
    // First of all, so that it is known whose the other files are.
    if (!is_resumed)
      folder->write("parameters.prm", description.parameters);
    open_records(options);
    if (is_resumed)
      folder->write("parameters.prm", description.parameters);
    journal = std::make_unique<Journal>(terminal, *folder, is_resumed);
    journal->write(rule + "\n-- Tempera " + version() +
                   ": replica exchange Langevin sampling\n" + layout() +
                   "--     . results in " + folder->get_path() + "\n" +
                   (is_resumed ?
                      "--     . resumed after " +
                        counted(ensemble->report().rounds, "round") + "\n" :
                      "") +
                   rule + "\n");

    StatisticsFile statistics(*folder);
    if (is_resumed)
      statistics.add_from(RecordedRun(path));
    statistics.connect(ensemble->signals);
    Progress progress(*journal,
                      description.n_rounds,
                      options.is_terminal,
                      ensemble->report().rounds);
    progress.connect(ensemble->signals);
    ensemble->signals.end_of_burn_in.connect([&](const RunReport &report) {
      if (options.is_terminal)
        terminal << "\r\033[K";
      journal->write(burn_in_text(report));
    });

    using Clock          = std::chrono::steady_clock;
    auto       last_save = Clock::now(), last_export = last_save;
    double     export_seconds = 0.05;
    const auto seconds_since  = [](const Clock::time_point &time) {
      return std::chrono::duration<double>(Clock::now() - time).count();
    };
    const auto save = [&]() {
      times.enter("output");
      save_checkpoint();
      // Written whole each time: seldom enough not to be felt.
      constexpr double share = 0.02;
      if (export_seconds < share * seconds_since(last_export))
        {
          const auto begin = Clock::now();
          write_samples_netcdf(RecordedRun(path), folder->file("samples.nc"));
          last_export    = Clock::now();
          export_seconds = seconds_since(begin);
        }
      last_save = Clock::now();
      times.enter("sampling");
    };
    ensemble->signals.progress.connect([&](const std::uint64_t) {
      if (parameters.output.checkpoint_seconds > 0. &&
          seconds_since(last_save) > parameters.output.checkpoint_seconds)
        save();
    });
    ensemble->checkpoint_due.connect([&](const bool is_last) {
      // The results come after the last one.
      if (is_last)
        save_checkpoint();
      else
        save();
    });

    bool complete = false;
    ensemble->signals.end_of_run.connect(
      [&](const RunReport &report) { complete = !report.interrupted; });

    try
      {
        warm_up(stop);
        times.enter("output");
        save_checkpoint();
        times.enter("sampling");
        // Nothing is sampled from a start that is not warm.
        if (!stop.load())
          ensemble->run(stop, parameters.output.checkpoint_rounds);
        times.enter("output");
      }
    catch (const UserError &)
      {
        tell_of_failure(terminal, options);
        throw;
      }
    write_results(stop);
    times.write(*folder);
    const RunReport report = ensemble->report();
    if (complete && report.rounds <= parameters.general.run.burn_in)
      throw UserError("The 'Work budget' ended within burn-in, so that no draw "
                      "was kept. Raise it, or lower 'Burn-in'.");
    const double seconds = times.seconds("sampling");
    journal->write("\n-- " + std::to_string(report.rounds) + " rounds" +
                   (report.rounds > 0 ?
                      " in " + to_text(seconds, 3) + " s (" +
                        to_text(report.rounds / seconds, 3) + " per second)" :
                      "") +
                   (complete && report.rounds < report.n_rounds ?
                      "\n-- the work budget is used up" :
                      "") +
                   (complete ?
                      std::string() :
                      "\n-- interrupted before the " +
                        std::to_string(report.n_rounds) +
                        " rounds were done; what was drawn is kept. This goes "
                        "on from here:\n   " +
                        options.resume_command) +
                   "\n");
    return complete;
  }



  void
  Simulation::tell_of_failure(std::ostream &terminal, const RunOptions &options)
  {
    // The first mistake is the one to tell; what fails now is only left out.
    const auto try_to = [](const auto &act) {
      try
        {
          act();
        }
      catch (const UserError &)
        {}
    };
    for (const std::unique_ptr<Record> &record : records)
      try_to([&]() { record->sync(); });
    if (prediction)
      try_to([&]() {
        prediction->write(ensemble->report());
        terminal << prediction->text();
      });
    // The journal may be what has failed: the terminal alone.
    try_to([&]() {
      terminal << summary_text(analyse(RecordedRun(folder->get_path())));
    });
    terminal << "\n-- the run has failed; what was recorded is kept. When the "
                "cause is gone, this goes on from the last checkpoint:\n   "
             << options.resume_command << "\n";
  }



  void
  Simulation::write_results(const std::atomic<bool> &stop)
  {
    const RecordedRun recorded(folder->get_path());
    const auto        write_draws = [&]() {
      write_samples_netcdf(recorded, folder->file("samples.nc"));
      if (parameters.output.csv)
        write_cmdstan_csv(recorded, folder->get_path());
      write_samples_picture(*folder, recorded);
    };
    // Beside the analysis, since both only read the record; of long runs before
    // it, where memory matters more than time.
    constexpr std::uint64_t many = 1 << 18;
    std::future<void>       files;
    times.enter("samples.nc");
    if (recorded.n_common_draws() * recorded.n_chains() < many)
      files = std::async(std::launch::async, write_draws);
    else
      write_draws();

    std::string told;
    if (recorded.n_common_draws() > 0 && (inversion || network) &&
        !parameters.general.samples_prior())
      {
        times.enter("information");
        told = compare_with_prior(recorded, stop);
        times.enter("refinement");
        if (inversion && parameters.output.n_refinement_draws > 0)
          {
            const RefinementCheck check(
              *inversion,
              parameters,
              evenly_spaced_states(recorded,
                                   parameters.output.n_refinement_draws),
              [&]() { return stop.load(); });
            if (check.is_known())
              folder->write("refinement.csv", check.csv());
            told += check.text();
          }
      }
    times.enter("analysis");
    times.write(*folder);
    const Analysis analysis = analyse(recorded);
    journal->write(summary_text(analysis));
    if (prediction)
      journal->write(prediction->text());
    for (const Level &level : (*ensemble)[0].get_ladder().get_levels())
      if (const auto *guarded =
            dynamic_cast<const GuardedEnergy *>(level.energy.get()))
        if (guarded->n_failures() > 0)
          journal->write("   " + counted(guarded->n_failures(), "evaluation") +
                         " of level '" + level.name +
                         "' failed and counted as not finite; the first: " +
                         guarded->first_failure() + "\n");
    journal->write(told);
    times.enter("fields");
    if (inversion)
      write_fields(recorded);
    times.enter("report");
    times.write(*folder);
    if (parameters.output.report)
      folder->write("report.html", report_html(recorded, analysis));
    times.enter("samples.nc");
    if (files.valid())
      files.get();
  }



  unsigned int
  Simulation::n_network_information_draws() const
  {
    // Each takes a linear system in all misfits.
    constexpr unsigned int most = 10;
    return std::min(most, parameters.output.n_information_draws);
  }



  std::string
  Simulation::compare_with_prior(const RecordedRun       &recorded,
                                 const std::atomic<bool> &is_stopped) const
  {
    if (recorded.n_common_draws() == 0 || description.names.empty())
      return "";
    const Ladder   &ladder = (*ensemble)[0].get_ladder();
    const RunReport report = ensemble->report();
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

    std::vector<Marginal> marginals(description.names.size());
    ReplicaMarginals      replicas(description);
    for (unsigned int chain = 0; chain < recorded.n_chains(); ++chain)
      recorded.for_each_draw(chain, [&](const RecordedDraw &draw) {
        if (draw.is_burn_in)
          return;
        for (std::size_t i = 0; i < marginals.size(); ++i)
          marginals[i].add(draw.rungs[0].values[i]);
        replicas.add(chain, draw.rungs[0]);
      });

    const auto        stop = [&]() { return is_stopped.load(); };
    const Information information =
      network ?
        network->information(ladder,
                             network_draws->evenly_spaced(
                               n_network_information_draws()),
                             stop) :
        average_information(
          inversion->get_unknowns(),
          inversion->get_likelihood(),
          inversion->model(parameters.ladder.levels[0]),
          evenly_spaced_states(recorded, parameters.output.n_information_draws),
          JacobianMethod::cheaper,
          stop);
    const Identifiability identifiability(network ? network->get_unknowns() :
                                                    inversion->get_unknowns(),
                                          marginals,
                                          information,
                                          replicas.r_hats());
    folder->write("identifiability.csv", identifiability.csv());
    return identifiability.text();
  }



  void
  Simulation::write_fields(const RecordedRun &recorded) const
  {
    const OutputParameters &output = parameters.output;
    const FemModel   &model = inversion->model(parameters.ladder.levels[0]);
    const std::string path  = folder->get_path() + "/fields";
    // Without the noise level, which is no business of the solver.
    const auto states = [&](const unsigned int n) {
      auto result = evenly_spaced_states(recorded, n);
      for (std::vector<double> &state : result)
        state.resize(model.n_parameters());
      return result;
    };
    unsigned int number = 0;
    for (const std::vector<double> &state : states(output.n_field_draws))
      model.write_fields({state},
                         {path,
                          "draw_" + std::to_string(number++),
                          output.n_field_times});
    if (output.n_mean_draws > 1 && recorded.n_common_draws() > 1)
      model.write_fields(states(output.n_mean_draws),
                         {path, "posterior", output.n_field_times});
  }
} // namespace Tempera
