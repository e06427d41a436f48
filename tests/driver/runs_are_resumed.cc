// SPDX-License-Identifier: LGPL-2.1-or-later

// A run that is stopped and resumed, once or often, in burn-in or after it,
// records exactly the numbers of a run that was never interrupted, whatever it
// samples; a finished run can be made longer; checkpoints that are damaged, of
// other parameters, of another version or build are refused with the remedy.

#include "driver/command.h"

#include <tempera/output/record_file.h>
#include <tempera/run/checkpoint.h>

#include <thread>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Temperatures, steps, preconditioner and noise are all adapted. */
  const std::string mixture = R"(
set Chains = 2
set Iterations = 3000
set Burn-in = 1500
set Thinning = 3
subsection Energy
  subsection Gaussian mixture
    set Means = -2, 0; 2, 0
  end
end
subsection Sampler
  set Start = 2, 0
  subsection Ladder
    set Temperatures = automatic
    set Number of rungs = 3
    set Levels = fine, coarse, coarse
  end
  subsection Kernel
    set Type = MALA, SGLD, SGLD
    set Step sizes = 0.1
    set Preconditioner = adapt
  end
  subsection Swaps
    set Rule = exact
  end
end
subsection Levels
  subsection coarse
    set Bias = 0.3
    set Noise = 0.2
  end
end
subsection Output
  set Report = false
end
)";

  /** Gradients by adjoint sweeps wait for the swaps to be over. */
  const std::string source = R"(
set Chains = 2
set Iterations = 300
set Burn-in = 100
subsection Problem
  set Type = pollution source
  subsection Unknowns
    set x = uniform(0, 1)
    set y = uniform(0, 1)
  end
end
subsection Observations
  set Sensors = 0.5, 0.3; 0.5, 0.6
  set Times   = 0.03
  set Values  = 2.09, 2.09
  set Noise   = 0.35
end
subsection Solver
  set Gradient = adjoint
end
subsection Levels
  subsection fine
    set Subdivisions = 8
    set Time step    = 0.003
  end
  subsection coarse
    set Subdivisions = 4
    set Time step    = 0.006
  end
end
subsection Sampler
  subsection Ladder
    set Temperatures = 1, 4
    set Levels = fine, coarse
  end
  subsection Kernel
    set Step sizes = 0.001
  end
end
subsection Output
  set Report = false
  set Mesh error = 0
end
)";

  /** Minibatches, averages of squared gradients, a warm start, curves. */
  const std::string network =
    "include " TEMPERA_SOURCE_DIR "/prm/paper/pinn_nonlinear_inverse.prm\n"
    R"(
set Chains = 2
set Iterations = 300
set Burn-in = 100
set Thinning = 1
subsection Network
  subsection Warm start
    set Method = Adam
    set Iterations = 20
  end
end
subsection Levels
  subsection fine
    set Batch size = 5
  end
end
subsection Sampler
  subsection Kernel
    set Type = pSGLD
  end
end
subsection Output
  set Report = false
