// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Damages parameter files, checkpoints, records and CSV tables at random, and
// reads each as the program would. Whatever the damage, it must be accepted or
// refused with a UserError: all else ends the program with kind and number of
// the file, from which it can be made again.
//
// Usage: fuzz [COUNT] [SEED]            (default: 200000 files, seed 1)
//        fuzz COUNT SEED KIND NUMBER    (that one file only)

#include <tempera/base/archive_signature.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/command_line.h>
#include <tempera/driver/parameters.h>
#include <tempera/inference/csv_table.h>
#include <tempera/output/analysis.h>
#include <tempera/output/cmdstan_csv.h>
#include <tempera/output/prediction.h>
#include <tempera/output/prediction_band.h>
#include <tempera/output/record.h>
#include <tempera/output/record_blocks.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/report.h>
#include <tempera/output/samples_netcdf.h>
#include <tempera/output/summary_text.h>
#include <tempera/run/checkpoint.h>
#include <tempera/run/run.h>
#include <tempera/sampler/guarded_energy.h>

#include <deal.II/base/mpi.h>

#include <boost/archive/binary_iarchive.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#  include <sanitizer/common_interface_defs.h>
#endif

namespace
{
  using namespace Tempera;
  namespace fs = std::filesystem;

  using Generator = std::mt19937_64;

  /** What is being read, for whoever has to find out why it crashed. */
  char current[200] = "nothing yet\n";

  void
  tell_current()
  {
    if (write(STDERR_FILENO, current, std::strlen(current)) < 0)
      return;
  }

  extern "C" void
  tell_and_die(const int signal)
  {
    tell_current();
    std::signal(signal, SIG_DFL);
    raise(signal);
  }

  /** A file that takes longer than this hangs. */
  constexpr unsigned int most_seconds = 120;


