// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/failure_reason.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/inference/noise.h>
#include <tempera/inference/product_prior.h>
#include <tempera/target/forward_target.h>

#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

namespace Tempera
{
  namespace
  {
    /** Models that a program has made. */
    class GivenModels : public ModelFamily
    {
    public:
      using Models = std::map<std::string, std::shared_ptr<const ForwardModel>>;

      GivenModels(const Models &given, const std::vector<Unknown> &unknowns)
        : models(given)
      {
        std::vector<ParameterRange> ranges;
        for (const Unknown &unknown : unknowns)
          ranges.push_back({unknown.prior.scale(),
                            unknown.prior.lower(),
                            unknown.prior.upper()});
        for (auto &model : models)
          if (!model.second->has_derivative())
            model.second = std::make_shared<FiniteDifferenceModel>(
              model.second, FiniteDifferenceParameters(), ranges);
      }

      std::vector<std::string>
      levels() const override
      {
        std::vector<std::string> names;
        for (const auto &model : models)
          names.push_back(model.first);
        return names;
      }

      std::shared_ptr<const ForwardModel>
      make(const std::string &level) override
      {
        const auto model = models.find(level);
        if (model == models.end())
          throw UserError("There is no model of level '" + level + "'." +
                          did_you_mean(level, levels()));
        return model->second;
      }

    private:
      Models models;
    };
  } // namespace



  std::vector<double>
  ModelUnknowns::scales() const
  {
    std::vector<double> result;
    for (const double value : values)
      result.push_back(std::abs(value));
    for (unsigned int i = 0; i < indices.size(); ++i)
      result[indices[i]] = ranges[i].scale;
    return result;
  }



  void
  declare_unknowns(const std::vector<ModelParameter> &parameters,
                   std::vector<std::string>          &texts,
                   const ParameterSections::Path     &section,
                   ParameterSections                 &sections)
  {
    for (const ModelParameter &parameter : parameters)
      texts.push_back(parameter.default_value);
    sections.add(section, [&](dealii::ParameterHandler &prm) {
      for (std::size_t i = 0; i < texts.size(); ++i)
        prm.add_parameter(parameters[i].name,
                          texts[i],
                          parameters[i].documentation +
                            " A number, if it is known; otherwise its prior: " +
                            Prior::usage(),
                          dealii::Patterns::Anything());
    });
  }



  ModelUnknowns
  read_unknowns(const std::vector<ModelParameter> &parameters,
                const std::vector<std::string>    &texts,
                const std::string                 &section,
                const bool                         has_others)
  {
    ModelUnknowns result;
    for (unsigned int i = 0; i < parameters.size(); ++i)
      {
        const std::string  &name = parameters[i].name;
        const NumberOrPrior value(texts[i],
                                  section + "/" + name,
                                  parameters[i].lower);
        result.values.push_back(value.middle());
        if (value.is_number())
          continue;
        const Prior &prior = value.prior();
        result.unknowns.push_back({name, prior});
        result.ranges.push_back({prior.scale(), prior.lower(), prior.upper()});
        result.indices.push_back(i);
      }
    if (result.unknowns.empty() && !has_others)
      throw UserError("Nothing is unknown. Give at least one parameter of '" +
                      section +
                      "' a prior, for instance "
                      "uniform(0, 1).");
    return result;
  }



  const Peers &
  ForwardTarget::alone()
  {
    static const Peers one;
    return one;
  }



  ForwardTarget::ForwardTarget(std::unique_ptr<ModelFamily> models,
                               const ForwardSettings       &the_settings,
                               const Peers                 *peers)
    : settings(the_settings)
    , family(std::move(models))
    , observations(settings.observations)
  {
    // Who helps others solve needs no data.
    if (peers == nullptr)
      return;
    if (settings.data.is_synthetic())
      make_synthetic_data(*peers);
    // Values without places.
    observations.sensors.resize(observations.values.size());
    make_likelihood();
    check_truth();
  }



