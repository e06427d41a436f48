// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_tests_fem_written_model_h
#define tempera_tests_fem_written_model_h

// Models of any problem, from settings as a parameter file has them; and the
// test of Taylor.

#include "source_model.h"
#include "tests.h"

#include <tempera/sampler/random.h>

#include <deal.II/base/parameter_handler.h>

#include <map>

namespace Tempera
{
  namespace Testing
  {
    /** A problem with its settings, and values for all its parameters. */
    inline ModelSetting
    written_setting(const std::string                   &type,
                    const unsigned int                   dim,
                    const std::string                   &equation,
                    const std::map<std::string, double> &values,
                    const std::vector<std::string>      &unknowns)
    {
      std::shared_ptr<Problem> problem = ProblemRegistry::create(type, dim);
      std::vector<std::string> names;
      for (const auto &value : values)
        names.push_back(value.first);
      problem->add_parameters(names);
      dealii::ParameterHandler prm;
      problem->declare(prm);
      prm.parse_input_from_string(equation);

      ModelSetting setting;
      for (const ProblemParameter &parameter : problem->parameters())
        {
          const auto value = values.find(parameter.name);
          setting.values.push_back(value != values.end() ?
                                     value->second :
                                     std::stod(parameter.default_value));
        }
      for (const std::string &name : unknowns)
        setting.unknowns.push_back(problem->index_of(name));
      problem->set_up(std::vector<double>(setting.values.size(), 1.));
      setting.problem    = problem;
      setting.final_time = 1.;
      return setting;
    }

    /** A formula for all directions, as a product: f(x) f(y) f(z). */
    inline std::string
    product(const std::string &formula, const unsigned int dim)
    {
      std::string result;
      for (unsigned int d = 0; d < dim; ++d)
        {
          std::string factor = formula;
          for (std::size_t i = 0; i < factor.size(); ++i)
            if (factor[i] == 'X')
              factor[i] = "xyz"[d];
          result += (d == 0 ? "" : "*") + factor;
        }
      return result;
    }

    /** The model of a level with its adjoint. */
    inline std::shared_ptr<const FemModel>
    adjoint_model(const ModelSetting       &setting,
                  const FemLevelParameters &here,
                  const SolverParameters   &parameters)
    {
      SolverParameters solver = parameters;
      solver.gradient         = FemGradient::adjoint;
      return make_fem_model(setting,
                            here,
                            solver,
                            std::vector<ParameterRange>(
                              setting.unknowns.size()));
    }

    /**
     * The observed order of |s(x + h d) - s(x) - h J^T w . d| in h for a random
     * direction d and random weights w of the predictions: 2 if the gradient is
     * right, 1 if it is not.
     */
    inline double
    taylor_order(const ForwardModel        &model,
                 const std::vector<double> &state,
                 const unsigned int         seed)
    {
      std::vector<double> numbers(model.n_parameters() + model.n_predictions());
      RandomKey           key;
      key.seed = seed;
      fill_uniforms(key, dealii::make_array_view(numbers));
      const std::vector<double> weights(numbers.begin() + model.n_parameters(),
                                        numbers.end());
      std::vector<double>       direction(numbers.begin(),
                                    numbers.begin() + model.n_parameters());
      for (std::size_t i = 0; i < state.size(); ++i)
        direction[i] = (0.5 + direction[i]) * (std::abs(state[i]) + 0.1);

      // Squares, so that predictions that are linear have a remainder, too.
      std::vector<double> predictions;
      const auto          functional = [&](const std::vector<double> &values) {
        double sum = 0.;
        for (std::size_t k = 0; k < values.size(); ++k)
          sum += 0.5 * weights[k] * values[k] * values[k];
        return sum;
      };
      predictions                 = predict(model, state);
      std::vector<double> factors = weights;
      for (std::size_t k = 0; k < factors.size(); ++k)
        factors[k] *= predictions[k];
      const std::vector<double> slope_vector =
        gradient(model, state, factors, predictions);
      const double here               = functional(predictions);
      double       slope_of_direction = 0.;
      for (std::size_t i = 0; i < state.size(); ++i)
        slope_of_direction += slope_vector[i] * direction[i];

      std::vector<double> logs_h, logs_r;
      for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4})
        {
          std::vector<double> moved = state;
          for (std::size_t i = 0; i < state.size(); ++i)
            moved[i] += h * direction[i];
          logs_h.push_back(std::log(h));
          logs_r.push_back(std::log(std::abs(functional(predict(model, moved)) -
                                             here - h * slope_of_direction)));
        }
      return slope(logs_h, logs_r);
    }
  } // namespace Testing
} // namespace Tempera

#endif