  std::string
  read_file(const fs::path &path)
  {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  void
  write_file(const fs::path &path, const std::string &content)
  {
    std::ofstream(path, std::ios::binary) << content;
  }

  /** A whole number from 0 to @p n - 1; 0 if there is none. */
  std::size_t
  below(Generator &random, const std::size_t n)
  {
    return n == 0 ? 0 : random() % n;
  }

  template <typename Entry>
  const Entry &
  one_of(Generator &random, const std::vector<Entry> &entries)
  {
    return entries[below(random, entries.size())];
  }


  /** Damage to bytes that mean nothing in particular. */
  void
  mutate_bytes(Generator &random, std::string &bytes)
  {
    const std::size_t n      = bytes.size();
    const std::size_t place  = below(random, n);
    const std::size_t length = 1 + below(random, std::min<std::size_t>(n, 40));
    switch (below(random, 8))
      {
        case 0: // a bit
          if (n > 0)
            bytes[place] ^= char(1u << below(random, 8));
          break;
        case 1: // a byte
          if (n > 0)
            bytes[place] = char(random());
          break;
        case 2: // something is missing
          bytes.erase(place, length);
          break;
        case 3: // something is there twice
          bytes.insert(place, bytes.substr(place, length));
          break;
        case 4: // something is copied elsewhere
          bytes.replace(place, length, bytes.substr(below(random, n), length));
          break;
        case 5: // the end is missing
          if (below(random, 4) == 0)
            bytes.resize(place);
          break;
        case 6: // a number of eight bytes
          {
            static const std::vector<std::uint64_t> numbers{
              0,
              1,
              2,
              7,
              0xffffffffffffffff,
              0x7fffffffffffffff,
              0x8000000000000000,
              0xffffffff,
              0x100000000,
              99999,
              0x7ff0000000000000,  // infinity
              0x7ff8000000000000,  // not a number
              0x7fefffffffffffff,  // the largest double
              0x0000000000000003,  // a very small one
              0xbff0000000000000}; // -1
            const std::uint64_t number = one_of(random, numbers);
            if (place + sizeof(number) <= n)
              std::memcpy(&bytes[place], &number, sizeof(number));
          }
          break;
        default: // noise
          for (std::size_t i = 0; i < length && place + i < n; ++i)
            bytes[place + i] = char(random());
      }
  }


  std::vector<std::string>
  lines_of(const std::string &text)
  {
    std::vector<std::string> lines;
    std::istringstream       stream(text);
    for (std::string line; std::getline(stream, line);)
      lines.push_back(line);
    return lines;
  }

  std::string
  text_of(const std::vector<std::string> &lines)
  {
    std::string text;
    for (const std::string &line : lines)
      text += line + "\n";
    return text;
  }

  /** What may stand where a value is expected. */
  const std::vector<std::string> odd_values{"nan",
                                            "-nan",
                                            "inf",
                                            "-inf",
                                            "1e308",
                                            "-1e308",
                                            "1e999",
                                            "1e-320",
                                            "0",
                                            "-0",
                                            "-1",
                                            "2",
                                            "3",
                                            "0.5",
                                            "0x10",
                                            "1e",
                                            "2147483647",
                                            "2147483648",
                                            "-2147483649",
                                            "4294967295",
                                            "4294967296",
                                            "18446744073709551615",
                                            "18446744073709551616",
                                            "99999999999999999999999999",
                                            "",
                                            " ",
                                            ",",
                                            ";",
                                            ",,",
                                            "1,,2",
                                            "1;;2",
                                            "1, 2; 3",
                                            "true",
                                            "false",
                                            "none",
                                            "adapt",
                                            "automatic",
                                            "geometric",
                                            "exact",
                                            "prior",
                                            "file",
                                            "uniform(0, 1)",
                                            "uniform(1, 0)",
                                            "uniform(0, nan)",
                                            "normal(0, 0)",
                                            "normal(0, inf)",
                                            "log-normal(0, 1)",
                                            "log-normal(1, 1e300)",
                                            "uniform(",
                                            "uniform(0)",
                                            "x*",
                                            "((((((((((x))))))))))",
                                            "x/0",
                                            "exp(1e9)",
                                            "x + unknown",
                                            "0: 1",
                                            "7: 1",
                                            "x : y : z",
                                            "/",
                                            "/dev/null",
                                            ".",
                                            "\xff\xfe",
                                            "\xc3",
                                            "%s%n",
                                            "\"",
                                            "'",
                                            "\\",
                                            "{}",
                                            "SGLD",
                                            "MALA",
                                            "fine",
                                            "coarse"};

  /** Damage to a text of lines; @p others has lines to take over. */
  void
  mutate_text(Generator                      &random,
              std::string                    &text,
              const std::vector<std::string> &others,
              const char                      separator)
  {
    std::vector<std::string> lines = lines_of(text);
    if (lines.empty())
      lines.push_back("");
    const std::size_t place = below(random, lines.size());
    const auto        put   = [&](const std::string &line) {
      lines.insert(lines.begin() + place, line);
    };
    switch (below(random, 10))
      {
        case 0:
          mutate_bytes(random, text);
          return;
        case 1:
          std::swap(lines[place], lines[below(random, lines.size())]);
          break;
        case 2:
          lines.erase(lines.begin() + place);
          break;
        case 3:
          put(lines[below(random, lines.size())]);
          break;
        case 4:
          put(one_of(random, others));
          break;
        case 5: // sections that are deep or not closed
          {
            const std::size_t depth = 1 + below(random, 200);
            for (std::size_t i = 0; i < depth; ++i)
              put(below(random, 2) == 0 ? "subsection Sampler" : "end");
          }
          break;
        case 6: // a very long line
          if (below(random, 10) == 0)
            lines[place] += std::string(1 + below(random, 100000),
                                        char('0' + below(random, 10)));
          else
            mutate_bytes(random, lines[place]);
          break;
        default: // another value
          {
            std::string      &line  = lines[place];
            const std::size_t where = line.find(separator);
            if (where == std::string::npos)
              line = one_of(random, odd_values);
            else if (separator == '=')
              line.replace(where + 1,
                           std::string::npos,
                           " " + one_of(random, odd_values));
            else
              {
                // One of the entries between separators.
                std::vector<std::string> entries;
                std::istringstream       stream(line);
                for (std::string entry; std::getline(stream, entry, separator);)
                  entries.push_back(entry);
                entries[below(random, entries.size())] =
                  one_of(random, odd_values);
                line.clear();
                for (const std::string &entry : entries)
                  line +=
                    (line.empty() ? "" : std::string(1, separator)) + entry;
              }
          }
      }
    text = text_of(lines);
  }


  // Tiny runs whose files are damaged.

  const char *const analytic_run = R"(
set Chains     = 2
set Iterations = 240
set Burn-in    = 200
set Thinning   = 2
subsection Energy
  subsection Gaussian mixture
    set Means = -2, 0; 2, 0
  end
end
subsection Sampler
  set Start = 2, 0
  subsection Ladder
    set Temperatures    = automatic
    set Number of rungs = 3
    set Levels          = fine, coarse, coarse
  end
  subsection Kernel
    set Type           = MALA, SGLD, SGLD
    set Preconditioner = adapt
  end
end
subsection Levels
  subsection coarse
    set Bias  = 0.3
    set Noise = 0.2
  end
end
subsection Output
  set Report = false
  set CSV    = true
end
)";

