// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_tests_fem_source_model_h
#define tempera_tests_fem_source_model_h

// The paper's source problem on any level, for tests.

#include <tempera/fem/precomputed_model.h>

namespace Tempera
{
  namespace Testing
  {
    /** The paper's two sensors, or as many on a diagonal in other dimensions.
     */
    inline ModelSetting
    source_setting(const unsigned int dim, const double final_time = 0.03)
    {
      ModelSetting setting;
      setting.problem = ProblemRegistry::create("pollution source", dim);
      setting.values.assign(dim, 0.5);
      for (const double value : {0.1, 1., 1.})
        setting.values.push_back(value);
      for (unsigned int d = 0; d < dim; ++d)
        setting.unknowns.push_back(d);
      setting.final_time = final_time;
      if (dim == 2)
        setting.sensors = {{"sensor 1", {0.5, 0.3}, final_time},
                           {"sensor 2", {0.5, 0.6}, final_time}};
      else
        setting.sensors = {
          {"sensor 1", std::vector<double>(dim, 0.45), final_time},
          {"sensor 2", std::vector<double>(dim, 0.61), final_time}};
      return setting;
    }

    inline FemLevelParameters
    level(const unsigned int subdivisions,
          const double       time_step,
          const unsigned int degree = 1)
    {
      FemLevelParameters result;
      result.subdivisions = {subdivisions};
      result.time_step    = time_step;
      result.degree       = degree;
      return result;
    }

    inline std::vector<double>
    predict(const ForwardModel &model, const std::vector<double> &state)
    {
      std::vector<double> predictions(model.n_predictions());
      model.evaluate(dealii::make_array_view(state),
                     dealii::make_array_view(predictions),
                     false);
      return predictions;
    }

    /** J^T w, with the predictions. */
    inline std::vector<double>
    gradient(const ForwardModel        &model,
             const std::vector<double> &state,
             const std::vector<double> &weights,
             std::vector<double>       &predictions,
             const bool                 at_once = true)
    {
      predictions.resize(model.n_predictions());
      std::vector<double> result(model.n_parameters());
      model
        .evaluate(dealii::make_array_view(state),
                  dealii::make_array_view(predictions),
                  at_once)
        ->apply_transpose(dealii::make_array_view(weights),
                          dealii::make_array_view(result));
      return result;
    }

    /** Largest difference relative to the largest entry. */
    inline double
    relative_difference(const std::vector<double> &a,
                        const std::vector<double> &b)
    {
      double difference = 0., size = 0.;
      for (std::size_t i = 0; i < a.size(); ++i)
        {
          difference = std::max(difference, std::abs(a[i] - b[i]));
          size       = std::max(size, std::abs(b[i]));
        }
      return difference / size;
    }
  } // namespace Testing
} // namespace Tempera

#endif
