// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/output/run_folder.h>
#include <tempera/study/studies.h>
#include <tempera/target/forward_target.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace Tempera
{
  void
  simulate(Target            &target,
           const RunSettings &settings,
           const std::string &at,
           const bool         overwrite,
           std::ostream      &out)
  {
    ForwardTarget *const forward = target.forward();
    if (forward == nullptr)
      throw UserError("'tempera simulate' solves an equation, but what this "
                      "file samples has no forward model. Set 'Problem/Type'; "
                      "otherwise use 'tempera run'.");

    std::vector<double> state = forward->centre();
    const auto         &truth = forward->truth();
    if (!at.empty())
      state = forward->state_from_text(at);
    else if (!truth.empty())
      std::copy_n(truth[0].begin(),
                  std::min(truth[0].size(), state.size()),
                  state.begin());
    for (unsigned int i = 0; i < state.size(); ++i)
      out << (i == 0 ? "-- at " : ", ") << forward->unknowns()[i].name << " = "
          << to_text(state[i], 8);
    out << "\n";

    const RunFolder folder(settings.folder, overwrite);

    const std::vector<std::string>   levels       = settings.used_levels();
    const Observations              &observations = forward->get_observations();
    std::vector<std::vector<double>> predictions;
    std::vector<double>              misfits;
    bool                             has_fields = false;
    for (const std::string &level : levels)
      {
        const auto          its_model           = forward->model(level);
        const ForwardModel &model               = *its_model;
        std::vector<double> parameters_of_model = state;
        parameters_of_model.resize(model.n_parameters());
        predictions.emplace_back(model.n_predictions());
        model.evaluate(dealii::make_array_view(
                         std::as_const(parameters_of_model)),
                       dealii::make_array_view(predictions.back()),
                       false);
        for (const double prediction : predictions.back())
          if (!std::isfinite(prediction))
            throw UserError("The equation cannot be solved at these values on "
                            "level '" +
                            level +
                            "'. Choose others with --at, or look at the "
                            "coefficients of the equation.");
        Evaluation evaluation;
        evaluation.reference_gradient.resize(state.size());
        evaluation.potential_gradient.resize(state.size());
        forward->energy(level)->evaluate(dealii::make_array_view(
                                           std::as_const(state)),
                                         RandomKey(),
                                         Request::values,
                                         evaluation);
        misfits.push_back(evaluation.potential);
        model.write_fields({parameters_of_model},
                           {folder.get_path() + "/fields",
                            level,
                            settings.output.n_field_times});
        has_fields = has_fields || model.has_fields();
        out << "-- level '" << level << "': " << model.description() << "\n";
      }

    std::ostringstream csv;
    for (unsigned int d = 0; d < observations.sensors[0].place.size(); ++d)
      csv << "xyz"[d] << ",";
    csv << "t,value";
    out << "\n"
        << std::setw(24) << "place" << std::setw(12) << "time" << std::setw(18)
        << "measured";
    for (const std::string &level : levels)
      {
        csv << "," << level;
        out << std::setw(18) << level;
      }
    csv << "\n";
    out << "\n";
    for (std::size_t k = 0; k < observations.sensors.size(); ++k)
      {
        const Sensor &sensor = observations.sensors[k];
        for (const double coordinate : sensor.place)
          csv << to_text(coordinate) << ",";
        csv << to_text(sensor.time) << "," << to_text(observations.values[k]);
        out << std::setw(24)
            << (sensor.place.empty() ? forward->name_of_measurement(k) :
                                       "(" + join(sensor.place) + ")")
            << std::setw(12) << to_text(sensor.time, 6) << std::setw(18)
            << to_text(observations.values[k], 10);
        for (const std::vector<double> &prediction : predictions)
          {
            csv << "," << to_text(prediction[k]);
            out << std::setw(18) << to_text(prediction[k], 10);
          }
        csv << "\n";
        out << "\n";
      }
    out << std::setw(54) << "misfit";
    for (const double misfit : misfits)
      out << std::setw(18) << to_text(misfit, 6);
    out << "\n";
    folder.write("predictions.csv", csv.str());
    out << "-- predictions.csv"
        << (has_fields ? " and fields/*.pvd are in " : " is in ")
        << folder.get_path() << "\n";
  }
} // namespace Tempera
