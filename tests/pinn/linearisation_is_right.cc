// SPDX-License-Identifier: LGPL-2.1-or-later

// What the posterior of a network is linearised to. The Jacobian belongs to the
// gradient; standard deviations and information equal those of the full matrix
// of all weights; Levenberg-Marquardt and Adam go down, the former to a point
// without gradient. A coarse level counts its residuals as if they were as many
// as the fine one's.

#include "tests.h"

#include <tempera/base/user_error.h>
#include <tempera/pinn/gauss_newton.h>
#include <tempera/pinn/network_data.h>
#include <tempera/pinn/network_posterior.h>
#include <tempera/sampler/adam.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  NetworkSettings
  make_settings()
  {
    NetworkSettings settings;
    settings.network.lower            = {-1.};
    settings.network.data_points      = {2};
    settings.network.weight_deviation = 1.5;
    settings.data.source = "(4-16*x^2)*exp(-2*x^2)+0.7*exp(-4*x^2)";
    settings.data.exact  = "exp(-2*x^2)";
    settings.likelihood.residual_noise = 0.05;
    settings.observations.sensors      = {{-0.8}, {-0.4}, {0.}, {0.4}, {0.8}};
    settings.observations.synthetic    = "exact";
    settings.observations.noise        = "0.01, 0.02, 0.01, 0.01, 0.01";
    return settings;
  }

  std::shared_ptr<NetworkModel>
  make_model()
  {
    const auto model        = std::make_shared<NetworkModel>();
    model->equation         = EquationRegistry::create("nonlinear reaction");
    model->shape.hidden     = {6, 5};
    model->weight_deviation = 1.5;
    model->coefficients     = {{CoefficientSource::Kind::unknown, 0., 0}};
    model->unknowns.push_back(
      {"alpha", Prior::from_text("normal(1, 0.5)", "test")});
    return model;
  }

  NetworkLevelParameters
  level(const unsigned int n)
  {
    NetworkLevelParameters result;
    result.collocation_points = {n};
    return result;
  }

  const auto never = [](const unsigned int) { return false; };
} // namespace

