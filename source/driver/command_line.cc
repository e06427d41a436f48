// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/bridge/http_server.h>
#include <tempera/driver/command_line.h>
#include <tempera/driver/commands.h>
#include <tempera/driver/design.h>
#include <tempera/driver/failure_board.h>
#include <tempera/driver/launch.h>
#include <tempera/driver/parameter_reference.h>
#include <tempera/driver/parameters.h>
#include <tempera/output/exporter.h>
#include <tempera/run/run.h>
#include <tempera/run/version.h>
#include <tempera/study/studies.h>
#include <tempera/study/study.h>

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/program_options.hpp>

#include <algorithm>
#include <fstream>
#include <ostream>
#include <sstream>

namespace Tempera
{
  namespace
  {
    namespace po = boost::program_options;

    using Arguments = std::vector<std::string>;

    /** One use of the program. */
    struct Call
    {
      const Arguments    arguments;
      const Environment &environment;
      /** What was read, also when a command fails. */
      ParameterFile file;
    };

    const char *const usage =
      "Tempera: which values of a model's unknowns are plausible, all of them.\n"
      "\n"
      "Usage:\n"
      "  tempera run FILE.prm [--design] [--resume] [--set \"Section/Name = value\"]... [--output DIR] [--overwrite]\n"
      "  tempera validate FILE.prm [--set \"Section/Name = value\"]...\n"
      "  tempera design FILE.prm [--write FILE] [--set ...]\n"
      "  tempera simulate FILE.prm [--at \"x = 0.3, y = 0.4\"] [--set ...] [--output DIR] [--overwrite]\n"
      "  tempera truth FILE.prm [--bins N] [--points N] [--write FILE.csv] [--compare DIR]... [--set ...]\n"
      "  tempera map FILE.prm [--searches N] [--draws N] [--seed S] [--set ...] [--output DIR] [--overwrite]\n"
      "  tempera summary DIR [--json]\n"
      "  tempera watch DIR [--every SECONDS] [--page]\n"
      "  tempera compare DIR... [--weights W...] [--write FILE.svg]\n"
      "  tempera export DIR [--csv] [--output DIR]\n"
      "  tempera report DIR\n"
      "  tempera check-gradient FILE.prm [--points N] [--seed S] [--set ...]\n"
      "  tempera calibrate FILE.prm [--runs N] [--noise-factor F] [--truth ...] [--set ...] [--output DIR] [--overwrite]\n"
      "  tempera serve FILE.prm [--port 4242] [--address 127.0.0.1] [--set ...]\n"
      "  tempera parameters [FILE.prm] [--set ...] [--json]\n"
      "  tempera list [FILE.prm] [--set ...]\n"
      "  tempera --help | --version\n";


    /**
     * Parse the options of one command; misspelt ones are UserErrors. Empty if
     * help was asked for, and given.
     */
    po::variables_map
    parse(const std::string             &command,
          const Call                    &call,
          const po::options_description &options,
          const std::string             &exit_codes = "")
    {
      po::options_description all = options;
      all.add_options()("help,h", "show this help")(
        "file",
        po::value<std::vector<std::string>>()->default_value({}, ""),
        "parameter file");
      po::positional_options_description positional;
      positional.add("file", -1);

      po::variables_map values;
      try
        {
          po::store(po::command_line_parser(call.arguments)
                      .options(all)
                      .positional(positional)
                      .run(),
                    values);
          po::notify(values);
        }
      catch (const po::unknown_option &exception)
        {
          std::vector<std::string> names;
          for (const auto &option : all.options())
            if (option->long_name() != "file")
              names.push_back("--" + option->long_name());
          throw UserError("tempera " + command + ": there is no option '" +
                          exception.get_option_name() + "'." +
                          did_you_mean(exception.get_option_name(), names));
        }
      catch (const po::error &exception)
        {
          throw UserError("tempera " + command + ": " + exception.what() +
                          ". 'tempera --help' shows how to call it.");
        }
      if (values.count("help") > 0)
        {
          call.environment.out << usage << "\n" << options << exit_codes;
          return po::variables_map();
        }
      return values;
    }

