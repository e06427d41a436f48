// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/failure_reason.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/inversion.h>
#include <tempera/sampler/absent_energy.h>
#include <tempera/sampler/random.h>

#include <deal.II/base/utilities.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

namespace Tempera
{
  const ProcessLayout &
  Inversion::alone()
  {
    static const ProcessLayout one;
    return one;
  }



  Inversion::Inversion(const Parameters    &parameters,
                       const ProcessLayout &layout)
    : parameters(parameters)
    , layout(layout)
    , solver(parameters.solver)
  {
    setting.problem      = parameters.unknowns.problem;
    setting.domain       = parameters.problem.domain;
    setting.communicator = layout.group_communicator();
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

    if (parameters.general.samples_prior())
      // Nothing is solved, so nothing is worth preparing.
      solver.gradient = "adjoint";
    server = std::make_unique<ModelServer>(setting, ranges);
    if (layout.is_helper())
      return;

    // Each level somewhere, so that its cost can be measured.
    const Peers                &peers = layout.get_peers();
    const std::set<std::string> levels(parameters.ladder.levels.begin(),
                                       parameters.ladder.levels.end());
    unsigned int                index = 0;
    for (const std::string &level : levels)
      {
        std::vector<unsigned int> able;
        for (unsigned int peer = 0; peer < peers.size(); ++peer)
          if (layout.may_have(peer, level))
            able.push_back(peer);
        if (able[index++ % able.size()] == peers.me())
          make_model(level);
      }
    if (parameters.observations.is_synthetic())
      {
        if (peers.is_first())
          make_synthetic_data(parameters);
        observations.values.resize(observations.sensors.size());
        const std::string bytes = peers.broadcast(std::string(
          reinterpret_cast<const char *>(observations.values.data()),
          observations.values.size() * sizeof(double)));
        std::memcpy(observations.values.data(), bytes.data(), bytes.size());
      }

    likelihood = make_likelihood(parameters);
    check_truth(parameters.observations);
    make_energies();
  }



  int
  Inversion::help()
  {
    const int word = server->help();
    if (word == ModelServer::failed)
      // The one that it has helped says why.
      throw UserError("");
    return word;
  }



  void
  Inversion::dismiss_helpers(const int word)
  {
    server->dismiss(word);
  }



  void
  Inversion::make_model(const std::string &level)
  {
    if (models.count(level) == 0)
      models[level] = server->make(parameters.fem_levels.at(level), solver);
  }



  void
  Inversion::make_energies()
  {
    energies.clear();
    descriptions.clear();
    std::map<std::string, EnergyTraits> traits;
    for (const auto &model : models)
      {
        energies[model.first] =
          std::make_shared<Posterior>(unknowns, likelihood, model.second);
        traits[model.first] = traits_of(*energies[model.first]);
        descriptions[model.first] =
          model.second->description() +
          "; gradient: " + model.second->gradient_method();
      }
    const Peers &peers = layout.get_peers();
    if (peers.size() == 1)
      return;

    std::ostringstream stream;
    {
      boost::archive::binary_oarchive archive(stream,
                                              boost::archive::no_header);
      archive &traits                &descriptions;
    }
    for (const std::string &bytes : peers.gather(stream.str()))
      {
        std::map<std::string, EnergyTraits> its_traits;
        std::map<std::string, std::string>  its_descriptions;
        std::istringstream                  its_stream(bytes);
        boost::archive::binary_iarchive     archive(its_stream,
                                                boost::archive::no_header);
        archive &its_traits                &its_descriptions;
        for (const auto &one : its_traits)
          if (energies.count(one.first) == 0)
            {
              energies[one.first] =
                std::make_shared<AbsentEnergy>(space_of(unknowns), one.second);
              descriptions[one.first] = its_descriptions.at(one.first);
            }
      }
  }



  std::map<std::string, double>
  Inversion::measure_costs() const
  {
    constexpr unsigned int n_times = 3;

    std::map<std::string, double> costs;
    for (const auto &model : models)
      {
        const std::vector<double> state = middle();
        const FemModel           &one   = *model.second;
        std::vector<double>       predictions(one.n_predictions());
        const std::vector<double> weights(one.n_predictions(), 1.);
        std::vector<double>       gradient(one.n_parameters());
        double                    least = std::numeric_limits<double>::max();
        for (unsigned int i = 0; i < n_times; ++i)
          {
            const auto begin = std::chrono::steady_clock::now();
            one
              .evaluate(dealii::ArrayView<const double>(state.data(),
                                                        one.n_parameters()),
                        dealii::make_array_view(predictions),
                        true)
              ->apply_transpose(dealii::make_array_view(weights),
                                dealii::make_array_view(gradient));
            least = std::min(least,
                             std::chrono::duration<double>(
                               std::chrono::steady_clock::now() - begin)
                               .count());
          }
        costs[model.first] = least;
      }

    std::ostringstream stream;
    {
      boost::archive::binary_oarchive archive(stream,
                                              boost::archive::no_header);
      archive                        &costs;
    }
    for (const std::string &bytes : layout.get_peers().gather(stream.str()))
      {
        std::map<std::string, double>   its_costs;
        std::istringstream              its_stream(bytes);
        boost::archive::binary_iarchive archive(its_stream,
                                                boost::archive::no_header);
        archive                        &its_costs;
        costs.insert(its_costs.begin(), its_costs.end());
      }
    return costs;
  }



  void
  Inversion::keep_levels(const std::set<std::string> &needed)
  {
    for (auto model = models.begin(); model != models.end();)
      if (needed.count(model->first) == 0)
        {
          energies.erase(model->first);
          model = models.erase(model);
        }
      else
        ++model;
    for (const std::string &level : needed)
      make_model(level);
    make_energies();
  }



  std::shared_ptr<const Energy>
  Inversion::make_energy(const FemLevelParameters &level,
                         const SolverParameters   &solver) const
  {
    SolverParameters asked = solver;
    // Whoever chooses automatically knows where it is valid.
    if (solver.gradient == "precomputed adjoint")
      asked.gradient = "automatic";
    const auto model = server->make(level, asked);
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
    return server->make(refined, solver);
  }



  std::shared_ptr<const FemModel>
  Inversion::make_reintegrated_model(const std::string &level,
                                     const Parameters  &parameters) const
  {
    constexpr unsigned int n_additional = 3;

    FemLevelParameters same = parameters.fem_levels.at(level);
    same.additional_points  = n_additional;
    SolverParameters solver = parameters.solver;
    solver.gradient         = "adjoint";
    return server->make(same, solver);
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
    std::string                reason;

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
        const auto derivative =
          (model != models.end() ?
             model->second :
             server->make(parameters.fem_levels.at(settings.synthetic),
                          parameters.solver))
            ->evaluate(dealii::make_array_view(truth),
                       dealii::make_array_view(observations.values),
                       false);
        reason = failure_reason_of(derivative.get());
      }
    for (const double value : observations.values)
      if (!std::isfinite(value))
        throw UserError("The equation cannot be solved at 'Observations/"
                        "Truth', so that there are no synthetic data. " +
                        reason + (reason.empty() ? "" : " ") +
                        "Correct the truth, or the equation.");
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
