// SPDX-License-Identifier: LGPL-2.1-or-later

// Truths from priors of every kind, data with errors of every law: their ranks
// among the draws are uniform. Where the errors are of another law than what is
// assumed, or the prior is another one, they are not. From a file to synthetic
// data, to the summary and to the report.

#include "driver/command.h"

#include <tempera/driver/parameters.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** A rod that leaks heat, with thermometers. */
  std::string
  file(const std::string &leak,
       const std::string &cooling,
       const std::string &noise,
       const std::string &sensors = "0.2; 0.4; 0.6; 0.8; 1")
  {
    return "set Chains = 1\nset Burn-in = 300\nset Iterations = 1500\n"
           "subsection Problem\n  set Type = expressions\n"
           "  set Dimension = 1\n  subsection Unknowns\n"
           "    set leak = " +
           leak + "\n    set cooling = " + cooling +
           "\n  end\n  subsection Equation\n    set Capacity = 0\n"
           "    set Diffusion = 1\n    set Reaction = leak\n"
           "    set Dirichlet value = 0: 1\n"
           "    set Exchange = 1: cooling\n  end\nend\n"
           "subsection Observations\n  set Sensors = " +
           sensors + "\n  set Synthetic data = fine\n  set Truth = 1, 0.5\n" +
           noise +
           "end\nsubsection Levels\n  subsection fine\n"
           "    set Subdivisions = 5\n  end\nend\n"
           "subsection Sampler\n  subsection Ladder\n"
           "    set Temperatures = 1, 4\n    set Levels = fine\n  end\n"
           "  subsection Kernel\n    set Preconditioner = adapt\n"
           "    set Steps per round = 3\n  end\nend\n";
  }

  CommandResult
  calibrate(const std::string              &content,
            const std::vector<std::string> &truths = {})
  {
    write_file("noise.prm", content);
    std::vector<std::string> arguments{"calibrate",
                                       "noise.prm",
                                       "--runs",
                                       "40",
                                       "--output",
                                       "noise",
                                       "--overwrite"};
    for (const std::string &truth : truths)
      {
        arguments.push_back("--truth");
        arguments.push_back(truth);
      }
    return command(arguments);
  }

  void
  check_right(const std::string &name, const std::string &content)
  {
    const CommandResult result = calibrate(content);
    check(name + " pass",
          result.exit_code == 0 &&
            contains(result.out, "No sign of a wrong posterior") &&
            !contains(result.out, "Warning"),
          result.out + result.error);
  }

  void
  check_wrong(const std::string              &name,
              const std::string              &content,
              const std::vector<std::string> &truths)
  {
    const CommandResult result = calibrate(content, truths);
    check(name + " are found",
          result.exit_code == 2 &&
            contains(result.out, "The posterior is wrong") &&
            contains(result.out, "wrong on purpose"),
          result.out + result.error);
  }

  const std::string leak = "log-uniform(0.3, 10)", cooling = "beta(2, 2)",
                    plain = "  set Noise = 0.05\n";

  void
  check_priors()
  {
    check_right("a log-uniform and a beta prior", file(leak, cooling, plain));
    check_right("a gamma and a half-normal prior",
                file("gamma(3, 1)", "half-normal(1)", plain));
    check_right("a Student and a normal prior, both cut",
                file("student-t(4, 2, 1) above 0.2",
                     "normal(0.5, 0.5) between 0 and 1",
                     plain));
    check_wrong("truths from another prior",
                file("gamma(3, 1)", "half-normal(1)", plain),
                {"Problem/Unknowns/leak = gamma(3, 2)"});
  }

  void
  check_noise()
  {
    const std::string student  = "  set Noise law = student-t\n"
                                 "  set Degrees of freedom = ",
                      outliers = "  set Noise law = outliers\n"
                                 "  set Outlier factor = 10\n"
                                 "  set Outlier share = ";
    check_right("Student errors with unknown degrees of freedom",
                file(leak, cooling, plain + student + "gamma(2, 4) above 1\n"));
    check_wrong("Student errors that are not Gaussian",
                file(leak, cooling, plain),
                {"Observations/Noise law = student-t",
                 "Observations/Degrees of freedom = 1.5"});
    check_right("outliers, of an unknown share",
                file(leak, cooling, plain + outliers + "beta(1, 4)\n"));
    check_wrong("outliers that nobody thought of",
                file(leak, cooling, plain),
                {"Observations/Noise law = outliers",
                 "Observations/Outlier factor = 10",
                 "Observations/Outlier share = 0.1"});
    check_right("proportional errors",
                file(leak,
                     cooling,
                     "  set Noise = log-normal(0.2, 0.5)\n"
                     "  set Noise scale = proportional\n"));
    check_wrong("proportional errors that are not absolute",
                file(leak, cooling, "  set Noise = 0.1\n"),
                {"Observations/Noise = 0.4",
                 "Observations/Noise scale = proportional"});
    check_right("errors of the logarithm",
                file(leak,
                     cooling,
                     "  set Noise = 0.3\n  set Noise scale = logarithmic\n"));
    check_wrong("errors of the logarithm that are absolute",
                file(leak, cooling, "  set Noise = 0.1\n"),
                {"Observations/Noise = 0.6",
                 "Observations/Noise scale = logarithmic"});
    const std::string limit = "  set Detection limit = 0.4\n";
    check_right("values below a detection limit",
                file(leak, cooling, plain + limit));
    check_wrong("limits that are taken for values",
                file(leak, cooling, plain),
                {"Observations/Detection limit = 0.4"});
  }

  /** The same rod, as its temperature changes. */
  std::string
  in_time(const std::string &noise)
  {
    std::string text = file("log-uniform(0.3, 10)", "beta(2, 2)", noise, "0.5");
    const auto  replace = [&](const std::string &from, const std::string &to) {
      text.replace(text.find(from), from.size(), to);
    };
    replace("set Capacity = 0", "set Capacity = 1");
    replace("set Synthetic data",
            "set Times = 0.1, 0.2, 0.3, 0.4, 0.5, 0.6\n  set Synthetic data");
    replace("set Subdivisions = 5",
            "set Subdivisions = 4\n    set Time step = 0.1");
    return text;
  }

  void
  check_correlated()
  {
    check_right("errors that are correlated in time, by an unknown one",
                in_time(plain +
                        "  set Correlation time = log-normal(0.3, 0.5)\n"));
    check_wrong("correlated errors that are taken for independent ones",
                in_time(plain),
                {"Observations/Correlation time = 2"});
  }

  void
  check_discrepancy()
  {
    const std::string sensors = "0.1; 0.2; 0.3; 0.4; 0.5; 0.6; 0.7; 0.8; 0.9",
                      length  = "  set Discrepancy length = 0.3\n";
    check_right(
      "a discrepancy of unknown size",
      file(leak,
           cooling,
           "  set Noise = 0.02\n  set Discrepancy = half-normal(0.1)\n" +
             length,
           sensors));
    check_wrong("discrepancies that nobody thought of",
                file(leak, cooling, "  set Noise = 0.02\n", sensors),
                {"Observations/Discrepancy = 0.1",
                 "Observations/Discrepancy length = 0.3"});
  }

  /** Synthetic data, a run, its summary and its exports. */
  void
  check_run()
  {
    const std::string noise =
      "  set Synthetic noise = 0.05\n"
      "  set Noise = log-normal(0.05, 0.5)\n"
      "  set Noise law = student-t\n"
      "  set Degrees of freedom = gamma(2, 4) above 1\n";
    const auto write = [&](const std::string &truth) {
      std::string       text = file(leak, cooling, noise);
      const std::string old  = "set Truth = 1, 0.5\n";
      text.replace(text.find(old), old.size(), "set Truth = " + truth + "\n");
      write_file("run.prm", text);
    };
    write("1, 0.5");
    const CommandResult missing = command({"validate", "run.prm"});
    check("synthetic data need the truth of the noise",
          missing.exit_code == 1 &&
            contains(missing.error, "'Observations/Truth'") &&
            contains(missing.error, "1 unknown number"),
          missing.out + missing.error);
    write("1, 0.5, 0.05, 3");
    const CommandResult run =
      command({"run", "run.prm", "--output", "run", "--overwrite"});
    check("a run has the numbers of the noise among its unknowns",
          run.exit_code == 0 && contains(run.out, "unknown dof: gamma(2, 4)") &&
            contains(run.out, "errors: Student t"),
          run.out + run.error);
    check("and its fit is not judged",
          contains(run.out, "not judged, the tests are for Gaussian errors"),
          run.out);
    check("its report has the priors' curves and no verdict on residuals",
          contains(read_file("run/report.html"), "\"noise\": \"Student t\""));
    const CommandResult limited =
      command({"simulate",
               "run.prm",
               "--output",
               "simulated",
               "--overwrite",
               "--set",
               "Observations/Detection limit = 0.95"});
    check("synthetic data below the limit are at the limit",
          limited.exit_code == 0 &&
            contains(read_file("simulated/predictions.csv"), ",0.95,"),
          limited.out + limited.error);
    const CommandResult network =
      command({"validate",
               TEMPERA_SOURCE_DIR "/prm/paper/pinn_nonlinear_inverse.prm",
               "--set",
               "Observations/Noise law = student-t"});
    check("networks have Gaussian errors",
          network.exit_code == 1 && contains(network.error, "for networks"),
          network.out + network.error);
    const CommandResult nothing =
      calibrate(file(leak,
                     cooling,
                     plain +
                       "  set Noise law = student-t\n"
                       "  set Degrees of freedom = gamma(2, 4) above 1\n"),
                {"Observations/Degrees of freedom = 3"});
    check("a truth without an unknown of the file is refused",
          nothing.exit_code == 1 && contains(nothing.error, "no 'dof'"),
          nothing.out + nothing.error);
  }
} // namespace

int
main()
{
  check_priors();
  check_noise();
  check_correlated();
  check_discrepancy();
  check_run();
  return result();
}