    /** The parameter file of a command line with its --set and --output. */
    const ParameterFile &
    read_parameter_file(const std::string       &command,
                        const po::variables_map &values,
                        Call                    &call)
    {
      const auto &files = values["file"].as<std::vector<std::string>>();
      if (files.size() != 1)
        throw UserError("tempera " + command +
                        " needs exactly one parameter file, not " +
                        std::to_string(files.size()) + ". Call 'tempera " +
                        command + " FILE.prm'.");
      ParameterFile &file = call.file;
      file                = ParameterFile(files[0]);
      if (values.count("set") > 0)
        for (const auto &text : values["set"].as<std::vector<std::string>>())
          file.add_from_command_line(text);
      if (values.count("output") > 0)
        file.add("Output directory",
                 values["output"].as<std::string>(),
                 "--output");
      return file;
    }

    /** The one folder that a command line names. */
    std::string
    the_folder(const std::string &command, const po::variables_map &values)
    {
      const auto &folders = values["file"].as<std::vector<std::string>>();
      if (folders.size() != 1)
        throw UserError("tempera " + command +
                        " needs the folder of exactly one run, not " +
                        std::to_string(folders.size()) + ". Call 'tempera " +
                        command + " DIR'.");
      return folders[0];
    }

    void
    add_set_option(po::options_description &options)
    {
      options.add_options()("set",
                            po::value<std::vector<std::string>>()->composing(),
                            "\"Section/Name = value\": override a parameter");
    }


    /** The command that goes on with a run, for the shell. */
    std::string
    resume_command(const Arguments &arguments)
    {
      std::string command = "tempera run";
      for (const std::string &argument : arguments)
        {
          if (argument == "--overwrite" || argument.rfind("--resume", 0) == 0)
            continue;
          const bool is_plain =
            !argument.empty() &&
            argument.find_first_not_of(
              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
              "_-+=./,:") == std::string::npos;
          std::string quoted;
          for (const char letter : argument)
            quoted +=
              letter == '\'' ? std::string("'\\''") : std::string(1, letter);
          command += is_plain ? " " + argument : " '" + quoted + "'";
        }
      return command + " --resume";
    }


    /** What is said where pilots were stopped, and the exit code. */
    int
    tell_stopped_pilots(const Call &call)
    {
      call.environment.out << "-- stopped while pilots were looking for a "
                              "ladder; nothing was written\n";
      return 130;
    }


    int
    run(Call &call)
    {
      po::options_description options("Options of 'tempera run'");
      add_set_option(options);
      options.add_options()("output",
                            po::value<std::string>(),
                            "folder for the results")(
        "overwrite", "replace a run that is in the folder")(
        "resume", "go on with the run in the folder from its last checkpoint")(
        "resume-previous", "the same from the checkpoint before the last one")(
        "any-build",
        "resume although the checkpoint is of another version or build");
      const po::variables_map values = parse("run", call, options);
      if (values.empty())
        return 0;
      read_parameter_file("run", values, call);
      const bool is_resumed =
        values.count("resume") > 0 || values.count("resume-previous") > 0;
      if (is_resumed && values.count("overwrite") > 0)
        throw UserError("tempera run: --resume goes on with a run, and "
                        "--overwrite replaces it. Give one of them.");
      // A ladder for a file that has none; a run that goes on has one.
      LadderDesign design;
      if (wants_design(call.file))
        {
          const std::string folder = Parameters(call.file).settings.folder;
          if (!is_resumed && values.count("overwrite") == 0)
            RunFolder::check_is_free(folder);
          if (!is_resumed || !add_design_of(folder, call.file))
            design = add_design(call.file, call.environment);
          if (design.is_stopped)
            return tell_stopped_pilots(call);
        }
      Parameters parameters(call.file);
      parameters.settings.design     = design.text();
      parameters.settings.pilot_work = design.work;
      check_that_processes_agree("run", parameters);
      const ProcessLayout layout =
        n_processes() > 1 ?
          ProcessLayout(parameters.settings.parallel,
                        parallel_demand(parameters.settings,
                                        parameters.target_type())) :
          ProcessLayout();
      const std::unique_ptr<Target> target = parameters.make_target(layout);
      if (layout.is_helper())
        return target->help();
      Run        sampling(*target, parameters.settings, layout);
      RunOptions run_options;
      run_options.old_run              = is_resumed ? OldRun::resume :
                                         values.count("overwrite") > 0 ? OldRun::overwrite :
                                                                         OldRun::refuse;
      run_options.resume.from_previous = values.count("resume-previous") > 0;
      run_options.resume.any_build     = values.count("any-build") > 0;
      run_options.resume_command       = resume_command(call.arguments);
      run_options.is_terminal          = call.environment.is_terminal;
      // A run that takes a while says so before it begins.
      constexpr double   worth_telling = 20.;
      const ExpectedTime expected =
        is_resumed ? ExpectedTime() : sampling.expected_time();
      if (expected.all > worth_telling)
        call.environment.out << expected.in_words();
      const int exit_code = sampling.execute(call.environment.out,
                                             run_options,
                                             call.environment.stop) ?
                              0 :
                              130;
      target->dismiss_helpers(exit_code);
      return exit_code;
    }


