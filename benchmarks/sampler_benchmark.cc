// SPDX-License-Identifier: LGPL-2.1-or-later

// What a step of a rung costs where the energy costs next to nothing: the
// sampler's own overhead. Items are rung-steps (or numbers); the inverse of
// items_per_second is the cost of one. doc/performance.md has the limits.

#include <tempera/analytic/gaussian_mixture.h>
#include <tempera/output/record.h>
#include <tempera/sampler/replica_exchange.h>

#include <benchmark/benchmark.h>

#include <filesystem>
#include <utility>

namespace
{
  using namespace Tempera;

  std::shared_ptr<const Energy>
  mixture()
  {
    GaussianMixture::Parameters parameters;
    parameters.means = {{-4., 0.}, {3., 0.}};
    return std::make_shared<GaussianMixture>(parameters);
  }

  ReplicaExchange
  make_sampler(const std::string &kernel, const unsigned int swap_every)
  {
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = std::vector<double>{1., 10.};
    KernelParameters kernel_parameters;
    kernel_parameters.types           = {kernel};
    kernel_parameters.step_sizes      = {0.03, 0.1};
    kernel_parameters.adapt_step_size = false;
    SwapParameters swap_parameters;
    swap_parameters.every = swap_every;
    RunParameters run_parameters;
    run_parameters.burn_in    = 0;
    run_parameters.iterations = std::numeric_limits<std::uint64_t>::max();
    return ReplicaExchange(run_parameters,
                           swap_parameters,
                           Ladder(ladder_parameters,
                                  kernel_parameters,
                                  {{"fine", mixture()}}),
                           {{3., 0.}});
  }

  void
  do_rounds(benchmark::State &state, ReplicaExchange &sampler)
  {
    for (auto _ : state)
      {
        sampler.advance(0);
        sampler.advance(1);
        sampler.finish_round();
      }
    state.SetItemsProcessed(2 * state.iterations());
  }


  void
  rung_step(benchmark::State  &state,
            const std::string &kernel,
            const unsigned int swap_every)
  {
    ReplicaExchange sampler = make_sampler(kernel, swap_every);
    do_rounds(state, sampler);
  }
  BENCHMARK_CAPTURE(rung_step, SGLD, "SGLD", 1000000000);
  BENCHMARK_CAPTURE(rung_step, SGLD_with_swaps_every_round, "SGLD", 1);
  BENCHMARK_CAPTURE(rung_step, MALA_with_swaps_every_round, "MALA", 1);


  void
  rung_step_with_one_subscriber(benchmark::State &state)
  {
    ReplicaExchange sampler = make_sampler("SGLD", 1);
    double          sum     = 0.;
    sampler.signals.draw.connect(
      [&sum](const Draw &draw) { sum += draw.position[0]; });
    do_rounds(state, sampler);
    benchmark::DoNotOptimize(sum);
  }
  BENCHMARK(rung_step_with_one_subscriber);


  void
  rung_step_recorded(benchmark::State &state)
  {
    const std::string path =
      (std::filesystem::temp_directory_path() / "tempera_benchmark").string();
    {
      ReplicaExchange sampler = make_sampler("SGLD", 1);
      const RunFolder folder(path, true);
      RunDescription  description;
      description.names            = {"x1", "x2"};
      description.indices          = {0, 1};
      description.lower            = {-1., -1.};
      description.upper            = {1., 1.};
      description.kernels          = {"SGLD", "SGLD"};
      description.levels           = {"fine"};
      description.rung_levels      = {0, 0};
      description.n_recorded_rungs = 2;
      Record record(folder, description, 0);
      record.begin();
      record.connect(sampler.signals);
      do_rounds(state, sampler);
    }
    std::filesystem::remove_all(path);
  }
  BENCHMARK(rung_step_recorded);


