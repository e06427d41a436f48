// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_covariance_likelihood_h
#define tempera_inference_covariance_likelihood_h

#include <tempera/inference/error_likelihood.h>

#include <deal.II/lac/full_matrix.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * What the measurements share beyond the errors of each: a discrepancy of
   * the model, which is a Gaussian process over places and times with the
   * covariance \f$a^2 \exp(-d^2/2\ell^2) \exp(-t/\tau)\f$ of two measurements
   * that are \f$d\f$ and \f$t\f$ apart. Without a time \f$\tau\f$ it is the
   * same at all times.
   */
  struct Discrepancy
  {
    NoiseNumber amplitude, length;
    NoiseNumber time = {std::numeric_limits<double>::infinity(), -1};
  };


  /** Gaussian errors with a discrepancy, whose covariance has unknown numbers.
   */
  struct CovarianceModel
  {
    /** Of the errors: sigmas, correlation time, places and times. */
    ErrorModel                 errors;
    std::optional<Discrepancy> discrepancy;

    /** With the derivatives in the unknowns, if there is room for them. */
    dealii::FullMatrix<double>
    covariance(const Likelihood::View                  &noise,
               std::vector<dealii::FullMatrix<double>> *derivatives) const;
  };


  /**
   * Gaussian errors with a covariance \f$C\f$ that has unknown numbers: the
   * misfit is \f$\frac12 (y-s)^T C^{-1} (y-s) + \frac12\log\det(2\pi C)\f$.
   * Each evaluation factorises \f$C\f$.
   */
  class CovarianceLikelihood : public Likelihood
  {
  public:
    CovarianceLikelihood(std::vector<double>    values,
                         const CovarianceModel &model,
                         const std::size_t      n_unknowns)
      : Likelihood(std::move(values))
      , model(model)
      , n_noise(n_unknowns)
    {}

    std::shared_ptr<const Likelihood>
    with_values(std::vector<double> other_values) const override
    {
      return std::make_shared<CovarianceLikelihood>(std::move(other_values),
                                                    model,
                                                    n_noise);
    }

    std::size_t
    n_unknowns() const override
    {
      return n_noise;
    }

    /** Infinite where the covariance has no factor in floating point. */
    double
    misfit(const View &predictions, const View &noise) const override;

    double
    log_normaliser() const override
    {
      return 0.;
    }

    void
    derivative(
      const View                      &predictions,
      const View                      &noise,
      const dealii::ArrayView<double> &weights,
      const dealii::ArrayView<double> &noise_derivative) const override;

    /** \f$C^{-1}\f$, and \f$\frac12\mathrm{tr}(C^{-1}C_pC^{-1}C_q)\f$. */
    void
    apply_information(const View                      &predictions,
                      const View                      &noise,
                      const View                      &vector,
                      const dealii::ArrayView<double> &result) const override;

    void
    whitening_weights(const std::size_t                k,
                      const View                      &predictions,
                      const View                      &noise,
                      const dealii::ArrayView<double> &weights) const override;

    void
    add_errors(const View          &noise,
               const View          &normals,
               const double         factor,
               std::vector<double> &predictions) const override;

    double
    standard_deviation(const std::size_t value,
                       const double      prediction,
                       const View       &noise) const override;

    std::string
    description() const override
    {
      return model.errors.description;
    }

  private:
    const CovarianceModel model;
    const std::size_t     n_noise;
  };
} // namespace Tempera

#endif