    int
    validate(Call &call)
    {
      po::options_description options("Options of 'tempera validate'");
      add_set_option(options);
      const po::variables_map values = parse("validate", call, options);
      if (values.empty())
        return 0;
      const Parameters parameters(
        read_parameter_file("validate", values, call));
      const std::unique_ptr<Target> target = parameters.make_target();
      const Run                     sampling(*target, parameters.settings);
      call.environment.out << "-- "
                           << values["file"].as<std::vector<std::string>>()[0]
                           << " is valid\n"
                           << (wants_design(call.file) ?
                                 "-- It has no section 'Sampler': when it is "
                                 "run, pilots find a ladder first, and "
                                 "'tempera design' shows it. Without them "
                                 "('Ladder = given') it would be\n" :
                                 "")
                           << sampling.layout()
                           << sampling.expected_time().in_words();
      return 0;
    }


    int
    run_design(Call &call)
    {
      po::options_description options("Options of 'tempera design'");
      add_set_option(options);
      options.add_options()("write",
                            po::value<std::string>(),
                            "a file for the settings, which a parameter file "
                            "may include");
      const po::variables_map values = parse("design", call, options);
      if (values.empty())
        return 0;
      wants_design(read_parameter_file("design", values, call), true);
      const LadderDesign design = add_design(call.file, call.environment);
      if (design.is_stopped)
        return tell_stopped_pilots(call);
      call.environment.out << design.text();
      if (!design.objection.empty())
        return 1;
      const std::string text = design_as_file(call.file);
      if (values.count("write") > 0)
        {
          const std::string name = values["write"].as<std::string>();
          std::ofstream     file(name);
          file << text;
          if (!file.flush())
            throw UserError("tempera design: cannot write '" + name + "'.");
        }
      else
        call.environment.out << text;
      return 0;
    }


    int
    run_simulate(Call &call)
    {
      po::options_description options("Options of 'tempera simulate'");
      add_set_option(options);
      options.add_options()("at",
                            po::value<std::string>()->default_value("", ""),
                            "\"NAME = value, ...\": where to solve; otherwise "
                            "at the truth, or in the middle of the prior")(
        "output",
        po::value<std::string>(),
        "folder for the results")("overwrite", "replace what is in the folder");
      const po::variables_map values = parse("simulate", call, options);
      if (values.empty())
        return 0;
      const Parameters parameters(
        read_parameter_file("simulate", values, call));
      check_that_processes_agree("simulate", parameters);
      const ProcessLayout layout = ProcessLayout::one_group();
      if (layout.is_helper())
        return parameters.make_target(layout)->help();
      const std::unique_ptr<Target> target = parameters.make_target(layout);
      simulate(*target,
               parameters.settings,
               values["at"].as<std::string>(),
               values.count("overwrite") > 0,
               call.environment.out);
      return 0;
    }


