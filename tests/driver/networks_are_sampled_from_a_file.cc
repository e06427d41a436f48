// SPDX-License-Identifier: LGPL-2.1-or-later

// Networks from parameter files: the paper's nonlinear problem finds u and
// alpha; the weighted form prints the noise that it implies; runs leave their
// curves; the same seed gives the same draws, with minibatches too; a run that
// diverges keeps what it has. What does not fit gets a helpful message.

#include "driver/command.h"

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  const std::string paper =
    std::string(TEMPERA_SOURCE_DIR) + "/prm/paper/pinn_";

  /** `run` of a file with settings; the output goes to a folder of its name. */
  CommandResult
  run(const std::string              &file,
      const std::vector<std::string> &settings,
      const std::string              &folder = "run",
      const std::string              &name   = "run")
  {
    std::vector<std::string> arguments{name, file};
    if (name == "run")
      for (const std::string &argument :
           {std::string("--output"), folder, std::string("--overwrite")})
        arguments.push_back(argument);
    for (const std::string &setting : settings)
      {
        arguments.push_back("--set");
        arguments.push_back(setting);
      }
    return command(arguments);
  }

  /** A number of prediction_summary.csv. */
  double
  figure(const std::string &folder, const std::string &name)
  {
    const std::string text = read_file(folder + "/prediction_summary.csv");
    const auto        at   = text.find("\n" + name + ",");
    return at == std::string::npos ?
             -1. :
             std::atof(text.c_str() + at + name.size() + 2);
  }

  void
  paper_problem_is_solved()
  {
    const CommandResult result =
      run(paper + "nonlinear_inverse.prm",
          {"Iterations = 10000", "Burn-in = 6000", "Random seed = 7"});
    check("the run ends well", result.exit_code == 0, result.error);
    check("u is found better than in the paper",
          figure("run", "mean relative error") > 0. &&
            figure("run", "mean relative error") < 0.0796,
          result.out);
    check("alpha is found",
          std::abs(figure("run", "mean of alpha") - 0.7) < 0.032,
          read_file("run/prediction_summary.csv"));
    // N tau / (2 w) = 30 1e-6 / (2 0.1)
    check("the weighted form prints the variance that it implies",
          contains(result.out, "30 misfits of the residual") &&
            contains(result.out, "= 0.00015)"),
          result.out);
    bool files = true;
    for (const char *file : {"errors.csv",
                             "errors.svg",
                             "prediction.csv",
                             "prediction.svg",
                             "chain.0.record",
                             "identifiability.csv",
                             "samples.svg"})
      files = files && std::filesystem::exists(std::string("run/") + file);
    check("the run leaves its curves", files);
    check("weights are not in the draws",
          recorded_draws("run").substr(0, 40).find("weight") ==
            std::string::npos);
  }

  void
  seeds_decide()
  {
    const std::vector<std::string> batches{"Iterations = 300",
                                           "Burn-in = 100",
                                           "Network/Hidden layers = 8, 8",
                                           "Levels/fine/Batch size = 7",
                                           "Levels/coarse/Batch size = 5"};
    run(paper + "nonlinear_inverse.prm", batches, "first");
    const CommandResult again =
      run(paper + "nonlinear_inverse.prm", batches, "second");
    check("the same seed gives the same draws, with minibatches too",
          again.exit_code == 0 &&
            recorded_draws("first") == recorded_draws("second") &&
            recorded_draws("first").size() > 500,
          again.error);
    check("minibatches are announced",
          contains(again.out, "gradients from minibatches"));

    std::vector<std::string> kernels = batches;
    kernels.push_back("Sampler/Kernel/Type = pSGLD");
    kernels.push_back("Sampler/Kernel/Step sizes = 1e-4");
    check("pSGLD takes minibatches",
          run(paper + "nonlinear_inverse.prm", kernels).exit_code == 0);
    kernels[5] = "Sampler/Kernel/Type = MALA";
    check("MALA does not",
          contains(run(paper + "nonlinear_inverse.prm", kernels).error,
                   "minibatches"));
  }

  void
  coefficients_may_be_outputs()
  {
    const CommandResult result = run(paper + "qgd_inverse.prm",
                                     {"Iterations = 200",
                                      "Burn-in = 100",
                                      "Levels/fine/Collocation points = 8, 3",
                                      "Levels/coarse/Collocation points = 6, 3",
                                      "Network/Data points = 8, 3",
                                      "Network/Coefficients/alpha = output",
                                      "Network/Warm start/Method = Adam",
                                      "Network/Warm start/Iterations = 50"});
    check("a coefficient may be an output of the network",
          result.exit_code == 0 &&
            contains(result.out, "2 -> 32 -> 32 -> 32 -> 2") &&
            contains(result.out, "biased low") &&
            contains(result.out, "mean of alpha") &&
            contains(result.out, "warm start of rung 1: Adam"),
          result.out + result.error);
  }

  void
  data_that_say_nothing_are_called_so()
  {
    const CommandResult result = run(paper + "qgd_inverse_best.prm",
                                     {"Iterations = 300",
                                      "Burn-in = 100",
                                      "Levels/fine/Collocation points = 24, 3",
                                      "Network/Data points = 24, 3",
                                      "Network/Warm start/Iterations = 60"});
    check("a short time says nothing about alpha, and the run says that",
          result.exit_code == 0 &&
            contains(result.out, "the data do not determine alpha"),
          result.out + result.error);
  }

  void
  divergence_keeps_what_there_is()
  {
    const CommandResult result = run(paper + "nonlinear_inverse_lt.prm",
                                     {"Iterations = 2000",
                                      "Burn-in = 10",
                                      "Sampler/Kernel/Step sizes = 1e200"});
    check("a chain that diverges says what to do",
          result.exit_code == 1 && contains(result.error, "is stuck") &&
            contains(result.error, "Step sizes"),
          result.error);
    check("and what was sampled so far is kept",
          std::filesystem::exists("run/chain.0.record") &&
            std::filesystem::exists("run/prediction_summary.csv"));
    const CommandResult adam =
      run(paper + "nonlinear_inverse_lt.prm",
          {"Network/Warm start/Method = Adam",
           "Network/Warm start/Learning rate = 1e200"});
    check("an optimiser that diverges says so",
          adam.exit_code == 1 && contains(adam.error, "diverged"),
          adam.error);
  }

  void
  mistakes_get_a_word()
  {
    const auto error = [](const std::string &setting,
                          const std::string &file = "nonlinear_inverse") {
      return run(paper + file + ".prm", {setting}, "", "validate").error;
    };
    check("no points",
          contains(error("Levels/fine/Collocation points = 0"),
                   "at least 2 points"));
    check("points of another dimension",
          contains(error("Levels/coarse/Collocation points = 20, 8"),
                   "'nonlinear reaction' has 1 coordinate and no time. Write "
                   "1 number") &&
            contains(error("Network/Data points = 64", "qgd_forward"),
                     "1 coordinate and the time"));
    check("a layer without neurons",
          contains(error("Network/Hidden layers = 32, 0"), "Hidden layers"));
    check("an equation that is not there",
          contains(error("Network/Equation = quasi-gas dynamic"),
                   "quasi-gas dynamics"));
    check("a batch that is no part",
          contains(error("Levels/fine/Batch size = 30"), "Batch size"));
    check("finite elements and a network at once",
          contains(error("Problem/Type = nonlinear reaction"),
                   "Remove one of them"));
    check("too many points for a linear system",
          contains(error("Levels/fine/Collocation points = 200, 30",
                         "qgd_forward_best"),
                   "or 'Adam'"));
    check("a truth of another length",
          contains(error("Observations/Truth = 0.7, 3"), "Truth"));
    check(
      "commands that are not for networks",
      contains(command({"simulate", paper + "qgd_forward.prm"}).error,
               "tempera run") &&
        contains(command({"truth", paper + "qgd_forward.prm"}).error,
                 "one or two unknowns") &&
        contains(command({"check-gradient", paper + "qgd_forward.prm"}).error,
                 "Precision = double"));
    check("a sensor outside",
          contains(error("Observations/Sensors = -0.5; 1.5"),
                   "outside the domain"));
    check("a coefficient without meaning",
          contains(error("Network/Coefficients/kappa = -1", "qgd_forward"),
                   "must be above 0"));
    check("a prior that reaches too far",
          contains(error("Network/Coefficients/alpha = normal(1, 1)",
                         "qgd_inverse"),
                   "log-normal"));
    check("neither boundary values nor a solution",
          contains(error("Network/Data/Exact solution ="), "Boundary value"));
    check("a start point for a network",
          contains(error("Sampler/Start = 1, 2"), "starts at random"));
    check("noise on data without a standard deviation",
          contains(error("Network/Likelihood/Noisy data = true"),
                   "Form = gaussian"));
    check("equations are listed",
          contains(command({"list"}).out, "Equations for networks"));
  }
} // namespace

int
main()
{
  paper_problem_is_solved();
  seeds_decide();
  coefficients_may_be_outputs();
  data_that_say_nothing_are_called_so();
  divergence_keeps_what_there_is();
  mistakes_get_a_word();
  return result();
}
