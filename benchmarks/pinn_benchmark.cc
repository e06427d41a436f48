// SPDX-License-Identifier: LGPL-2.1-or-later

// How far the gradients of networks are from the processor's limit, and what
// the sampler adds to them. Everything is timed in turns in one run, on one
// core; a figure is the median of its timings. See doc/performance.md.
//
// Usage: pinn_benchmark [seconds]      (default: 20)

#include <tempera/pinn/network_posterior.h>
#include <tempera/sampler/replica_exchange.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace
{
  using namespace Tempera;

  using Clock = std::chrono::steady_clock;

  double
  seconds_since(const Clock::time_point begin)
  {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  double
  median(std::vector<double> values)
  {
    std::nth_element(values.begin(),
                     values.begin() + values.size() / 2,
                     values.end());
    return values[values.size() / 2];
  }

  std::shared_ptr<NetworkModel>
  make_model(const std::string &equation, const bool alpha_is_unknown)
  {
    const auto model      = std::make_shared<NetworkModel>();
    model->equation       = EquationRegistry::create(equation);
    model->shape.n_inputs = model->equation->n_inputs();
    model->shape.hidden   = {32, 32, 32};
    for (const Coefficient &coefficient : model->equation->coefficients())
      {
        CoefficientSource source;
        source.value = 1.;
        if (alpha_is_unknown && coefficient.name == "alpha")
          {
            source.kind = CoefficientSource::Kind::unknown;
            model->unknowns.push_back(
              {"alpha", Prior::from_text("uniform(0, 2)", "benchmark")});
          }
        model->coefficients.push_back(source);
      }
    return model;
  }

  /** A set of points of a grid; values of nothing in particular. */
  MisfitSet
  make_set(const unsigned int               n_inputs,
           const std::vector<unsigned int> &orders,
           const unsigned int               n,
           const bool                       is_residual)
  {
    MisfitSet set;
    for (unsigned int i = 0; i < n * n_inputs; ++i)
      set.inputs.push_back((i * 7 % 64) / 64.);
    set.rows        = JetRows(orders);
    set.is_residual = is_residual;
    set.terms.push_back({"", 0, std::vector<double>(n, 0.1), 1e-3});
    return set;
  }

  struct Problem
  {
    std::string                         name;
    std::shared_ptr<const NetworkModel> model;
    std::vector<MisfitSet>              sets;
    /** Weights of a gradient, as the multiply-adds of its products. */
    double flops;
  };

  /**
   * The rule by which operations are counted: 14 kflop for each point and row
   * of its jet, forward and back (70 for five rows).
   */
  double
  count_flops(const std::vector<MisfitSet> &sets, const unsigned int n_inputs)
  {
    double sum = 0.;
    for (const MisfitSet &set : sets)
      sum += 14e3 * set.rows.n_rows() * set.n_points(n_inputs);
    return sum;
  }

  Problem
  make_problem(const std::string &name,
               const std::string &equation,
               const bool         alpha_is_unknown,
               const bool         with_data,
               const unsigned int n_collocation,
               const unsigned int n_boundary,
               const unsigned int n_initial,
               const unsigned int n_observations)
  {
    Problem problem;
    problem.name            = name;
    problem.model           = make_model(equation, alpha_is_unknown);
    const unsigned int n_in = problem.model->shape.n_inputs;
    if (with_data)
      {
        problem.sets.push_back(make_set(n_in, {}, n_boundary, false));
        if (n_initial > 0)
          {
            MisfitSet initial = make_set(n_in, {0, 1}, n_initial, false);
            initial.terms.push_back(initial.terms[0]);
            initial.terms[1].row = 1;
            problem.sets.push_back(initial);
          }
        if (n_observations > 0)
          problem.sets.push_back(make_set(n_in, {}, n_observations, false));
      }
    problem.sets.push_back(
      make_set(n_in, problem.model->equation->orders(), n_collocation, true));
    problem.flops = count_flops(problem.sets, n_in);
    return problem;
  }

  /** Times of everything that belongs to one problem and precision. */
  template <typename Number>
  struct Row
  {
    explicit Row(const Problem &problem)
      : problem(problem)
      , energy(std::make_shared<NetworkPosterior<Number>>(problem.model,
                                                          problem.sets,
                                                          0))
      , state(problem.model->draw_start(1, 0))
    {
      evaluation.reference_gradient.resize(state.size());
      evaluation.potential_gradient.resize(state.size());

      // A ladder of two rungs with their own levels and a swap in every round,
      // as the paper's.
      RunParameters run;
      run.iterations = 1u << 30;
      run.burn_in    = 0;
      run.thinning   = 1000;
      LadderParameters ladder;
      ladder.levels              = {"fine"};
      ladder.temper              = Temper::likelihood;
      ladder.lowest_temperature  = 1e-5;
      ladder.highest_temperature = 1e-4;
      KernelParameters kernel;
      kernel.types      = {"SGLD"};
      kernel.step_sizes = {1e-3};
      SwapParameters swaps;
      sampler = std::make_unique<ReplicaExchange>(
        run,
        swaps,
        Ladder(ladder, kernel, {{"fine", energy}}),
        std::vector<std::vector<double>>{state,
                                         problem.model->draw_start(1, 1)});
    }

    /** Operations per second of multiply-adds in registers. */
    static double
    peak()
    {
      Number     sink[2] = {Number(0.999), Number(1e-3)};
      const auto begin   = Clock::now();
      return 2. * network_loops<Number>().multiply_add_peak(60000, sink) /
             seconds_since(begin);
    }

    void
    time(const unsigned int n)
    {
      // The speed of a shared machine changes: the peak is measured before
      // and after.
      double              peak_now = peak();
      std::vector<double> here;
      for (unsigned int i = 0; i < n; ++i)
        {
          const auto begin = Clock::now();
          energy->evaluate(dealii::make_array_view(std::as_const(state)),
                           RandomKey(),
                           Request::values_and_gradients,
                           evaluation);
          here.push_back(seconds_since(begin));
        }
      gradients.push_back(median(here));
      shortest =
        std::min(shortest, *std::min_element(here.begin(), here.end()));
      peak_now = 0.5 * (peak_now + peak());
      peaks.push_back(peak_now);
      shares.push_back(problem.flops / gradients.back() / peak_now);

      const auto begin = Clock::now();
      for (unsigned int i = 0; i < n; ++i)
        {
          sampler->advance(0);
          sampler->advance(1);
          sampler->finish_round();
        }
      // Two rungs: an iteration is half a round.
      iterations.push_back(0.5 * seconds_since(begin) / n);
      overheads.push_back(1. - gradients.back() / iterations.back());
    }

    void
    print() const
    {
      const double gradient = median(gradients), iteration = median(iterations);
      std::printf(
        "%-34s %-6s %9.2f %8.1f %8.1f %6.1f %% %6.1f %% %10.2f %6.1f %%\n",
        problem.name.c_str(),
        sizeof(Number) == 4 ? "single" : "double",
        1e6 * gradient,
        1e-9 * problem.flops / gradient,
        1e-9 * median(peaks),
        100. * median(shares),
        100. * problem.flops / shortest /
          *std::max_element(peaks.begin(), peaks.end()),
        1e6 * iteration,
        100. * median(overheads));
    }

    const Problem                                  &problem;
    std::shared_ptr<const NetworkPosterior<Number>> energy;
    std::vector<double>                             state;
    Evaluation                                      evaluation;
    std::unique_ptr<ReplicaExchange>                sampler;
    std::vector<double> gradients, iterations, peaks, shares, overheads;
    double              shortest = 1.;
  };
} // namespace

int
main(int argc, char **argv)
{
  const double limit = argc > 1 ? std::atof(argv[1]) : 20.;

  const std::vector<Problem> problems{
    make_problem("QGD, 64 x 8 points, residual only",
                 "quasi-gas dynamics",
                 false,
                 false,
                 512,
                 0,
                 0,
                 0),
    make_problem("QGD, 64 x 8 points, all data",
                 "quasi-gas dynamics",
                 true,
                 true,
                 512,
                 14,
                 64,
                 10),
    make_problem("nonlinear reaction, 30 points",
                 "nonlinear reaction",
                 true,
                 true,
                 30,
                 2,
                 0,
                 5)};
  std::vector<Row<float>>  single;
  std::vector<Row<double>> in_double;
  for (const Problem &problem : problems)
    {
      single.emplace_back(problem);
      in_double.emplace_back(problem);
    }
  const auto begin = Clock::now();
  while (seconds_since(begin) < limit)
    for (std::size_t i = 0; i < problems.size(); ++i)
      {
        const unsigned int n = problems[i].flops > 1e7 ? 10 : 100;
        single[i].time(n);
        in_double[i].time(n);
      }

  std::printf(
    "Network of 3 x 32 neurons on one core, vector units '%s'.\n"
    "Peak: multiply-adds in registers, measured in the same run.\n"
    "Of peak: median of the ratios to the peak measured beside; best: "
    "shortest time, highest peak.\n"
    "Overhead: all that an iteration (step and swap of a rung) does "
    "besides its gradient.\n\n",
    name_of(vector_units()));
  std::printf("%-34s %-6s %9s %8s %8s %8s %8s %10s %8s\n",
              "problem",
              "",
              "gradient",
              "Gflop/s",
              "peak",
              "of peak",
              "best",
              "iteration",
              "overhead");
  std::printf("%-34s %-6s %9s %8s %8s %8s %8s %10s %8s\n",
              "",
              "",
              "us",
              "",
              "Gflop/s",
              "",
              "",
              "us",
              "");
  for (std::size_t i = 0; i < problems.size(); ++i)
    {
      single[i].print();
      in_double[i].print();
    }
  return 0;
}
