// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/analytic/gaussian.h>
#include <tempera/base/patterns.h>
#include <tempera/base/user_error.h>

#include <deal.II/lac/full_matrix.h>

namespace Tempera
{
  namespace
  {
    const AnalyticRegistration<Gaussian> gaussian_registration(
      "gaussian",
      "A Gaussian in any dimension with full covariance.");
  } // namespace



  void
  Gaussian::Parameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter(
      "Mean",
      mean,
      "Mean, one number per unknown; its length is the dimension.",
      List(Double(), 1));
    prm.add_parameter(
      "Covariance",
      covariance,
      "Covariance matrix: rows separated by semicolons, entries by commas.",
      List(List(Double(), 1), 1, List::max_int_value, ";"));
  }



  Gaussian::Gaussian(const Parameters          &parameters,
                     const ReferenceParameters &reference)
    : AnalyticEnergy(parameters.mean.size(), reference)
    , mean(parameters.mean)
  {
    const unsigned int n       = mean.size();
    const auto        &rows    = parameters.covariance;
    bool               correct = rows.size() == n;
    for (unsigned int i = 0; i < n && correct; ++i)
      correct = rows[i].size() == n;
    for (unsigned int i = 0; i < n && correct; ++i)
      for (unsigned int j = 0; j < i && correct; ++j)
        correct = rows[i][j] == rows[j][i];

    dealii::FullMatrix<double> matrix(n, n), factor(n, n);
    for (unsigned int i = 0; i < n && correct; ++i)
      for (unsigned int j = 0; j < n; ++j)
        matrix(i, j) = rows[i][j];
    if (correct)
      try
        {
          factor.cholesky(matrix);
          for (unsigned int i = 0; i < n && correct; ++i)
            correct = factor(i, i) > 0.;
        }
      catch (const dealii::FullMatrix<double>::ExcMatrixNotPositiveDefinite &)
        {
          correct = false;
        }
    if (!correct)
      throw UserError(
        "The parameter 'Energy/Gaussian/Covariance' must be a symmetric, "
        "positive definite matrix with as many rows as 'Mean' has entries (" +
        std::to_string(n) + "). Write its rows separated by semicolons.");

    matrix.gauss_jordan();
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
        precision.push_back(matrix(i, j));
  }



  double
  Gaussian::potential(const dealii::ArrayView<const double> &state,
                      const dealii::ArrayView<double>       &gradient) const
  {
    double        twice_value = 0.;
    const double *row         = precision.data();
    for (unsigned int i = 0; i < mean.size(); ++i, row += mean.size())
      {
        gradient[i] = 0.;
        for (unsigned int j = 0; j < mean.size(); ++j)
          gradient[i] += row[j] * (state[j] - mean[j]);
        twice_value += gradient[i] * (state[i] - mean[i]);
      }
    return 0.5 * twice_value;
  }
} // namespace Tempera
