// SPDX-License-Identifier: LGPL-2.1-or-later

// What unknown fields cost: draws and gradients of their prior, and value with
// gradient of a stationary equation whose diffusivity is a field, in its
// forward solves. CPU times, the least of several; exponents between sizes.

#include <tempera/fem/fem_model.h>
#include <tempera/fem/field_prior.h>

#include <deal.II/base/parameter_handler.h>

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
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  prior_times();
  gradient_times(32, 32);
  gradient_times(32, 64);
}
