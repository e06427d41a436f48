// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/inference/covariance_likelihood.h>
#include <tempera/inference/noise.h>
#include <tempera/sampler/random.h>

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace Tempera
{
  namespace
  {
    const std::string noise_name = "Observations/Noise";

    bool
    is_prior(const std::string &text)
    {
      return text.find('(') != std::string::npos;
    }

    /** The prior of sigma. */
    Prior
    prior_of_sigma(const std::string &text)
    {
      const Prior prior = Prior::from_text(text, noise_name);
      if (prior.lower() < 0. || (prior.lower() == 0. && prior.is_uniform()))
        throw UserError("The prior '" + text + "' of '" + noise_name +
                        "' allows standard deviations that are zero or "
                        "negative. Take log-normal, or uniform with a lower "
                        "bound above 0.");
      return prior;
    }

    /** Numbers for one or all measurements. */
    std::vector<double>
    numbers_of(const std::string &text)
    {
      std::vector<double> numbers;
      for (const std::string &one :
           dealii::Utilities::split_string_list(text, ','))
        {
          const auto number = Prior::number_from_text(one);
          if (!number)
            throw UserError("The value '" + text + "' of '" + noise_name +
                            "' is neither numbers nor a prior. Write a "
                            "standard deviation above 0, one per "
                            "measurement, or for instance log-normal(0.1, "
                            "1).");
          numbers.push_back(*number);
        }
      return numbers;
    }

    Noise
    gaussian_noise(const ObservationParameters &parameters,
                   const Observations          &observations)
    {
      const auto &values     = observations.values;
      const auto &deviations = observations.standard_deviations;
      if (!parameters.covariance.empty())
        return {std::make_shared<GaussianLikelihood>(values,
                                                     parameters.covariance),
                {},
                parameters.covariance};
      if (!deviations.empty())
        return {std::make_shared<GaussianLikelihood>(values, deviations),
                {},
                {}};
      if (is_prior(parameters.noise))
        {
          const Prior prior = prior_of_sigma(parameters.noise);
          return {std::make_shared<GaussianLikelihood>(values),
                  {{"sigma", prior}},
                  {}};
        }
      return {std::make_shared<GaussianLikelihood>(
                values, numbers_of(parameters.noise)),
              {},
              {}};
    }

    /**
     * A number of the errors, or its prior; what cannot be one is a UserError.
     *
     * @param example How the parameter may look like.
     */
    NoiseNumber
    number_of(const std::string    &text,
              const std::string    &parameter,
              const std::string    &name,
              const double          lower,
              const double          upper,
              const std::string    &example,
              std::vector<Unknown> &unknowns)
    {
      const std::string range =
        "must be " +
        std::string(std::isfinite(upper) ?
                      "between " + to_text(lower) + " and " + to_text(upper) :
                    lower > 0. ? "at least " + to_text(lower) :
                                 "above 0") +
        ". Write for instance " + example + ".";
      const auto is_inside = [&](const double value) {
        return value >= lower && value < upper && value > 0.;
      };
      if (text.empty())
        throw UserError("'Observations/" + parameter +
                        "' is not set, but the law of the errors needs it. "
                        "Write for instance " +
                        example + ".");
      if (!is_prior(text))
        {
          const auto number = Prior::number_from_text(text);
          if (!number || !is_inside(*number))
            throw UserError("'Observations/" + parameter + "' is '" + text +
                            "', but it " + range);
          return {*number, -1};
        }
      const Prior prior = Prior::from_text(text, "Observations/" + parameter);
      if (prior.lower() < lower || prior.upper() > upper)
        throw UserError("The prior '" + text + "' of 'Observations/" +
                        parameter + "' reaches too far: it " + range);
      unknowns.push_back({name, prior});
      return {1., int(unknowns.size()) - 1};
    }

    /** Nothing that is set is without effect. */
    void
    refuse_unused(const std::string &text,
                  const bool         is_used,
                  const std::string &parameter,
                  const std::string &needed)
    {
      if (!text.empty() && !is_used)
        throw UserError("'Observations/" + parameter +
                        "' is set, but only errors with 'Observations/" +
                        needed + "' have it. Set this, or remove '" +
                        parameter + "'.");
    }

    Noise
    other_noise(const ObservationParameters &parameters,
                const Observations          &observations)
    {
      const ErrorLawParameters &errors = parameters.errors;
      const std::size_t         n      = observations.values.size();
      const std::string what = "the errors are not plainly Gaussian ('Noise "
                               "law', 'Noise scale', 'Detection limit', "
                               "'Correlation time' or 'Discrepancy')";
      if (!parameters.covariance.empty())
        throw UserError("'Observations/Covariance' is given, but " + what +
                        ". Remove one or the other.");
      ErrorModel               model;
      Noise                    noise;
      std::vector<std::string> words;
      model.shape = errors.shape;
      model.scale = errors.scale;
      model.floor = errors.floor;
      if (observations.standard_deviations.empty() &&
          is_prior(parameters.noise))
        {
          const Prior prior = prior_of_sigma(parameters.noise);
          // Without groups all are of one.
          const std::vector<double> groups = observations.groups.empty() ?
                                               std::vector<double>(n, 0.) :
                                               observations.groups;
          const std::set<double>    distinct(groups.begin(), groups.end());
          for (const double group : distinct)
            noise.unknowns.push_back({observations.groups.empty() ?
                                        "sigma" :
                                        "sigma_" + to_text(group),
                                      prior});
          for (const double group : groups)
            model.sigmas.push_back(
              {1., int(std::distance(distinct.begin(), distinct.find(group)))});
          if (distinct.size() > 1)
            words.push_back("with a sigma for each group");
        }
      else
        {
          std::vector<double> sigmas = observations.standard_deviations;
          if (sigmas.empty())
            sigmas = numbers_of(parameters.noise);
          if (sigmas.size() == 1)
            sigmas.resize(n, sigmas[0]);
          if (sigmas.size() != n)
            throw UserError("'" + noise_name + "' has " +
                            counted(sigmas.size(), "number") +
                            ", but there are " + counted(n, "measurement") +
                            ". Give one number for all or one for each.");
          for (const double sigma : sigmas)
            {
              if (!(sigma > 0.))
                throw UserError("'" + noise_name + "' names " + to_text(sigma) +
                                ", but a standard deviation must be above 0.");
              model.sigmas.push_back({sigma, -1});
            }
        }

      constexpr double infinity = std::numeric_limits<double>::infinity();
      if (model.shape == ErrorShape::student_t)
        {
          model.numbers[0] = number_of(errors.degrees_of_freedom,
                                       "Degrees of freedom",
                                       "dof",
                                       1.,
                                       infinity,
                                       "4, or gamma(2, 10) above 1",
                                       noise.unknowns);
          words.push_back("Student t");
        }
      else if (model.shape == ErrorShape::outliers)
        {
          model.numbers[0] = number_of(errors.outlier_share,
                                       "Outlier share",
                                       "outlier_share",
                                       0.,
                                       1.,
                                       "0.05, or beta(1, 9)",
                                       noise.unknowns);
          model.numbers[1] = number_of(errors.outlier_factor,
                                       "Outlier factor",
                                       "outlier_factor",
                                       1.,
                                       infinity,
                                       "10, or log-normal(10, 1) above 1",
                                       noise.unknowns);
          words.push_back("with outliers");
        }
      else
        words.push_back("Gaussian");
      if (model.scale == ErrorScale::proportional)
        words.push_back("proportional to the predictions");
      if (model.scale == ErrorScale::logarithmic)
        words.push_back("of the logarithm");
      if (model.floor > 0. && model.scale != ErrorScale::proportional)
        throw UserError("'Observations/Noise floor' is set, but only errors "
                        "with 'Observations/Noise scale = proportional' have "
                        "it. Set this, or remove 'Noise floor'.");

      if (!errors.detection_limit.empty())
        {
          const auto limit = Prior::number_from_text(errors.detection_limit);
          if (!limit ||
              (model.scale == ErrorScale::logarithmic && *limit <= 0.))
            throw UserError(
              "'Observations/Detection limit' is '" + errors.detection_limit +
              "', but it must be a number" +
              (limit ? " above 0 with 'Noise scale = logarithmic'." : "."));
          model.detection_limit = *limit;
          words.push_back("censored below " + to_text(*limit));
        }
      for (const Sensor &sensor : observations.sensors)
        {
          model.places.push_back(sensor.place);
          model.times.push_back(sensor.time);
        }
      if (!errors.correlation_time.empty())
        {
          if (model.shape != ErrorShape::gaussian ||
              model.scale == ErrorScale::proportional ||
              !errors.detection_limit.empty())
            throw UserError(
              "'Observations/Correlation time' is for Gaussian errors with "
              "'Noise scale' absolute or logarithmic and without 'Detection "
              "limit'. Remove it, or the others.");
          model.correlation_time = number_of(errors.correlation_time,
                                             "Correlation time",
                                             "correlation_time",
                                             0.,
                                             infinity,
                                             "0.1, or log-normal(0.1, 1)",
                                             noise.unknowns);
          const auto [first, last] =
            std::minmax_element(model.times.begin(), model.times.end());
          if (model.times.size() != n || !(*first < *last))
            throw UserError("'Observations/Correlation time' is set, but all "
                            "measurements are of one time. Remove it.");
          words.push_back("correlated in time");
        }
      CovarianceModel dense;
      if (!errors.discrepancy.empty())
        {
          if (model.shape != ErrorShape::gaussian ||
              model.scale != ErrorScale::absolute ||
              !errors.detection_limit.empty())
            throw UserError("'Observations/Discrepancy' is for Gaussian errors "
                            "with 'Noise scale = absolute' and without "
                            "'Detection limit'. Remove it, or the others.");
          const bool has_places =
            std::all_of(observations.sensors.begin(),
                        observations.sensors.end(),
                        [](const Sensor &one) { return !one.place.empty(); });
          if (!has_places || model.places.size() != n)
            throw UserError("'Observations/Discrepancy' is set, but the "
                            "measurements have no places. Remove it.");
          Discrepancy discrepancy;
          discrepancy.amplitude = number_of(errors.discrepancy,
                                            "Discrepancy",
                                            "discrepancy",
                                            0.,
                                            infinity,
                                            "0.1, or half-normal(0.1)",
                                            noise.unknowns);
          discrepancy.length    = number_of(errors.discrepancy_length,
                                         "Discrepancy length",
                                         "discrepancy_length",
                                         0.,
                                         infinity,
                                         "0.2, or log-normal(0.2, 0.5)",
                                         noise.unknowns);
          if (!errors.discrepancy_time.empty())
            discrepancy.time = number_of(errors.discrepancy_time,
                                         "Discrepancy time",
                                         "discrepancy_time",
                                         0.,
                                         infinity,
                                         "0.1, or log-normal(0.1, 1)",
                                         noise.unknowns);
          dense.discrepancy = discrepancy;
          words.push_back("with a discrepancy of the model");
        }
      model.description = join(words, ", ");
      dense.errors      = model;
      // A matrix of more is dearer than what follows from it is worth.
      constexpr std::size_t most_dense      = 1000;
      const bool            has_discrepancy = !errors.discrepancy.empty();
      if (noise.unknowns.empty() && model.scale == ErrorScale::absolute &&
          (has_discrepancy ||
           (!errors.correlation_time.empty() && n <= most_dense)))
        {
          // Plainly Gaussian, after all; this one knows what is wrong with
          // times.
          if (!errors.correlation_time.empty())
            ErrorLikelihood(observations.values, model, 0);
          const auto matrix = dense.covariance({}, nullptr);
          for (std::size_t i = 0; i < n; ++i)
            {
              noise.covariance.emplace_back();
              for (std::size_t j = 0; j < n; ++j)
                noise.covariance[i].push_back(matrix(i, j));
            }
          noise.likelihood =
            std::make_shared<GaussianLikelihood>(observations.values,
                                                 noise.covariance);
          return noise;
        }
      if (has_discrepancy)
        {
          noise.likelihood =
            std::make_shared<CovarianceLikelihood>(observations.values,
                                                   dense,
                                                   noise.unknowns.size());
          return noise;
        }
      noise.likelihood =
        std::make_shared<ErrorLikelihood>(observations.values,
                                          model,
                                          noise.unknowns.size());
      return noise;
    }
  } // namespace



  Noise
  make_noise(const ObservationParameters &parameters,
             const Observations          &observations)
  {
    const ErrorLawParameters &errors = parameters.errors;
    const bool has_deviations = !observations.standard_deviations.empty();
    if (is_prior(parameters.noise) &&
        (!parameters.covariance.empty() || has_deviations))
      throw UserError("'Observations/Noise' is a prior, so sigma is unknown, "
                      "but a covariance or a column 'sigma' gives it. Remove "
                      "one of them.");
    if (!parameters.covariance.empty() && has_deviations)
      throw UserError("'Observations/Covariance' is given, and a column "
                      "'sigma' too. Remove one of them.");
    refuse_unused(errors.degrees_of_freedom,
                  errors.shape == ErrorShape::student_t,
                  "Degrees of freedom",
                  "Noise law = student-t");
    for (const auto &[text, name] :
         {std::make_pair(errors.discrepancy_length, "Discrepancy length"),
          std::make_pair(errors.discrepancy_time, "Discrepancy time")})
      refuse_unused(text, !errors.discrepancy.empty(), name, "Discrepancy");
    for (const auto &[text, name] :
         {std::make_pair(errors.outlier_share, "Outlier share"),
          std::make_pair(errors.outlier_factor, "Outlier factor")})
      refuse_unused(text,
                    errors.shape == ErrorShape::outliers,
                    name,
                    "Noise law = outliers");
    if (!observations.groups.empty() &&
        (!is_prior(parameters.noise) || has_deviations))
      throw UserError("The data have groups, each with a sigma of its own, but "
                      "'Observations/Noise' or a column 'sigma' says how large "
                      "it is. Make 'Noise' a prior, or remove the column "
                      "'group'.");
    return errors.are_plain() && observations.groups.empty() ?
             gaussian_noise(parameters, observations) :
             other_noise(parameters, observations);
  }



  void
  add_synthetic_errors(const ObservationParameters &parameters,
                       const Observations          &observations,
                       const std::vector<double>   &truth,
                       std::vector<double>         &predictions)
  {
    if (parameters.errors.are_plain() || parameters.synthetic_noise == 0.)
      {
        add_noise(parameters.synthetic_noise,
                  parameters.synthetic_seed,
                  predictions);
        return;
      }
    Observations before = observations;
    before.values       = predictions;
    before.standard_deviations.clear();
    before.groups.clear();
    // Sigma is the synthetic noise, the others are the truth's.
    ObservationParameters known = parameters;
    known.noise                 = to_text(parameters.synthetic_noise);
    const Noise       noise     = make_noise(known, before);
    const std::size_t n_other   = noise.likelihood->n_unknowns();
    // Which names them all, sigma included.
    if (truth.size() < n_other)
      throw UserError(
        "'Observations/Synthetic data' are made from the truth, and the law of "
        "their errors has " +
        counted(n_other, "unknown number") +
        ". Let 'Observations/Truth' name the unknowns of the errors, too, "
        "behind the others.");
    const std::vector<double> numbers(truth.end() - n_other, truth.end());
    std::vector<double>       normals(predictions.size());
    RandomKey                 key;
    key.seed    = parameters.synthetic_seed;
    key.purpose = Purpose::data;
    fill_normals(key, dealii::make_array_view(normals));
    noise.likelihood->add_errors(dealii::make_array_view(numbers),
                                 dealii::make_array_view(
                                   std::as_const(normals)),
                                 1.,
                                 predictions);
  }
} // namespace Tempera