    int
    run_map(Call &call)
    {
      po::options_description options("Options of 'tempera map'");
      add_set_option(options);
      MapOptions map;
      options.add_options()("searches",
                            po::value(&map.n_searches)->default_value(8),
                            "from the middle of the prior and from draws of "
                            "it")(
        "draws",
        po::value(&map.n_draws)->default_value(200),
        "of the normal laws around the maxima, weighted by the posterior; one "
        "solve for each")("seed",
                          po::value(&map.seed)->default_value(1),
                          "seed of searches and draws")(
        "output",
        po::value<std::string>(),
        "folder for the results; otherwise 'map' in that of a run")(
        "overwrite", "replace what is in the folder");
      const po::variables_map values = parse("map", call, options);
      if (values.empty())
        return 0;
      constexpr unsigned int most = 1000000;
      if (map.n_searches == 0 || map.n_searches > most || map.n_draws > most ||
          (map.n_draws > 0 && map.n_draws < 25))
        throw UserError("tempera map: --searches must be between 1 and " +
                        std::to_string(most) +
                        ", --draws 0 or between 25 and as many.");
      Parameters parameters(read_parameter_file("map", values, call));
      if (values.count("output") == 0)
        parameters.settings.folder += "/map";
      map.overwrite                        = values.count("overwrite") > 0;
      const std::unique_ptr<Target> target = parameters.make_target();
      return show_map(*target,
                      parameters.settings,
                      map,
                      call.environment.out,
                      call.environment.is_terminal,
                      call.environment.stop) ?
               0 :
               130;
    }


    int
    run_truth(Call &call)
    {
      po::options_description options("Options of 'tempera truth'");
      add_set_option(options);
      TruthOptions truth;
      options.add_options()("bins",
                            po::value(&truth.n_bins)->default_value(50),
                            "bins in each direction")(
        "points",
        po::value(&truth.n_points)->default_value(4),
        "evaluations in each direction of a bin; in all (bins times points) to "
        "the power of the number of unknowns")(
        "write",
        po::value(&truth.file),
        "file for the probabilities of the bins")(
        "compare",
        po::value(&truth.runs)->composing()->multitoken(),
        "folders of runs whose draws are compared");
      const po::variables_map values = parse("truth", call, options);
      if (values.empty())
        return 0;
      constexpr unsigned int most_points = 20000;
      if (truth.n_bins == 0 || truth.n_points == 0 ||
          truth.n_bins > most_points || truth.n_points > most_points ||
          truth.n_bins * truth.n_points > most_points)
        throw UserError("tempera truth: --bins times --points must be between "
                        "1 and " +
                        std::to_string(most_points) + ".");
      const Parameters parameters(read_parameter_file("truth", values, call));
      const std::unique_ptr<Target> target = parameters.make_target();
      return show_truth(*target,
                        parameters.settings,
                        truth,
                        call.environment.out,
                        call.environment.is_terminal,
                        call.environment.stop) ?
               0 :
               130;
    }


    int
    run_summary(Call &call)
    {
      po::options_description options("Options of 'tempera summary'");
      options.add_options()("json", "for machines");
      const po::variables_map values = parse("summary", call, options);
      if (values.empty())
        return 0;
      show_summary(the_folder("summary", values),
                   values.count("json") > 0,
                   call.environment.out);
      return 0;
    }


    int
    run_watch(Call &call)
    {
      po::options_description options("Options of 'tempera watch'");
      double                  seconds = 2.;
      options.add_options()("every",
                            po::value(&seconds)->default_value(seconds),
                            "seconds from one look to the next")(
        "page",
        "also make DIR/watch.html, a report that a browser loads anew by "
        "itself");
      const po::variables_map values = parse("watch", call, options);
      if (values.empty())
        return 0;
      if (!(seconds > 0.))
        throw UserError("tempera watch: --every must be larger than 0.");
      watch_run(the_folder("watch", values),
                seconds,
                values.count("page") > 0,
                call.environment.is_terminal,
                call.environment.stop,
                call.environment.out);
      return 0;
    }