int
main()
{
  const NetworkSettings  settings = make_settings();
  const auto             model    = make_model();
  const NetworkData      data(*model, settings);
  std::vector<MisfitSet> sets = data.make_data_sets();
  sets.push_back(data.make_residual_set(level(30), "fine", 0));
  const std::size_t d = model->dimension();

  // Boundary, residual, and observations by their noise.
  check("there is a set for each kind of data", sets.size() == 4);

  const Exponents exponents;
  GaussNewton     gauss_newton(model, sets, exponents);

  std::vector<double> state  = model->draw_start(3, 0);
  const auto          report = gauss_newton.minimise(state, 300, true, never);
  check("Levenberg-Marquardt goes down a long way",
        report.last_energy < 1e-3 * report.first_energy,
        std::to_string(report.first_energy) + " " +
          std::to_string(report.last_energy));

  const NetworkPosterior<double> posterior(model, sets, 0);
  Evaluation                     evaluation;
  evaluation.reference_gradient.resize(d);
  evaluation.potential_gradient.resize(d);
  const auto evaluate = [&](const std::vector<double> &at) {
    posterior.evaluate(dealii::make_array_view(at),
                       RandomKey(),
                       Request::values_and_gradients,
                       evaluation);
  };
  evaluate(state);
  double slope = 0.;
  for (std::size_t i = 0; i < d; ++i)
    slope = std::max(slope,
                     std::abs(evaluation.reference_gradient[i] +
                              evaluation.potential_gradient[i]));
  check("and ends where the gradient is small",
        std::abs(evaluation.energy() / report.last_energy - 1.) < 1e-12 &&
          slope < 1e-2 * report.last_energy,
        std::to_string(slope) + " at " + std::to_string(report.last_energy));
  check("alpha is found",
        std::abs(state.back() - 0.7) < 0.03,
        std::to_string(state.back()));

  // The Jacobian by single misfits, and the full matrix.
  NetworkSweep<double> sweep(model, sets);
  sweep.set_state(dealii::make_array_view(std::as_const(state)));
  dealii::FullMatrix<double> precision(d, d);
  std::vector<double>        row(d), gradient(d, 0.);
  double                     squares = 0.;
  for (unsigned int set = 0; set < sets.size(); ++set)
    for (unsigned int point = 0; point < sets[set].n_points(1); ++point)
      {
        const double misfit = sweep.linearise(set, 0, point);
        sweep.get_gradient(dealii::make_array_view(row));
        squares += 0.5 * misfit * misfit;
        for (std::size_t i = 0; i < d; ++i)
          {
            gradient[i] += misfit * row[i];
            for (std::size_t j = 0; j < d; ++j)
              precision(i, j) += row[i] * row[j];
          }
      }
  double error = std::abs(squares / evaluation.potential - 1.);
  for (std::size_t i = 0; i < d; ++i)
    error =
      std::max(error, std::abs(gradient[i] - evaluation.potential_gradient[i]));
  check("misfits and Jacobian belong to potential and gradient",
        error < 1e-9,
        std::to_string(error));

  for (std::size_t i = 0; i < d; ++i)
    precision(i, i) += i + 1 < d ? 1. / 2.25 : 4.;
  dealii::FullMatrix<double> covariance(d, d);
  covariance.invert(precision);

  const std::vector<double> inputs{-0.9, -0.1, 0.33, 1.};
  const std::vector<double> deviations =
    gauss_newton.deviations(state, 0, inputs);
  error = 0.;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    {
      sweep.linearise_prediction(0, &inputs[k]);
      sweep.get_gradient(dealii::make_array_view(row));
      double variance = 0.;
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j)
          variance += row[i] * covariance(i, j) * row[j];
      error =
        std::max(error, std::abs(deviations[k] / std::sqrt(variance) - 1.));
    }
  check("standard deviations are those of the full matrix",
        error < 1e-6,
        std::to_string(error));
  const double information = gauss_newton.information(state)(0, 0);
  const double expected    = 0.25 / covariance(d - 1, d - 1) - 1.;
  check("so is the information about alpha",
        std::abs(information / expected - 1.) < 1e-6 && expected > 10.,
        std::to_string(information) + " " + std::to_string(expected));

  // Adam.
  AdamParameters adam;
  adam.learning_rate      = 0.01;
  std::vector<double> way = model->draw_start(3, 0);
  const double        last =
    minimise_by_adam(posterior, exponents, adam, way, [](const unsigned int) {
      return false;
    });
  std::vector<double> held = model->draw_start(3, 0);
  const double        from = held.back();
  gauss_newton.minimise(held, 20, false, never);
  adam.n_iterations = 100;
  adam.n_fixed      = 1;
  minimise_by_adam(posterior, exponents, adam, held, never);
  check("coefficients can be held", held.back() == from);
  adam.n_fixed = 0;
  check("Adam goes down",
        last < 0.05 * report.first_energy,
        std::to_string(last));
  adam.learning_rate = 1e200;
  std::string message;
  try
    {
      minimise_by_adam(posterior, exponents, adam, way, never);
    }
  catch (const UserError &user_error)
    {
      message = user_error.what();
    }
  check("Adam that diverges says so",
        message.find("diverged") != std::string::npos &&
          message.find("Learning rate") != std::string::npos,
        message);

  // Coarse levels.
  const MisfitSet coarse = data.make_residual_set(level(20), "coarse", 30);
  const MisfitSet fine   = data.make_residual_set(level(30), "fine", 0);
  check("a coarse level counts its residuals as if they were as many",
        std::abs(20. * coarse.terms[0].factor / (30. * fine.terms[0].factor) -
                 1.) < 1e-14);
  return result();
}
