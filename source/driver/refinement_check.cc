// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/inversion.h>
#include <tempera/driver/refinement_check.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /** Predictions at a state; empty where the equation has no solution. */
    std::vector<double>
    predictions_at(const FemModel &model, const std::vector<double> &state)
    {
      std::vector<double> result(model.n_predictions());
      model.evaluate(dealii::ArrayView<const double>(state.data(),
                                                     model.n_parameters()),
                     dealii::make_array_view(result),
                     false);
      const bool is_finite =
        std::all_of(result.begin(), result.end(), [](const double value) {
          return std::isfinite(value);
        });
      return is_finite ? result : std::vector<double>();
    }

    std::string
    name_of(const Sensor &sensor, const bool is_stationary)
    {
      return "(" + join(sensor.place) + ")" +
             (is_stationary ? "" : ", t = " + to_text(sensor.time, 6));
    }
  } // namespace



  RefinementCheck::RefinementCheck(
    const Inversion                        &inversion,
    const Parameters                       &parameters,
    const std::vector<std::vector<double>> &states,
    const std::function<bool()>            &is_stopped)
    : level(parameters.ladder.levels[0])
    , is_stationary(inversion.get_problem().order_in_time() == 0)
    , is_interrupted(is_stopped())
  {
    if (states.empty() || is_interrupted)
      return;
    std::shared_ptr<const FemModel> refined;
    try
      {
        refined = inversion.make_refined_model(level, parameters);
      }
    catch (const UserError &error)
      {
        // Too large, for instance; the run itself is in order.
        obstacle = error.what();
        return;
      }

    const FemModel &model = inversion.model(level);
    double          sum   = 0.;
    for (const std::vector<double> &state : states)
      {
        is_interrupted = is_stopped();
        if (is_interrupted)
          break;
        const std::vector<double> now    = predictions_at(model, state),
                                  better = predictions_at(*refined, state);
        if (now.empty() || better.empty())
          {
            ++n_skipped;
            continue;
          }
        ++n_draws;
        for (unsigned int k = 0; k < now.size(); ++k)
          {
            const double difference =
              std::abs(now[k] - better[k]) /
              inversion.get_likelihood().standard_deviation(k, state.back());
            sum += difference / now.size();
            if (difference > largest)
              {
                largest     = difference;
                measurement = k;
              }
          }
      }
    if (n_draws == 0)
      return;
    mean = sum / n_draws;
    measurement_name =
      name_of(inversion.get_observations().sensors[measurement], is_stationary);
  }



  std::string
  RefinementCheck::text() const
  {
    if (!obstacle.empty())
      return "Whether level '" + level +
             "' is fine enough is not known: it cannot be refined. " +
             obstacle + "\n";
    if (!is_known())
      return n_skipped > 0 ? "Whether level '" + level +
                               "' is fine enough is not known: at no draw "
                               "could the refined equation be solved.\n" :
                             "";
    const std::string end =
      " sigma (" + counted(n_draws, "draw") +
      (n_skipped > 0 ? ", " + std::to_string(n_skipped) + " without solution" :
                       "") +
      (is_interrupted ? ", then stopped" : "") + ")";
    if (is_fine_enough())
      return "Level '" + level +
             "' is fine enough: refining it once changes the predictions by "
             "at most " +
             to_text(largest, 2) + end + ".\n";
    const std::string section = "'Levels/" + level + "/";
    return "Warning: level '" + level +
           "' is not fine enough: refining it once changes the predictions by "
           "up to " +
           to_text(largest, 2) + end + ", most at " + measurement_name +
           ". Above " + to_text(largest_difference) +
           " the posterior is in part that of the mesh. Raise " + section +
           "Subdivisions' or " + section + "Degree'" +
           (is_stationary ? "" : ", or lower " + section + "Time step'") +
           ".\n";
  }



  std::string
  RefinementCheck::csv() const
  {
    if (!is_known())
      return "quantity,value\nn_draws,0\n";
    return "quantity,value\nlargest," + to_text(largest, 8) + "\nmean," +
           to_text(mean, 8) + "\nn_draws," + std::to_string(n_draws) +
           "\nmeasurement," + std::to_string(measurement + 1) + "\n";
  }
} // namespace Tempera