    int
    run_compare(Call &call)
    {
      po::options_description options("Options of 'tempera compare'");
      std::string             picture;
      std::vector<double>     weights;
      options.add_options()("write",
                            po::value(&picture)->default_value(
                              "convergence.svg"),
                            "file for the picture of the errors by round")(
        "weights",
        po::value(&weights)->multitoken(),
        "prior weights of the models, one for each run; equal ones otherwise");
      const po::variables_map values = parse("compare", call, options);
      if (values.empty())
        return 0;
      const auto &folders = values["file"].as<std::vector<std::string>>();
      if (folders.empty())
        throw UserError("tempera compare needs the folders of one or more "
                        "runs. Call 'tempera compare DIR...'.");
      compare_runs(folders, picture, weights, call.environment.out);
      return 0;
    }


    int
    run_export(Call &call)
    {
      po::options_description options("Options of 'tempera export'");
      std::string             target;
      options.add_options()("output",
                            po::value(&target),
                            "folder for the files; otherwise DIR");
      const std::string always = "NetCDF";
      for (const auto &[name, entry] : ExporterRegistry::entries())
        if (name != always)
          options.add_options()(boost::algorithm::to_lower_copy(name).c_str(),
                                ("also: " + entry.description).c_str());
      const po::variables_map values = parse("export", call, options);
      if (values.empty())
        return 0;
      std::vector<std::string> formats = {always};
      for (const std::string &name : ExporterRegistry::names())
        if (name != always &&
            values.count(boost::algorithm::to_lower_copy(name)) > 0)
          formats.push_back(name);
      export_run(the_folder("export", values),
                 formats,
                 call.environment.out,
                 target);
      return 0;
    }


    int
    run_report(Call &call)
    {
      const po::options_description options("Options of 'tempera report'");
      const po::variables_map       values = parse("report", call, options);
      if (values.empty())
        return 0;
      export_run(the_folder("report", values),
                 {"Report"},
                 call.environment.out);
      return 0;
    }


    int
    run_check_gradient(Call &call)
    {
      po::options_description options("Options of 'tempera check-gradient'");
      add_set_option(options);
      GradientCheckOptions check;
      options.add_options()("points",
                            po::value(&check.n_points)->default_value(3),
                            "number of random points on each level")(
        "seed",
        po::value(&check.seed)->default_value(1),
        "seed of points and directions");
      const po::variables_map values = parse("check-gradient", call, options);
      if (values.empty())
        return 0;
      constexpr unsigned int most_points = 10000;
      if (check.n_points == 0 || check.n_points > most_points)
        throw UserError("tempera check-gradient: --points must be between 1 "
                        "and " +
                        std::to_string(most_points) + ".");
      const Parameters parameters(
        read_parameter_file("check-gradient", values, call));
      const std::unique_ptr<Target> target = parameters.make_target();
      return check_gradients(*target,
                             parameters.settings,
                             check,
                             call.environment.out) ?
               0 :
               1;
    }


    int
    run_calibrate(Call &call)
    {
      po::options_description options("Options of 'tempera calibrate'");
      add_set_option(options);
      CalibrationOptions calibration;
      options.add_options()("runs",
                            po::value(&calibration.n_runs)->default_value(100),
                            "truths, with a run for each")(
        "noise-factor",
        po::value(&calibration.noise_factor)->default_value(1.),
        "errors of the data, in units of what the likelihood assumes; other "
        "than 1 the posterior is wrong")(
        "truth",
        po::value<std::vector<std::string>>()->composing(),
        "truths and data are those of the file with \"Section/Name = value\", to "
        "see that the posterior of another model is wrong")(
        "output",
        po::value<std::string>(),
        "folder for the results; otherwise "
        "'calibration' in that of a run")("overwrite",
                                          "replace what is in the folder");
      const po::variables_map values = parse(
        "calibrate",
        call,
        options,
        "\nExit codes: 0 no sign of a wrong posterior, 1 a mistake, 2 the "
        "posterior is wrong, 130 stopped.\n");
      if (values.empty())
        return 0;
      LadderDesign design;
      if (wants_design(read_parameter_file("calibrate", values, call)))
        design = add_design(call.file, call.environment);
      if (design.is_stopped)
        return tell_stopped_pilots(call);
      call.environment.out << design.text();
      Parameters parameters(call.file);
      // Runs of a calibration do not look at their draws.
      if (design.n_rounds > 0. && parameters.settings.effective_draws > 0)
        parameters.settings.run.iterations =
          std::min(parameters.settings.run.iterations,
                   static_cast<std::uint64_t>(design.n_rounds));
      calibration.folder = parameters.settings.folder +
                           (values.count("output") > 0 ? "" : "/calibration");
      calibration.overwrite                = values.count("overwrite") > 0;
      const std::unique_ptr<Target> target = parameters.make_target();
      std::unique_ptr<Target>       nature;
      if (values.count("truth") > 0)
        {
          ParameterFile file = call.file;
          for (const auto &text :
               values["truth"].as<std::vector<std::string>>())
            file.add_from_command_line(text);
          nature             = Parameters(file).make_target();
          calibration.nature = nature.get();
        }
      switch (calibrate(*target,
                        parameters.settings,
                        calibration,
                        call.environment.out,
                        call.environment.stop))
        {
          case CalibrationResult::calibrated:
            return 0;
          case CalibrationResult::wrong:
            return 2;
          default:
            return 130;
        }
    }


