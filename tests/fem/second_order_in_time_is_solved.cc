// SPDX-License-Identifier: LGPL-2.1-or-later

// An equation with inertia, written as formulas that do not separate over the
// coordinates, with a coefficient of the operator and the amplitude of the data
// unknown: orders in time, and the adjoint against central differences. The
// solution is A sin(2 pi x) e^-t.

#include "source_model.h"
#include "tests.h"

#include <tempera/problems/formula_problem.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  class Wave : public FormulaProblem<Wave>
  {
  public:
    /** @param separates Whether time is told apart from space in the source. */
    explicit Wave(const bool separates)
      : FormulaProblem<Wave>(1)
    {
      my_parameters     = {{"a", "1", "Inertia.", 0.},
                           {"A", "1", "Amplitude.", 0.}};
      const auto decay  = [](const double t) { return std::exp(-t); };
      my_functions      = {{"source", {0, 1}, {}, !separates},
                           {"value", {1}, {}},
                           {"velocity", {1}, {}},
                           {"one", {}, {}},
                           {"inertia", {0}, {}}};
      my_operator_terms = {{OperatorKind::inertia, 4},
                           {OperatorKind::capacity, 3},
                           {OperatorKind::diffusion, 3}};
      my_data_terms     = {{DataKind::source, 0, {}, {}},
                           {DataKind::dirichlet, no_function, {}, {}},
                           {DataKind::initial_value, 1, {}, {}},
                           {DataKind::initial_velocity, 2, {}, {}}};
      if (separates)
        my_data_terms[0].time_factor = decay;
    }

    template <typename Number>
    Number
    formula(const unsigned int function,
            const double      *x,
            const double       t,
            const Number      *theta) const
    {
      const double pi   = dealii::numbers::PI;
      const double sine = std::sin(2. * pi * x[0]);
      switch (function)
        {
          case 0:
            return (theta[0] - 1. + 4. * pi * pi) * theta[1] *
                   (sine *
                    (my_functions[0].varies_in_time ? std::exp(-t) : 1.));
          case 1:
            return theta[1] * sine;
          case 2:
            return theta[1] * (-sine);
          case 3:
            return Number(1.);
          default:
            return theta[0];
        }
    }
  };

  ModelSetting
  setting(const bool separates)
  {
    ModelSetting result;
    result.problem    = std::make_shared<Wave>(separates);
    result.values     = {1., 1.};
    result.unknowns   = {0, 1};
    result.final_time = 0.5;
    result.sensors    = {{"sensor 1", {0.3}, 0.5},
                         {"sensor 2", {0.8}, 0.23},
                         {"sensor 3", {0.6}, 0.}};
    return result;
  }
} // namespace

int
main()
{
  for (const std::string scheme : {"backward Euler", "Crank-Nicolson", "BDF2"})
    {
      SolverParameters solver;
      solver.time_stepping = scheme;

      // Against the limit of small steps on the same mesh. With Q1 the sine is
      // a discrete mode, so that nothing oscillates faster than the steps.
      const auto at = [&](const unsigned int n_steps) {
        const EvolutionModel<1> model(setting(true),
                                      level(10, 0.5 / n_steps),
                                      solver);
        return predict(model, {1.3, 0.9})[1];
      };
      const double        limit = at(20000);
      std::vector<double> logs_h, logs_e;
      for (const unsigned int n : {100u, 200u, 400u})
        {
          logs_h.push_back(-std::log(n));
          logs_e.push_back(std::log(std::abs(at(n) - limit)));
        }
      const double order = slope(logs_h, logs_e);
      check("order of " + scheme + " with inertia",
            std::abs(order - (scheme == "backward Euler" ? 1. : 2.)) < 0.15,
            std::to_string(order));
      const double exact =
        0.9 * std::sin(1.6 * dealii::numbers::PI) * std::exp(-0.23);
      check("the limit of " + scheme + " is the solution",
            std::abs(limit - exact) < 0.05 * std::abs(exact),
            std::to_string(limit - exact));

      std::vector<double> predictions[2];
      for (const bool separates : {true, false})
        {
          const auto model =
            std::make_shared<EvolutionModel<1>>(setting(separates),
                                                level(20, 0.01),
                                                solver);
          const FiniteDifferenceModel differences(model,
                                                  FiniteDifferenceParameters(),
                                                  std::vector<ParameterRange>(
                                                    2));
          const std::vector<double>   weights{0.3, -0.7, 0.2};
          std::vector<double>        &values = predictions[separates];
          std::vector<double>         other;
          const double                difference = relative_difference(
            gradient(differences, {1.3, 0.9}, weights, other),
            gradient(*model, {1.3, 0.9}, weights, values));
          check("adjoint of " + scheme +
                  (separates ? " with inertia" :
                               " with inertia and a source that varies"),
                difference < 1e-6,
                std::to_string(difference));
        }
      check("a source that separates gives the same with " + scheme,
            relative_difference(predictions[0], predictions[1]) < 1e-12);
    }
  return result();
}
