// SPDX-License-Identifier: LGPL-2.1-or-later

// What unknown fields cost: draws and gradients of their prior, and value with
// gradient of a stationary equation whose diffusivity is a field, in its
// forward solves. CPU times, the least of several; exponents between sizes.
// Then what kernels make of a forward solve: effective draws of a field that 16
// measurements tell of, with larger and smaller errors.

#include "fem/warm_plate.h"

#include <tempera/output/diagnostics.h>
#include <tempera/sampler/replica_exchange.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>

namespace
{
  using namespace Tempera;

  double
  seconds_of(const std::function<void()> &work)
  {
    const std::clock_t begin = std::clock();
    work();
    return double(std::clock() - begin) / CLOCKS_PER_SEC;
  }

  /** The least of several times of two things that take turns. */
  std::pair<double, double>
  least_seconds(const std::function<void()> &one,
                const std::function<void()> &other,
                const unsigned int           n_times)
  {
    std::pair<double, double> result{1e9, 1e9};
    for (unsigned int i = 0; i < n_times; ++i)
      {
        result.first  = std::min(result.first, seconds_of(one));
        result.second = std::min(result.second, seconds_of(other));
      }
    return result;
  }

  void
  prior_times()
  {
    double last_n = 0., last_draw = 0., last_gradient = 0.;
    for (const unsigned int n : {99u, 315u})
      {
        FemLevelParameters level;
        level.subdivisions = {n};
        std::unique_ptr<const FieldPrior<2>> prior;

        const double        set_up = seconds_of([&]() {
          prior = std::make_unique<const FieldPrior<2>>(
            "u",
            make_mesh<2>(Domain(), level, MPI_COMM_SELF),
            matern_field<2>(1., {0.3}));
        });
        std::vector<double> state  = prior->centre(), gradient(state.size());
        RandomKey           key;
        const auto [draw, of_gradient] = least_seconds(
          [&]() {
            ++key.round;
            state = prior->sample(key);
          },
          [&]() {
            prior->energy(dealii::make_array_view(std::as_const(state)),
                          dealii::make_array_view(gradient));
          },
          9);
        std::printf("prior with %6zu nodes: set-up %.3f s, draw %.2f ms, "
                    "energy with gradient %.2f ms",
                    state.size(),
                    set_up,
                    1e3 * draw,
                    1e3 * of_gradient);
        if (last_n > 0.)
          std::printf("; exponents %.2f and %.2f",
                      std::log(draw / last_draw) /
                        std::log(state.size() / last_n),
                      std::log(of_gradient / last_gradient) /
                        std::log(state.size() / last_n));
        std::printf("\n");
        last_n        = state.size();
        last_draw     = draw;
        last_gradient = of_gradient;
      }
  }

  void
  gradient_times(const unsigned int n_lattice, const unsigned int n_mesh)
  {
    std::shared_ptr<Problem> problem =
      ProblemRegistry::create("expressions", 2);
    problem->add_fields({"k"});
    dealii::ParameterHandler prm;
    problem->declare(prm);
    prm.parse_input_from_string("set Capacity = 0\nset Diffusion = k\n"
                                "set Dirichlet value = 0: 1; 1: 0\n");
    problem->set_up({1.});
    FieldUnknown field;
    field.lattice =
      std::make_shared<FieldLattice>("k",
                                     FieldLattice::Kind::nodes,
                                     std::vector<double>{0., 0.},
                                     std::vector<double>{1., 1.},
                                     std::vector<unsigned int>(2, n_lattice));
    field.is_exponential = true;
    ModelSetting setting;
    setting.problem = problem;
    setting.values  = {1.};
    setting.fields  = {field};
    for (unsigned int i = 1; i < 6; ++i)
      for (unsigned int j = 1; j < 6; ++j)
        setting.sensors.push_back({"sensor", {i / 6., j / 6.}, 0.});
    FemLevelParameters level;
    level.subdivisions = {n_mesh};
    const auto model   = make_fem_model(setting, level, SolverParameters(), {});
    std::vector<double> state(model->n_parameters()), gradient(state.size()),
      predictions(model->n_predictions());
    const std::vector<double> weights(predictions.size(), 1.);
    for (std::size_t i = 0; i < state.size(); ++i)
      state[i] = std::sin(0.1 * i);
    const auto [value, both] = least_seconds(
      [&]() {
        model->evaluate(dealii::make_array_view(std::as_const(state)),
                        dealii::make_array_view(predictions),
                        false);
      },
      [&]() {
        model
          ->evaluate(dealii::make_array_view(std::as_const(state)),
                     dealii::make_array_view(predictions),
                     true)
          ->apply_transpose(dealii::make_array_view(weights),
                            dealii::make_array_view(gradient));
      },
      50);
    std::printf("%zu unknowns, mesh of %u x %u cells: forward solve %.2f ms, "
                "value and gradient %.2f forward solves\n",
                state.size(),
                n_mesh,
                n_mesh,
                1e3 * value,
                both / value);
  }

