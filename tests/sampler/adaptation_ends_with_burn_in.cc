// SPDX-License-Identifier: LGPL-2.1-or-later

// What burn-in settles is right (acceptance at its target, equal rejection
// along the ladder, the preconditioner, the noise of the energies) and does not
// change afterwards.

#include "tests.h"

#include <tempera/analytic/decorators.h>
#include <tempera/analytic/gaussian.h>
#include <tempera/sampler/adaptation.h>
#include <tempera/sampler/langevin.h>
#include <tempera/sampler/replica_exchange.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  struct Run
  {
    RunReport report;
    Ladder    ladder_after_burn_in, ladder_at_end;
    /** By rung. */
    std::vector<StepTuning> tuning_after_burn_in, tuning_at_end;
  };

  std::vector<StepTuning>
  all_tuning(const ReplicaExchange &sampler)
  {
    std::vector<StepTuning> result;
    for (unsigned int rung = 0; rung < sampler.get_ladder().size(); ++rung)
      result.push_back(
        dynamic_cast<const LangevinState &>(sampler.kernel_state(rung)).tuning);
    return result;
  }

  Run
  run(const std::vector<Level> &levels,
      const LadderParameters   &ladder_parameters,
      const KernelParameters   &kernel_parameters,
      const SwapParameters     &swap_parameters)
  {
    RunParameters run_parameters;
    run_parameters.burn_in    = 20000;
    run_parameters.iterations = 60000;
    ReplicaExchange sampler(
      run_parameters,
      swap_parameters,
      Ladder(ladder_parameters, kernel_parameters, levels),
      {std::vector<double>(levels[0].energy->space().dimension(), 0.)});
    std::unique_ptr<Ladder> after_burn_in;
    std::vector<StepTuning> tuning;
    sampler.signals.end_of_burn_in.connect([&](const RunReport &) {
      after_burn_in = std::make_unique<Ladder>(sampler.get_ladder());
      tuning        = all_tuning(sampler);
    });
    sampler.run();
    return {sampler.report(),
            *after_burn_in,
            sampler.get_ladder(),
            tuning,
            all_tuning(sampler)};
  }

  /** Largest less smallest rejection of the pairs. */
  double
  spread_of_rejections(const RunReport &report)
  {
    double lowest = 1., highest = 0.;
    for (const PairReport &pair : report.pairs)
      {
        lowest  = std::min(lowest, 1. - pair.acceptance());
        highest = std::max(highest, 1. - pair.acceptance());
      }
    return highest - lowest;
  }

  bool
  is_close(const double value, const double truth)
  {
    return std::abs(value / truth - 1.) < 1e-12;
  }

  /** By hand, with the constants of Hoffman and Gelman (2014), but t0 = 10. */
  void
  check_formulas()
  {
    StepSizeAdaptation step_size(0.2, 0.6);
    const double       first = step_size.update(0.38);
    // The mean error is 0.22/11 = 0.02; sqrt(1)/0.05 of it are 0.4.
    check("dual averaging, first step", is_close(first, 2. * std::exp(-0.4)));
    const double second = step_size.update(0.62);
    // Then 0.02 + (-0.02 - 0.02)/12.
    const double log_second =
      std::log(2.) - std::sqrt(2.) / 0.05 * (0.02 - 0.04 / 12.);
    check("dual averaging, second step",
          is_close(second, std::exp(log_second)));
    check("dual averaging, mean",
          is_close(step_size.averaged(),
                   std::exp(std::log(first) +
                            std::pow(2., -0.75) *
                              (log_second - std::log(first)))));

    // Variances 1 and 16, up to a factor: of 20 draws' weight and 5 more, a
    // fifth is that of the common scale, 4.
    const std::vector<double> scales =
      preconditioner_from_variances({1., 16.}, 20);
    const double narrow = 0.8 * 1. + 0.2 * 4., wide = 0.8 * 16. + 0.2 * 4.;
    check("variances are drawn to their mean",
          is_close(scales[0], std::sqrt(narrow / wide)) &&
            is_close(scales[1], std::sqrt(wide / narrow)));
  }
} // namespace


