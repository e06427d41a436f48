// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/diagnostics.h>
#include <tempera/sampler/guarded_energy.h>
#include <tempera/sampler/replica_exchange.h>
#include <tempera/study/ladder_pilot.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    /** Chains of pilots have numbers that no run has. */
    constexpr std::uint32_t first_chain = 0x40000000;

    /** Effective draws of the number that is known worst. */
    double
    least_effective_size(const PilotResult &result)
    {
      std::vector<std::vector<double>> series = result.energies;
      double                           least  = effective_size_of_mean(series);
      const std::size_t                dimension = result.states[0][0].size();
      for (std::size_t i = 0; i < dimension; ++i)
        {
          double mean = 0.;
          for (std::size_t chain = 0; chain < series.size(); ++chain)
            for (std::size_t n = 0; n < series[chain].size(); ++n)
              {
                series[chain][n] = result.states[chain][n][i];
                mean += series[chain][n] / result.n_states();
              }
          const double of_mean = effective_size_of_mean(series);
          for (auto &chain : series)
            for (double &x : chain)
              x = (x - mean) * (x - mean);
          const double of_square = effective_size_of_mean(series);
          // Not a number if nothing has moved.
          if (!(least <= of_mean))
            least = of_mean;
          if (!(least <= of_square))
            least = of_square;
        }
      return std::isnan(least) ? 0. : least;
    }
  } // namespace



  const std::vector<double> &
  PilotResult::state(const std::size_t i) const
  {
    const std::vector<std::vector<double>> &chain = states[i % states.size()];
    return chain[i / states.size() % chain.size()];
  }



  std::size_t
  PilotResult::n_states() const
  {
    return states.size() * states[0].size();
  }



  LadderPilot::LadderPilot(Target             &target,
                           const std::string  &finest,
                           const std::uint64_t seed,
                           const unsigned int  n_chains)
    : target(target)
    , finest(finest)
    , seed(seed)
    , n_chains(n_chains)
  {}



  std::shared_ptr<const Energy>
  LadderPilot::energy(const std::string &level)
  {
    auto &kept = energies_of_levels[level];
    if (!kept)
      {
        kept = std::make_shared<GuardedEnergy>(target.energy(level));
        // The finest one is needed by the run itself.
        if (level != finest)
          all_work +=
            kept->set_up_work() / energy(finest)->work(Request::values);
      }
    return kept;
  }



  double
  LadderPilot::cost(const std::string &level, const Request request)
  {
    return energy(level)->work(request) / energy(finest)->work(Request::values);
  }



  PilotResult
  LadderPilot::run(const PilotLadder &wanted,
                   const unsigned int burn_in,
                   const unsigned int n_rounds,
                   const PilotResult *starts)
  {
    LadderParameters ladder_parameters;
    ladder_parameters.levels = {wanted.level};
    if (wanted.is_spaced)
      {
        ladder_parameters.temperatures        = "automatic";
        ladder_parameters.n_rungs             = wanted.temperatures.size();
        ladder_parameters.highest_temperature = wanted.temperatures.back();
      }
    else
      ladder_parameters.temperatures = wanted.temperatures;
    KernelParameters kernel_parameters;
    kernel_parameters.types          = {wanted.kernel};
    kernel_parameters.preconditioner = wanted.preconditioner.c_str();
    Ladder ladder(ladder_parameters,
                  kernel_parameters,
                  {{wanted.level, energy(wanted.level)}},
                  target.prior());
    ladder.set_step_factors(target.step_factors());

    RunParameters parameters;
    parameters.seed       = seed;
    parameters.burn_in    = burn_in;
    parameters.iterations = burn_in + n_rounds;

    PilotResult result;
    result.states.resize(n_chains);
    result.energies.resize(n_chains);
    result.temperatures.assign(ladder.size(), 0.);
    result.rejections.assign(ladder.size() - 1, 0.);
    double work = 0.;
    for (unsigned int chain = 0; chain < n_chains; ++chain)
      {
        parameters.chain = first_chain + n_runs * n_chains + chain;
        const auto random_start =
          [&, number = parameters.chain](const unsigned int rung,
                                         const unsigned int n_tried) {
            RandomKey key;
            key.seed    = seed;
            key.chain   = number;
            key.rung    = rung;
            key.round   = n_tried;
            key.purpose = Purpose::start;
            return target.start(key);
          };
        std::vector<std::vector<double>> start;
        for (unsigned int rung = 0; rung < ladder.size(); ++rung)
          start.push_back(
            starts != nullptr ?
              starts->state(starts->n_states() / n_chains / 2 * n_chains +
                            rung * n_chains + chain) :
            target.has_random_starts() ? random_start(rung, 0) :
                                         target.centre());
        ReplicaExchange sampler(parameters,
                                SwapParameters(),
                                ladder,
                                start,
                                nullptr,
                                Placement(),
                                target.has_random_starts() ?
                                  AnotherStart(random_start) :
                                  AnotherStart());
        sampler.signals.draw.connect([&](const Draw &draw) {
          if (draw.rung > 0 || draw.is_burn_in)
            return;
          result.states[chain].emplace_back(draw.position.begin(),
                                            draw.position.end());
          result.energies[chain].push_back(draw.energy());
        });
        sampler.run();

        const RunReport report = sampler.report();
        work += (report.work - report.set_up_work) *
                cost(wanted.level, Request::values);
        for (unsigned int i = 0; i < ladder.size(); ++i)
          result.temperatures[i] +=
            std::log(sampler.get_ladder()[i].temperature) / n_chains;
        for (unsigned int i = 0; i + 1 < ladder.size(); ++i)
          result.rejections[i] +=
            (1. - report.pairs[i].acceptance()) / n_chains;
      }
    for (double &temperature : result.temperatures)
      temperature = std::exp(temperature);
    ++n_runs;
    all_work += work;
    result.work_per_round = work / n_chains / parameters.iterations;
    result.effective_size = least_effective_size(result);
    result.autocorrelation_time =
      result.effective_size > 0. ?
        std::max(1., result.n_states() / result.effective_size) :
        std::numeric_limits<double>::infinity();
    return result;
  }



  std::vector<double>
  LadderPilot::energies(const std::string                      &level,
                        const std::vector<std::vector<double>> &states)
  {
    const auto          one = energy(level);
    std::vector<double> result;
    Evaluation          evaluation;
    evaluation.reference_gradient.resize(one->space().dimension());
    evaluation.potential_gradient.resize(one->space().dimension());
    for (const std::vector<double> &state : states)
      {
        evaluation.invalidate();
        one->evaluate(dealii::make_array_view(state),
                      RandomKey(),
                      Request::values,
                      evaluation);
        result.push_back(evaluation.energy());
      }
    all_work += states.size() * cost(level, Request::values);
    return result;
  }
} // namespace Tempera
