// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/inference/likelihood.h>

#include <deal.II/lac/full_matrix.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  GaussianLikelihood::GaussianLikelihood(
    std::vector<double>        the_values,
    const std::vector<double> &standard_deviations)
    : Likelihood(std::move(the_values))
    , unknown_deviation(false)
    , difference(values.size())
    , residual(values.size())
  {
    if (standard_deviations.size() != 1 &&
        standard_deviations.size() != values.size())
      throw UserError("'Observations/Noise' has " +
                      counted(standard_deviations.size(), "number") +
                      ", but there are " +
                      counted(values.size(), "measurement") +
                      ". Give one number for all or one for each.");
    for (const double deviation : standard_deviations)
      if (!(deviation > 0.))
        throw UserError("'Observations/Noise' names " + to_text(deviation) +
                        ", but a standard deviation must be above 0.");
    for (std::size_t i = 0; i < values.size(); ++i)
      {
        const double deviation =
          standard_deviations[standard_deviations.size() == 1 ? 0 : i];
        precisions.push_back(1. / (deviation * deviation));
      }
  }



  GaussianLikelihood::GaussianLikelihood(
    std::vector<double>                     the_values,
    const std::vector<std::vector<double>> &covariance)
    : Likelihood(std::move(the_values))
    , unknown_deviation(false)
    , difference(values.size())
    , residual(values.size())
  {
    const std::size_t          n = values.size();
    dealii::FullMatrix<double> matrix(n, n), factor(n, n);
    bool                       is_square = covariance.size() == n;
    for (std::size_t i = 0; i < n && is_square; ++i)
      {
        is_square = covariance[i].size() == n;
        for (std::size_t j = 0; j < n && is_square; ++j)
          matrix(i, j) = covariance[i][j];
      }
    if (!is_square)
      throw UserError("'Observations/Covariance' must have " +
                      counted(n, "row") + " of " + counted(n, "number") +
                      ", as many as there are measurements.");
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (matrix(i, j) != matrix(j, i))
          throw UserError(
            "'Observations/Covariance' is not symmetric: entries " +
            to_text(matrix(i, j)) + " and " + to_text(matrix(j, i)) +
            " differ.");
    bool is_definite = true;
    try
      {
        factor.cholesky(matrix);
      }
    catch (const std::exception &)
      {
        is_definite = false;
      }
    for (std::size_t i = 0; i < n && is_definite; ++i)
      is_definite = factor(i, i) > 0.;
    if (!is_definite)
      throw UserError("'Observations/Covariance' is not positive definite. A "
                      "covariance has positive variances on its diagonal and "
                      "correlations below 1.");
    matrix.gauss_jordan();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        {
          precision_matrix.push_back(matrix(i, j));
          covariance_factor.push_back(j <= i ? factor(i, j) : 0.);
        }
  }



  GaussianLikelihood::GaussianLikelihood(std::vector<double> the_values)
    : Likelihood(std::move(the_values))
    , unknown_deviation(true)
    , precisions(values.size(), 1.)
    , difference(values.size())
    , residual(values.size())
  {}



  GaussianLikelihood::GaussianLikelihood(const GaussianLikelihood &other,
                                         std::vector<double>       the_values)
    : Likelihood(std::move(the_values))
    , unknown_deviation(other.unknown_deviation)
    , precisions(other.precisions)
    , precision_matrix(other.precision_matrix)
    , covariance_factor(other.covariance_factor)
    , difference(values.size())
    , residual(values.size())
  {
    AssertDimension(values.size(), other.values.size());
  }



  void
  GaussianLikelihood::weigh(const View                      &vector,
                            const dealii::ArrayView<double> &result) const
  {
    const std::size_t n = values.size();
    if (precision_matrix.empty())
      for (std::size_t i = 0; i < n; ++i)
        result[i] = precisions[i] * vector[i];
    else
      for (std::size_t i = 0; i < n; ++i)
        {
          result[i] = 0.;
          for (std::size_t j = 0; j < n; ++j)
            result[i] += precision_matrix[i * n + j] * vector[j];
        }
  }



  void
  GaussianLikelihood::weighted_residual(
    const View                      &predictions,
    const dealii::ArrayView<double> &result) const
  {
    for (std::size_t i = 0; i < values.size(); ++i)
      difference[i] = predictions[i] - values[i];
    weigh(dealii::make_array_view(std::as_const(difference)), result);
  }



  void
  GaussianLikelihood::apply_information(
    const View &,
    const View                      &noise,
    const View                      &vector,
    const dealii::ArrayView<double> &result) const
  {
    weigh(vector, result);
    if (!unknown_deviation)
      return;
    const std::size_t n        = values.size();
    const double      variance = noise[0] * noise[0];
    for (std::size_t i = 0; i < n; ++i)
      result[i] /= variance;
    result[n] = 2. * n / variance * vector[n];
  }



  double
  GaussianLikelihood::misfit(const View &predictions, const View &noise) const
  {
    weighted_residual(predictions, dealii::make_array_view(residual));
    double sum = 0.;
    for (std::size_t i = 0; i < values.size(); ++i)
      sum += residual[i] * (predictions[i] - values[i]);
    return unknown_deviation ? 0.5 * sum / (noise[0] * noise[0]) +
                                 values.size() * std::log(noise[0]) :
                               0.5 * sum;
  }



  double
  GaussianLikelihood::log_normaliser() const
  {
    double result = 0.5 * double(values.size()) * std::log(2. * M_PI);
    for (std::size_t i = 0; !unknown_deviation && i < values.size(); ++i)
      result += covariance_factor.empty() ?
                  -0.5 * std::log(precisions[i]) :
                  std::log(covariance_factor[i * values.size() + i]);
    return result;
  }



  void
  GaussianLikelihood::derivative(
    const View                      &predictions,
    const View                      &noise,
    const dealii::ArrayView<double> &weights,
    const dealii::ArrayView<double> &noise_derivative) const
  {
    weighted_residual(predictions, weights);
    if (!unknown_deviation)
      return;
    const double deviation = noise[0];
    double       sum       = 0.;
    for (std::size_t i = 0; i < values.size(); ++i)
      {
        sum += weights[i] * weights[i];
        weights[i] /= deviation * deviation;
      }
    noise_derivative[0] =
      (values.size() - sum / (deviation * deviation)) / deviation;
  }



  void
  GaussianLikelihood::whitening_weights(
    const std::size_t k,
    const View &,
    const View                      &noise,
    const dealii::ArrayView<double> &weights) const
  {
    const std::size_t n = values.size();
    std::fill(weights.begin(), weights.end(), 0.);
    if (covariance_factor.empty())
      weights[k] = 1. / standard_deviation(k, 0., noise);
    else
      for (std::size_t j = k + 1; j-- > 0;)
        {
          double sum = j == k ? 1. : 0.;
          for (std::size_t i = j + 1; i <= k; ++i)
            sum -= covariance_factor[i * n + j] * weights[i];
          weights[j] = sum / covariance_factor[j * n + j];
        }
  }



  void
  GaussianLikelihood::add_errors(const View          &noise,
                                 const View          &normals,
                                 const double         factor,
                                 std::vector<double> &predictions) const
  {
    const std::size_t n = values.size();
    for (std::size_t i = 0; i < n; ++i)
      {
        double error = 0.;
        if (covariance_factor.empty())
          error = normals[i] * standard_deviation(i, 0., noise);
        else
          for (std::size_t j = 0; j <= i; ++j)
            error += covariance_factor[i * n + j] * normals[j];
        predictions[i] += factor * error;
      }
  }



  double
  GaussianLikelihood::standard_deviation(const std::size_t value,
                                         const double,
                                         const View &noise) const
  {
    if (unknown_deviation)
      return noise[0];
    if (covariance_factor.empty())
      return 1. / std::sqrt(precisions[value]);
    double variance = 0.;
    for (std::size_t j = 0; j <= value; ++j)
      {
        const double entry = covariance_factor[value * values.size() + j];
        variance += entry * entry;
      }
    return std::sqrt(variance);
  }
} // namespace Tempera