  const char *const equation_run = R"(
set Chains     = 2
set Iterations = 60
set Burn-in    = 20
subsection Problem
  set Type = pollution source
  subsection Unknowns
    set x = uniform(0, 1)
    set y = uniform(0, 1)
  end
end
subsection Observations
  set Sensors         = 0.25, 0.5; 0.75, 0.5
  set Times           = 0.05, 0.1
  set Noise           = log-normal(0.2, 1)
  set Truth           = 0.4, 0.45
  set Synthetic data  = fine
  set Synthetic noise = 0.01
end
subsection Levels
  subsection fine
    set Subdivisions = 4
    set Time step    = 0.05
  end
  subsection coarse
    set Subdivisions = 2
    set Time step    = 0.05
  end
end
subsection Sampler
  subsection Ladder
    set Number of rungs = 2
    set Levels          = fine, coarse
  end
end
subsection Output
  set Report            = false
  set Mesh error  = 0
end
)";

  const char *const network_run = R"(
set Chains     = 1
set Iterations = 60
set Burn-in    = 20
subsection Network
  set Equation          = nonlinear reaction
  set Hidden layers     = 3
  set Lower corner      = -1
  set Upper corner      = 1
  set Data points       = 2
  set Prediction points = 5
  subsection Coefficients
    set alpha = uniform(0, 2)
  end
  subsection Data
    set Source         = (4 - 16*x^2)*exp(-2*x^2) + 0.7*exp(-4*x^2)
    set Exact solution = exp(-2*x^2)
  end
end
subsection Observations
  set Sensors        = -0.8; 0; 0.8
  set Synthetic data = exact
  set Truth          = 0.7
end
subsection Levels
  subsection fine
    set Collocation points = 4
  end
end
subsection Sampler
  subsection Ladder
    set Number of rungs = 2
    set Levels          = fine, fine
  end
  subsection Kernel
    set Type       = SGLD
    set Step sizes = 0.001
  end
end
subsection Output
  set Report = false
