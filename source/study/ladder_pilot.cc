// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/output/diagnostics.h>
#include <tempera/sampler/guarded_energy.h>
#include <tempera/sampler/replica_exchange.h>
#include <tempera/study/ladder_pilot.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace Tempera
{
  namespace
  {
    /** Chains of pilots have numbers that no run has. */
    constexpr std::uint32_t first_chain = 0x40000000;

    using Series = std::vector<std::vector<double>>;

    /** By number and chain: the energy, all unknowns, and their squares. */
    std::vector<Series>
    numbers_of(const PilotResult &result, const std::vector<double> &centre)
    {
      std::vector<Series> numbers = {result.energies};
      for (std::size_t i = 0; i < centre.size(); ++i)
        {
          Series values, squares;
          for (const auto &chain : result.states)
            {
              values.emplace_back();
              squares.emplace_back();
              for (const std::vector<double> &state : chain)
                {
                  const double x = state[i] - centre[i];
                  values.back().push_back(x);
                  squares.back().push_back(x * x);
                }
            }
          numbers.push_back(std::move(values));
          numbers.push_back(std::move(squares));
        }
      return numbers;
    }

    std::vector<Moments>
    moments_of(const PilotResult &result)
    {
      std::vector<Moments> moments(result.states[0][0].size());
      for (const auto &chain : result.states)
        for (const std::vector<double> &state : chain)
          for (std::size_t i = 0; i < state.size(); ++i)
            moments[i].add(state[i]);
      return moments;
    }

    std::vector<double>
    centre_of(const PilotResult &result)
    {
      std::vector<double> centre;
      for (const Moments &moments : moments_of(result))
        centre.push_back(moments.mean());
      return centre;
    }

    /** Effective draws; none of a number that never changes. */
    double
    effective_size_of(const Series &series)
    {
      const double size = effective_size_of_mean(series);
      return std::isnan(size) ? 0. : size;
    }

    /** Of the number that is known worst. */
    double
    least_effective_size(const PilotResult &result)
    {
      double least = std::numeric_limits<double>::infinity();
      for (const Series &series : numbers_of(result, centre_of(result)))
        least = std::min(least, effective_size_of(series));
      return least;
    }

    /** Mean of a number, and the square of its error. */
    std::pair<double, double>
    mean_and_squared_error(const Series &series)
    {
      Moments moments;
      for (const std::vector<double> &chain : series)
        for (const double value : chain)
          moments.add(value);
      return {moments.mean(), moments.variance() / effective_size_of(series)};
    }
  } // namespace



  double
  PilotResult::barrier() const
  {
    return std::accumulate(rejections.begin(), rejections.end(), 0.);
  }



  double
  PilotResult::error_of_logarithm() const
  {
    return 2. / std::sqrt(std::max(1., effective_size));
  }



  const std::vector<double> &
  PilotResult::state(const std::size_t i) const
  {
    return states[i % states.size()][i / states.size()];
  }



  std::vector<std::vector<double>>
  PilotResult::spread_states(const std::size_t n) const
  {
    std::vector<std::vector<double>> result;
    for (std::size_t i = 0; i < n; ++i)
      result.push_back(
        state(static_cast<std::size_t>((i + 0.5) / n * n_states())));
    return result;
  }



  std::vector<std::vector<double>>
  PilotResult::states_for(const std::vector<double> &other_temperatures) const
  {
    std::vector<std::vector<double>> result;
    for (const double temperature : other_temperatures)
      {
        std::size_t rung = 0;
        for (std::size_t i = 1; i < temperatures.size(); ++i)
          if (std::abs(std::cbrt(1. / temperatures[i]) -
                       std::cbrt(1. / temperature)) <
              std::abs(std::cbrt(1. / temperatures[rung]) -
                       std::cbrt(1. / temperature)))
            rung = i;
        for (const auto &chain : last_states)
          result.push_back(chain[rung]);
      }
    return result;
  }



  std::vector<std::vector<double>>
  PilotResult::hot_states(const std::size_t n) const
  {
    const std::size_t n_hot = (temperatures.size() - 1) * last_states.size();
    std::vector<std::vector<double>> result;
    for (std::size_t i = 0; i < std::min(n, n_hot); ++i)
      {
        const auto k = static_cast<std::size_t>((i + 0.5) / n * n_hot);
        result.push_back(
          last_states[k % last_states.size()][1 + k / last_states.size()]);
      }
    return result;
  }



  std::vector<std::vector<double>>
  PilotResult::distant_states(const std::size_t n) const
  {
    constexpr std::size_t most = 200;

    const std::vector<std::vector<double>> some =
      spread_states(std::min(most, n_states()));
    const std::vector<Moments>       moments = moments_of(*this);
    std::vector<std::vector<double>> result  = {some[0]};
    std::vector<double>              nearest(some.size(),
                                std::numeric_limits<double>::infinity());
    while (result.size() < n)
      {
        for (std::size_t k = 0; k < some.size(); ++k)
          {
            double distance = 0.;
            for (std::size_t i = 0; i < moments.size(); ++i)
              if (moments[i].variance() > 0.)
                distance += std::pow(some[k][i] - result.back()[i], 2) /
                            moments[i].variance();
            nearest[k] = std::min(nearest[k], distance);
          }
        result.push_back(some[std::max_element(nearest.begin(), nearest.end()) -
                              nearest.begin()]);
      }
    return result;
  }



  bool
  PilotResult::agrees_with(const PilotResult &other) const
  {
    constexpr double most_errors = 4.;

    const std::vector<double> centre = centre_of(*this);
    const std::vector<Series> mine   = numbers_of(*this, centre),
                              others = numbers_of(other, centre);
    for (std::size_t i = 0; i < mine.size(); ++i)
      {
        const auto one = mean_and_squared_error(mine[i]);
        const auto two = mean_and_squared_error(others[i]);
        if (!(std::abs(one.first - two.first) <=
              most_errors * std::sqrt(one.second + two.second)))
          return false;
      }
    return true;
  }



  LadderPilot::LadderPilot(Target                  &target,
                           const std::string       &finest,
                           const std::uint64_t      seed,
                           const unsigned int       n_chains,
                           const std::atomic<bool> &stop)
    : target(target)
    , finest(finest)
    , seed(seed)
    , n_chains(n_chains)
    , stop(stop)
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
  LadderPilot::run(const PilotLadder                      &wanted,
                   const unsigned int                      n_rounds,
                   const std::vector<std::vector<double>> &starts,
                   const double                            most_work)
  {
    LadderParameters ladder_parameters;
    ladder_parameters.levels = {wanted.level};
    ladder_parameters.temper = wanted.temper;
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
    parameters.burn_in    = n_rounds;
    parameters.iterations = 2 * n_rounds;
    if (std::isfinite(most_work))
      parameters.work_budget = most_work / n_chains / cost(wanted.level);

    PilotResult result;
    result.states.resize(n_chains);
    result.energies.resize(n_chains);
    result.temperatures.assign(ladder.size(), 0.);
    result.rejections.assign(ladder.size() - 1, 0.);
    double work = 0., work_of_draws = 0.;
    bool   is_complete = true;
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
          start.push_back(!starts.empty() ? starts[rung * n_chains + chain] :
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
        double of_burn_in = 0.;
        sampler.signals.end_of_burn_in.connect(
          [&](const RunReport &report) { of_burn_in = report.work; });
        sampler.run(stop);

        const RunReport report = sampler.report();
        is_complete = is_complete && report.rounds == parameters.iterations;
        work += (report.work - report.set_up_work) *
                cost(wanted.level, Request::values);
        work_of_draws +=
          (report.work - of_burn_in) * cost(wanted.level, Request::values);
        result.last_states.emplace_back();
        for (unsigned int i = 0; i < ladder.size(); ++i)
          result.last_states.back().push_back(sampler.replica(i).position);
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
    // Burn-in may have been a search, which takes no time of its own later.
    result.work_per_round = work_of_draws / n_chains / n_rounds;
    result.effective_size = is_complete ? least_effective_size(result) : 0.;
    result.autocorrelation_time =
      result.effective_size > 0. ?
        std::max(1., result.n_states() / result.effective_size) :
        std::numeric_limits<double>::infinity();
    return result;
  }



  std::vector<std::vector<double>>
  LadderPilot::prior_states(const std::size_t n) const
  {
    // Before the keys of all pilots.
    RandomKey key;
    key.seed    = seed;
    key.chain   = first_chain - 1;
    key.purpose = Purpose::start;
    std::vector<std::vector<double>> result;
    for (; key.round < n; ++key.round)
      result.push_back(target.start(key));
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
        const double energy_there = evaluation.energy();
        result.push_back(std::isfinite(energy_there) ?
                           energy_there :
                           std::numeric_limits<double>::infinity());
      }
    all_work += states.size() * cost(level, Request::values);
    return result;
  }
} // namespace Tempera
