// SPDX-License-Identifier: LGPL-2.1-or-later

// pSGLD samples a Gaussian whose standard deviations differ by a factor of 100:
// each unknown has the variance that Langevin steps with the frozen G give,
// s^2 tau / (1 - eta G / (2 s^2)), which is near the true one. SGLD with the
// same bias in the narrow directions does not reach the wide ones in as many
// steps. G is what RMSprop says, is frozen after burn-in, and depends on the
// seed alone; step factors multiply it once.

#include "sampler/diagonal_gaussian.h"

#include <tempera/base/user_error.h>
#include <tempera/sampler/langevin.h>
#include <tempera/sampler/replica_exchange.h>

#include <array>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  constexpr unsigned int n_scales = 3;
  /** Standard deviations. */
  constexpr std::array<double, n_scales> scales = {{0.01, 0.1, 1.}};

  struct Setting
  {
    std::string         kernel    = "pSGLD";
    double              step_size = 1e-3;
    unsigned int        dimension = 300;
    std::uint64_t       rounds    = 60000;
    std::uint64_t       burn_in   = 5000;
    std::uint64_t       seed      = 1;
    std::vector<double> temperatures{1.};
    Temper              temper   = Temper::posterior;
    bool                separate = false;
    std::vector<double> step_factors;
  };

  struct Run
  {
    /** By rung. */
    std::vector<StepScales> scales_after_burn_in, scales_at_end;
    std::vector<double>     last_position;
    /**
     * Square over true variance, averaged over the unknowns of a scale, for
     * all draws of the hottest rung.
     */
    std::array<std::vector<double>, n_scales> ratios;
    /** The same over the variance that the steps give. */
    std::array<std::vector<double>, n_scales> ratios_to_steps;
  };

  const StepScales &
  scales_of(const ReplicaExchange &sampler, const unsigned int rung)
  {
    return dynamic_cast<const LangevinState &>(sampler.kernel_state(rung))
      .tuning.scales();
  }

  std::vector<StepScales>
  all_scales(const ReplicaExchange &sampler)
  {
    std::vector<StepScales> result;
    for (unsigned int rung = 0; rung < sampler.get_ladder().size(); ++rung)
      result.push_back(scales_of(sampler, rung));
    return result;
  }

  /** The prior has a quarter of each precision. */
  constexpr double share_of_prior = 0.25;

  Run
  run(const Setting &setting)
  {
    std::vector<double> variances(setting.dimension);
    for (unsigned int i = 0; i < setting.dimension; ++i)
      variances[i] = scales[i % n_scales] * scales[i % n_scales];

    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = setting.temperatures;
    ladder_parameters.temper       = setting.temper;
    KernelParameters kernel_parameters;
    kernel_parameters.types      = {setting.kernel};
    kernel_parameters.step_sizes = {setting.step_size};
    RunParameters run_parameters;
    run_parameters.seed       = setting.seed;
    run_parameters.burn_in    = setting.burn_in;
    run_parameters.iterations = setting.burn_in + setting.rounds;
    Ladder ladder(ladder_parameters,
                  kernel_parameters,
                  {{"fine",
                    std::make_shared<DiagonalGaussian>(
                      variances, share_of_prior, setting.separate)}});
    ladder.set_step_factors(setting.step_factors);
    ReplicaExchange sampler(run_parameters,
                            SwapParameters(),
                            ladder,
                            {std::vector<double>(setting.dimension, 0.02)});

    Run                result;
    const unsigned int rung = ladder.size() - 1;
    sampler.signals.end_of_burn_in.connect([&](const RunReport &) {
      result.scales_after_burn_in = all_scales(sampler);
    });
    sampler.signals.draw.connect([&](const Draw &draw) {
      if (draw.is_burn_in || draw.rung != rung)
        return;
      const Rung       &hot        = sampler.get_ladder()[rung];
      const StepScales &hot_scales = scales_of(sampler, rung);
      const double      step_size  = sampler.kernel_state(rung).step_size();
      std::array<double, n_scales> sums{}, sums_to_steps{};
      for (unsigned int i = 0; i < setting.dimension; ++i)
        {
          const double precision =
            hot.exponents.reference * share_of_prior +
            hot.exponents.potential * (1. - share_of_prior);
          const double variance = variances[i] / precision;
          const double ratio = draw.position[i] * draw.position[i] / variance;
          const double square =
            hot_scales.squares.empty() ? 1. : hot_scales.squares[i];
          sums[i % n_scales] += ratio * n_scales / setting.dimension;
          sums_to_steps[i % n_scales] +=
            ratio *
            (1. - step_size * hot.temperature * square / (2. * variance)) *
            n_scales / setting.dimension;
        }
      for (unsigned int k = 0; k < n_scales; ++k)
        {
          result.ratios[k].push_back(sums[k]);
          result.ratios_to_steps[k].push_back(sums_to_steps[k]);
        }
    });
    sampler.run();
    result.scales_at_end = all_scales(sampler);
    result.last_position = sampler.replica(0).position;
    return result;
  }

  void
  check_variances(const std::string &name,
                  const Run         &the_run,
                  const double       tolerance)
  {
    bool        right = true;
    std::string details;
    for (unsigned int k = 0; k < n_scales; ++k)
      {
        const Estimate to_steps = estimate(the_run.ratios_to_steps[k]);
        const double   ratio    = estimate(the_run.ratios[k]).mean;
        right                   = right && to_steps.deviation(1.) < 6. &&
                to_steps.standard_error < 0.03 &&
                std::abs(ratio - 1.) < tolerance;
        details +=
          to_steps.text(1.) + ", to the truth " + std::to_string(ratio) + "; ";
      }
    check(name, right, details);
  }

  template <class Action>
  std::string
  message_of(const Action &action)
  {
    try
      {
        action();
      }
    catch (const UserError &error)
      {
        return error.what();
      }
    return "no error";
  }
} // namespace