  ForwardTarget::ForwardTarget(
    const std::map<std::string, std::shared_ptr<const ForwardModel>> &models,
    const std::vector<Unknown>                                       &unknowns,
    const std::vector<double>                                        &values,
    const double                                                      deviation)
    : ForwardTarget(std::make_unique<GivenModels>(models, unknowns), [&]() {
      ForwardSettings given;
      given.family              = "own model";
      given.title               = "own model";
      given.unknowns            = unknowns;
      given.observations.values = values;
      given.data.noise          = to_text(deviation);
      return given;
    }())
  {}



  std::shared_ptr<const ForwardModel>
  ForwardTarget::model(const std::string &level)
  {
    std::shared_ptr<const ForwardModel> &result = models[level];
    if (!result)
      {
        result = family->make(level);
        if (!observations.values.empty() &&
            result->n_predictions() != observations.values.size())
          throw UserError("The model of level '" + level + "' predicts " +
                          counted(result->n_predictions(), "number") +
                          ", but there are " +
                          counted(observations.values.size(), "measurement") +
                          ". Correct 'Observations', or the model.");
      }
    return result;
  }



  std::shared_ptr<const Energy>
  ForwardTarget::energy(const std::string &level)
  {
    return energy_for(level, likelihood);
  }



  std::shared_ptr<const Energy>
  ForwardTarget::energy_of(std::shared_ptr<const ForwardModel> model) const
  {
    return std::make_shared<Posterior>(joint_prior,
                                       likelihood,
                                       std::move(model));
  }



  std::shared_ptr<const Energy>
  ForwardTarget::energy_for(const std::string                &level,
                            std::shared_ptr<const Likelihood> other_data)
  {
    return std::make_shared<Posterior>(joint_prior,
                                       std::move(other_data),
                                       model(level));
  }



  double
  ForwardTarget::cost(const std::string &level)
  {
    constexpr unsigned int n_times = 3;

    const std::vector<double> state = centre();
    const auto                one   = model(level);
    std::vector<double>       predictions(one->n_predictions());
    const std::vector<double> weights(one->n_predictions(), 1.);
    std::vector<double>       gradient(one->n_parameters());
    double                    least = std::numeric_limits<double>::max();
    for (unsigned int i = 0; i < n_times; ++i)
      {
        const auto begin = std::chrono::steady_clock::now();
        const auto derivative =
          one->evaluate(dealii::ArrayView<const double>(state.data(),
                                                        one->n_parameters()),
                        dealii::make_array_view(predictions),
                        true);
        if (derivative)
          derivative->apply_transpose(dealii::make_array_view(weights),
                                      dealii::make_array_view(gradient));
        least = std::min(least,
                         std::chrono::duration<double>(
                           std::chrono::steady_clock::now() - begin)
                           .count());
      }
    return least;
  }



  std::string
  ForwardTarget::description(const std::string &level)
  {
    const auto        one    = model(level);
    const std::string method = one->gradient_method();
    return one->description() + (method.empty() ? "" : "; gradient: " + method);
  }



  double
  ForwardTarget::sensitivity(const std::string         &level,
                             const std::vector<double> &state,
                             const double               relative_error)
  {
    const auto          one = model(level);
    std::vector<double> predictions(one->n_predictions());
    std::vector<double> weights(one->n_predictions());
    one->evaluate(dealii::ArrayView<const double>(state.data(),
                                                  one->n_parameters()),
                  dealii::make_array_view(predictions),
                  false);
    std::vector<double> of_noise(likelihood->n_unknowns());
    likelihood->derivative(dealii::make_array_view(std::as_const(predictions)),
                           likelihood->noise_of(dealii::make_array_view(state)),
                           dealii::make_array_view(weights),
                           dealii::make_array_view(of_noise));
    double largest = 0., sum = 0.;
    for (std::size_t k = 0; k < weights.size(); ++k)
      {
        largest = std::max(largest, std::abs(predictions[k]));
        sum += std::abs(weights[k]);
      }
    return relative_error * largest * sum;
  }