end
)";


  /** A tiny run in a folder, and all that loading its checkpoint takes. */
  struct Subject
  {
    Subject(const fs::path &place, const std::string &name, const char *text)
      : file((place / (name + ".prm")).string())
      , folder((place / name).string())
    {
      write_file(file, text);
      std::ostringstream      out, error;
      const std::atomic<bool> never(false);
      if (run_command_line({"run", file, "--output", folder},
                           {out, error, never}) != 0)
        throw std::runtime_error("the run '" + name +
                                 "' has failed: " + error.str());

      ParameterFile parameter_file(file);
      parameter_file.add("Output directory", folder, "--output");
      parameters = std::make_unique<Parameters>(parameter_file);
      target     = parameters->make_target();
      std::vector<Level> levels;
      for (const std::string &name : parameters->settings.used_levels())
        levels.push_back(
          {name, std::make_shared<GuardedEnergy>(target->energy(name))});
      ladder = std::make_unique<Ladder>(parameters->settings.ladder,
                                        parameters->settings.kernel,
                                        std::move(levels));
      ladder->set_step_factors(target->step_factors());

      // With its functions, which are not in the record.
      RunDescription functions;
      target->describe(*ladder, functions);
      description            = RecordedRun(folder).description();
      description.prediction = functions.prediction;
      description.derive     = functions.derive;
      description.measure    = functions.measure;
      checkpoint             = read_file(fs::path(folder) / "checkpoint");
      for (unsigned int chain = 0; chain < description.n_chains; ++chain)
        records.push_back(read_file(fs::path(folder) / record_name(chain)));
    }

    /** Load a state as Run does, and go on with it. */
    void
    load(const std::string &state, const fs::path &scratch) const
    {
      const RunFolder                               run(scratch.string(), true);
      std::vector<std::unique_ptr<Record>>          sinks;
      std::unique_ptr<PredictionBand>               prediction;
      std::vector<std::unique_ptr<ReplicaExchange>> chains;
      for (unsigned int chain = 0; chain < description.n_chains; ++chain)
        {
          RunParameters run_parameters = parameters->settings.run;
          run_parameters.chain         = chain;
          std::vector<std::vector<double>> start{target->centre()};
          if (start[0].empty())
            {
              RandomKey key;
              key.chain = chain;
              start     = {target->start(key)};
            }
          chains.push_back(std::make_unique<ReplicaExchange>(
            run_parameters, parameters->settings.swaps, *ladder, start));
          sinks.push_back(std::make_unique<Record>(run, description, chain));
        }
      DrawSubset draws(description.prediction ? 10 : 0,
                       ladder->space().dimension());
      if (description.prediction)
        prediction = std::make_unique<PredictionBand>(run, description);
      for (unsigned int chain = 0; chain < chains.size(); ++chain)
        {
          sinks[chain]->connect(chains[chain]->signals);
          if (prediction)
            prediction->connect(chains[chain]->signals, chain);
          draws.connect(chains[chain]->signals);
        }

      try
        {
          check_signature(state);
          std::istringstream              stream(state);
          boost::archive::binary_iarchive archive(stream);
          std::uint64_t                   n_warm = 0, length = 0;
          archive                        &n_warm;
          for (unsigned int chain = 0; chain < chains.size(); ++chain)
            archive &length &*sinks[chain] & *chains[chain];
          if (prediction)
            archive &*prediction;
          archive &draws;
        }
      catch (const std::exception &error)
        {
          // As Run::load_checkpoint() does.
          throw UserError(error.what());
        }

      // A few rounds, with all that listens.
      constexpr unsigned int n_rounds = 5;
      for (unsigned int chain = 0; chain < chains.size(); ++chain)
        {
          sinks[chain]->begin();
          for (unsigned int i = 0; i < n_rounds; ++i)
            chains[chain]->do_round();
          chains[chain]->end_run();
        }
      if (prediction)
        {
          prediction->write(chains[0]->report());
          prediction->text();
        }
      draws.evenly_spaced(3);
    }

    const std::string           file, folder;
    std::unique_ptr<Parameters> parameters;
    std::unique_ptr<Target>     target;
    std::unique_ptr<Ladder>     ladder;
    RunDescription              description;
    std::string                 checkpoint;
    std::vector<std::string>    records;
  };


  /** Makes damaged files of all kinds and reads them. */
  class Fuzzer
  {
  public:
    Fuzzer(const fs::path &place, const fs::path &prm)
      : place(place)
    {
      // The files of prm/ include each other: the same folders here.
      fs::copy(prm, place / "prm", fs::copy_options::recursive);
      for (const auto &entry : fs::recursive_directory_iterator(place / "prm"))
        if (entry.is_regular_file())
          add_parameter_file(entry.path().parent_path(),
                             read_file(entry.path()));
      for (const char *text :
           {analytic_run, equation_run, network_run, "", "set Chains = 1\n"})
        add_parameter_file(place, text);

      subjects.push_back(
        std::make_unique<Subject>(place, "analytic", analytic_run));
      subjects.push_back(
        std::make_unique<Subject>(place, "equation", equation_run));
      subjects.push_back(
        std::make_unique<Subject>(place, "network", network_run));
      for (const auto &subject : subjects)
        {
          // What is not damaged must load.
          subject->load(checkpoint_from_bytes(subject->checkpoint).state,
                        place / "scratch");
          fs::copy(subject->folder,
                   subject->folder + ".damaged",
                   fs::copy_options::recursive);
          for (const auto &entry : fs::directory_iterator(subject->folder))
            if (entry.path().extension() == ".csv")
              tables.push_back(entry.path());
        }
      std::sort(tables.begin(), tables.end());
    }

    void
    parameter_file(Generator &random)
    {
      const auto &original = one_of(random, parameter_files);
      std::string text     = original.second;
      for (std::size_t n = 1 + below(random, 4); n > 0; --n)
        mutate_text(random, text, parameter_lines, '=');
      const fs::path path = original.first / "damaged.prm";
      write_file(path, text);

      ParameterFile    file(path.string());
      const Parameters parameters(file);
      parameters.effective_file();
      if (below(random, 4) == 0)
        build(file);
    }

    void
    checkpoint(Generator &random)
    {
      const Subject &subject = *one_of(random, subjects);
      std::string    bytes   = subject.checkpoint;
      const bool     repair  = below(random, 2) == 0;
      Checkpoint     good    = checkpoint_from_bytes(bytes);
      if (repair)
        {
          // Mostly the state: the rest is compared and then forgotten.
          std::string &part = below(random, 20) > 0 ? good.state :
                              below(random, 2) == 0 ? good.identity.parameters :
                                                      good.identity.build;
          for (std::size_t n = 1 + below(random, 3); n > 0; --n)
            mutate_bytes(random, part);
          bytes = checkpoint_to_bytes(good);
        }
      else
        for (std::size_t n = 1 + below(random, 3); n > 0; --n)
          mutate_bytes(random, bytes);

      const std::string folder = subject.folder + ".damaged";
      write_file(fs::path(folder) / "checkpoint", bytes);
      if (below(random, 100) == 0)
        {
          // All of the program, once in a while.
          for (unsigned int i = 0; i < subject.records.size(); ++i)
            write_file(fs::path(folder) / record_name(i), subject.records[i]);
          command({"run",
                   subject.file,
                   "--output",
                   folder,
                   "--resume",
                   "--set",
                   "Iterations = 250"});
          return;
        }
      const Checkpoint original = checkpoint_from_bytes(subject.checkpoint);
      subject.load(read_checkpoint(folder, original.identity, {}),
                   place / "scratch");
    }

    void
    record(Generator &random)
    {
      const Subject     &subject = *one_of(random, subjects);
      const std::string  folder  = subject.folder + ".damaged";
      const unsigned int chain   = below(random, subject.records.size());
      for (unsigned int i = 0; i < subject.records.size(); ++i)
        {
          std::string bytes = subject.records[i];
          if (i == chain && below(random, 2) == 0)
            mutate_blocks(random, bytes);
          else if (i == chain)
            for (std::size_t n = 1 + below(random, 3); n > 0; --n)
              mutate_bytes(random, bytes);
          write_file(fs::path(folder) / record_name(i), bytes);
        }

      const RecordedRun run(folder);
      double            sum = 0.;
      for (unsigned int i = 0; i < run.n_chains(); ++i)
        {
          const std::size_t n_columns = run.description().columns().size();
          run.for_each_draw(i, [&](const RecordedDraw &draw) {
            for (const RecordedRung &rung : draw.rungs)
              for (std::size_t k = 0; k < n_columns; ++k)
                sum += rung.values[k];
          });
          for (const RecordedPrediction &one : run.predictions(i))
            for (const double value : one.values)
              sum += value;
        }
      total += sum;
      run.table(7);
      evenly_spaced_states(run, 5);
      const Analysis analysis = analyse(run);
      summary_text(analysis);
      summary_json(analysis);
      if (below(random, 10) == 0)
        report_html(run, analysis);
      if (below(random, 10) == 0)
        write_cmdstan_csv(run, folder);
      if (below(random, 10) == 0)
        write_samples_netcdf(run, folder + "/samples.nc");
    }

    void
    table(Generator &random)
    {
      static const std::vector<std::string> texts{
        "x, y, t, value\n0.2, 0.3, 0.1, 1\n0.3, 0.4, 0.1, 2\n",
        "# measured\nx,y,t,value,sigma\n0.2,0.3,0.1,1,0.1\n\n0.3,0.4,0.2,2,1\n",
        "x, value\n0.5, 1e-3 # a comment\n-0.5, 7\n",
        "x,y\n0.5,0.5\n"};
      static const std::vector<std::string> lines{
        "x", "x, y, t, value", "1, 2, 3, 4", "#", ",", "\r"};

      // Either measurements, or what a run has left and others read.
      if (below(random, 20) == 0)
        {
          const fs::path &original = one_of(random, tables);
          std::string     text     = read_file(original);
          for (std::size_t n = 1 + below(random, 3); n > 0; --n)
            mutate_text(random, text, lines, ',');
          const std::string folder =
            original.parent_path().string() + ".damaged";
          for (unsigned int i = 0; i < 2; ++i)
            if (fs::exists(original.parent_path() / record_name(i)))
              fs::copy_file(original.parent_path() / record_name(i),
                            fs::path(folder) / record_name(i),
                            fs::copy_options::overwrite_existing);
          write_file(fs::path(folder) / original.filename(), text);
          const int exit_code = command({"compare",
                                         original.parent_path().string(),
                                         folder,
                                         "--write",
                                         (place / "compared.svg").string()});
          fs::copy_file(original,
                        fs::path(folder) / original.filename(),
                        fs::copy_options::overwrite_existing);
          if (exit_code != 0)
            throw UserError("the command has said why");
          return;
        }

      std::string text = one_of(random, texts);
      for (std::size_t n = 1 + below(random, 4); n > 0; --n)
        mutate_text(random, text, lines, ',');
      const std::string path = (place / "table.csv").string();
      write_file(path, text);
      const CsvTable csv(path);
      for (const std::string &name : csv.get_names())
        for (const double value : csv.column(name))
          total += value;
      for (std::size_t row = 0; row < csv.n_rows(); ++row)
        csv.origin(row);
      ObservationParameters observations;
      observations.file = path;
      make_observations(observations,
                        1 + below(random, 3),
                        below(random, 2) == 0);
    }

  private:
    void
    add_parameter_file(const fs::path &folder, const std::string &text)
    {
      parameter_files.emplace_back(folder, text);
      const std::vector<std::string> lines = lines_of(text);
      parameter_lines.insert(parameter_lines.end(), lines.begin(), lines.end());
    }

    /** The program, silently. */
    int
    command(const std::vector<std::string> &arguments) const
    {
      std::ostringstream      out, error;
      const std::atomic<bool> never(false);
      return run_command_line(arguments, {out, error, never});
    }

    /** All objects of a run, unless the file asks for large ones. */
    void
    build(ParameterFile file) const
    {
      for (const OpenedSection &section : file.sections())
        if (section.path.size() == 2 && section.path[0] == "Levels")
          for (const char *setting : {"Subdivisions = 3",
                                      "Refinements = 0",
                                      "Degree = 1",
                                      "Time step = 0.1",
                                      "Collocation points = 3"})
            {
              ParameterFile smaller = file;
              smaller.add_from_command_line("Levels/" + section.path[1] + "/" +
                                            setting);
              if (is_valid(smaller))
                file = smaller;
            }
      for (const char *setting : {"Network/Hidden layers = 3",
                                  "Network/Data points = 3",
                                  "Network/Prediction points = 5",
                                  "Problem/Final time = 0.3",
                                  "Chains = 2"})
        {
          ParameterFile smaller = file;
          smaller.add_from_command_line(setting);
          if (is_valid(smaller))
            file = smaller;
        }

      const Parameters parameters(file);
      const auto       is_large = [&](const std::string &section,
                                const std::string &name,
                                const double       limit) {
        for (const std::string &number : dealii::Utilities::split_string_list(
               file.value_of({section}, name, ""), ','))
          if (!(std::atof(number.c_str()) <= limit))
            return true;
        return false;
      };
      if (parameters.settings.ladder.n_rungs > 50 ||
          parameters.settings.ladder.temperatures.numbers.size() > 50 ||
          !file.value_of({"Problem"}, "Mesh file", "").empty() ||
          is_large("Observations", "Times", 2.) ||
          is_large("Network", "Final time", 100.))
        return;
      // The dimension of an analytic energy may be a number of the file.
      for (const Assignment &assignment : file.assignments())
        if (assignment.name.find("imension") != std::string::npos &&
            std::atof(assignment.value.c_str()) > 100.)
          return;
      const auto target = parameters.make_target();
      Run(*target, parameters.settings).layout();
    }

    static bool
    is_valid(const ParameterFile &file)
    {
      try
        {
          const Parameters parameters(file);
          return true;
        }
      catch (const UserError &)
        {
          return false;
        }
    }

    /** Damage blocks of a record, with the right checksums. */
    static void
    mutate_blocks(Generator &random, std::string &bytes)
    {
      std::vector<std::pair<std::uint32_t, std::string>> blocks;
      for (std::size_t i = 0; i + sizeof(BlockHead) <= bytes.size();)
        {
          BlockHead head;
          std::memcpy(&head, bytes.data() + i, sizeof(head));
          blocks.emplace_back(head.kind,
                              bytes.substr(i + sizeof(head), head.length));
          i += sizeof(head) + head.length;
        }
      for (std::size_t n = 1 + below(random, 3); n > 0; --n)
        {
          const std::size_t place = below(random, blocks.size());
          auto             &block = blocks[place];
          const std::size_t what  = below(random, 12);
          if (what == 0)
            block.first = below(random, 6);
          else if (what == 1)
            std::swap(block, blocks[below(random, blocks.size())]);
          else if (what == 2)
            blocks.insert(blocks.begin() + place,
                          blocks[below(random, blocks.size())]);
          else if (what == 3 && blocks.size() > 1)
            blocks.erase(blocks.begin() + place);
          else if (what < 8 &&
                   blocks[0].first == std::uint32_t(BlockKind::description))
            {
              // The description is long, and mostly parameters and draws from
              // priors: lines with names and counts are seldom met otherwise.
              static const std::vector<std::string> lines{
                "\"names\": [", "],", "\"1\",", "{", "}"};
              mutate_json(random, blocks[0].second, lines);
            }
          else
            mutate_bytes(random, block.second);
        }
      bytes.clear();
      for (const auto &block : blocks)
        {
          const BlockHead head{BlockHead::right_letters,
                               block.first,
                               std::uint32_t(block.second.size()),
                               block_checksum(block.first,
                                              block.second.data(),
                                              block.second.size())};
          bytes.append(reinterpret_cast<const char *>(&head), sizeof(head));
          bytes += block.second;
        }
    }

    static void
    mutate_json(Generator                      &random,
                std::string                    &text,
                const std::vector<std::string> &others)
    {
      if (below(random, 3) == 0)
        {
          mutate_text(random, text, others, ':');
          return;
        }
      // A value in quotes, away from the long lists.
      std::vector<std::string> lines = lines_of(text);
      for (unsigned int attempt = 0; attempt < 20; ++attempt)
        {
          std::string      &line  = one_of_lines(random, lines);
          const std::size_t end   = line.rfind('"');
          const std::size_t begin = end == std::string::npos || end == 0 ?
                                      std::string::npos :
                                      line.rfind('"', end - 1);
          if (begin == std::string::npos || line.size() > 200 ||
              (line.find(':') == std::string::npos && attempt < 15))
            continue;
          static const std::vector<std::string> values{"0",
                                                       "1",
                                                       "2",
                                                       "3",
                                                       "-1",
                                                       "nan",
                                                       "inf",
                                                       "1e308",
                                                       "999999",
                                                       "1000000",
                                                       "4294967295",
                                                       "18446744073709551615",
                                                       "",
                                                       "network",
                                                       "x"};
          line.replace(begin + 1, end - begin - 1, one_of(random, values));
          break;
        }
      text = text_of(lines);
    }

    static std::string &
    one_of_lines(Generator &random, std::vector<std::string> &lines)
    {
      return lines[below(random, lines.size())];
    }

    const fs::path                                place;
    std::vector<std::pair<fs::path, std::string>> parameter_files;
    std::vector<std::string>                      parameter_lines;
    std::vector<std::unique_ptr<Subject>>         subjects;
    std::vector<fs::path>                         tables;
    /** So that no number is read in vain. */
    double total = 0.;
  };


  /** Files of a kind, and what came of them. */
  struct Kind
  {
    std::string  name;
    unsigned int percent;
    void (Fuzzer::*read)(Generator &);
    std::uint64_t accepted = 0, refused = 0;
  };


  int
  fuzz(const fs::path                 &place,
       const std::uint64_t             count,
       const std::uint64_t             seed,
       const std::vector<std::string> &only)
  {
    Fuzzer            fuzzer(place, TEMPERA_SOURCE_DIR "/prm");
    std::vector<Kind> kinds{{"parameters", 30, &Fuzzer::parameter_file},
                            {"checkpoint", 40, &Fuzzer::checkpoint},
                            {"record", 15, &Fuzzer::record},
                            {"table", 15, &Fuzzer::table}};
    for (std::size_t k = 0; k < kinds.size(); ++k)
      {
        Kind               &kind  = kinds[k];
        const std::uint64_t n     = count * kind.percent / 100;
        std::uint64_t       begin = 0, end = n;
        if (!only.empty())
          {
            begin = std::stoull(only[1]);
            end   = kind.name == only[0] ? begin + 1 : begin;
          }
        for (std::uint64_t number = begin; number < end; ++number)
          {
            std::snprintf(current,
                          sizeof(current),
                          "\nfuzz: this was kind %s, number %llu, seed %llu\n",
                          kind.name.c_str(),
                          static_cast<unsigned long long>(number),
                          static_cast<unsigned long long>(seed));
            if (n >= 20 && number % (n / 20) == 0)
              std::cerr << "\r" << kind.name << " " << number << "/" << n
                        << "   " << std::flush;
            std::seed_seq sequence{seed, std::uint64_t(k), number};
            Generator     random(sequence);
            alarm(most_seconds);
            try
              {
                (fuzzer.*kind.read)(random);
                ++kind.accepted;
              }
            catch (const UserError &)
              {
                ++kind.refused;
              }
            catch (const std::exception &exception)
              {
                std::cerr << "\n" << exception.what();
                tell_current();
                return 1;
              }
          }
        alarm(0);
      }

    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::cerr << "\r";
    std::cout << "fuzz: seed " << seed;
    for (const Kind &kind : kinds)
      std::cout << "; " << kind.name << " " << kind.accepted << " accepted, "
                << kind.refused << " refused";
    std::cout << "; at most " << usage.ru_maxrss / 1024 << " MB" << std::endl;
    return 0;
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_set_death_callback(tell_current);
#else
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    std::signal(signal, tell_and_die);
  // What asks for an absurd amount of memory must not get it.
  const rlimit limit{rlim_t(4) << 30, rlim_t(4) << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
  std::signal(SIGALRM, tell_and_die);

  const std::uint64_t count =
                        argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200000,
                      seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::string name =
    (fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path())
      .string() +
    "/tempera_fuzz_XXXXXX";
  if (mkdtemp(name.data()) == nullptr)
    {
      std::cerr << "There is no place for temporary files." << std::endl;
      return 1;
    }
  int result = 1;
  try
    {
      result = fuzz(name,
                    count,
                    seed,
                    argc > 4 ? std::vector<std::string>{argv[3], argv[4]} :
                               std::vector<std::string>());
    }
  catch (const std::exception &exception)
    {
      std::cerr << exception.what() << std::endl;
    }
  // What has crashed the program stays, to be looked at.
  if (result == 0)
    fs::remove_all(name);
  else
    std::cerr << "fuzz: the file is in " << name << std::endl;
  return result;
}
