// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/pinn/network_data.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace Tempera
{
  namespace
  {
    /** Noise of each kind of data comes from a stream of its own. */
    enum Stream : std::uint64_t
    {
      observation_stream,
      residual_stream,
      boundary_stream,
      initial_stream,
      initial_rate_stream
    };

    /** Standard deviations of the observations. */
    std::vector<double>
    observation_noise(const ObservationParameters &parameters,
                      const Observations          &observations)
    {
      const std::size_t n = observations.values.size();
      if (!parameters.covariance.empty())
        throw UserError("'Observations/Covariance' is not there for networks. "
                        "Give standard deviations in 'Observations/Noise'.");
      if (!observations.standard_deviations.empty())
        return observations.standard_deviations;
      std::vector<double> result;
      for (const std::string &text :
           dealii::Utilities::split_string_list(parameters.noise, ','))
        {
          const auto number = Prior::number_from_text(text);
          if (!number || !(*number > 0.))
            throw UserError("The value '" + parameters.noise +
                            "' of 'Observations/Noise' is not a list of "
                            "numbers above 0. For networks the noise must be "
                            "known: write a standard deviation, or one per "
                            "measurement.");
          result.push_back(*number);
        }
      if (result.size() == 1)
        result.resize(n, result[0]);
      if (result.size() != n)
        throw UserError("'Observations/Noise' has " +
                        counted(result.size(), "number") + ", but there are " +
                        counted(n, "measurement") +
                        ". Give one number for all, or one for each.");
      return result;
    }
  } // namespace



  NetworkData::NetworkData(const NetworkModel    &model,
                           const NetworkSettings &settings)
    : model(model)
    , settings(settings)
    , dimension(model.equation->dimension())
    , has_time(model.equation->order_in_time() > 0)
    , lower(settings.network.lower)
    , upper(settings.network.upper)
  {
    for (auto *corner : {&lower, &upper})
      {
        if (corner->size() == 1)
          corner->resize(dimension, corner->front());
        if (corner->size() != dimension)
          throw UserError(
            "'Network/Lower corner' and 'Network/Upper corner' need one number "
            "for all directions or " +
            std::to_string(dimension) +
            ", as many as the equation has dimensions.");
      }
    for (unsigned int d = 0; d < dimension; ++d)
      if (!(lower[d] < upper[d]))
        throw UserError("'Network/Lower corner' must be below 'Network/Upper "
                        "corner' in every direction.");
    if (has_time)
      {
        lower.push_back(0.);
        upper.push_back(settings.network.final_time);
      }
  }



  NetworkData::Grid
  NetworkData::make_grid(const std::vector<unsigned int> &n_points,
                         const std::string               &parameter) const
  {
    const unsigned int n_in = model.shape.n_inputs;
    if (n_points.size() != n_in)
      throw UserError("'" + parameter + "' has " +
                      counted(n_points.size(), "number") + ", but '" +
                      settings.network.equation + "' has " +
                      counted(dimension, "coordinate") +
                      (has_time ? " and the time" : " and no time") +
                      ". Write " + counted(n_in, "number") + ".");
    std::size_t n = 1;
    for (const unsigned int number : n_points)
      {
        if (number < 2)
          throw UserError(
            "'" + parameter + "' is " +
            join(std::vector<double>(n_points.begin(), n_points.end())) +
            ", but a grid that includes its ends has at least 2 "
            "points in each direction. Raise it.");
        n *= number;
      }

    Grid grid;
    for (std::size_t i = 0; i < n; ++i)
      {
        std::size_t rest        = i;
        bool        is_boundary = false, is_initial = false;
        for (unsigned int d = 0; d < n_in; ++d)
          {
            const unsigned int k = rest % n_points[d];
            rest /= n_points[d];
            grid.inputs.push_back(lower[d] + (upper[d] - lower[d]) * k /
                                               (n_points[d] - 1.));
            if (d < dimension)
              is_boundary = is_boundary || k == 0 || k + 1 == n_points[d];
            else
              is_initial = k == 0;
          }
        grid.is_initial.push_back(is_initial);
        grid.is_boundary.push_back(is_boundary && !is_initial);
      }
    return grid;
  }



  PlaceExpression
  NetworkData::make_formula(const std::string &text,
                            const std::string &name,
                            const bool         with_time) const
  {
    PlaceExpression formula;
    if (text.empty() && settings.data.exact.empty())
      throw UserError("'Network/Data/" + name +
                      "' is empty, and there is no 'Exact solution' to take "
                      "it from. Give a formula for one of them.");
    if (text.empty())
      formula.set(settings.data.exact,
                  dimension,
                  "Network/Data/Exact solution",
                  has_time);
    else
      formula.set(text, dimension, "Network/Data/" + name, with_time);
    return formula;
  }



  std::vector<double>
  NetworkData::values(const PlaceExpression     &formula,
                      const std::vector<double> &inputs) const
  {
    std::vector<double> result;
    for (std::size_t i = 0; i < inputs.size(); i += model.shape.n_inputs)
      {
        result.push_back(
          formula(&inputs[i], has_time ? inputs[i + dimension] : 0.));
        if (!std::isfinite(result.back()))
          throw UserError("A formula of 'Network/Data' is not finite at (" +
                          join(std::vector<double>(inputs.begin() + i,
                                                   inputs.begin() + i +
                                                     model.shape.n_inputs)) +
                          "). Correct it, or the domain.");
      }
    return result;
  }



  MisfitSet::Term
  NetworkData::make_term(const std::string  &name,
                         const unsigned int  row,
                         std::vector<double> data,
                         const double        noise,
                         const double        weight,
                         const std::uint64_t stream) const
  {
    const NetworkLikelihoodParameters &likelihood = settings.likelihood;
    if (likelihood.noisy_data && likelihood.is_weighted())
      throw UserError("'Network/Likelihood/Noisy data' needs standard "
                      "deviations. Set 'Form = gaussian', or do without "
                      "noise.");
    if (likelihood.noisy_data)
      add_noise(noise, settings.observations.synthetic_seed, data, stream);
    MisfitSet::Term term;
    term.name = name;
    term.row  = row;
    term.factor =
      likelihood.is_weighted() ? weight / data.size() : 0.5 / (noise * noise);
    term.data = std::move(data);
    return term;
  }



  std::vector<MisfitSet>
  NetworkData::make_data_sets() const
  {
    const NetworkLikelihoodParameters &likelihood = settings.likelihood;
    const unsigned int                 n_in       = model.shape.n_inputs;
    const Grid                         grid =
      make_grid(settings.network.data_points, "Network/Data points");

    std::vector<double> at_start, on_boundary;
    for (std::size_t i = 0; i < grid.is_initial.size(); ++i)
      if (grid.is_initial[i] || grid.is_boundary[i])
        {
          std::vector<double> &inputs =
            grid.is_initial[i] ? at_start : on_boundary;
          inputs.insert(inputs.end(),
                        grid.inputs.begin() + i * n_in,
                        grid.inputs.begin() + (i + 1) * n_in);
        }

    std::vector<MisfitSet> sets;
    MisfitSet              boundary;
    boundary.inputs = on_boundary;
    boundary.terms.push_back(make_term(
      "boundary value",
      0,
      values(make_formula(settings.data.boundary, "Boundary value", has_time),
             on_boundary),
      likelihood.boundary_noise,
      likelihood.boundary_weight,
      boundary_stream));
    sets.push_back(boundary);

    if (has_time)
      {
        MisfitSet initial;
        initial.inputs = at_start;
        initial.terms.push_back(make_term(
          "initial value",
          0,
          values(make_formula(settings.data.initial, "Initial value", false),
                 at_start),
          likelihood.initial_noise,
          likelihood.initial_weight,
          initial_stream));
        if (!settings.data.initial_rate.empty())
          {
            if (model.equation->order_in_time() < 2)
              throw UserError("'Network/Data/Initial rate' is given, but the "
                              "equation is of first order in time, and has no "
                              "initial rate. Remove it.");
            std::vector<unsigned int> orders(n_in, 0);
            orders[dimension] = 1;
            initial.rows      = JetRows(orders);
            initial.terms.push_back(
              make_term("initial rate",
                        initial.rows.row(dimension, 1),
                        values(make_formula(settings.data.initial_rate,
                                            "Initial rate",
                                            false),
                               at_start),
                        likelihood.initial_rate_noise,
                        likelihood.initial_rate_weight,
                        initial_rate_stream));
          }
        sets.push_back(initial);
      }
    add_observations(sets);
    return sets;
  }



  void
  NetworkData::add_observations(std::vector<MisfitSet> &sets) const
  {
    const ObservationParameters &parameters = settings.observations;
    if (parameters.sensors.empty() && parameters.file.empty())
      {
        if (parameters.is_synthetic() || !parameters.values.empty())
          throw UserError("'Observations' asks for data, but names no place. "
                          "Set 'Observations/Sensors', or remove the section.");
        return;
      }
    Observations observations =
      make_observations(parameters, dimension, !has_time);
    if (!parameters.errors.are_plain() || !observations.groups.empty())
      throw UserError(
        "'Observations/Noise law', 'Noise scale', 'Noise "
        "floor', 'Detection limit', 'Correlation time', "
        "'Discrepancy' and groups are not there for networks: their errors are Gaussian. "
        "Remove them.");
    std::vector<double> inputs;
    for (const Sensor &sensor : observations.sensors)
      {
        if (sensor.place.size() != dimension)
          throw UserError(
            sensor.name + " has " + counted(sensor.place.size(), "coordinate") +
            ", but the equation has " + counted(dimension, "dimension") + ".");
        std::vector<double> place = sensor.place;
        if (has_time)
          place.push_back(sensor.time);
        for (std::size_t d = 0; d < place.size(); ++d)
          if (place[d] < lower[d] || place[d] > upper[d])
            throw UserError(sensor.name + " is at (" + join(place) +
                            "), outside the domain of the network. Correct it, "
                            "or 'Network/Lower corner', 'Upper corner' and "
                            "'Final time'.");
        inputs.insert(inputs.end(), place.begin(), place.end());
      }
    if (parameters.is_synthetic())
      {
        if (parameters.synthetic != "exact" || !has_exact_solution())
          throw UserError("'Observations/Synthetic data' of a network must be "
                          "'exact', with a formula in 'Network/Data/Exact "
                          "solution'.");
        observations.values = values(make_formula("", "", true), inputs);
        add_noise(parameters.synthetic_noise,
                  parameters.synthetic_seed,
                  observations.values,
                  observation_stream);
      }

    // Those with one standard deviation are a set.
    const bool                is_weighted = settings.likelihood.is_weighted();
    const std::vector<double> noise =
      is_weighted ? std::vector<double>(observations.values.size(), 1.) :
                    observation_noise(parameters, observations);
    const unsigned int          n_in = model.shape.n_inputs;
    std::map<double, MisfitSet> by_noise;
    for (std::size_t i = 0; i < noise.size(); ++i)
      {
        MisfitSet &set = by_noise[noise[i]];
        set.inputs.insert(set.inputs.end(),
                          inputs.begin() + i * n_in,
                          inputs.begin() + (i + 1) * n_in);
        set.terms.resize(1);
        set.terms[0].data.push_back(observations.values[i]);
      }
    for (auto &entry : by_noise)
      {
        MisfitSet::Term &term = entry.second.terms[0];
        term.name             = "observation";
        term.factor = is_weighted ? settings.likelihood.observation_weight /
                                      term.data.size() :
                                    0.5 / (entry.first * entry.first);
        sets.push_back(entry.second);
      }
  }



  MisfitSet
  NetworkData::make_residual_set(const NetworkLevelParameters &level,
                                 const std::string            &name,
                                 const unsigned int            n_fine) const
  {
    const Grid         grid = make_grid(level.collocation_points,
                                "Levels/" + name + "/Collocation points");
    const unsigned int n    = grid.inputs.size() / model.shape.n_inputs;
    if (level.batch_size >= n)
      throw UserError("'Levels/" + name + "/Batch size' is " +
                      std::to_string(level.batch_size) +
                      ", but the level has only " +
                      counted(n, "collocation point") +
                      ". Lower it, or set it to 0 for all points.");

    MisfitSet set;
    set.inputs      = grid.inputs;
    set.rows        = JetRows(model.equation->orders());
    set.is_residual = true;
    PlaceExpression source;
    source.set(settings.data.source,
               dimension,
               "Network/Data/Source",
               has_time);
    set.terms.push_back(make_term("residual",
                                  0,
                                  values(source, set.inputs),
                                  settings.likelihood.residual_noise,
                                  settings.likelihood.residual_weight,
                                  residual_stream));
    // Fewer points must not make the equation count less: that would be another
    // temperature. A mean does not need it.
    if (n_fine > 0 && !settings.likelihood.is_weighted())
      set.terms[0].factor *= double(n_fine) / n;
    return set;
  }



  std::vector<double>
  NetworkData::prediction_inputs() const
  {
    const unsigned int  n = settings.network.n_prediction_points;
    std::vector<double> result;
    for (unsigned int i = 0; i < n; ++i)
      {
        result.push_back(lower[0] + (upper[0] - lower[0]) * i / (n - 1.));
        for (unsigned int d = 1; d < dimension; ++d)
          result.push_back(0.5 * (lower[d] + upper[d]));
        if (has_time)
          result.push_back(settings.network.final_time);
      }
    return result;
  }



  std::vector<double>
  NetworkData::exact_predictions() const
  {
    if (!has_exact_solution())
      return {};
    return values(make_formula("", "Exact solution", true),
                  prediction_inputs());
  }
} // namespace Tempera