  void
  ForwardTarget::make_synthetic_data(const Peers &peers)
  {
    const ObservationParameters &data   = settings.data;
    std::vector<double>         &values = observations.values;
    const std::size_t            n      = n_model_parameters();
    // Of the errors' unknown numbers, too, if it names more.
    if (data.truth.empty() || data.truth[0].size() < n)
      throw UserError(
        "'Observations/Synthetic data' are made from the truth, so "
        "'Observations/Truth' must name " +
        counted(n, "number") + ", one per unknown.");
    const std::vector<double> truth(data.truth[0].begin(),
                                    data.truth[0].begin() + n),
      truth_of_noise(data.truth[0].begin() + n, data.truth[0].end());
    std::string reason;
    if (peers.is_first() && data.synthetic == "exact")
      {
        values = family->exact_predictions(truth);
        if (values.empty())
          throw UserError("'Observations/Synthetic data = exact' needs a "
                          "problem whose exact solution is known. Name a level "
                          "instead.");
      }
    else if (peers.is_first())
      {
        const auto one = model(data.synthetic);
        values.resize(one->n_predictions());
        reason = failure_reason_of(one
                                     ->evaluate(dealii::make_array_view(truth),
                                                dealii::make_array_view(values),
                                                false)
                                     .get());
        // One that no rung asks for is not worth its memory.
        const auto all = family->levels();
        if (std::find(all.begin(), all.end(), data.synthetic) == all.end())
          forget(data.synthetic);
      }
    for (const double value : values)
      if (!std::isfinite(value))
        throw UserError("The equation cannot be solved at 'Observations/"
                        "Truth', so that there are no synthetic data. " +
                        reason + (reason.empty() ? "" : " ") +
                        "Correct the truth, or the equation.");
    add_synthetic_errors(data, observations, truth_of_noise, values);
    const std::string bytes =
      peers.broadcast(std::string(reinterpret_cast<const char *>(values.data()),
                                  values.size() * sizeof(double)));
    values.resize(bytes.size() / sizeof(double));
    std::memcpy(values.data(), bytes.data(), bytes.size());
  }



  void
  ForwardTarget::make_likelihood()
  {
    const Noise noise = make_noise(settings.data, observations);
    likelihood        = noise.likelihood;
    covariance        = noise.covariance;
    all_unknowns      = settings.unknowns;
    for (const JointUnknowns &field : settings.joint_unknowns)
      all_unknowns.insert(all_unknowns.end(),
                          field.marginals.begin(),
                          field.marginals.end());
    all_unknowns.insert(all_unknowns.end(),
                        noise.unknowns.begin(),
                        noise.unknowns.end());
    if (has_independent_unknowns())
      {
        joint_prior = std::make_shared<IndependentPrior>(all_unknowns);
        return;
      }
    std::vector<std::shared_ptr<const PriorMeasure>> parts;
    const auto add = [&](const std::vector<Unknown> &unknowns) {
      if (!unknowns.empty())
        parts.push_back(std::make_shared<IndependentPrior>(unknowns));
    };
    add(settings.unknowns);
    for (const JointUnknowns &field : settings.joint_unknowns)
      parts.push_back(field.prior);
    add(noise.unknowns);
    joint_prior = std::make_shared<ProductPrior>(parts);
  }



  std::size_t
  ForwardTarget::n_model_parameters() const
  {
    std::size_t result = settings.unknowns.size();
    for (const JointUnknowns &field : settings.joint_unknowns)
      result += field.marginals.size();
    return result;
  }



  void
  ForwardTarget::check_truth() const
  {
    const std::size_t n = n_model_parameters();
    for (const std::vector<double> &truth : settings.data.truth)
      {
        if (truth.size() != n && truth.size() != unknowns().size())
          throw UserError("'Observations/Truth' has an answer with " +
                          counted(truth.size(), "number") + ", but there are " +
                          counted(n, "unknown") +
                          ". Separate numbers by commas, answers by "
                          "semicolons.");
        for (std::size_t i = 0; i < truth.size(); ++i)
          if (truth[i] < unknowns()[i].prior.lower() ||
              truth[i] > unknowns()[i].prior.upper())
            throw UserError("'Observations/Truth' has " + unknowns()[i].name +
                            " = " + to_text(truth[i]) + ", which its prior " +
                            unknowns()[i].prior.text() + " excludes.");
      }
    const std::vector<double> &circle = settings.data.true_circle;
    if (!circle.empty() &&
        (circle.size() != 3 || !(circle[2] > 0.) || unknowns().size() < 2))
      throw UserError("'Observations/True circle' needs two unknowns and three "
                      "numbers: the two coordinates of its centre and a radius "
                      "above 0.");
  }



