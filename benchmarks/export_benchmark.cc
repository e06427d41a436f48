// SPDX-License-Identifier: LGPL-2.1-or-later

// Does memory stay bounded, and how fast is a run exported? Writes the record
// of a run with two unknowns, then samples.nc and the CSV files from it, and
// says how long each took and how much memory the process needed at most.
//
// Usage: export_benchmark FOLDER [DRAWS [CHAINS [RUNGS]]]
//        (otherwise 10,000,000 draws, one chain, one rung)

#include <tempera/output/cmdstan_csv.h>
#include <tempera/output/record_file.h>
#include <tempera/output/samples_netcdf.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sys/resource.h>

namespace
{
  using namespace Tempera;

  using Clock = std::chrono::steady_clock;

  /** Most memory so far, in MB. */
  double
  most_memory()
  {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024.;
  }

  void
  report(const char             *what,
         const double            megabytes,
         const Clock::time_point begin)
  {
    const double seconds =
      std::chrono::duration<double>(Clock::now() - begin).count();
    std::printf("%-10s %8.1f MB %8.2f s %8.0f MB/s %8.1f MB resident at most\n",
                what,
                megabytes,
                seconds,
                megabytes / seconds,
                most_memory());
  }

  double
  size(const std::string &path)
  {
    return std::filesystem::file_size(path) / 1048576.;
  }

  double
  write_record(const RunDescription &run,
               const std::string    &path,
               const unsigned int    n_draws)
  {
    RecordFile          file(path, run);
    const unsigned int  n_rungs = run.n_recorded_rungs;
    std::vector<double> values(2);
    RecordedDraw        draw;
    draw.swaps.resize(n_rungs - 1);
    for (unsigned int i = 0; i < n_draws; ++i)
      {
        draw.round = i + 1;
        values     = {std::sin(0.1 * i), std::cos(0.3 * i)};
        draw.rungs.assign(n_rungs,
                          {0.5 * values[0] * values[0],
                           0.5 * values[1] * values[1],
                           0.1,
                           0.6,
                           0,
                           0,
                           values.data()});
        file.append(draw);
      }
    file.sync();
    return size(path);
  }
} // namespace


int
main(int argc, char **argv)
{
  if (argc < 2)
    {
      std::puts("Usage: export_benchmark FOLDER [DRAWS [CHAINS [RUNGS]]]");
      return 1;
    }
  const auto argument = [&](const int i, const unsigned int otherwise) {
    return argc > i ? unsigned(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  const std::string  folder  = argv[1];
  const unsigned int n_draws = argument(2, 10000000);
  RunDescription     run;
  run.version          = "benchmark";
  run.title            = "benchmark";
  run.n_chains         = argument(3, 1);
  run.n_recorded_rungs = argument(4, 1);
  run.n_rounds         = n_draws;
  run.names            = {"x", "y"};
  run.indices          = {0, 1};
  run.lower            = {-1., -1.};
  run.upper            = {1., 1.};
  run.kernels.assign(run.n_recorded_rungs, "MALA");
  run.levels = {"only"};
  run.rung_levels.assign(run.n_recorded_rungs, 0);

  std::filesystem::create_directories(folder);
  std::printf("%66.1f MB resident at the start\n", most_memory());
  auto   begin     = Clock::now();
  double megabytes = 0.;
  for (unsigned int chain = 0; chain < run.n_chains; ++chain)
    megabytes += write_record(run, folder + "/" + record_name(chain), n_draws);
  report("record", megabytes, begin);

  begin = Clock::now();
  const RecordedRun recorded(folder);
  report("reading", megabytes, begin);

  begin                     = Clock::now();
  const std::string samples = folder + "/samples.nc";
  write_samples_netcdf(recorded, samples);
  report("samples.nc", size(samples), begin);

  begin     = Clock::now();
  megabytes = 0.;
  for (const std::string &path : write_cmdstan_csv(recorded, folder))
    megabytes += size(path);
  report("CSV", megabytes, begin);
}
