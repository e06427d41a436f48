// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/base/words.h>
#include <tempera/inference/csv_table.h>
#include <tempera/inference/observations.h>
#include <tempera/sampler/random.h>

#include <algorithm>

namespace Tempera
{
  void
  ObservationParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    const List points(List(Double(), 1), 0, List::max_int_value, ";");
    prm.add_parameter(
      "Sensors",
      sensors,
      "Places of the sensors: coordinates separated by commas, places by semicolons.",
      points);
    prm.add_parameter(
      "Times",
      times,
      "Times at which every sensor is read, separated by commas. A stationary equation has none.",
      List(Double(0.), 0));
    prm.add_parameter(
      "Values",
      values,
      "What was read: all sensors at the first time, then all at the second, and so on.",
      List(Double(), 0));
    prm.add_parameter(
      "File",
      file,
      "CSV file in the place of 'Sensors', 'Times' and 'Values'. Its columns are x (y, z), t (unless the equation is stationary), value and, if wanted, sigma or group (a number; each group has a sigma of its own, if it is unknown), separated by commas, semicolons or tabs; each line is a measurement. A relative name starts from the folder of the parameter file.",
      Anything());
    prm.add_parameter(
      "Noise",
      noise,
      "Standard deviation of the errors of measurement: a number, one number per measurement, or, if it is unknown, a prior as for the unknowns; it is then sampled under the name sigma, or sigma_1 and so on with a column group. Not used with a covariance or a column sigma.",
      Anything());
    declare_choice<ErrorShape>(
      prm,
      "Noise law",
      errors.shape,
      {{"gaussian", ErrorShape::gaussian},
       {"student-t", ErrorShape::student_t},
       {"outliers", ErrorShape::outliers}},
      "Law of the errors: 'gaussian'; 'student-t', with heavy tails, in which 'Noise' is the scale; 'outliers', a Gaussian one but for a share of values whose errors are so many times as large.");
    prm.add_parameter(
      "Degrees of freedom",
      errors.degrees_of_freedom,
      "Of errors with 'Noise law = student-t': at least 1, or a prior; then sampled under the name dof.",
      Anything());
    prm.add_parameter(
      "Outlier share",
      errors.outlier_share,
      "With 'Noise law = outliers': which share of the values are outliers, between 0 and 1, or a prior; then sampled under the name outlier_share.",
      Anything());
    prm.add_parameter(
      "Outlier factor",
      errors.outlier_factor,
      "With 'Noise law = outliers': how many times as large their errors are, or a prior; then sampled under the name outlier_factor.",
      Anything());
    declare_choice<ErrorScale>(
      prm,
      "Noise scale",
      errors.scale,
      {{"absolute", ErrorScale::absolute},
       {"proportional", ErrorScale::proportional},
       {"logarithmic", ErrorScale::logarithmic}},
      "What 'Noise' is measured in: 'absolute', units of the values; 'proportional', parts of the predicted value; 'logarithmic', the error of the value's logarithm.");
    prm.add_parameter(
      "Noise floor",
      errors.floor,
      "With 'Noise scale = proportional': the error of values near 0, which is added in squares.",
      Double(0.));
    prm.add_parameter(
      "Detection limit",
      errors.detection_limit,
      "Values that are not above it were not detected: they are known to be below, and no more. Empty: there is none.",
      Anything());
    prm.add_parameter(
      "Correlation time",
      errors.correlation_time,
      "Errors of one sensor that are a time t apart have the correlation exp(-t/T) with this time T; a prior, if it is unknown, and then sampled under the name correlation_time. Empty: errors are independent.",
      Anything());
    prm.add_parameter(
      "Discrepancy",
      errors.discrepancy,
      "Standard deviation of what the model lacks: a Gaussian process over the places of the measurements, which is added to Gaussian errors; a prior, if it is unknown, and then sampled under the name discrepancy. Empty: the model lacks nothing.",
      Anything());
    prm.add_parameter(
      "Discrepancy length",
      errors.discrepancy_length,
      "Length l of the discrepancy: at places that are d apart it has the correlation exp(-d^2/(2 l^2)). Or a prior; the name is then discrepancy_length.",
      Anything());
    prm.add_parameter(
      "Discrepancy time",
      errors.discrepancy_time,
      "Time T of the discrepancy: at times that are t apart it has the correlation exp(-t/T). Or a prior; the name is then discrepancy_time. Empty: it is the same at all times.",
      Anything());
    prm.add_parameter(
      "Covariance",
      covariance,
      "Covariance matrix of the errors: entries separated by commas, rows by semicolons. Empty: independent errors.",
      points);
    prm.add_parameter(
      "Truth",
      truth,
      "True values of the unknowns, where known: for pictures, and for synthetic data. Several answers are separated by semicolons; data are made from the first.",
      points);
    prm.add_parameter(
      "True circle",
      true_circle,
      "Centre and radius, where the answer is known to be a circle: for pictures.",
      List(Double(), 0, 3));
    prm.add_parameter(
      "Synthetic data",
      synthetic,
      "Make the data from the truth: 'exact' from the exact solution of the problem, or the name of a level to solve with. 'none': the data are given.",
      Anything());
    prm.add_parameter(
      "Synthetic noise",
      synthetic_noise,
      "Standard deviation of the noise that is added to synthetic data.",
      Double(0.));
    declare_whole_number(prm,
                         "Synthetic seed",
                         synthetic_seed,
                         0,
                         "Seed of the noise that is added to synthetic data.");
  }



  double
  Observations::last_time() const
  {
    double result = 0.;
    for (const Sensor &sensor : sensors)
      result = std::max(result, sensor.time);
    return result;
  }



  Observations
  make_observations(const ObservationParameters &parameters,
                    const unsigned int           dimension,
                    const bool                   is_stationary)
  {
    Observations result;
    if (is_stationary && !parameters.times.empty())
      throw UserError("'Observations/Times' is set, but the equation is "
                      "stationary: there is no time in it. Remove it.");
    const bool is_given = !parameters.is_synthetic();
    if (is_given && parameters.synthetic_noise > 0.)
      throw UserError("'Observations/Synthetic noise' is for synthetic data, "
                      "but the data are given. Remove it, or set 'Synthetic "
                      "data'.");
    if (!parameters.file.empty())
      {
        if (!parameters.sensors.empty() || !parameters.times.empty() ||
            !parameters.values.empty())
          throw UserError("'Observations/File' takes the place of 'Sensors', "
                          "'Times' and 'Values'. Remove one or the other.");
        const CsvTable           table(parameters.file);
        std::vector<std::string> known{"value", "sigma", "group"};
        if (!is_stationary)
          known.push_back("t");
        for (unsigned int d = 0; d < dimension; ++d)
          known.push_back(std::string(1, "xyz"[d]));
        for (const std::string &name : table.get_names())
          if (std::find(known.begin(), known.end(), name) == known.end())
            throw UserError("The file '" + parameters.file +
                            "' has a column '" + name +
                            "', which no observation has in " +
                            counted(dimension, "dimension") + "." +
                            did_you_mean(name, known));
        const auto times = is_stationary ?
                             std::vector<double>(table.n_rows(), 0.) :
                             table.column("t");

        std::vector<std::vector<double>> places;
        for (unsigned int d = 0; d < dimension; ++d)
          places.push_back(table.column(std::string(1, "xyz"[d])));
        for (std::size_t row = 0; row < table.n_rows(); ++row)
          {
            Sensor sensor;
            sensor.name = "the sensor of " + table.origin(row);
            sensor.time = times[row];
            for (unsigned int d = 0; d < dimension; ++d)
              sensor.place.push_back(places[d][row]);
            result.sensors.push_back(sensor);
          }
        if (is_given)
          result.values = table.column("value");
        if (table.has_column("group"))
          result.groups = table.column("group");
        if (table.has_column("sigma"))
          {
            result.standard_deviations = table.column("sigma");
            for (std::size_t row = 0; row < table.n_rows(); ++row)
              if (!(result.standard_deviations[row] > 0.))
                throw UserError(table.origin(row) +
                                ": 'sigma' is a standard deviation and must be "
                                "above 0.");
          }
        return result;
      }

    if (dimension == 0 && parameters.sensors.empty())
      {
        if (is_given && parameters.values.empty())
          throw UserError("There are no observations. Set 'Observations/"
                          "Values', or 'Observations/File'.");
        result.values = parameters.values;
        result.sensors.resize(result.values.size());
        return result;
      }
    if (parameters.sensors.empty() ||
        (parameters.times.empty() && !is_stationary))
      throw UserError(std::string("There are no observations. Set "
                                  "'Observations/Sensors'") +
                      (is_stationary ? "" : " and 'Observations/Times'") +
                      ", or 'Observations/File'.");
    const std::vector<double> times =
      is_stationary ? std::vector<double>{0.} : parameters.times;
    for (const double time : times)
      for (std::size_t i = 0; i < parameters.sensors.size(); ++i)
        result.sensors.push_back(
          {"sensor " + std::to_string(i + 1) + " of 'Observations/Sensors'",
           parameters.sensors[i],
           time});
    if (is_given)
      {
        if (parameters.values.size() != result.sensors.size())
          throw UserError(
            "'Observations/Values' has " +
            counted(parameters.values.size(), "number") + ", but " +
            counted(parameters.sensors.size(), "sensor") +
            (is_stationary ? "" : " at " + counted(times.size(), "time")) +
            " give " + counted(result.sensors.size(), "measurement") +
            ". Give one value for each, or set 'Observations/Synthetic data'.");
        result.values = parameters.values;
      }
    else if (!parameters.values.empty())
      throw UserError("'Observations/Values' are given although 'Synthetic "
                      "data' are asked for. Remove one or the other.");
    return result;
  }



  void
  add_noise(const double         standard_deviation,
            const std::uint64_t  seed,
            std::vector<double> &values,
            const std::uint64_t  stream)
  {
    std::vector<double> normals(values.size());
    RandomKey           key;
    key.seed    = seed;
    key.stream  = stream;
    key.purpose = Purpose::data;
    fill_normals(key, dealii::make_array_view(normals));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += standard_deviation * normals[i];
  }
} // namespace Tempera
