// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/inference/error_likelihood.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace Tempera
{
  ErrorLikelihood::ErrorLikelihood(std::vector<double> the_values,
                                   const ErrorModel   &model,
                                   const std::size_t   n_unknowns)
    : Likelihood(std::move(the_values))
    , model(model)
    , n_noise(n_unknowns)
    , order(values.size())
  {
    AssertDimension(model.sigmas.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      {
        const std::string which =
          "Measurement " + std::to_string(i + 1) + " is " + to_text(values[i]);
        if (model.scale == ErrorScale::logarithmic && !is_censored(i) &&
            !(values[i] > 0.))
          throw UserError(
            which + ", but with 'Observations/Noise scale = logarithmic' all "
                    "values are above 0. Correct the value, or take another "
                    "scale, or a 'Detection limit'.");
        if (model.scale == ErrorScale::proportional && model.floor == 0. &&
            values[i] == 0. && !is_censored(i))
          throw UserError(
            which + ", but with 'Observations/Noise scale = proportional' only "
                    "a prediction of 0 has it, without any error. Give "
                    "'Observations/Noise floor', the error of small values.");
      }
    std::iota(order.begin(), order.end(), 0);
    if (!model.correlation_time)
      return;

    std::stable_sort(order.begin(),
                     order.end(),
                     [&](const std::size_t a, const std::size_t b) {
                       return model.times[a] < model.times[b];
                     });
    before.resize(values.size());
    gaps.assign(values.size(), 0.);
    std::map<std::vector<double>, std::size_t> last;
    for (const std::size_t i : order)
      {
        const auto [place, is_first] = last.emplace(model.places[i], i);
        before[i]                    = place->second;
        gaps[i]                      = model.times[i] - model.times[before[i]];
        if (!is_first && !(gaps[i] > 0.))
          throw UserError(
            "'Observations/Correlation time' is set, but a sensor is read "
            "twice at the time " +
            to_text(model.times[i]) +
            ": such errors would be equal. Remove one of the two, or the "
            "correlation time.");
        if (model.sigmas[i].unknown != model.sigmas[before[i]].unknown)
          throw UserError("'Observations/Correlation time' is set, but a "
                          "sensor has measurements of several groups, with a "
                          "sigma for each. Put them into one group, or remove "
                          "the correlation time.");
        place->second = i;
      }
  }



  ErrorLikelihood::Scaling
  ErrorLikelihood::scaling(const std::size_t i,
                           const double      prediction,
                           const View       &noise) const
  {
    const double deviation = model.sigmas[i].at(noise);
    switch (model.scale)
      {
        case ErrorScale::proportional:
          {
            const double part  = deviation * prediction,
                         width = std::hypot(model.floor, part);
            return {prediction,
                    width,
                    1.,
                    deviation * part / (width * width),
                    part * part / (width * width * deviation)};
          }
        case ErrorScale::logarithmic:
          return {std::log(prediction),
                  deviation,
                  1. / prediction,
                  0.,
                  1. / deviation};
        default:
          return {prediction, deviation, 1., 0., 1. / deviation};
      }
  }



  double
  ErrorLikelihood::coordinate(const double value) const
  {
    return model.scale == ErrorScale::logarithmic ? std::log(value) : value;
  }



  std::unique_ptr<const ErrorLaw>
  ErrorLikelihood::law_at(const View &noise) const
  {
    return make_error_law(
      model.shape, {{model.numbers[0].at(noise), model.numbers[1].at(noise)}});
  }



  double
  ErrorLikelihood::correlation(const std::size_t i, const double time) const
  {
    return before.empty() || before[i] == i ? 0. : std::exp(-gaps[i] / time);
  }



  double
  ErrorLikelihood::evaluate(
    const View                      &predictions,
    const View                      &noise,
    const dealii::ArrayView<double> &weights,
    const dealii::ArrayView<double> &noise_derivative) const
  {
    const std::size_t n = values.size();
    const double      time =
      model.correlation_time ? model.correlation_time->at(noise) : 1.;
    const auto           law = law_at(noise);
    std::vector<Scaling> scalings;
    std::vector<double>  errors(n), by_error(n, 0.);
    for (std::size_t i = 0; i < n; ++i)
      {
        if (model.scale == ErrorScale::logarithmic && !(predictions[i] > 0.))
          return std::isnan(predictions[i]) ?
                   predictions[i] :
                   std::numeric_limits<double>::infinity();
        scalings.push_back(scaling(i, predictions[i], noise));
        errors[i] =
          (coordinate(is_censored(i) ? model.detection_limit : values[i]) -
           scalings[i].centre) /
          scalings[i].width;
      }

    double            result = 0., by_time = 0.;
    ErrorLaw::Numbers by_number = {{0., 0.}};
    for (const std::size_t i : order)
      {
        ErrorLaw::Term term;
        if (is_censored(i))
          {
            term = law->below(errors[i]);
            by_error[i] += term.by_error;
          }
        else
          {
            // What the error before it does not tell.
            const double rho      = correlation(i, time);
            const double variance = 1. - rho * rho, root = std::sqrt(variance);
            const std::size_t j = rho > 0. ? before[i] : i;
            const double      rest =
              rho > 0. ? (errors[i] - rho * errors[j]) / root : errors[i];
            term = law->density(rest);
            by_error[i] += term.by_error / root;
            result += std::log(scalings[i].width * root);
            if (model.scale == ErrorScale::logarithmic)
              result += std::log(values[i]);
            if (rho > 0.)
              {
                by_error[j] -= term.by_error * rho / root;
                by_time +=
                  (term.by_error * (rest * rho / variance - errors[j] / root) -
                   rho / variance) *
                  rho * gaps[i] / (time * time);
              }
          }
        result += term.value;
        for (unsigned int k = 0; k < by_number.size(); ++k)
          by_number[k] += term.by_number[k];
      }
    if (weights.size() == 0)
      return result;

    std::fill(noise_derivative.begin(), noise_derivative.end(), 0.);
    const auto add = [&](const NoiseNumber &number, const double derivative) {
      if (number.unknown >= 0)
        noise_derivative[number.unknown] += derivative;
    };
    for (std::size_t i = 0; i < n; ++i)
      {
        const Scaling &here = scalings[i];
        weights[i] = by_error[i] * here.error_by_prediction(errors[i]) +
                     (is_censored(i) ? 0. : here.width_by_prediction);
        add(model.sigmas[i],
            by_error[i] * here.error_by_sigma(errors[i]) +
              (is_censored(i) ? 0. : here.width_by_sigma));
      }
    for (unsigned int k = 0; k < by_number.size(); ++k)
      add(model.numbers[k], by_number[k]);
    if (model.correlation_time)
      add(*model.correlation_time, by_time);
    return result;
  }



  double
  ErrorLikelihood::misfit(const View &predictions, const View &noise) const
  {
    return evaluate(predictions, noise, {}, {});
  }



  void
  ErrorLikelihood::derivative(
    const View                      &predictions,
    const View                      &noise,
    const dealii::ArrayView<double> &weights,
    const dealii::ArrayView<double> &noise_derivative) const
  {
    std::fill(weights.begin(), weights.end(), 0.);
    evaluate(predictions, noise, weights, noise_derivative);
  }



  dealii::FullMatrix<double>
  ErrorLikelihood::information_of(const std::size_t i,
                                  const double      prediction,
                                  const View       &noise,
                                  const ErrorLaw   &law) const
  {
    // Simpson's rule in asinh of the error, which tails and centre suit.
    constexpr unsigned int n_steps = 200;

    const Scaling scaled    = scaling(i, prediction, noise);
    const double  largest   = std::asinh(law.reach());
    const bool    has_limit = std::isfinite(model.detection_limit);
    const double  limit =
      has_limit ?
         (coordinate(model.detection_limit) - scaled.centre) / scaled.width :
         0.;
    dealii::FullMatrix<double> result(1 + n_noise, 1 + n_noise);
    std::vector<double>        score(1 + n_noise);
    const auto                 add = [&](const double          error,
                         const ErrorLaw::Term &term,
                         const bool            is_density,
                         const double          weight) {
      std::fill(score.begin(), score.end(), 0.);
      score[0] = term.by_error * scaled.error_by_prediction(error) +
                 (is_density ? scaled.width_by_prediction : 0.);
      if (model.sigmas[i].unknown >= 0)
        score[1 + model.sigmas[i].unknown] +=
          term.by_error * scaled.error_by_sigma(error) +
          (is_density ? scaled.width_by_sigma : 0.);
      for (unsigned int k = 0; k < term.by_number.size(); ++k)
        if (model.numbers[k].unknown >= 0)
          score[1 + model.numbers[k].unknown] += term.by_number[k];
      for (std::size_t a = 0; a < score.size(); ++a)
        for (std::size_t b = 0; b < score.size(); ++b)
          result(a, b) += weight * score[a] * score[b];
    };
    const double from =
      has_limit ? std::max(-largest, std::asinh(limit)) : -largest;
    if (from < largest)
      for (unsigned int k = 0; k <= n_steps; ++k)
        {
          const double step  = (largest - from) / n_steps;
          const double place = from + k * step, error = std::sinh(place);
          const auto   term = law.density(error);
          const double part = k == 0 || k == n_steps ? 1. :
                              k % 2 == 1             ? 4. :
                                                       2.;
          add(error,
              term,
              true,
              part * step / 3. * std::cosh(place) * std::exp(-term.value));
        }
    if (has_limit && limit > -law.reach())
      {
        const auto term = law.below(limit);
        add(limit, term, false, std::exp(-term.value));
      }
    return result;
  }



  void
  ErrorLikelihood::apply_information(
    const View                      &predictions,
    const View                      &noise,
    const View                      &vector,
    const dealii::ArrayView<double> &result) const
  {
    const std::size_t n   = values.size();
    const auto        law = law_at(noise);
    std::fill(result.begin(), result.end(), 0.);
    if (!model.correlation_time)
      {
        for (std::size_t i = 0; i < n; ++i)
          {
            const auto one   = information_of(i, predictions[i], noise, *law);
            const auto place = [&](const std::size_t a) {
              return a == 0 ? i : n + a - 1;
            };
            for (std::size_t a = 0; a <= n_noise; ++a)
              for (std::size_t b = 0; b <= n_noise; ++b)
                result[place(a)] += one(a, b) * vector[place(b)];
          }
        return;
      }

    // Gaussian errors whose width does not depend on the predictions.
    std::vector<double> row(n);
    const double        time       = model.correlation_time->at(noise);
    const int           time_place = model.correlation_time->unknown;
    for (std::size_t i = 0; i < n; ++i)
      {
        whitening_weights(i, predictions, noise, dealii::make_array_view(row));
        const double part =
          std::inner_product(row.begin(), row.end(), vector.begin(), 0.);
        for (std::size_t j = 0; j < n; ++j)
          result[j] += row[j] * part;


        const int    sigma_place = model.sigmas[i].unknown;
        const double sigma       = model.sigmas[i].at(noise);
        const double rho = correlation(i, time), variance = 1. - rho * rho,
                     slope    = rho * gaps[i] / (time * time),
                     of_sigma = 2. / (sigma * sigma),
                     of_time =
                       slope * slope *
                       (1. / variance + 2. * rho * rho / (variance * variance)),
                     of_both = -2. * rho * slope / (variance * sigma);
        if (sigma_place >= 0)
          result[n + sigma_place] += of_sigma * vector[n + sigma_place];
        if (time_place >= 0)
          result[n + time_place] += of_time * vector[n + time_place];
        if (sigma_place >= 0 && time_place >= 0)
          {
            result[n + sigma_place] += of_both * vector[n + time_place];
            result[n + time_place] += of_both * vector[n + sigma_place];
          }
      }
  }



  void
  ErrorLikelihood::whitening_weights(
    const std::size_t                k,
    const View                      &predictions,
    const View                      &noise,
    const dealii::ArrayView<double> &weights) const
  {
    std::fill(weights.begin(), weights.end(), 0.);
    if (!model.correlation_time)
      {
        weights[k] = std::sqrt(
          information_of(k, predictions[k], noise, *law_at(noise))(0, 0));
        return;
      }
    const double rho    = correlation(k, model.correlation_time->at(noise)),
                 root   = std::sqrt(1. - rho * rho);
    const auto slope_of = [&](const std::size_t i) {
      const Scaling one = scaling(i, predictions[i], noise);
      return one.centre_by_prediction / one.width;
    };
    weights[k] = slope_of(k) / root;
    if (rho > 0.)
      weights[before[k]] = -rho / root * slope_of(before[k]);
  }



  void
  ErrorLikelihood::add_errors(const View          &noise,
                              const View          &normals,
                              const double         factor,
                              std::vector<double> &predictions) const
  {
    const double time =
      model.correlation_time ? model.correlation_time->at(noise) : 1.;
    const auto          law = law_at(noise);
    std::vector<double> errors(predictions.size());
    for (const std::size_t i : order)
      {
        const double rho = correlation(i, time);
        errors[i]        = law->from_normal(normals[i]);
        if (rho > 0.)
          errors[i] =
            rho * errors[before[i]] + std::sqrt(1. - rho * rho) * errors[i];
        const Scaling scaled = scaling(i, predictions[i], noise);
        const double  place = scaled.centre + factor * scaled.width * errors[i];
        predictions[i] =
          std::max(model.detection_limit,
                   model.scale == ErrorScale::logarithmic ? std::exp(place) :
                                                            place);
      }
  }



  double
  ErrorLikelihood::standard_deviation(const std::size_t value,
                                      const double      prediction,
                                      const View       &noise) const
  {
    const Scaling scaled = scaling(value, prediction, noise);
    return scaled.width / scaled.centre_by_prediction;
  }
} // namespace Tempera