  /**
   * The least effective size of 9 values of the field, their squares and the
   * energy, per forward solve after burn-in; a gradient counts as one.
   */
  void
  effective_draws(const std::string  &kernel,
                  const double        noise,
                  const std::uint64_t rounds)
  {
    constexpr unsigned int n_chains = 4, n_nodes = 33, distance = 12;

    const Testing::WarmPlate                      plate(n_nodes, noise);
    std::vector<std::vector<std::vector<double>>> values(
      19, std::vector<std::vector<double>>(n_chains));
    double acceptance = 0., set_up = 0.;
    for (unsigned int chain = 0; chain < n_chains; ++chain)
      {
        RunParameters run_parameters;
        run_parameters.chain      = chain;
        run_parameters.burn_in    = rounds / 10;
        run_parameters.iterations = run_parameters.burn_in + rounds;
        RandomKey key;
        key.chain = chain;
        ReplicaExchange sampler(run_parameters,
                                SwapParameters(),
                                plate.ladder(kernel, 0.1, true),
                                {plate.prior->sample(key)});
        sampler.signals.end_of_burn_in.connect([&](const RunReport &report) {
          set_up = double(report.evaluations[0]) - run_parameters.burn_in;
        });
        sampler.signals.draw.connect([&](const Draw &draw) {
          if (draw.is_burn_in)
            return;
          unsigned int k = 0;
          for (unsigned int i = 4; i < n_nodes; i += distance)
            for (unsigned int j = 4; j < n_nodes; j += distance, ++k)
              {
                const double value = draw.position[i * n_nodes + j];
                values[k][chain].push_back(value);
                values[9 + k][chain].push_back(value * value);
              }
          values[18][chain].push_back(draw.energy());
        });
        sampler.run();
        acceptance += sampler.report().rungs[0].acceptance() / n_chains;
      }
    double least = 1e9, r_hat = 0.;
    for (const auto &chains : values)
      {
        const Diagnostics diagnostics = diagnose(chains);
        least                         = std::min(least, diagnostics.mean_size);
        r_hat                         = std::max(r_hat, diagnostics.r_hat);
      }
    const double solves =
      double(n_chains * rounds) * (kernel == "pCN-Langevin" ? 2. : 1.);
    std::printf("errors of %.2f, %-12s: %.3g effective draws per forward solve "
                "(%.0f in %.0f), R-hat %.3f, acceptance %.2f, %.0f more "
                "evaluations than rounds in burn-in\n",
                noise,
                kernel.c_str(),
                least / solves,
                least,
                solves,
                r_hat,
                acceptance,
                set_up);
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  prior_times();
  gradient_times(32, 32);
  gradient_times(32, 64);
  for (const double noise : {0.5, 0.05})
    for (const auto &[kernel, rounds] :
         {std::pair<std::string, unsigned int>{"pCN", 40000},
          {"pCN-Langevin", 20000},
          {"gpCN", 4000}})
      effective_draws(kernel, noise, rounds);
}
