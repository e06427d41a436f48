// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/words.h>
#include <tempera/inference/prior.h>
#include <tempera/pinn/equation.h>
#include <tempera/pinn/network_parameters.h>

namespace Tempera
{
  using namespace dealii::Patterns;



  void
  NetworkParameters::declare(dealii::ParameterHandler &prm)
  {
    prm.add_parameter(
      "Hidden layers",
      hidden,
      "Number of neurons of each hidden layer, separated by commas. Multiples of 16 (8 in double precision) are fastest.",
      List(Integer(1), 1));
    declare_choice<NetworkPrecision>(
      prm,
      "Precision",
      precision,
      {{"single", NetworkPrecision::single},
       {"double", NetworkPrecision::full}},
      "Numbers of the network: 'single' is twice as fast as 'double'. States, formulas and the sum of the misfits are double in either case.");
    prm.add_parameter(
      "Lower corner",
      lower,
      "Corner of the domain with the smallest coordinates: one number for all directions or one for each.",
      List(Double(), 1, 2));
    prm.add_parameter("Upper corner",
                      upper,
                      "Corner of the domain with the largest coordinates.",
                      List(Double(), 1, 2));
    declare_number_above(
      prm,
      "Final time",
      final_time,
      0.,
      "The equation is to hold from time 0 to this one. Not used by a stationary equation.");
    prm.add_parameter(
      "Data points",
      data_points,
      "Grid of the initial and boundary data: points in each coordinate, then in time, ends included. Those at time 0 carry initial values, those on the boundary boundary values. The same for all levels.",
      List(Integer(0), 1, 3));
    declare_number_above(
      prm,
      "Weight deviation",
      weight_deviation,
      0.,
      "Standard deviation of the Gaussian prior of every weight and bias.");
    declare_number_above(
      prm,
      "Coefficient step",
      coefficient_step,
      0.,
      "The step size of unknown coefficients is that of the weights times this.");
    prm.add_parameter(
      "Prediction points",
      n_prediction_points,
      "The solution at the final time is predicted on so many points between the ends of the first coordinate (in the middle of the others).",
      Integer(2));
  }



  void
  CoefficientParameters::declare(dealii::ParameterHandler &prm)
  {
    values.clear();
    for (const Coefficient &coefficient : equation->coefficients())
      values.push_back(coefficient.default_value);
    for (std::size_t i = 0; i < values.size(); ++i)
      prm.add_parameter(
        equation->coefficients()[i].name,
        values[i],
        equation->coefficients()[i].documentation +
          " A number, if it is known; its prior, if it is one unknown number; 'output', if it is another output of the network. Priors are " +
          Prior::usage(),
        Anything());
  }



  void
  NetworkDataParameters::declare(dealii::ParameterHandler &prm)
  {
    const Anything formula;
    prm.add_parameter("Source",
                      source,
                      "Right hand side f. A formula in the coordinates and t.",
                      formula);
    prm.add_parameter(
      "Boundary value",
      boundary,
      "u on the boundary. A formula in the coordinates and t. Empty: the exact solution.",
      formula);
    prm.add_parameter(
      "Initial value",
      initial,
      "u at time 0. A formula in the coordinates. Empty: the exact solution.",
      formula);
    prm.add_parameter(
      "Initial rate",
      initial_rate,
      "u_t at time 0, if the equation is of second order in time. A formula in the coordinates. Empty: not known.",
      formula);
    prm.add_parameter(
      "Exact solution",
      exact,
      "The solution, where it is known: to measure errors, and for 'Observations/Synthetic data = exact'. A formula in the coordinates and t.",
      formula);
  }



  void
  NetworkLikelihoodParameters::declare(dealii::ParameterHandler &prm)
  {
    declare_choice<MisfitForm>(
      prm,
      "Form",
      form,
      {{"gaussian", MisfitForm::gaussian}, {"weighted", MisfitForm::weighted}},
      "'gaussian': every misfit has a standard deviation, and temperature 1 is the posterior. 'weighted': the potential is the sum of weight times mean squared misfit; at temperature tau that is a Gaussian likelihood of variance N tau / (2 weight) for each of N misfits, which the run prints.");
    declare_number_above(prm,
                         "Residual noise",
                         residual_noise,
                         0.,
                         "Standard deviation of the equation's residual.");
    declare_number_above(prm,
                         "Boundary noise",
                         boundary_noise,
                         0.,
                         "Standard deviation of boundary values.");
    declare_number_above(prm,
                         "Initial noise",
                         initial_noise,
                         0.,
                         "Standard deviation of initial values.");
    declare_number_above(prm,
                         "Initial rate noise",
                         initial_rate_noise,
                         0.,
                         "Standard deviation of initial rates.");
    declare_number_above(prm,
                         "Residual weight",
                         residual_weight,
                         0.,
                         "Weight of the mean squared residual.");
    declare_number_above(prm,
                         "Boundary weight",
                         boundary_weight,
                         0.,
                         "Weight of the mean squared boundary misfit.");
    declare_number_above(prm,
                         "Initial weight",
                         initial_weight,
                         0.,
                         "Weight of the mean squared initial misfit.");
    declare_number_above(prm,
                         "Initial rate weight",
                         initial_rate_weight,
                         0.,
                         "Weight of the mean squared misfit of initial rates.");
    declare_number_above(prm,
                         "Observation weight",
                         observation_weight,
                         0.,
                         "Weight of the mean squared misfit of observations.");
    prm.add_parameter(
      "Noisy data",
      noisy_data,
      "Add noise of these standard deviations to the source, the boundary and the initial data, with the seed of 'Observations/Synthetic seed'. For experiments; needs the gaussian form.");
  }



  void
  WarmStartParameters::declare(dealii::ParameterHandler &prm)
  {
    declare_choice<WarmStartMethod>(
      prm,
      "Method",
      method,
      {{"none", WarmStartMethod::none},
       {"Adam", WarmStartMethod::adam},
       {"Levenberg-Marquardt", WarmStartMethod::levenberg_marquardt}},
      "What moves the start of every rung towards the posterior before sampling begins: 'Adam' takes cheap steps, 'Levenberg-Marquardt' few that solve a linear system in the misfits.");
    prm.add_parameter("Iterations",
                      n_iterations,
                      "At most so many steps of the method.",
                      Integer(1));
    declare_number_above(prm,
                         "Learning rate",
                         learning_rate,
                         0.,
                         "Of Adam, for the first half of the steps.");
    prm.add_parameter(
      "Move coefficients",
      moves_coefficients,
      "Whether unknown coefficients are moved too. If not, they stay at their draws from the prior until sampling begins: a way to see whether the data determine them.");
  }



  void
  NetworkLevelParameters::declare(dealii::ParameterHandler &prm)
  {
    prm.add_parameter(
      "Collocation points",
      collocation_points,
      "Grid of the points where the equation is to hold: points in each coordinate, then in time, ends included.",
      List(Integer(0), 1, 3));
    prm.add_parameter(
      "Batch size",
      batch_size,
      "Gradients are computed from so many collocation points, drawn anew for every step. 0: from all. Swaps use all points in either case.",
      Integer(0));
  }
} // namespace Tempera
