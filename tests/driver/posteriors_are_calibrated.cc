// SPDX-License-Identifier: LGPL-2.1-or-later

// Truths from the prior have uniform ranks among the draws of a right posterior
// (Talts et al. 2018): so they do on a small mesh, with sigma known, unknown or
// a covariance, and no longer if the data have other errors than the likelihood
// assumes. A run of the prior alone has the prior's law.

#include "driver/command.h"

#include <tempera/driver/parameters.h>
#include <tempera/inference/prior_energy.h>
#include <tempera/output/diagnostics.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  const std::string places = "  set Sensors = 0.2, 0.3; 0.5, 0.7; 0.8, 0.4\n"
                             "  set Times = 0.03\n  set Values = 1, 1, 1\n";

  /** Where a source is, on a mesh that is as coarse as it gets. */
  std::string
  file(const std::string &noise,
       const std::string &unknowns = "    set x = uniform(0.2, 0.8)\n"
                                     "    set y = uniform(0.2, 0.8)\n"
                                     "    set width = 0.25\n",
       const std::string &general  = "set Iterations = 1300\n")
  {
    return "set Chains = 1\nset Burn-in = 300\n" + general +
           "subsection Problem\n  set Type = pollution source\n"
           "  subsection Unknowns\n" +
           unknowns + "  end\nend\nsubsection Observations\n" + places + noise +
           "end\n"
           "subsection Levels\n"
           "  subsection fine\n    set Subdivisions = 6\n"
           "    set Time step = 0.01\n  end\n"
           "  subsection coarse\n    set Subdivisions = 4\n"
           "    set Time step = 0.03\n  end\n"
           "end\n"
           "subsection Sampler\n"
           "  subsection Ladder\n    set Temperatures = 1, 4\n"
           "    set Levels = fine, coarse\n  end\n"
           "  subsection Kernel\n    set Preconditioner = adapt\n"
           "    set Steps per round = 2\n  end\n"
           "end\n";
  }

  const std::string known   = "  set Noise = 0.2\n";
  const std::string unknown = "  set Noise = log-normal(0.2, 0.5)\n";
  const std::string correlated =
    "  set Covariance = 0.04, 0.03, 0; 0.03, 0.04, 0.01; 0, 0.01, 0.03\n";

  CommandResult
  calibrate(const std::string              &content,
            const std::string              &folder,
            const std::vector<std::string> &more = {},
            const std::atomic<bool>        *stop = nullptr)
  {
    write_file("calibrate.prm", content);
    std::vector<std::string> arguments{
      "calibrate", "calibrate.prm", "--output", folder, "--overwrite"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return command(arguments, stop);
  }

  std::size_t
  n_lines(const std::string &path)
  {
    const std::string text = read_file(path);
    return std::count(text.begin(), text.end(), '\n');
  }

  void
  check_right_posteriors()
  {
    const CommandResult result = calibrate(file(known), "right");
    check("a right posterior passes",
          result.exit_code == 0 &&
            contains(result.out, "No sign of a wrong posterior") &&
            !contains(result.out, "Warning"),
          result.out + result.error);
    check("its files: ranks of 100 runs, the tests and the histograms",
          n_lines("right/calibration.csv") == 101 &&
            contains(read_file("right/calibration.csv"),
                     "run,seed,effective_size,draws,rank_x,rank_y,"
                     "rank_log-likelihood,true_x,true_y\n1,") &&
            n_lines("right/calibration_test.csv") == 4 &&
            contains(read_file("right/calibration.svg"), "log-likelihood"));
    const CommandResult again = calibrate(file(known), "again");
    check("the same seed gives the same ranks",
          again.exit_code == 0 && read_file("again/calibration.csv") ==
                                    read_file("right/calibration.csv"));
    const CommandResult sigma = calibrate(file(unknown), "sigma");
    check("so does one with an unknown sigma",
          sigma.exit_code == 0 &&
            contains(read_file("sigma/calibration.csv"), "rank_sigma"),
          sigma.out + sigma.error);
    const CommandResult covariance = calibrate(file(correlated), "covariance");
    check("and one with a covariance",
          covariance.exit_code == 0,
          covariance.out + covariance.error);
  }

  void
  check_wrong_posteriors()
  {
    const CommandResult larger =
      calibrate(file(known), "wrong", {"--noise-factor", "2"});
    check("errors twice as large as assumed are found",
          larger.exit_code == 2 &&
            contains(larger.out, "The posterior is wrong") &&
            contains(larger.out, "truth fits the data worse") &&
            contains(larger.out, "wrong on purpose"),
          larger.out + larger.error);
    const CommandResult smaller =
      calibrate(file(known), "wrong", {"--noise-factor", "0.4"});
    check("and smaller ones",
          smaller.exit_code == 2 &&
            contains(smaller.out, "truth fits the data better"),
          smaller.out + smaller.error);
    // Draws that are hardly draws: the sampler is to blame, and is blamed.
    const CommandResult stuck =
      calibrate(file(known),
                "stuck",
                {"--set",
                 "Sampler/Kernel/Preconditioner = none",
                 "--set",
                 "Sampler/Kernel/Type = SGLD",
                 "--set",
                 "Sampler/Kernel/Step sizes = 1e-6",
                 "--set",
                 "Sampler/Swaps/Rule = none"});
    check("runs that are too short are found, and named",
          stuck.exit_code == 2 && contains(stuck.out, "too dependent") &&
            contains(stuck.out, "'Iterations'"),
          stuck.out + stuck.error);
  }

  void
  check_mistakes()
  {
    const auto mistake = [](const std::string              &name,
                            const CommandResult            &result,
                            const std::vector<std::string> &message) {
      bool right = result.exit_code == 1;
      for (const std::string &part : message)
        right = right && contains(result.error, part);
      check(name, right, result.out + result.error);
    };
    mistake("too few runs",
            calibrate(file(known), "none", {"--runs", "5"}),
            {"--runs", "20"});
    mistake("a negative factor",
            calibrate(file(known), "none", {"--noise-factor", "-1"}),
            {"--noise-factor"});
    mistake("another temperature than 1",
            calibrate(file(known),
                      "none",
                      {"--set", "Sampler/Ladder/Temperatures = 2, 4"}),
            {"coldest temperature is 2", "'Sampler/Ladder/Lowest temp"});
    mistake("the prior is not calibrated",
            calibrate(file(known), "none", {"--set", "Target = prior"}),
            {"'Target = prior'", "Remove it"});
    mistake("an analytic energy",
            calibrate("", "none"),
            {"not available", "no forward model", "'Problem/Type'"});
    mistake("a network",
            command({"calibrate",
                     TEMPERA_SOURCE_DIR
                     "/prm/paper/pinn_nonlinear_inverse.prm"}),
            {"not available", "no forward model"});
    const std::atomic<bool> stop(true);
    const CommandResult     stopped = calibrate(file(known), "none", {}, &stop);
    check("a stop is obeyed and said",
          stopped.exit_code == 130 &&
            contains(stopped.out, "stopped after 0 of 100 runs"),
          stopped.out + stopped.error);
  }

  /** Draws of the coldest rung, by unknown. */
  std::vector<std::vector<double>>
  draws_of(const Parameters &parameters)
  {
    const auto         target = parameters.make_target();
    const RunSettings &run    = parameters.settings;
    std::vector<Level> levels;
    for (const std::string &name : run.used_levels())
      levels.push_back({name,
                        run.samples_prior() ?
                          std::make_shared<PriorEnergy>(target->prior()) :
                          target->energy(name)});
    ReplicaExchange                  sampler(run.run,
                            run.swaps,
                            Ladder(run.ladder, run.kernel, std::move(levels)),
                            {target->centre()});
    std::vector<std::vector<double>> draws(target->unknowns().size());
    sampler.signals.draw.connect([&](const Draw &draw) {
      if (draw.rung == 0 && !draw.is_burn_in)
        for (std::size_t i = 0; i < draws.size(); ++i)
          draws[i].push_back(draw.position[i]);
    });
    sampler.run();
    return draws;
  }

  void
  check_prior()
  {
    const std::string priors[] = {"uniform(0, 1)",
                                  "normal(0.5, 0.2)",
                                  "log-normal(0.1, 0.3)",
                                  "log-normal(0.5, 0.5)"};
    const auto        text     = [&](const std::string &target) {
      return file("  set Noise = " + priors[3] + "\n",
                  "    set x = " + priors[0] + "\n    set y = " + priors[1] +
                    "\n    set width = " + priors[2] + "\n",
                  "set Target = " + target + "\nset Iterations = 20000\n");
    };
    write_file("prior.prm", text("prior"));
    write_file("posterior.prm", text("posterior"));
    const auto prior     = draws_of(Parameters(ParameterFile("prior.prm"))),
               posterior = draws_of(Parameters(ParameterFile("posterior.prm")));
    double largest_of_posterior = 0.;
    for (unsigned int i = 0; i < 4; ++i)
      {
        const Prior  law = Prior::from_text(priors[i], "");
        const auto   cdf = [&](const double x) { return law.cdf(x); };
        const double n   = convergence({prior[i]}).effective_size;
        // Kolmogorov's law exceeds 2.2 once in 8000 times.
        const double distance = distance_from_law(prior[i], cdf);
        check("a run of the prior has the law " + priors[i],
              n > 500. && distance < 2.2 / std::sqrt(n),
              std::to_string(distance) + " with " + std::to_string(n));
        largest_of_posterior =
          std::max(largest_of_posterior, distance_from_law(posterior[i], cdf));
      }
    check("a run of the posterior does not",
          largest_of_posterior > 0.2,
          std::to_string(largest_of_posterior));
    const CommandResult run =
      command({"run", "prior.prm", "--output", "prior", "--overwrite"});
    check("'Target = prior' is for 'tempera run'",
          run.exit_code == 0,
          run.out + run.error);
    const CommandResult analytic =
      (write_file("analytic.prm", "set Target = prior\n"),
       command({"validate", "analytic.prm"}));
    check("an analytic energy has no prior",
          analytic.exit_code == 1 &&
            contains(analytic.error, "'Target = prior'") &&
            contains(analytic.error, "'Problem/Type'"),
          analytic.error);
  }

  void
  check_prior_of_network()
  {
    const std::string path =
      TEMPERA_SOURCE_DIR "/prm/paper/pinn_nonlinear_inverse.prm";
    ParameterFile file(path);
    file.add_from_command_line("Target = prior");
    const Parameters   parameters(file);
    const auto         target = parameters.make_target();
    const PriorEnergy  energy(target->prior());
    const unsigned int n = energy.space().dimension();
    // Weights 1 of deviation 1: half of each one's square; alpha is uniform.
    std::vector<double> state(n, 1.);
    Evaluation          evaluation;
    evaluation.reference_gradient.assign(n, 7.);
    evaluation.potential_gradient.assign(n, 7.);
    energy.evaluate(dealii::make_array_view(std::as_const(state)),
                    RandomKey(),
                    Request::values_and_gradients,
                    evaluation);
    bool zero = true;
    for (const double entry : evaluation.potential_gradient)
      zero = zero && entry == 0.;
    check("the prior of a network has its weights and no misfit",
          std::abs(evaluation.reference - 0.5 * (n - 1)) < 1e-9 &&
            evaluation.potential == 0. && zero &&
            evaluation.reference_gradient[0] == 1. &&
            evaluation.reference_gradient[n - 1] == 0.,
          std::to_string(evaluation.reference));
    const CommandResult warm =
      command({"validate",
               TEMPERA_SOURCE_DIR "/prm/paper/pinn_nonlinear_inverse_best.prm",
               "--set",
               "Target = prior"});
    check("a warm start needs the data",
          warm.exit_code == 1 && contains(warm.error, "'Network/Warm start"),
          warm.error);
  }
} // namespace

int
main()
{
  check_right_posteriors();
  check_wrong_posteriors();
  check_mistakes();
  check_prior();
  check_prior_of_network();
  return result();
}
