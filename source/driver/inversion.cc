// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/inversion.h>
#include <tempera/sampler/random.h>

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  Inversion::Inversion(const Parameters &parameters)
  {
    setting.problem = parameters.unknowns.problem;
    setting.domain  = parameters.problem.domain;
    read_unknowns(parameters);
    set_up_problem(*parameters.unknowns.problem);

    const bool  is_stationary = setting.problem->order_in_time() == 0;
    const auto &final_time    = parameters.problem.final_time.numbers;
    observations              = make_observations(parameters.observations,
                                     parameters.problem.dimension,
                                     is_stationary);
    if (is_stationary && !final_time.empty())
      throw UserError("'Problem/Final time' is set, but the equation is "
                      "stationary: there is no time in it. Remove it.");
    setting.sensors = observations.sensors;
    setting.final_time =
      final_time.empty() ? observations.last_time() : final_time[0];

    SolverParameters solver = parameters.solver;
    if (parameters.general.samples_prior())
      // Nothing is solved, so nothing is worth preparing.
      solver.gradient = "adjoint";
    for (const std::string &name : parameters.ladder.levels)
      if (models.count(name) == 0)
        models[name] = make_fem_model(setting,
                                      parameters.fem_levels.at(name),
                                      solver,
                                      ranges);
    if (parameters.observations.is_synthetic())
      make_synthetic_data(parameters);

    likelihood = make_likelihood(parameters);
    check_truth(parameters.observations);
    for (const auto &model : models)
      energies[model.first] =
        std::make_shared<Posterior>(unknowns, likelihood, model.second);
  }



  std::shared_ptr<const Energy>
  Inversion::make_energy(const FemLevelParameters &level,
                         const SolverParameters   &solver) const
  {
    SolverParameters asked = solver;
    // Whoever chooses automatically knows where it is valid.
    if (solver.gradient == "precomputed adjoint")
      asked.gradient = "automatic";
    const auto model = make_fem_model(setting, level, asked, ranges);
    if (model->gradient_method() != solver.gradient)
      return nullptr;
    return std::make_shared<Posterior>(unknowns, likelihood, model);
  }



  std::shared_ptr<const Energy>
  Inversion::make_energy(
    const std::string                        &level,
    std::shared_ptr<const GaussianLikelihood> other_data) const
  {
    return std::make_shared<Posterior>(unknowns,
                                       std::move(other_data),
                                       models.at(level));
  }



  std::shared_ptr<const FemModel>
  Inversion::make_refined_model(const std::string &level,
                                const Parameters  &parameters) const
  {
    FemLevelParameters refined = parameters.fem_levels.at(level);
    if (refined.adaptive_refinements > 0)
      {
        // The same mesh, refined everywhere.
        ++refined.final_refinements;
        refined.adaptive_time_step = refined.time_step;
      }
    else
      ++refined.refinements;
    // Of the steps that were taken: a step is shortened to end with the time.
    if (setting.problem->order_in_time() > 0)
      refined.time_step =
        0.5 * setting.final_time / models.at(level)->n_steps();
    SolverParameters solver = parameters.solver;
    solver.gradient         = "adjoint";
    return make_fem_model(setting, refined, solver, ranges);
  }



  double
  Inversion::sensitivity(const std::string         &level,
                         const std::vector<double> &state,
                         const double               relative_error) const
  {
    const FemModel     &model = *models.at(level);
    std::vector<double> predictions(model.n_predictions());
    std::vector<double> weights(model.n_predictions());
    model.evaluate(dealii::ArrayView<const double>(state.data(),
                                                   model.n_parameters()),
                   dealii::make_array_view(predictions),
                   false);
    likelihood->derivative(dealii::make_array_view(std::as_const(predictions)),
                           state.back(),
                           dealii::make_array_view(weights));
    double largest = 0., sum = 0.;
    for (std::size_t k = 0; k < weights.size(); ++k)
      {
        largest = std::max(largest, std::abs(predictions[k]));
        sum += std::abs(weights[k]);
      }
    return relative_error * largest * sum;
  }



  void
  Inversion::read_unknowns(const Parameters &parameters)
  {
    for (unsigned int i = 0; i < parameters.unknowns.values.size(); ++i)
      {
        const std::string &name   = setting.problem->parameters()[i].name;
        const std::string &text   = parameters.unknowns.values[i];
        const auto         number = Prior::number_from_text(text);
        const double       lower  = setting.problem->parameters()[i].lower;
        if (number && !(*number > lower))
          throw UserError("'Problem/Unknowns/" + name + "' is " + text +
                          ", but it must be above " + to_text(lower) + ".");
        if (number)
          setting.values.push_back(*number);
        else
          {
            const Prior prior =
              Prior::from_text(text, "Problem/Unknowns/" + name);
            if (prior.lower() < lower)
              throw UserError("The prior '" + text + "' of 'Problem/Unknowns/" +
                              name + "' reaches below " + to_text(lower) +
                              ", where the equation has no meaning. Take "
                              "log-normal, or uniform with a lower bound of "
                              "at least " +
                              to_text(lower) + ".");
            unknowns.push_back({name, prior});
            ranges.push_back({prior.scale(), prior.lower(), prior.upper()});
            setting.unknowns.push_back(i);
            setting.values.push_back(prior.middle());
          }
      }
    if (unknowns.empty())
      throw UserError("Nothing is unknown. Give at least one parameter of "
                      "'Problem/Unknowns' a prior, for instance "
                      "uniform(0, 1).");
  }



  void
  Inversion::set_up_problem(Problem &problem) const
  {
    std::vector<double> scales;
    for (const double value : setting.values)
      scales.push_back(std::abs(value));
    for (unsigned int i = 0; i < setting.unknowns.size(); ++i)
      scales[setting.unknowns[i]] = ranges[i].scale;
    problem.set_up(scales);
  }



  void
  Inversion::make_synthetic_data(const Parameters &parameters)
  {
    const ObservationParameters &settings = parameters.observations;
    if (settings.truth.empty() ||
        settings.truth[0].size() != setting.unknowns.size())
      throw UserError(
        "'Observations/Synthetic data' are made from the truth, so "
        "'Observations/Truth' must name " +
        counted(setting.unknowns.size(), "number") + ", one per unknown.");
    const std::vector<double> &truth = settings.truth[0];

    if (settings.synthetic == "exact")
      {
        if (!setting.problem->has_exact_solution())
          throw UserError("'Observations/Synthetic data = exact' needs a "
                          "problem whose exact solution is known. Name a level "
                          "instead.");
        std::vector<double> theta = setting.values;
        for (unsigned int i = 0; i < truth.size(); ++i)
          theta[setting.unknowns[i]] = truth[i];
        for (const Sensor &sensor : observations.sensors)
          observations.values.push_back(setting.problem->exact_solution(
            dealii::make_array_view(sensor.place),
            sensor.time,
            dealii::make_array_view(std::as_const(theta))));
      }
    else
      {
        const auto model = models.find(settings.synthetic);
        observations.values.resize(observations.sensors.size());
        (model != models.end() ?
           model->second :
           make_fem_model(setting,
                          parameters.fem_levels.at(settings.synthetic),
                          parameters.solver,
                          ranges))
          ->evaluate(dealii::make_array_view(truth),
                     dealii::make_array_view(observations.values),
                     false);
      }
    for (const double value : observations.values)
      if (!std::isfinite(value))
        throw UserError("The equation cannot be solved at 'Observations/"
                        "Truth', so that there are no synthetic data. Correct "
                        "the truth, or the equation.");
    add_noise(settings.synthetic_noise,
              settings.synthetic_seed,
              observations.values);
  }



  std::shared_ptr<const GaussianLikelihood>
  Inversion::make_likelihood(const Parameters &parameters)
  {
    const ObservationParameters &settings = parameters.observations;
    const bool is_unknown = settings.noise.find('(') != std::string::npos;
    if (is_unknown && (!settings.covariance.empty() ||
                       !observations.standard_deviations.empty()))
      throw UserError("'Observations/Noise' is a prior, so sigma is unknown, "
                      "but a covariance or a column 'sigma' gives it. Remove "
                      "one of them.");
    if (!settings.covariance.empty())
      {
        if (!observations.standard_deviations.empty())
          throw UserError("'Observations/Covariance' is given, and a column "
                          "'sigma' too. Remove one of them.");
        return std::make_shared<GaussianLikelihood>(observations.values,
                                                    settings.covariance);
      }
    if (!observations.standard_deviations.empty())
      return std::make_shared<GaussianLikelihood>(
        observations.values, observations.standard_deviations);

    const std::string name = "Observations/Noise";
    if (is_unknown)
      {
        const Prior prior = Prior::from_text(settings.noise, name);
        if (prior.lower() < 0. || (prior.lower() == 0. && prior.is_uniform()))
          throw UserError("The prior '" + settings.noise + "' of '" + name +
                          "' allows standard deviations that are zero or "
                          "negative. Take log-normal, or uniform with a lower "
                          "bound above 0.");
        unknowns.push_back({"sigma", prior});
        return std::make_shared<GaussianLikelihood>(observations.values);
      }
    std::vector<double> deviations;
    for (const std::string &text :
         dealii::Utilities::split_string_list(settings.noise, ','))
      {
        const auto number = Prior::number_from_text(text);
        if (!number)
          throw UserError("The value '" + settings.noise + "' of '" + name +
                          "' is neither numbers nor a prior. Write a standard "
                          "deviation above 0, one per measurement, or for "
                          "instance log-normal(0.1, 1).");
        deviations.push_back(*number);
      }
    return std::make_shared<GaussianLikelihood>(observations.values,
                                                deviations);
  }



  void
  Inversion::check_truth(const ObservationParameters &settings) const
  {
    const std::size_t n = setting.unknowns.size();
    for (const std::vector<double> &truth : settings.truth)
      {
        if (truth.size() != n && truth.size() != unknowns.size())
          throw UserError("'Observations/Truth' has an answer with " +
                          counted(truth.size(), "number") + ", but there are " +
                          counted(n, "unknown") +
                          ". Separate numbers by commas, answers by "
                          "semicolons.");
        for (std::size_t i = 0; i < truth.size(); ++i)
          if (truth[i] < unknowns[i].prior.lower() ||
              truth[i] > unknowns[i].prior.upper())
            throw UserError("'Observations/Truth' has " + unknowns[i].name +
                            " = " + to_text(truth[i]) + ", which its prior " +
                            unknowns[i].prior.text() + " excludes.");
      }
    const std::vector<double> &circle = settings.true_circle;
    if (!circle.empty() &&
        (circle.size() != 3 || !(circle[2] > 0.) || unknowns.size() < 2))
      throw UserError("'Observations/True circle' needs two unknowns and three "
                      "numbers: the two coordinates of its centre and a radius "
                      "above 0.");
  }



  std::vector<double>
  Inversion::middle() const
  {
    std::vector<double> result;
    for (const Unknown &unknown : unknowns)
      result.push_back(unknown.prior.middle());
    return result;
  }



  std::vector<std::vector<double>>
  Inversion::draw_from_prior(const std::uint64_t seed,
                             const unsigned int  n,
                             const unsigned int  chain) const
  {
    std::vector<std::vector<double>> result;
    for (unsigned int rung = 0; rung < n; ++rung)
      {
        RandomKey key;
        key.seed    = seed;
        key.chain   = chain;
        key.rung    = rung;
        key.purpose = Purpose::start;
        std::vector<double> numbers(unknowns.size());
        fill_uniforms(key, dealii::make_array_view(numbers));
        for (unsigned int i = 0; i < unknowns.size(); ++i)
          numbers[i] = unknowns[i].prior.quantile(numbers[i]);
        result.push_back(numbers);
      }
    return result;
  }



  std::vector<unsigned int>
  Inversion::place_unknowns() const
  {
    std::vector<unsigned int> result;
    for (const unsigned int parameter : setting.problem->place_parameters())
      {
        const auto place = std::find(setting.unknowns.begin(),
                                     setting.unknowns.end(),
                                     parameter);
        if (place == setting.unknowns.end())
          return {};
        result.push_back(place - setting.unknowns.begin());
      }
    return result;
  }



  std::vector<double>
  Inversion::state_from_text(const std::string &text) const
  {
    std::vector<std::string> names;
    for (const Unknown &unknown : unknowns)
      names.push_back(unknown.name);

    std::vector<double> state = middle();
    for (const std::string &part :
         dealii::Utilities::split_string_list(text, ','))
      {
        const auto        equal = part.find('=');
        const std::string name = dealii::Utilities::trim(part.substr(0, equal));
        const auto        place = std::find(names.begin(), names.end(), name);
        if (equal == std::string::npos || place == names.end())
          throw UserError("--at \"" + text + "\": '" + part +
                          "' does not name an unknown. Write for instance \"" +
                          names[0] + " = 0.3\"." + did_you_mean(name, names));
        const auto number = Prior::number_from_text(part.substr(equal + 1));
        if (!number)
          throw UserError("--at \"" + text + "\": '" + part +
                          "' has no number behind its '='.");
        const Prior &prior = unknowns[place - names.begin()].prior;
        if (*number < prior.lower() || *number > prior.upper())
          throw UserError("--at \"" + text + "\": " + name + " = " +
                          to_text(*number) + " is outside its prior " +
                          prior.text() + ".");
        state[place - names.begin()] = *number;
      }
    return state;
  }
} // namespace Tempera