    int
    run_serve(Call &call)
    {
      po::options_description options("Options of 'tempera serve'");
      add_set_option(options);
      HttpServerSettings server;
      options.add_options()("port",
                            po::value(&server.port)->default_value(server.port),
                            "port to listen at; 0 for any that is free")(
        "address",
        po::value(&server.address)->default_value(server.address),
        "address to listen at; 0.0.0.0 for all of this computer");
      const po::variables_map values = parse("serve", call, options);
      if (values.empty())
        return 0;
      constexpr int last_port = 65535;
      if (server.port < 0 || server.port > last_port)
        throw UserError("tempera serve: --port must be between 0 and " +
                        std::to_string(last_port) + ".");
      const Parameters parameters(read_parameter_file("serve", values, call));
      const std::unique_ptr<Target> target = parameters.make_target();
      const auto                    models = served_models(*target);
      HttpServer               http(std::make_shared<Protocol>(models), server);
      std::vector<std::string> names;
      for (const auto &model : models)
        names.push_back(model->name());
      call.environment.out << "-- " << join(names, ", ") << "; levels "
                           << join(models[0]->levels(), ", ") << "\n"
                           << "-- serving at http://" << server.address << ":"
                           << http.port() << ", until Ctrl-C" << std::endl;
      if (server.address != HttpServerSettings().address)
        call.environment.error
          << "Warning: whoever can reach " << server.address
          << " can use this computer for solves. There is no password and no "
             "encryption.\n";
      http.run(call.environment.stop);
      return 0;
    }


    /** Load the plugins for a command that can do without a file. */
    void
    load_plugins(const std::string       &command,
                 const po::variables_map &values,
                 Call                    &call)
    {
      if (!values["file"].as<std::vector<std::string>>().empty())
        read_parameter_file(command, values, call);
      else if (values.count("set") > 0)
        for (const auto &text : values["set"].as<std::vector<std::string>>())
          call.file.add_from_command_line(text);
      const PluginParameters loaded(call.file);
    }


    int
    show_parameters(Call &call)
    {
      po::options_description options("Options of 'tempera parameters'");
      add_set_option(options);
      options.add_options()("json", "for machines");
      const po::variables_map values = parse("parameters", call, options);
      if (values.empty())
        return 0;
      load_plugins("parameters", values, call);
      const auto descriptions = all_parameters();
      call.environment.out << (values.count("json") > 0 ?
                                 parameter_reference_json(descriptions) :
                                 parameter_reference_text(descriptions));
      return 0;
    }


    void
    list_names(const std::string                        &title,
               const std::map<std::string, std::string> &descriptions,
               std::ostream                             &out)
    {
      std::size_t width = 18;
      for (const auto &entry : descriptions)
        width = std::max(width, entry.first.size() + 2);
      if (!descriptions.empty())
        out << title << "\n";
      for (const auto &entry : descriptions)
        out << "  " << entry.first
            << std::string(width - entry.first.size(), ' ') << entry.second
            << "\n";
    }


