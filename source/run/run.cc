// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/archive_signature.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/inference/csv_table.h>
#include <tempera/output/analysis.h>
#include <tempera/output/draws_so_far.h>
#include <tempera/output/prediction_band.h>
#include <tempera/output/progress.h>
#include <tempera/output/record.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/samples_netcdf.h>
#include <tempera/output/statistics_file.h>
#include <tempera/output/summary_text.h>
#include <tempera/run/run.h>
#include <tempera/run/version.h>
#include <tempera/sampler/guarded_energy.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace Tempera
{
  namespace
  {
    using Clock = std::chrono::steady_clock;

    double
    seconds_since(const Clock::time_point &time)
    {
      return std::chrono::duration<double>(Clock::now() - time).count();
    }

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
    /** The same for all unknowns together, where one law has them all. */
    constexpr std::size_t most_prior_numbers = 200000;

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
     * Whether the rungs of a chain begin at draws of the target's. With priors
     * at hand, only the first chain begins where the settings say: chains that
     * begin together may all miss the same.
     */
    bool
    begins_at_random(const Target      &target,
                     const RunSettings &settings,
                     const unsigned int chain)
    {
      const StartFrom from = settings.start.from;
      return from != StartFrom::file &&
             (from == StartFrom::prior ||
              (chain > 0 && target.has_random_starts()) ||
              target.centre().empty());
    }

    /** @param n_tried Draws that were of no use. */
    std::vector<double>
    random_start(const Target      &target,
                 const RunSettings &settings,
                 const unsigned int chain,
                 const unsigned int rung,
                 const unsigned int n_tried)
    {
      RandomKey key;
      key.seed    = settings.run.seed;
      key.chain   = chain;
      key.rung    = rung;
      key.round   = n_tried;
      key.purpose = Purpose::start;
      return target.start(key);
    }
  } // namespace



  bool
  run(Target            &target,
      const RunSettings &settings,
      std::ostream      &terminal,
      const RunOptions  &options)
  {
    const std::atomic<bool> never(false);
    return run(target, settings, terminal, options, never);
  }



  bool
  run(Target                  &target,
      const RunSettings       &settings,
      std::ostream            &terminal,
      const RunOptions        &options,
      const std::atomic<bool> &stop)
  {
    return Run(target, settings).execute(terminal, options, stop);
  }



  Run::Run(Target              &target,
           const RunSettings   &the_settings,
           const ProcessLayout &process_layout)
    : target(target)
    , settings(the_settings)
    , process_layout(process_layout)
  {
    times.enter("set-up");
    if (target.forward() == nullptr &&
        (settings.output.n_field_draws > 0 || settings.output.n_mean_draws > 0))
      throw UserError("'Output/Field draws' and 'Output/Mean field draws' need "
                      "an equation that is solved on a mesh, but what is "
                      "sampled here has no fields. Set them to 0.");

    settings.check_effective_draws();
    std::vector<Level> levels = make_levels();
    for (Level &level : levels)
      level.energy = std::make_shared<GuardedEnergy>(level.energy);
    Ladder ladder(settings.ladder,
                  settings.kernel,
                  std::move(levels),
                  target.prior());
    ladder.set_step_factors(target.step_factors());
    describe(ladder);

    std::vector<std::unique_ptr<ReplicaExchange>> chains;
    for (unsigned int chain = 0; chain < description.n_chains; ++chain)
      {
        RunParameters run = settings.run;
        run.chain         = chain;
        chains.push_back(std::make_unique<ReplicaExchange>(
          run,
          settings.swaps,
          ladder,
          make_start(ladder, chain),
          nullptr,
          process_layout.n_groups() > 1 ?
            Placement(process_layout.get_peers(), dealt.peer_of[chain]) :
            Placement(),
          begins_at_random(target, settings, chain) ?
            [&, chain](const unsigned int rung, const unsigned int n_tried) {
              return random_start(target, settings, chain, rung, n_tried);
            } :
            AnotherStart()));
      }
    ensemble =
      std::make_unique<Ensemble>(std::move(chains), process_layout.get_peers());
  }



  Run::~Run() = default;



  std::vector<std::vector<double>>
  Run::make_start(const Ladder &ladder, const unsigned int chain) const
  {
    const StartParameters &start     = settings.start;
    const bool             is_random = target.has_random_starts();
    if ((start.from != StartFrom::file && !start.file.empty()) ||
        (start.from != StartFrom::point && !start.points.empty()))
      throw UserError("'Sampler/Start from' says one way to start, and another "
                      "one is given too. Remove 'Start' or 'Start file', or "
                      "change 'Start from'.");
    if (start.from == StartFrom::file)
      return read_start(start.file, ladder);
    if (start.from == StartFrom::prior && !is_random)
      throw UserError("'Sampler/Start from = prior' needs an equation "
                      "with priors. Set 'Problem/Type', or give 'Start'.");
    const std::vector<double> centre = target.centre();
    if (centre.empty() && !start.points.empty())
      throw UserError("What is sampled here starts at random states of its "
                      "own. Remove 'Sampler/Start', or set 'Start from = "
                      "file'.");
    if (begins_at_random(target, settings, chain))
      {
        std::vector<std::vector<double>> result;
        for (unsigned int rung = 0; rung < ladder.size(); ++rung)
          result.push_back(random_start(target, settings, chain, rung, 0));
        return result;
      }
    if (!start.points.empty())
      return start.points;
    return {centre};
  }



  void
  Run::describe(const Ladder &ladder)
  {
    const RunParameters &run = settings.run;
    description.version      = version();
    description.question     = settings.question;
    description.parameters   = settings.complete_parameters();
    description.identity     = run_identity(identity());
    description.seed         = run.seed;
    description.pilot_work   = settings.pilot_work;
    description.n_chains     = settings.n_chains;
    description.n_rounds     = run.iterations;
    description.burn_in      = run.burn_in;
    description.thinning     = run.thinning;

    const StateSpace &space    = ladder.space();
    description.indices        = space.recorded();
    description.has_unrecorded = description.indices.size() < space.dimension();
    for (const unsigned int i : description.indices)
      {
        description.names.push_back(space[i].name);
        description.lower.push_back(space[i].lower);
        description.upper.push_back(space[i].upper);
      }
    RandomKey key;
    key.seed    = run.seed;
    key.purpose = Purpose::start;
    if (!target.has_independent_unknowns())
      {
        const std::size_t n = target.unknowns().size();
        description.prior_draws.resize(n);
        for (unsigned int k = 0;
             k < std::min<std::size_t>(n_prior_draws, most_prior_numbers / n);
             ++k)
          {
            --key.stream;
            const std::vector<double> draw = target.prior()->sample(key);
            for (std::size_t i = 0; i < n; ++i)
              description.prior_draws[i].push_back(draw[i]);
          }
      }
    for (const Unknown &unknown : target.unknowns())
      {
        description.priors.push_back(unknown.prior.text());
        if (!target.has_independent_unknowns())
          continue;
        // Streams that no start point uses.
        --key.stream;
        std::vector<double> draws(n_prior_draws);
        fill_uniforms(key, dealii::make_array_view(draws));
        for (double &draw : draws)
          draw = unknown.prior.quantile(draw);
        description.prior_draws.push_back(draws);
      }

    target.describe(ladder, description);
    if (settings.samples_prior())
      description.likelihood_constant = 0.;

    for (const Level &level : ladder.get_levels())
      description.levels.push_back(level.name);
    for (unsigned int i = 0; i < ladder.size(); ++i)
      {
        description.rung_levels.push_back(ladder[i].level);
        description.paces.push_back(ladder[i].pace);
        description.kernels.push_back(
          ladder[i].is_prior()   ? "prior" :
          ladder[i].n_steps == 0 ? "swaps only" :
                                   entry_for_rung(settings.kernel.types,
                                                  i,
                                                  ladder.size(),
                                                  "Sampler/Kernel/Type"));
      }
    while (description.n_level_rungs + 1 < ladder.size() &&
           ladder.is_change_of_level(description.n_level_rungs + 1))
      ++description.n_level_rungs;
    description.tempers_likelihood = ladder.tempers_likelihood();
    description.n_recorded_rungs =
      settings.output.draws == RecordedRungs::coldest ? 1 : ladder.size();
    const std::shared_ptr<const PriorMeasure> prior = target.prior();
    description.has_proper_prior = prior && prior->is_integrable(1.);
    // Draws have them all where rungs are at one pace and level.
    const Rung &hottest = ladder[ladder.size() - 1];
    description.has_potentials =
      hottest.is_prior() &&
      (hottest.pace > 1 || description.n_recorded_rungs < ladder.size() ||
       ladder[0].level != hottest.level);
  }



  std::string
  Run::layout() const
  {
    const Ladder &ladder = (*ensemble)[0].get_ladder();
    std::string   text   = target.layout(ladder);
    for (const Level &level : ladder.get_levels())
      {
        const auto words = level_descriptions.find(level.name);
        if (words != level_descriptions.end() && !words->second.empty())
          text +=
            "--     . level '" + level.name + "': " + words->second + "\n";
      }
    for (unsigned int i = 0; i < ladder.size(); ++i)
      text += "--     . rung " + std::to_string(i) + ": temperature " +
              to_text(ladder[i].temperature, 4) + ", level '" +
              ladder.get_levels()[ladder[i].level].name + "'" +
              (ladder.energy(i).is_stochastic() ? " (stochastic)" : "") + ", " +
              description.kernels[i] +
              (ladder[i].is_prior() || ladder[i].n_steps == 0 ?
                 std::string() :
                 ", " + counted(ladder[i].n_steps, "step") + " per round") +
              (ladder[i].pace > 1 ? ", " + std::to_string(ladder[i].pace) +
                                      " rounds in one of the coldest rung" :
                                    std::string()) +
              "\n";
    if (ladder.size() > 1)
      text += "--     . swaps: " + settings.swaps.rule + "\n";
    text += "--     . " + counted(description.n_chains, "chain") +
            " of this ladder" +
            (description.n_chains > 1 ?
               ", independent of each other" :
               ": a part of the answer that it misses will not show") +
            "\n";
    if (process_layout.n_groups() > 1)
      text += layout_of_groups();

    // What was asked for and will not happen, or not well.
    constexpr std::uint64_t least_burn_in = 100;

    const RunParameters &run = settings.run;
    // Of those that move, in rounds of their own.
    bool is_short =
      ladder.has_automatic_spacing() && run.burn_in < least_burn_in;
    for (unsigned int i = 0; i < ladder.size(); ++i)
      is_short = is_short || (ladder[i].kernel->learns() &&
                              ladder[i].n_steps > 0 && !ladder[i].is_prior() &&
                              run.burn_in * ladder[i].pace < least_burn_in);
    if (is_short)
      text += "--     . note: a burn-in of " + std::to_string(run.burn_in) +
              " rounds is too short to adapt what is to be adapted\n";
    if (ladder.has_automatic_spacing() &&
        (ladder.size() < 3 || settings.swaps.rule == "none"))
      text += "--     . note: without swaps between at least 3 rungs there "
              "are no temperatures to adapt\n";
    if (ladder.size() > 1 && settings.swaps.every > run.iterations)
      text += "--     . note: 'Every' is larger than 'Iterations': no swap "
              "will be tested\n";
    return text;
  }



  void
  Run::connect_sinks()
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
    // Of what is not recorded, some states are kept here.
    kept_draws = std::make_unique<DrawSubset>(
      n_kept_draws(), (*ensemble)[0].get_ladder().space().dimension());
    for (unsigned int chain = 0; chain < ensemble->size(); ++chain)
      kept_draws->connect((*ensemble)[chain].signals);
  }



  template <typename Archive>
  void
  Run::serialize_state(Archive &archive)
  {
    archive &n_warm;
    for (unsigned int chain = 0; chain < ensemble->size(); ++chain)
      archive &record_lengths[chain] & *records[chain] & (*ensemble)[chain];
    if (prediction)
      archive &*prediction;
    archive &*kept_draws;
  }



  CheckpointIdentity
  Run::identity() const
  {
    return {version(),
            build_identity(),
            description.parameters,
            settings.files};
  }



  void
  Run::save_checkpoint()
  {
    for (unsigned int chain = 0; chain < records.size(); ++chain)
      record_lengths[chain] = records[chain]->sync();
    std::ostringstream state;
    {
      boost::archive::binary_oarchive archive(state);
      serialize_state(archive);
    }
    write_checkpoint(folder->get_path(), {identity(), state.str()});
    times.write(*folder);
  }



  void
  Run::load_checkpoint(const std::string &state)
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
  Run::open_records(const RunOptions &options)
  {
    record_lengths.resize(records.size(), 0);
    const std::string path = folder->get_path();
    if (options.old_run == OldRun::resume && has_checkpoint(path))
      {
        const RecordedRun recorded(path);
        load_checkpoint(read_checkpoint(path, identity(), options.resume));
        recorded.check_written(
          record_lengths,
          std::string("Nothing was touched. Put the right file back; ") +
            (options.resume.from_previous ?
               "" :
               "if the damage is behind the checkpoint before this one, "
               "--resume-previous goes on from there; ") +
            "or begin again with --overwrite.");
        description.pilot_work = recorded.description().pilot_work;
        const bool is_same     = description_to_json(recorded.description()) ==
                             description_to_json(description);
        for (unsigned int chain = 0; chain < records.size(); ++chain)
          records[chain]->resume(record_lengths[chain],
                                 description.pilot_work,
                                 !is_same);
        times.add_from(*folder);
        return;
      }
    for (const std::unique_ptr<Record> &record : records)
      record->begin();
  }



  void
  Run::warm_up(const std::atomic<bool> &stop)
  {
    if (!target.has_warm_start())
      return;
    times.enter("warm start");
    const bool         is_shared = process_layout.n_groups() > 1;
    const unsigned int n_rungs   = description.kernels.size();
    while (n_warm < n_rungs * ensemble->size() && !stop.load())
      {
        const unsigned int chain = n_warm / n_rungs, rung = n_warm % n_rungs;
        if (is_shared &&
            dealt.peer_of[chain][rung] != process_layout.get_peers().me())
          {
            ++n_warm;
            continue;
          }
        ReplicaExchange    &sampler = (*ensemble)[chain];
        std::vector<double> state   = sampler.replica(rung).position;
        const std::function<void(const std::string &)> say =
          [&](const std::string &text) {
            if (journal)
              journal->write(text);
          };
        const std::string words = target.warm_up(
          {sampler.get_ladder(), rung, chain, settings.run.seed, stop, say},
          state);
        // Half a warm start is not one that an uninterrupted run has.
        if (stop.load())
          break;
        if (journal)
          journal->write(words);
        sampler.set_position(rung, state);
        ++n_warm;
        // Of others it is not known how far they are.
        if (!is_shared)
          save_checkpoint();
      }
  }



  bool
  Run::execute(std::ostream            &terminal,
               const RunOptions        &options,
               const std::atomic<bool> &stop)
  {
    if (!process_layout.is_first())
      return run_beside(stop);
    const std::string &path = settings.folder;
    // Before anything is looked at, which another run could change.
    FolderLock lock(path);
    const bool is_resumed =
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
                                                      options.old_run,
                                         std::move(lock));
    connect_sinks();
    // First of all, so that it is known whose the other files are.
    if (!is_resumed)
      folder->write("parameters.prm", description.parameters);
    open_records(options);
    if (is_resumed)
      folder->write("parameters.prm", description.parameters);
    journal = std::make_unique<Journal>(terminal, *folder, is_resumed);
    journal->write(
      rule + "\n-- Tempera " + version() +
      ": replica exchange Langevin sampling\n" + settings.design + layout() +
      "--     . results in " + folder->get_path() + "\n" +
      (folder->is_locked() ?
         "" :
         "--     . note: the file system there knows no locks; "
         "see to it that no other run uses this folder\n") +
      (is_resumed ? "--     . resumed after " +
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

    auto       last_save = Clock::now(), last_export = last_save;
    double     export_seconds = 0.05;
    bool       is_misfit_told = false;
    const auto save           = [&]() {
      times.enter("output");
      save_checkpoint();
      // Written whole each time: seldom enough not to be felt.
      constexpr double share = 0.02;
      if (export_seconds < share * seconds_since(last_export))
        {
          const auto        begin = Clock::now();
          const RecordedRun so_far(path);
          write_samples_netcdf(so_far, folder->file("samples.nc"));
          // A run of days should not be the way to find this out. Chains may
          // not have converged yet, so only a gross misfit is told.
          if (!is_misfit_told)
            for (const Warning &warning :
                 find_fit_warnings(check_fit(so_far, false)))
              {
                is_misfit_told = true;
                journal->write("-- so far: " + warning.what + " " +
                               warning.remedy + "\n");
              }
          last_export    = Clock::now();
          export_seconds = seconds_since(begin);
        }
      last_save = Clock::now();
      times.enter("sampling");
    };
    ensemble->signals.progress.connect([&](const std::uint64_t) {
      if (settings.output.checkpoint_seconds > 0. &&
          seconds_since(last_save) > settings.output.checkpoint_seconds)
        save();
    });
    ensemble->checkpoint_due.connect([&](const bool is_last) {
      // The results come after the last one.
      if (is_last)
        save_checkpoint();
      else
        save();
    });

    bool complete = false, is_late = false;
    ensemble->signals.end_of_run.connect(
      [&](const RunReport &report) { complete = !report.interrupted; });
    EarlyEnd early_end;
    early_end.first_look = first_look();
    early_end.is_enough  = [&]() {
      times.enter("output");
      for (const std::unique_ptr<Record> &record : records)
        record->sync();
      const DrawsSoFar so_far(analyse(RecordedRun(path)));
      const double     n_wanted = settings.effective_draws;
      const bool       is_last  = so_far.is_enough(n_wanted);
      progress.expect_end(so_far.expected_rounds(n_wanted),
                          ", " + so_far.text(n_wanted));
      if (is_last || !options.is_terminal)
        journal->write("   " + so_far.text(n_wanted) + "\n");
      times.enter("sampling");
      return is_last;
    };
    early_end.is_late = [&]() {
      is_late =
        settings.time_limit > 0. && seconds_since(begin) > settings.time_limit;
      return is_late;
    };

    std::string closing_words;
    try
      {
        share_states(is_resumed);
        warm_up(stop);
        times.enter("output");
        ensemble->collect();
        const bool is_stopped = is_stop_agreed(stop);
        if (!is_stopped || process_layout.n_groups() == 1)
          save_checkpoint();
        times.enter("sampling");
        waited_before = process_layout.get_peers().waited();
        // Nothing is sampled from a start that is not warm.
        if (!is_stopped)
          ensemble->run(stop, settings.output.checkpoint_rounds, early_end);
        times.enter("output");
        closing_words = gather_closing_words();
      }
    catch (const std::exception &)
      {
        tell_of_failure(terminal, options);
        throw;
      }
    write_results(stop, closing_words);
    times.write(*folder);
    const RunReport report = ensemble->report();
    if (complete && report.rounds <= settings.run.burn_in)
      throw UserError("The 'Work budget' ended within burn-in, so that no draw "
                      "was kept. Raise it, or lower 'Burn-in'.");
    const double seconds = times.seconds("sampling");
    journal->write(
      "\n-- " + std::to_string(report.rounds) + " rounds" +
      (report.rounds > 0 ?
         " in " + to_text(seconds, 3) + " s (" +
           to_text(report.rounds / seconds, 3) + " per second)" :
         "") +
      (report.is_enough ? "\n-- 'Effective draws' are reached" :
       complete && report.rounds < report.n_rounds ?
                          "\n-- the work budget is used up" :
       complete && settings.effective_draws > 0 ?
                          "\n-- 'Iterations' are done before 'Effective draws' "
                          "were reached; raise them, and --resume goes on" :
                          "") +
      (complete ? std::string() :
                  std::string(is_late ? "\n-- stopped by 'Time limit'" :
                                        "\n-- interrupted") +
                    " before the " + std::to_string(report.n_rounds) +
                    " rounds were done; what was drawn is kept. This goes "
                    "on from here:\n   " +
                    options.resume_command) +
      "\n");
    return complete;
  }



  void
  Run::tell_of_failure(std::ostream &terminal, const RunOptions &options)
  {
    // The first mistake is the one to tell; what fails now is only left out.
    const auto try_to = [](const auto &act) {
      try
        {
          act();
        }
      catch (const std::exception &)
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
} // namespace Tempera