int
main()
{
  const Run preconditioned = run(Setting());
  check_variances("pSGLD has the right variances at all scales",
                  preconditioned,
                  0.15);
  {
    const StepScales &learned = preconditioned.scales_at_end[0];
    double            largest = 0.;
    std::string       details;
    for (unsigned int k = 0; k < n_scales; ++k)
      {
        // An average of 100 correlated squares is rough: only its logarithm,
        // averaged over the unknowns of the scale, is asked for.
        double mean = 0.;
        for (unsigned int i = k; i < learned.preconditioner.size();
             i += n_scales)
          mean += std::log(learned.preconditioner[i] / scales[k]) * n_scales /
                  learned.preconditioner.size();
        largest = std::max(largest, std::abs(mean));
        details += std::to_string(mean) + " ";
      }
    check("G is about the standard deviation", largest < 0.5, details);
    check("G is frozen after burn-in",
          preconditioned.scales_after_burn_in[0].preconditioner ==
              learned.preconditioner &&
            preconditioned.scales_after_burn_in[0].roots == learned.roots);
    check("without step factors G alone scales the steps",
          learned.squares == learned.preconditioner);
  }
  {
    Setting setting;
    setting.kernel      = "SGLD";
    setting.step_size   = 1e-5;
    const Run    plain  = run(setting);
    const double narrow = estimate(plain.ratios[0]).mean,
                 wide   = estimate(plain.ratios[2]).mean;
    check("SGLD has the narrow variances only",
          std::abs(narrow - 1.) < 0.15 && wide < 0.7,
          std::to_string(narrow) + ", " + std::to_string(wide));
  }
  {
    Setting setting;
    setting.dimension = 240;
    check_variances("pSGLD with a short state", run(setting), 0.15);

    // Hot rungs, and with them swaps.
    setting.dimension    = 300;
    setting.temperatures = {1., 1.1};
    setting.temper       = Temper::likelihood;
    check_variances("pSGLD with swaps and a tempered likelihood",
                    run(setting),
                    0.15);
    setting.temperatures = {30.};
    check_variances("pSGLD at temperature 30 with the prior kept",
                    run(setting),
                    0.15);
    setting.temper    = Temper::posterior;
    setting.step_size = 5e-3;
    check_variances("pSGLD at temperature 30", run(setting), 0.15);
  }
  {
    Setting setting;
    setting.rounds       = 200;
    setting.burn_in      = 300;
    setting.temperatures = {1., 1.05};
    const Run first      = run(setting);
    check("same seed, same bits",
          first.last_position == run(setting).last_position);
    setting.separate = true;
    const Run late   = run(setting);
    check("gradients that come late change nothing",
          first.last_position == late.last_position &&
            first.scales_at_end[1].preconditioner ==
              late.scales_at_end[1].preconditioner);
    setting.separate = false;
    setting.seed     = 2;
    check("another seed, other numbers",
          first.last_position != run(setting).last_position);

    setting.seed = 1;
    setting.step_factors.assign(setting.dimension, 1.);
    setting.step_factors.back() = 7.;
    const Run         longer    = run(setting);
    const StepScales &learned   = longer.scales_at_end[1];
    bool              right     = true;
    for (unsigned int i = 0; i < setting.dimension; ++i)
      right = right &&
              learned.squares[i] ==
                learned.preconditioner[i] * setting.step_factors[i] &&
              learned.roots[i] == std::sqrt(learned.squares[i]);
    check("step factors multiply G", right);
    setting.kernel    = "SGLD";
    setting.step_size = 1e-5;
    check("without G the step factors are alone",
          run(setting).scales_at_end[0].squares == setting.step_factors);
    setting.step_factors.pop_back();
    const std::string message = message_of([&]() { run(setting); });
    check("step factors of the wrong number are refused",
          message.find("299 step factors") != std::string::npos,
          message);
  }
  {
    // The first average is the first square: nothing of the zeros that it
    // began with.
    KernelParameters         parameters;
    const PreconditionedSGLD kernel(parameters);
    Rung                     rung;
    rung.temperature         = 2.;
    rung.exponents.potential = 0.5;
    Replica        replica(0, {0., 0.}, 1);
    const auto     made           = kernel.make_state(rung, 2, 1);
    LangevinState &state          = dynamic_cast<LangevinState &>(*made);
    Evaluation    &evaluation     = replica.evaluations[0];
    evaluation.reference_gradient = {1., 0.};
    evaluation.potential_gradient = {2., 0.};
    kernel.adapt(rung, replica, state);
    const std::vector<double> &learned = state.tuning.scales().preconditioner;
    check("the average is right from the first step on",
          std::abs(learned[0] * (1e-5 + 4.) - 1.) < 1e-12 &&
            std::abs(learned[1] * 1e-5 - 1.) < 1e-12,
          std::to_string(learned[0]));

    bool refused = true;
    for (const NumberList &preconditioner :
         {NumberList("adapt"),
          NumberList("adapt dense"),
          NumberList(std::vector<double>{1., 2.})})
      {
        parameters.preconditioner = preconditioner;
        const std::string message =
          message_of([&]() { PreconditionedSGLD{parameters}; });
        refused = refused && message.find("'Sampler/Kernel/Preconditioner'") !=
                               std::string::npos;
      }
    check("another preconditioner is refused", refused);
    Setting setting;
    setting.burn_in           = 0;
    const std::string message = message_of([&]() { run(setting); });
    check("a run without burn-in is refused",
          message.find("'Burn-in' is 0") != std::string::npos,
          message);
  }
  return result();
}