    int
    list(Call &call)
    {
      po::options_description options("Options of 'tempera list'");
      add_set_option(options);
      const po::variables_map values = parse("list", call, options);
      if (values.empty())
        return 0;
      load_plugins("list", values, call);
      for (const std::string &kind : TargetRegistry::names())
        {
          const TargetSelector selector =
            TargetRegistry::create(kind)->selector();
          list_names(selector.title + " ('" + selector.text() + "'):",
                     selector.choices,
                     call.environment.out);
        }
      list_names("Kernels ('Sampler/Kernel/Type'):",
                 described_names<KernelRegistry>(),
                 call.environment.out);
      list_names("Formats (section 'Output', 'tempera export'):",
                 described_names<ExporterRegistry>(),
                 call.environment.out);
      list_names("Studies of finished runs:",
                 described_names<StudyRegistry>(),
                 call.environment.out);
      list_names("Swap rules ('Sampler/Swaps/Rule'):",
                 described_names<SwapRuleRegistry>(),
                 call.environment.out);
      return 0;
    }


    struct Command
    {
      int (*body)(Call &);
      /** Whether it may solve something; others only read and write. */
      bool solves;
    };

    const std::map<std::string, Command> commands = {
      {"run", {run, true}},
      {"validate", {validate, true}},
      {"design", {run_design, true}},
      {"simulate", {run_simulate, true}},
      {"truth", {run_truth, true}},
      {"map", {run_map, true}},
      {"summary", {run_summary, false}},
      {"watch", {run_watch, false}},
      {"compare", {run_compare, false}},
      {"export", {run_export, false}},
      {"report", {run_report, false}},
      {"check-gradient", {run_check_gradient, true}},
      {"calibrate", {run_calibrate, true}},
      {"serve", {run_serve, true}},
      {"parameters", {show_parameters, false}},
      {"list", {list, false}}};


    int
    dispatch(const std::string &command, Call &call)
    {
      if (n_processes() > 1 && command != "run" && command != "simulate")
        throw UserError(
          "'tempera " + command + "' is for one process, and MPI has started " +
          std::to_string(n_processes()) + ". Call it without mpirun or srun.");
      if (command == "--help" || command == "-h")
        {
          call.environment.out << usage;
          return 0;
        }
      if (command == "--version")
        {
          call.environment.out << version_details() << "\n";
          return 0;
        }
      const auto found = commands.find(command);
      if (found != commands.end())
        return found->second.body(call);
      std::vector<std::string> names = {"--help", "--version"};
      for (const auto &one : commands)
        names.push_back(one.first);
      throw UserError("There is no command '" + command + "'." +
                      did_you_mean(command, names));
    }
  } // namespace



  bool
  needs_mpi(const std::vector<std::string> &arguments)
  {
    if (arguments.empty())
      return false;
    const auto found = commands.find(arguments[0]);
    return found != commands.end() && found->second.solves;
  }



  int
  run_command_line(const std::vector<std::string> &arguments,
                   const Environment              &environment)
  {
    if (arguments.empty())
      {
        environment.error << usage;
        return 1;
      }
    const FailureBoard board;
    std::ostringstream silence;
    const Environment  own = {this_process() == 0 ? environment.out : silence,
                             environment.error,
                             environment.stop,
                             environment.is_terminal};
    Call call{Arguments(arguments.begin() + 1, arguments.end()), own, {}};
    try
      {
        return dispatch(arguments[0], call);
      }
    catch (const UserError &error)
      {
        const std::string words = error.what();
        board.tell(words.empty() ?
                     "" :
                     "Error: " + words + call.file.places_of_settings(words),
                   environment.error);
        return 1;
      }
    catch (const std::exception &exception)
      {
        if (n_processes() == 1)
          throw;
        board.tell("Error inside tempera, please report it with the parameter "
                   "file:\n" +
                     std::string(exception.what()),
                   environment.error);
        return 2;
      }
  }
} // namespace Tempera