end
)";

  std::vector<std::string>
  run_of(const std::string              &file,
         const std::string              &folder,
         const std::vector<std::string> &more)
  {
    std::vector<std::string> arguments = {"run", file, "--output", folder};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  /** Run and stop when the record has so many bytes; whether it was stopped. */
  CommandResult
  run_and_stop(const std::string              &file,
               const std::string              &folder,
               const std::uintmax_t            n_bytes,
               const std::vector<std::string> &more)
  {
    std::atomic<bool>   stop(false), is_over(false);
    std::thread         stopper([&]() {
      const std::string record = folder + "/chain.0.record";
      std::error_code   error;
      while (!is_over && (!std::filesystem::exists(record) ||
                          std::filesystem::file_size(record, error) < n_bytes))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      stop = true;
    });
    const CommandResult result = command(run_of(file, folder, more), &stop);
    is_over                    = true;
    stopper.join();
    return result;
  }

  void
  check_resume(const std::string &name, const std::string &file)
  {
    std::filesystem::remove_all(name + "_whole");
    std::filesystem::remove_all(name + "_parts");
    const std::string prm = name + ".prm";
    write_file(prm, file);
    const CommandResult whole = command(run_of(prm, name + "_whole", {}));
    if (whole.exit_code != 0)
      {
        check(name + ": runs", false, whole.error);
        return;
      }
    const std::string    truth = recorded_draws(name + "_whole");
    const std::uintmax_t n_bytes =
      std::filesystem::file_size(name + "_whole/chain.0.record");

    unsigned int        n_stops = 0;
    CommandResult       result;
    std::vector<double> parts = {0.01, 0.2, 0.4, 0.5, 0.6, 0.8, 2.};
    for (const double part : parts)
      {
        result =
          run_and_stop(prm,
                       name + "_parts",
                       part * n_bytes,
                       {"--resume", "--set", "Output/Checkpoint rounds = 37"});
        n_stops += result.exit_code == 130;
        if (result.exit_code == 0)
          break;
      }
    check(name + ": is stopped and resumed to its end",
          n_stops >= 2 && result.exit_code == 0,
          std::to_string(n_stops) + " stops, " + result.error);
    check(name + ": has the draws of the run that was not stopped",
          recorded_draws(name + "_parts") == truth);
    check(name + ": and its statistics",
          read_file(name + "_parts/statistics").size() > 100);
    check(name + ": and its predictions", [&]() {
      const RecordedRun one(name + "_whole"), other(name + "_parts");
      const auto        a = one.predictions(0), b = other.predictions(0);
      bool              same = a.size() == b.size();
      for (std::size_t i = 0; same && i < a.size(); ++i)
        same = a[i].draw == b[i].draw && a[i].values == b[i].values;
      return same && (name == "mixture" || a.size() > 0);
    }());
  }

  void
  check_extension()
  {
    write_file("short.prm", mixture);
    std::filesystem::remove_all("short");
    command(run_of("short.prm", "short", {}));
    const CommandResult longer = command(
      run_of("short.prm", "short", {"--resume", "--set", "Iterations = 4500"}));
    std::filesystem::remove_all("long");
    command(run_of("short.prm", "long", {"--set", "Iterations = 4500"}));
    check("a finished run is made longer",
          longer.exit_code == 0 &&
            recorded_draws("short") == recorded_draws("long"),
          longer.error);
    check("and knows it",
          RecordedRun("short").description().n_rounds == 4500 &&
            contains(read_file("short/parameters.prm"), "4500"));
    check("and the log goes on",
          contains(read_file("short/log.txt"), "resumed after 3000 rounds"));
  }

  void
  check_refusals()
  {
    const auto resume = [](const std::vector<std::string> &more) {
      std::vector<std::string> options = {"--resume"};
      options.insert(options.end(), more.begin(), more.end());
      return command(run_of("short.prm", "refused", options));
    };
    std::filesystem::remove_all("refused");
    command(run_of("short.prm",
                   "refused",
                   {"--set", "Output/Checkpoint rounds = 1000"}));
    const std::string truth      = recorded_draws("refused");
    const std::string checkpoint = read_file("refused/checkpoint");
    const std::string record     = read_file("refused/chain.1.record");

    std::string damaged = checkpoint;
    damaged[damaged.size() / 2] ^= 4;
    write_file("refused/checkpoint", damaged);
    CommandResult result = resume({});
    check("a damaged checkpoint is refused",
          result.exit_code == 1 && contains(result.error, "is damaged") &&
            contains(result.error, "--resume-previous"),
          result.error);
    check("the one before it serves",
          command(run_of("short.prm", "refused", {"--resume-previous"}))
                .exit_code == 0 &&
            recorded_draws("refused") == truth);

    write_file("refused/checkpoint", "");
    result = resume({});
    check("an empty one too",
          result.exit_code == 1 && contains(result.error, "is damaged"),
          result.error);
    write_file("refused/checkpoint", checkpoint);

    result = resume({"--set", "Sampler/Kernel/Step sizes = 0.2"});
    check("other parameters are refused, by name",
          result.exit_code == 1 &&
            contains(result.error,
                     "'Sampler/Kernel/Step sizes' was '0.1' and is '0.2'"),
          result.error);
    check("what was there is kept", recorded_draws("refused") == truth);

    Checkpoint other       = checkpoint_from_bytes(checkpoint);
    other.identity.version = "9.9.9";
    write_file("refused/checkpoint", checkpoint_to_bytes(other));
    result = resume({});
    check("another version is refused",
          result.exit_code == 1 && contains(result.error, "version 9.9.9") &&
            contains(result.error, "--any-build"),
          result.error);
    other                = checkpoint_from_bytes(checkpoint);
    other.identity.build = "12345678";
    write_file("refused/checkpoint", checkpoint_to_bytes(other));
    result = resume({});
    check("another build is refused",
          result.exit_code == 1 && contains(result.error, "another build"),
          result.error);
    check("unless it is asked for", resume({"--any-build"}).exit_code == 0);

    write_file("refused/checkpoint", checkpoint);
    write_file("refused/chain.1.record", record.substr(0, record.size() / 2));
    result = resume({});
    check("a record that is shorter than the checkpoint says is refused",
          result.exit_code == 1 && contains(result.error, "chain.1.record") &&
            contains(result.error, "changed from outside"),
          result.error);
    write_file("refused/chain.1.record", record);

    {
      const RecordFile writer("refused/chain.0.record",
                              RecordedRun("refused").description(),
                              std::filesystem::file_size(
                                "refused/chain.0.record"));
      result = resume({});
      check("two processes do not write one run",
            result.exit_code == 1 &&
              contains(result.error, "Another process is writing"),
            result.error);
    }
    check("when the other one is gone, it goes on", resume({}).exit_code == 0);

    result =
      command(run_of("short.prm", "refused", {"--resume", "--overwrite"}));
    check("either resume or overwrite", result.exit_code == 1);
    result = command(run_of("short.prm", "refused", {}));
    check("without either, a run is not touched",
          result.exit_code == 1 && contains(result.error, "--resume"),
          result.error);

    // Killed before the first checkpoint.
    std::filesystem::remove("refused/checkpoint");
    std::filesystem::remove("refused/checkpoint.previous");
    check("without a checkpoint the same run begins again",
          resume({}).exit_code == 0 && recorded_draws("refused") == truth);
    std::filesystem::remove("refused/checkpoint");
    std::filesystem::remove("refused/checkpoint.previous");
    result = resume({"--set", "Random seed = 5"});
    check("but another one is not replaced",
          result.exit_code == 1 && recorded_draws("refused") == truth,
          result.error);
  }
} // namespace


int
main()
{
  check_resume("mixture", mixture);
  check_resume("source", source);
  check_resume("network", network);
  check_extension();
  check_refusals();
  return result();
}
