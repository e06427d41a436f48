// SPDX-License-Identifier: LGPL-2.1-or-later

// Records with numbers that follow from a formula are exported as NetCDF and as
// CSV; samples_are_exported.py, which has the same formula, reads both with
// xarray and as text. Then what can be wrong: places that cannot be written,
// records that are damaged, folders without one.

#include "driver/command.h"
#include "tests.h"

#include <tempera/output/analysis.h>
#include <tempera/output/record_file.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sys/resource.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  namespace fs = std::filesystem;

  /** The formula: the same division gives the same number in Python. */
  double
  number(const std::uint64_t chain,
         const std::uint64_t round,
         const std::uint64_t rung,
         const std::uint64_t column)
  {
    return static_cast<double>(1000000 * chain + 97 * round + 13 * rung +
                               5 * column + 1) /
           7.;
  }

  struct Lengths
  {
    unsigned int n_burn_in, n_draws;
  };

  /** A record of one chain. Every eighth draw has a prediction. */
  void
  write_record(const RunDescription &run,
               const std::string    &folder,
               const unsigned int    chain,
               const Lengths        &lengths,
               const double          coldest_temperature)
  {
    fs::create_directories(folder);
    RecordFile         file(folder + "/" + record_name(chain), run);
    const unsigned int n_rungs = run.n_recorded_rungs,
                       n_all   = run.kernels.size();
    RunReport report;
    report.level_names = run.levels;
    report.evaluations.resize(run.levels.size());
    report.rungs.resize(n_all);
    report.pairs.resize(n_all - 1);
    for (unsigned int i = 0; i < n_all; ++i)
      report.rungs[i].temperature =
        coldest_temperature * (1. + i + (i > 0 ? 0.5 * chain : 0.));

    std::vector<std::vector<double>> values(
      n_rungs, std::vector<double>(run.columns().size()));
    RecordedDraw draw;
    draw.rungs.resize(n_rungs);
    draw.swaps.resize(n_rungs > 0 ? n_all - 1 : 0);
    for (unsigned int i = 0; i < lengths.n_burn_in + lengths.n_draws; ++i)
      {
        draw.round       = (i + 1) * run.thinning;
        draw.is_burn_in  = i < lengths.n_burn_in;
        draw.round_trips = draw.is_burn_in ? 0 : (i - lengths.n_burn_in) / 5;
        for (std::size_t pair = 0; pair < draw.swaps.size(); ++pair)
          draw.swaps[pair] = {std::uint32_t(2 + pair),
                              std::uint32_t((i + pair) % 3)};
        for (unsigned int rung = 0; rung < n_rungs; ++rung)
          {
            for (std::size_t column = 0; column < values[rung].size(); ++column)
              values[rung][column] = number(chain, draw.round, rung, column);
            RecordedRung &one = draw.rungs[rung];
            one.reference     = number(chain, draw.round, rung, 100) / 3.;
            one.potential     = number(chain, draw.round, rung, 101) / 11.;
            one.step_size     = draw.is_burn_in ? 0.1 * (i + 1) : 0.3;
            one.acceptance    = i % 4 == 3 ? std::nan("") : 1. / (1. + i % 5);
            one.non_finite    = i % 7 == 0 ? 2 : 0;
            one.replica       = (rung + i) % n_rungs;
            one.values        = values[rung].data();
          }
        file.append(draw);
        const unsigned int number_of_draw = i - lengths.n_burn_in;
        if (!draw.is_burn_in && number_of_draw % 8 == 0)
          {
            RecordedPrediction prediction;
            prediction.round = draw.round;
            prediction.draw  = number_of_draw;
            for (std::size_t k = 0; k < run.measurements.size(); ++k)
              prediction.values.push_back(
                number(chain, draw.round, 0, 200 + k) / 1000.);
            file.append(prediction);
          }
      }
    file.append(report);
    file.sync();
  }

  /** Four rungs, three chains, names that are not as they should be. */
  RunDescription
  ladder_with_odd_names()
  {
    RunDescription run;
    run.version       = "1.2.3";
    run.family        = "finite elements";
    run.title         = "odd \"names\", = and \xff";
    run.seed          = 12345678901234567890u;
    run.n_chains      = 3;
    run.thinning      = 2;
    run.burn_in       = 10;
    run.n_rounds      = 90;
    run.names         = {"x",
                         "a/b",
                         "a_b",
                         "draw",
                         "k, \"quoted\" ",
                         "αβ",
                         "x.1",
                         "lp__",
                         "energy"};
    run.derived_names = {"u(0.5)", "-1"};
    // Longer than what fits into the header of an HDF5 object.
    run.parameters =
      "set Title = long\n" + std::string(100000, '#') + "\nend\n";
    for (std::size_t i = 0; i < run.names.size(); ++i)
      {
        run.indices.push_back(i);
        run.lower.push_back(-1e300);
        run.upper.push_back(1e300);
        run.priors.push_back("normal(0, " + std::to_string(i + 1) + ")");
        run.prior_draws.push_back({});
        for (std::size_t k = 0; k < 10; ++k)
          run.prior_draws.back().push_back(number(9, k, 0, i));
      }
    run.kernels          = {"MALA", "MALA", "SGLD", "SGLD"};
    run.levels           = {"fine", "coarse"};
    run.rung_levels      = {0, 1, 1, 0};
    run.n_recorded_rungs = 4;
    run.measurements     = {{"(0.5, 0.5), t = 0.1", 1.5, 0.25, {0.5, 0.5}, 0.1},
                            {"Messung für β", -2.5, 0.5, {0.25, -1.}, 0.2},
                            {"(0.5, 0.5), t = 0.1", 3.5, 2., {0.5, 0.5}, 0.1}};
    run.covariance       = {{0.0625, 0., 0.25}, {0., 0.25, 0.}, {0.25, 0., 4.}};
    // Two answers, of which the first two unknowns are known.
    run.truth = {{0.25, -1.}, {0.75, -2.}};
    return run;
  }

  /** One chain at temperature 2, long, with an unknown deviation. */
  RunDescription
  long_chain()
  {
    RunDescription run;
    run.version     = "1.2.3";
    run.family      = "analytic";
    run.title       = "long";
    run.parameters  = "set A = 1\n";
    run.seed        = 5;
    run.n_rounds    = 40000;
    run.names       = {"x", "sigma"};
    run.indices     = {0, 1};
    run.lower       = {-10., 0.};
    run.upper       = {10., 1.};
    run.kernels     = {"MALA"};
    run.levels      = {"only"};
    run.rung_levels = {0};
    run.measurements.resize(2);
    run.measurements[0].name  = "first";
    run.measurements[0].value = 1.;
    run.measurements[1].name  = "second";
    run.measurements[1].value = 2.;
    run.deviation_unknown     = 1;
    return run;
  }


  /** Let Python look at a folder. */
  void
  look(const std::string &folder, const std::string &what)
  {
    const std::string script =
      TEMPERA_SOURCE_DIR "/tests/output/samples_are_exported.py";
    std::cout << std::flush;
    const int status = std::system(
      ("/usr/bin/python3 '" + script + "' " + folder + " " + what + " 2>&1")
        .c_str());
    check("Python has read " + folder, status == 0, std::to_string(status));
  }

  void
  check_export(const std::string &folder, const std::vector<std::string> &parts)
  {
    const CommandResult result = command({"export", folder, "--csv"});
    std::string         missing;
    for (const std::string &part : parts)
      if (!contains(result.out, part))
        missing += "no '" + part + "'; ";
    check(folder + " is exported",
          result.exit_code == 0 && missing.empty(),
          missing + result.out + result.error);
  }

  void
  check_refusal(const std::string              &name,
                const std::vector<std::string> &arguments,
                const std::vector<std::string> &parts,
                const rlim_t                    most_bytes = RLIM_INFINITY)
  {
    // Full: the system refuses to let files grow. Not while this test itself
    // writes, whose output is a file, too.
    rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small = {std::min(most_bytes, limit.rlim_cur), limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const CommandResult result = command(arguments);
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string missing;
    for (const std::string &part : parts)
      if (!contains(result.error, part))
        missing += "no '" + part + "'; ";
    check(name,
          result.exit_code == 1 && missing.empty(),
          missing + result.out + result.error);
  }


  void
  check_ladder()
  {
    const RunDescription run = ladder_with_odd_names();
    write_record(run, "ladder", 0, {5, 40}, 1.);
    write_record(run, "ladder", 1, {5, 40}, 1.);
    write_record(run, "ladder", 2, {5, 44}, 1.);
    // The process was killed: nine draws of chain 1 are not there, and half a
    // block is at its end.
    fs::remove("ladder/chain.1.record");
    write_record(run, "ladder", 1, {5, 31}, 1.);
    const std::string all = read_file("ladder/chain.1.record");
    write_file("ladder/chain.1.record", all + all.substr(0, 500));
    check_export("ladder",
                 {"3 chains with 40, 31, 44 draws",
                  "the first 31",
                  "last 500 bytes",
                  "chain.1.record",
                  "ladder/samples.nc",
                  "ladder/draws_1.csv",
                  "ladder/draws_3.csv"});
    look("ladder", "ladder 3 5 31");

    const std::string samples = read_file("ladder/samples.nc"),
                      draws   = read_file("ladder/draws_2.csv");
    command({"export", "ladder", "--csv"});
    check("the same record gives the same files",
          samples == read_file("ladder/samples.nc") &&
            draws == read_file("ladder/draws_2.csv"));
    check("nothing else is left behind",
          !fs::exists("ladder/samples.nc.new") &&
            !fs::exists("ladder/draws_2.csv.new") &&
            !fs::exists("ladder/draws.csv"));
  }

  /**
   * A coarse level with the law N(0, 1), of pace 3, and a fine one with N(0.3,
   * 1), whose energy is known at every third draw.
   */
  void
  check_levels()
  {
    RunDescription run    = long_chain();
    run.n_chains          = 2;
    run.n_rounds          = 400;
    run.names             = {"x"};
    run.indices           = {0};
    run.lower             = {-1e300};
    run.upper             = {1e300};
    run.priors            = {""};
    run.prior_draws       = {{}};
    run.measurements      = {};
    run.deviation_unknown = -1;
    run.kernels           = {"none", "MALA"};
    run.levels            = {"fine", "coarse"};
    run.rung_levels       = {0, 1};
    run.n_recorded_rungs  = 2;
    run.paces             = {1, 3};
    run.n_level_rungs     = 1;
    std::mt19937_64            random(1);
    std::normal_distribution<> normal;
    for (unsigned int chain = 0; chain < run.n_chains; ++chain)
      {
        fs::create_directories("levels");
        RecordFile file("levels/" + record_name(chain), run);
        for (unsigned int round = 1; round <= run.n_rounds; ++round)
          {
            double x = 0.;
            for (unsigned int k = 1; k <= 3; ++k)
              {
                x = normal(random);
                file.append(RecordedLevelDraw{1,
                                              3 * (round - 1) + k,
                                              0.5 * x * x,
                                              k == 3 ?
                                                0.5 * (x - 0.3) * (x - 0.3) :
                                                std::nan(""),
                                              &x});
              }
            const double fine = 0.3 + normal(random);
            RecordedDraw draw;
            draw.round = round;
            draw.swaps.resize(1);
            draw.rungs.resize(2);
            draw.rungs[0].values = &fine;
            draw.rungs[1].values = &x;
            file.append(draw);
          }
        RunReport report;
        report.rounds      = run.n_rounds;
        report.level_names = run.levels;
        report.evaluations.resize(2);
        report.rungs.resize(2);
        report.pairs.resize(1);
        file.append(report);
        file.sync();
      }
    command({"export", "levels"});
    const Analysis        analysis  = analyse(RecordedRun("levels"));
    const LevelEstimates &estimates = analysis.level_estimates;
    check("estimates from all levels",
          estimates.columns.size() == 1 &&
            std::abs(estimates.columns[0].mean.value - 0.3) <
              4. * estimates.columns[0].mean.error,
          estimates.objection);
    if (!estimates.columns.empty())
      {
        std::ostringstream arguments;
        arguments.precision(17);
        arguments << "levels 2 0 " << run.n_rounds << " "
                  << estimates.columns[0].mean.value << " "
                  << estimates.columns[0].uncorrected;
        look("levels", arguments.str());
      }
  }

  void
  check_long_chain()
  {
    write_record(long_chain(), "long", 0, {0, 40000}, 2.);
    check_export("long", {"1 chain with 40000 draws", "long/draws.csv"});
    look("long", "long 1 0 40000");

    // One wrong bit in the middle: what was written before can be had.
    fs::create_directories("flipped");
    std::string record = read_file("long/chain.0.record");
    record[record.size() / 2] ^= 4;
    write_file("flipped/chain.0.record", record);
    const CommandResult result = command({"export", "flipped", "--csv"});
    const std::size_t   begin  = result.out.find("chain with ");
    const unsigned long n_draws =
      begin == std::string::npos ?
        0 :
        std::strtoul(result.out.c_str() + begin + 11, nullptr, 10);
    check("a wrong bit costs what comes after it",
          result.exit_code == 0 && n_draws > 18000 && n_draws < 20000 &&
            contains(result.out, "warning") &&
            contains(result.out, "bytes of 'flipped/chain.0.record'") &&
            contains(result.out, "checksum"),
          result.out + result.error);
    look("flipped", "long 1 0 " + std::to_string(n_draws));
  }

  /** Every number of every draw of the only chain. */
  std::vector<double>
  numbers_in(const std::string &folder)
  {
    const RecordedRun   run(folder);
    std::vector<double> result;
    run.for_each_draw(0, [&](const RecordedDraw &draw) {
      result.push_back(draw.round);
      for (const RecordedRung &rung : draw.rungs)
        {
          result.push_back(rung.potential);
          result.insert(result.end(),
                        rung.values,
                        rung.values + run.description().columns().size());
        }
    });
    return result;
  }

  void
  check_ways_of_reading()
  {
    const std::vector<double> numbers = numbers_in("long");
    const std::string         record  = read_file("long/chain.0.record");
    check("a record that is kept in memory",
          record.size() < RecordedRun::most_bytes_kept &&
            numbers.size() >= 40000);

    fs::create_directories("large");
    write_file("large/chain.0.record", record);
    {
      RecordFile file("large/chain.0.record", long_chain(), record.size());
      RecordedPrediction prediction;
      prediction.values.resize(RecordedRun::most_bytes_kept / sizeof(double));
      file.append(prediction);
    }
    check("a larger one is read as well", numbers == numbers_in("large"));

    // Earlier versions did not fill up the description.
    BlockHead head;
    std::memcpy(&head, record.data(), sizeof(head));
    std::string text = record.substr(sizeof(head), head.length) + " ";
    head.length      = text.size();
    head.checksum    = block_checksum(head.kind, text.data(), head.length);
    fs::create_directories("shifted");
    write_file("shifted/chain.0.record",
               std::string(reinterpret_cast<const char *>(&head),
                           sizeof(head)) +
                 text + record.substr(sizeof(head) + text.size() - 1));
    check("and one with blocks at odd places",
          numbers == numbers_in("shifted"));
  }

  void
  check_empty()
  {
    RunDescription run = ladder_with_odd_names();
    run.n_chains       = 1;
    write_record(run, "in_burn_in", 0, {5, 0}, 1.);
    check_export("in_burn_in", {"1 chain with 0 draws"});
    look("in_burn_in", "empty 1 5 0");
    run.n_recorded_rungs = 0;
    write_record(run, "without_draws", 0, {0, 0}, 1.);
    check_export("without_draws", {"1 chain with 0 draws"});
    look("without_draws", "empty 1 0 0");
  }

  void
  check_faults()
  {
    const std::string samples = read_file("long/samples.nc"),
                      draws   = read_file("long/draws.csv");
    std::signal(SIGXFSZ, SIG_IGN);
    const auto begun = []() {
      unsigned int n = 0;
      for (const auto &entry : fs::directory_iterator("long"))
        n += entry.path().extension() == ".new";
      return n;
    };
    check_refusal("a full disk is named",
                  {"export", "long"},
                  {"long/samples.nc'", "File too large"},
                  500000);
    // With some of these HDF5 itself crashes.
    for (const unsigned int n : {0, 1, 50, 100, 200, 500, 2000, 8000, 20000})
      check_refusal("a disk of " + std::to_string(n) + " bytes, too",
                    {"export", "long"},
                    {"long/samples.nc'", "File too large"},
                    n);
    // What an earlier run of this test may have left.
    fs::remove_all("taken");
    fs::create_directories("taken/draws.csv");
    check_refusal("a place of CSV that cannot be written, too",
                  {"export", "long", "--csv", "--output", "taken"},
                  {"taken/draws.csv'", "Is a directory"});
    fs::remove_all("taken");
    check("what was there before is untouched",
          samples == read_file("long/samples.nc") &&
            draws == read_file("long/draws.csv"));
    check("what was begun is removed", begun() == 0);

    // Full after a part of it.
    check_refusal("a file that cannot become longer is named",
                  {"export", "long"},
                  {"long/samples.nc'", "File too large"},
                  1000000);
    check("what was there before is still untouched",
          samples == read_file("long/samples.nc") && begun() == 0);
    fs::remove("long/samples.nc");
    check_export("long", {"long/draws.csv"});
    check("with room again it is as before",
          samples == read_file("long/samples.nc"));

    const CommandResult elsewhere =
      command({"export", "long", "--csv", "--output", "nothing/else"});
    check("files can be put elsewhere",
          elsewhere.exit_code == 0 &&
            samples == read_file("nothing/else/samples.nc") &&
            draws == read_file("nothing/else/draws.csv"),
          elsewhere.error);
    check_refusal("but not into a file",
                  {"export", "long", "--output", "long/draws.csv"},
                  {"long/draws.csv/samples.nc'",
                   "Not a directory",
                   "--output"});

    fs::create_directories("taken/samples.nc");
    check_refusal("a place that cannot be written is named",
                  {"export", "long", "--output", "taken"},
                  {"taken/samples.nc'", "Is a directory"});
    check_refusal("a folder that does not exist",
                  {"export", "nowhere"},
                  {"no folder 'nowhere'", "tempera run"});
    fs::create_directories("nothing");
    check_refusal("a folder without a record",
                  {"export", "nothing"},
                  {"no record", "nothing"});
    write_file("nothing/chain.0.record", "something else");
    check_refusal("a file that is no record",
                  {"export", "nothing"},
                  {"nothing/chain.0.record"});
    check_refusal("no folder at all", {"export"}, {"exactly one run"});
    check_refusal("two folders",
                  {"export", "long", "flipped"},
                  {"exactly one"});
    check_refusal("a wrong option", {"export", "long", "--cvs"}, {"--csv"});
  }
} // namespace


int
main()
{
  for (const char *folder : {"ladder",
                             "long",
                             "levels",
                             "flipped",
                             "large",
                             "shifted",
                             "in_burn_in",
                             "without_draws",
                             "nothing"})
    fs::remove_all(folder);
  check_ladder();
  check_levels();
  check_long_chain();
  check_ways_of_reading();
  check_empty();
  check_faults();
  return result();
}