  void
  evaluate_mixture(benchmark::State &state)
  {
    const auto          energy   = mixture();
    std::vector<double> position = {2.9, 0.1};
    Evaluation          evaluation;
    evaluation.reference_gradient.resize(2);
    evaluation.potential_gradient.resize(2);
    for (auto _ : state)
      {
        energy->evaluate(dealii::make_array_view(std::as_const(position)),
                         RandomKey(),
                         Request::values_and_gradients,
                         evaluation);
        benchmark::DoNotOptimize(evaluation.potential);
      }
    state.SetItemsProcessed(state.iterations());
  }
  BENCHMARK(evaluate_mixture);


  void
  normal_numbers(benchmark::State &state)
  {
    RandomKey           key;
    std::vector<double> numbers(state.range(0));
    for (auto _ : state)
      {
        ++key.round;
        fill_normals(key, dealii::make_array_view(numbers));
        benchmark::DoNotOptimize(numbers.data());
      }
    state.SetItemsProcessed(state.iterations() * numbers.size());
  }
  BENCHMARK(normal_numbers)->Arg(2)->Arg(1000)->Arg(2209);


  /**
   * Costs nothing, with as many unknowns as a network has weights and a bound
   * on the last one.
   */
  class FlatEnergy : public Energy
  {
  public:
    static constexpr unsigned int dimension = 2209;

    const StateSpace &
    space() const override
    {
      return state_space;
    }

    bool
    is_integrable(const Exponents &) const override
    {
      return true;
    }

    void
    evaluate(const dealii::ArrayView<const double> &,
             const RandomKey &,
             const Request,
             Evaluation &evaluation) const override
    {
      evaluation.reference = evaluation.potential = 0.;
    }

  private:
    static std::vector<Coordinate>
    coordinates()
    {
      std::vector<Coordinate> result(dimension);
      for (Coordinate &coordinate : result)
        {
          coordinate.name     = "weight";
          coordinate.recorded = false;
        }
      result.back().name     = "alpha";
      result.back().lower    = 0.;
      result.back().recorded = true;
      return result;
    }

    const StateSpace state_space{coordinates()};
  };


  void
  rung_step_of_long_state(benchmark::State   &state,
                          const std::string  &kernel,
                          const unsigned int  swap_every,
                          const std::uint64_t burn_in)
  {
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = std::vector<double>{1., 10.};
    KernelParameters kernel_parameters;
    kernel_parameters.types      = {kernel};
    kernel_parameters.step_sizes = {1e-6};
    SwapParameters swap_parameters;
    swap_parameters.every = swap_every;
    RunParameters run_parameters;
    run_parameters.burn_in    = burn_in;
    run_parameters.iterations = std::numeric_limits<std::uint64_t>::max();
    ReplicaExchange sampler(run_parameters,
                            swap_parameters,
                            Ladder(ladder_parameters,
                                   kernel_parameters,
                                   {{"fine", std::make_shared<FlatEnergy>()}}),
                            {std::vector<double>(FlatEnergy::dimension, 1.)});
    // Past the burn-in, if it is a short one.
    for (unsigned int round = 0; round < 10; ++round)
      {
        sampler.advance(0);
        sampler.advance(1);
        sampler.finish_round();
      }
    do_rounds(state, sampler);
  }
  BENCHMARK_CAPTURE(rung_step_of_long_state, SGLD, "SGLD", 1000000000, 0);
  BENCHMARK_CAPTURE(rung_step_of_long_state,
                    SGLD_with_swaps_every_round,
                    "SGLD",
                    1,
                    0);
  BENCHMARK_CAPTURE(rung_step_of_long_state,
                    pSGLD_with_swaps_every_round,
                    "pSGLD",
                    1,
                    5);
  BENCHMARK_CAPTURE(rung_step_of_long_state,
                    pSGLD_during_burn_in,
                    "pSGLD",
                    1,
                    std::numeric_limits<std::uint64_t>::max() / 2);
} // namespace

BENCHMARK_MAIN();