  std::string
  ForwardTarget::name_of_measurement(const std::size_t number) const
  {
    const Sensor            &sensor = observations.sensors[number];
    std::vector<std::string> place;
    for (const double coordinate : sensor.place)
      place.push_back(to_text(coordinate, 6));
    if (place.empty())
      return "measurement " + std::to_string(number + 1);
    return "(" + join(place, ", ") + ")" +
           (family->has_time() ? ", t = " + to_text(sensor.time, 6) : "");
  }



  void
  ForwardTarget::describe(const Ladder &, RunDescription &description) const
  {
    description.family      = settings.family;
    description.title       = settings.title;
    description.truth       = settings.data.truth;
    description.true_circle = settings.data.true_circle;
    description.covariance  = covariance;
    if (family->place_parameters() == std::vector<unsigned int>{0, 1})
      for (const Sensor &sensor : observations.sensors)
        description.sensors.push_back(sensor.place);
    description.likelihood_constant = likelihood->log_normaliser();
    // What is only known at a draw has no deviation of its own here.
    const bool has_unknowns = likelihood->n_unknowns() > 0;
    description.noise       = likelihood->description();
    if (has_unknowns && description.noise.empty())
      description.deviation_unknown = int(unknowns().size()) - 1;
    for (std::size_t i = 0; i < observations.values.size(); ++i)
      description.measurements.push_back(
        {name_of_measurement(i),
         observations.values[i],
         has_unknowns ?
           0. :
           likelihood->standard_deviation(i, observations.values[i], {}),
         observations.sensors[i].place,
         family->has_time() ? observations.sensors[i].time :
                              std::numeric_limits<double>::quiet_NaN()});
  }



  std::string
  ForwardTarget::layout(const Ladder &) const
  {
    std::string text = "--     . problem: " + settings.title + ", " +
                       counted(observations.values.size(), "measurement") +
                       (likelihood->description().empty() ?
                          "" :
                          ", errors: " + likelihood->description()) +
                       "\n";
    const auto add = [&](const Unknown &unknown) {
      text +=
        "--     . unknown " + unknown.name + ": " + unknown.prior.text() + "\n";
    };
    for (const Unknown &unknown : settings.unknowns)
      add(unknown);
    for (const JointUnknowns &field : settings.joint_unknowns)
      text += "--     . unknown " + field.description + "\n";
    for (std::size_t i = n_model_parameters(); i < unknowns().size(); ++i)
      add(unknowns()[i]);
    return text;
  }



  Information
  ForwardTarget::information(const Ladder                           &ladder,
                             const std::vector<std::vector<double>> &draws,
                             const std::function<bool()>            &is_stopped)
  {
    return average_information(unknowns(),
                               *likelihood,
                               *model(
                                 ladder.get_levels()[ladder[0].level].name),
                               draws,
                               JacobianMethod::cheaper,
                               is_stopped);
  }



  std::vector<double>
  ForwardTarget::state_from_text(const std::string &text) const
  {
    std::vector<std::string> names;
    for (const Unknown &unknown : unknowns())
      names.push_back(unknown.name);

    std::vector<double> state = centre();
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
        const Prior &prior = unknowns()[place - names.begin()].prior;
        if (*number < prior.lower() || *number > prior.upper())
          throw UserError("--at \"" + text + "\": " + name + " = " +
                          to_text(*number) + " is outside its prior " +
                          prior.text() + ".");
        state[place - names.begin()] = *number;
      }
    return state;
  }
} // namespace Tempera