int
main()
{
  check_formulas();
  Gaussian::Parameters parameters;
  parameters.mean             = {0., 0.};
  parameters.covariance       = {{100., 0.}, {0., 0.01}};
  const auto         gaussian = std::make_shared<Gaussian>(parameters);
  std::vector<Level> levels   = {{"fine", gaussian}};
  {
    LadderParameters ladder_parameters;
    ladder_parameters.n_rungs             = 5;
    ladder_parameters.temperatures        = "automatic";
    ladder_parameters.highest_temperature = 50.;
    KernelParameters kernel_parameters;
    kernel_parameters.preconditioner = "adapt";
    // A bad first guess.
    kernel_parameters.step_sizes = {1e-5};
    // A ladder that begins badly spaced, so that there is something to adapt:
    // coarse levels differ, which makes one pair reject more.
    levels.push_back(
      {"coarse", std::make_shared<BiasedEnergy>(gaussian, 1.5, 3.)});
    ladder_parameters.levels = {"fine", "coarse", "coarse", "coarse", "coarse"};
    const Run adapted =
      run(levels, ladder_parameters, kernel_parameters, SwapParameters());

    ladder_parameters.temperatures = "geometric";
    const Run geometric =
      run(levels, ladder_parameters, kernel_parameters, SwapParameters());
    const double spread           = spread_of_rejections(adapted.report),
                 geometric_spread = spread_of_rejections(geometric.report);
    check("automatic spacing evens out the rejections",
          spread < 0.1 && spread < 0.5 * geometric_spread,
          std::to_string(spread) + ", geometric " +
            std::to_string(geometric_spread));
    check("the ends of the ladder stay",
          adapted.ladder_at_end[0].temperature == 1. &&
            adapted.ladder_at_end[4].temperature == 50.);

    bool frozen = true, on_target = true, scaled = true;
    for (unsigned int i = 0; i < 5; ++i)
      {
        const StepTuning &before          = adapted.tuning_after_burn_in[i],
                         &after           = adapted.tuning_at_end[i];
        const std::vector<double> &scales = after.scales().preconditioner;
        frozen                            = frozen &&
                 adapted.ladder_after_burn_in[i].temperature ==
                   adapted.ladder_at_end[i].temperature &&
                 before.step_size() == after.step_size() &&
                 before.scales().preconditioner == scales;
        on_target = on_target && std::abs(adapted.report.rungs[i].acceptance() -
                                          0.574) < 0.05;
        // The coarse level adds a ripple to the narrow direction, no more.
        const double ratio = scales[0] / scales[1];
        scaled             = scaled && ratio > 0.3e4 && ratio < 3e4;
      }
    check("temperatures, steps and preconditioners are frozen", frozen);
    check("acceptance is at its target", on_target);
    check("the preconditioner has the ratio of the variances", scaled);
  }
  {
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = std::vector<double>{1., 2.};
    ladder_parameters.levels       = {"fine", "coarse"};
    KernelParameters kernel_parameters;
    kernel_parameters.types      = {"SGLD"};
    kernel_parameters.step_sizes = {0.001};
    for (const bool two_stage : {false, true})
      {
        SwapParameters swap_parameters;
        swap_parameters.two_stage             = two_stage;
        swap_parameters.correlation           = 0.4;
        const std::vector<Level> noisy_levels = {
          {"fine", std::make_shared<NoisyEnergy>(gaussian, 0.7, 1., 0.4, 0)},
          {"coarse", std::make_shared<NoisyEnergy>(gaussian, 1.3, 1., 0.4, 1)}};
        const Run estimated   = run(noisy_levels,
                                  ladder_parameters,
                                  kernel_parameters,
                                  swap_parameters);
        swap_parameters.noise = std::vector<double>{0.7, 1.3};
        const Run given       = run(noisy_levels,
                              ladder_parameters,
                              kernel_parameters,
                              swap_parameters);

        const std::string name = two_stage ? " in two stages" : " in one stage";
        bool              same = true;
        for (std::size_t stage = 0;
             stage < given.report.pairs[0].penalties.size();
             ++stage)
          same = same && std::abs(estimated.report.pairs[0].penalties[stage] /
                                    given.report.pairs[0].penalties[stage] -
                                  1.) < 0.2;
        check("the estimated penalty is that of the true noise" + name, same);
        check("the estimated noise is the true one" + name,
              std::abs(estimated.report.rungs[0].noise - 0.7) < 0.07 &&
                std::abs(estimated.report.rungs[1].noise - 1.3) < 0.13);
        check("the noise is frozen" + name,
              estimated.ladder_after_burn_in[0].noise ==
                estimated.ladder_at_end[0].noise);
      }
    // The difference between two deterministic levels is a bias, not noise.
    LadderParameters two = ladder_parameters;
    const Run        deterministic =
      run({{"fine", gaussian},
           {"coarse", std::make_shared<BiasedEnergy>(gaussian, 1., 3.)}},
          two,
          kernel_parameters,
          SwapParameters());
    check("deterministic levels have no penalty",
          deterministic.report.pairs[0].penalties ==
            std::vector<double>({0., 0.}));
    check("the difference of the rules is measured",
          deterministic.report.pairs[0].rule_difference.count() > 1000 &&
            deterministic.report.pairs[0].rule_difference.standard_deviation() >
              0.1);
  }
  return result();
}
