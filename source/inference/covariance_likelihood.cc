// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/inference/covariance_likelihood.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    using Matrix = dealii::FullMatrix<double>;

    /** \f$L\f$ with \f$C = LL^T\f$; empty if there is none. */
    Matrix
    factor_of(const Matrix &covariance)
    {
      const std::size_t n = covariance.m();
      Matrix            factor(n, n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          {
            double sum = covariance(i, j);
            for (std::size_t k = 0; k < j; ++k)
              sum -= factor(i, k) * factor(j, k);
            if (i == j && !(sum > 0.))
              return Matrix();
            factor(i, j) = i == j ? std::sqrt(sum) : sum / factor(j, j);
          }
      return factor;
    }

    /** Replace a vector by \f$L^{-1}v\f$. */
    void
    solve_lower(const Matrix &factor, std::vector<double> &vector)
    {
      for (std::size_t i = 0; i < vector.size(); ++i)
        {
          for (std::size_t j = 0; j < i; ++j)
            vector[i] -= factor(i, j) * vector[j];
          vector[i] /= factor(i, i);
        }
    }

    /** Replace a vector by \f$L^{-T}v\f$. */
    void
    solve_upper(const Matrix &factor, std::vector<double> &vector)
    {
      for (std::size_t i = vector.size(); i-- > 0;)
        {
          for (std::size_t j = i + 1; j < vector.size(); ++j)
            vector[i] -= factor(j, i) * vector[j];
          vector[i] /= factor(i, i);
        }
    }

    /** \f$C^{-1}M\f$. */
    Matrix
    solved(const Matrix &factor, const Matrix &matrix)
    {
      Matrix              result(matrix.m(), matrix.n());
      std::vector<double> column(matrix.m());
      for (std::size_t j = 0; j < matrix.n(); ++j)
        {
          for (std::size_t i = 0; i < matrix.m(); ++i)
            column[i] = matrix(i, j);
          solve_lower(factor, column);
          solve_upper(factor, column);
          for (std::size_t i = 0; i < matrix.m(); ++i)
            result(i, j) = column[i];
        }
      return result;
    }

    std::vector<double>
    residual_of(const std::vector<double> &values,
                const Likelihood::View    &predictions)
    {
      std::vector<double> residual(values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        residual[i] = predictions[i] - values[i];
      return residual;
    }
  } // namespace



  Matrix
  CovarianceModel::covariance(const Likelihood::View &noise,
                              std::vector<Matrix>    *derivatives) const
  {
    const std::size_t n = errors.sigmas.size();
    Matrix            result(n, n);
    if (derivatives)
      derivatives->assign(noise.size(), Matrix(n, n));
    const auto add = [&](const NoiseNumber &number,
                         const std::size_t  i,
                         const std::size_t  j,
                         const double       derivative) {
      if (derivatives && number.unknown >= 0)
        (*derivatives)[number.unknown](i, j) += derivative;
    };
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        {
          const double gap = std::abs(errors.times[i] - errors.times[j]);
          // Errors of their own, of one sensor.
          if (i == j ||
              (errors.correlation_time && errors.places[i] == errors.places[j]))
            {
              const double time  = errors.correlation_time ?
                                     errors.correlation_time->at(noise) :
                                     1.;
              const double sigma = errors.sigmas[i].at(noise),
                           other = errors.sigmas[j].at(noise),
                           entry = sigma * other * std::exp(-gap / time);
              result(i, j) += entry;
              add(errors.sigmas[i], i, j, entry / sigma);
              add(errors.sigmas[j], i, j, entry / other);
              if (errors.correlation_time)
                add(*errors.correlation_time,
                    i,
                    j,
                    entry * gap / (time * time));
            }
          if (!discrepancy)
            continue;
          double square = 0.;
          for (std::size_t d = 0; d < errors.places[i].size(); ++d)
            square += std::pow(errors.places[i][d] - errors.places[j][d], 2);
          const double amplitude = discrepancy->amplitude.at(noise),
                       length    = discrepancy->length.at(noise),
                       time      = discrepancy->time.at(noise);
          const double entry =
            amplitude * amplitude *
            std::exp(-0.5 * square / (length * length) - gap / time);
          result(i, j) += entry;
          add(discrepancy->amplitude, i, j, 2. * entry / amplitude);
          add(discrepancy->length, i, j, entry * square / std::pow(length, 3));
          add(discrepancy->time, i, j, entry * gap / (time * time));
        }
    return result;
  }



  double
  CovarianceLikelihood::misfit(const View &predictions, const View &noise) const
  {
    const Matrix factor = factor_of(model.covariance(noise, nullptr));
    if (factor.empty())
      return std::numeric_limits<double>::infinity();
    std::vector<double> residual = residual_of(values, predictions);
    solve_lower(factor, residual);
    double result = 0.5 * values.size() * std::log(2. * M_PI);
    for (std::size_t i = 0; i < values.size(); ++i)
      result += 0.5 * residual[i] * residual[i] + std::log(factor(i, i));
    return result;
  }



  void
  CovarianceLikelihood::derivative(
    const View                      &predictions,
    const View                      &noise,
    const dealii::ArrayView<double> &weights,
    const dealii::ArrayView<double> &noise_derivative) const
  {
    std::vector<Matrix> slopes;
    const Matrix        factor   = factor_of(model.covariance(noise, &slopes));
    std::vector<double> weighted = residual_of(values, predictions);
    if (factor.empty())
      {
        // Whose misfit is infinite already.
        std::fill(weights.begin(), weights.end(), 0.);
        std::fill(noise_derivative.begin(), noise_derivative.end(), 0.);
        return;
      }
    solve_lower(factor, weighted);
    solve_upper(factor, weighted);
    std::copy(weighted.begin(), weighted.end(), weights.begin());
    for (std::size_t p = 0; p < slopes.size(); ++p)
      {
        const Matrix solution = solved(factor, slopes[p]);
        double       sum      = solution.trace();
        for (std::size_t i = 0; i < values.size(); ++i)
          for (std::size_t j = 0; j < values.size(); ++j)
            sum -= weighted[i] * slopes[p](i, j) * weighted[j];
        noise_derivative[p] = 0.5 * sum;
      }
  }



  void
  CovarianceLikelihood::apply_information(
    const View &,
    const View                      &noise,
    const View                      &vector,
    const dealii::ArrayView<double> &result) const
  {
    const std::size_t   n = values.size();
    std::vector<Matrix> slopes;
    const Matrix        factor = factor_of(model.covariance(noise, &slopes));
    std::fill(result.begin(), result.end(), 0.);
    if (factor.empty())
      return;
    std::vector<double> weighted(vector.begin(), vector.begin() + n);
    solve_lower(factor, weighted);
    solve_upper(factor, weighted);
    std::copy(weighted.begin(), weighted.end(), result.begin());
    for (Matrix &slope : slopes)
      slope = solved(factor, slope);
    for (std::size_t p = 0; p < slopes.size(); ++p)
      for (std::size_t q = 0; q < slopes.size(); ++q)
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            result[n + p] +=
              0.5 * slopes[p](i, j) * slopes[q](j, i) * vector[n + q];
  }



  void
  CovarianceLikelihood::whitening_weights(
    const std::size_t k,
    const View &,
    const View                      &noise,
    const dealii::ArrayView<double> &weights) const
  {
    const Matrix        factor = factor_of(model.covariance(noise, nullptr));
    std::vector<double> unit(values.size(), 0.);
    unit[k] = 1.;
    if (!factor.empty())
      solve_upper(factor, unit);
    std::copy(unit.begin(), unit.end(), weights.begin());
  }



  void
  CovarianceLikelihood::add_errors(const View          &noise,
                                   const View          &normals,
                                   const double         factor,
                                   std::vector<double> &predictions) const
  {
    const Matrix root = factor_of(model.covariance(noise, nullptr));
    if (root.empty())
      std::fill(predictions.begin(),
                predictions.end(),
                std::numeric_limits<double>::quiet_NaN());
    else
      for (std::size_t i = 0; i < predictions.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j)
          predictions[i] += factor * root(i, j) * normals[j];
  }



  double
  CovarianceLikelihood::standard_deviation(const std::size_t value,
                                           const double,
                                           const View &noise) const
  {
    return std::sqrt(model.covariance(noise, nullptr)(value, value));
  }
} // namespace Tempera
