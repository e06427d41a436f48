// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_error_likelihood_h
#define tempera_inference_error_likelihood_h

#include <tempera/inference/error_law.h>
#include <tempera/inference/likelihood.h>

#include <deal.II/lac/full_matrix.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace Tempera
{
  /** What an error is large in comparison with. */
  enum class ErrorScale
  {
    /** A value is the prediction plus sigma times the error. */
    absolute,
    /** The same with \f$\sqrt{f^2 + \sigma^2 s^2}\f$ instead of sigma, for a
     * prediction \f$s\f$ and a floor \f$f\f$. */
    proportional,
    /** The logarithm of a value is that of the prediction plus sigma times the
     * error. */
    logarithmic
  };


  /** A number of the errors: known, or one of their unknowns. */
  struct NoiseNumber
  {
    double value = 1.;
    /** Which of the unknowns; -1 if it is known. */
    int unknown = -1;

    double
    at(const Likelihood::View &noise) const
    {
      return unknown < 0 ? value : noise[unknown];
    }
  };


  /** The law of errors that are not plainly Gaussian. */
  struct ErrorModel
  {
    ErrorShape shape = ErrorShape::gaussian;
    /** Of the shape. */
    std::array<NoiseNumber, ErrorLaw::most_numbers> numbers;

    ErrorScale scale = ErrorScale::absolute;
    /** By measurement. */
    std::vector<NoiseNumber> sigmas;
    double                   floor = 0.;

    /** Values that are not above it are known to be below, and no more. */
    double detection_limit = -std::numeric_limits<double>::infinity();

    /**
     * Errors of one sensor that are a time \f$t\f$ apart have the correlation
     * \f$e^{-t/T}\f$ with this time \f$T\f$, if there is one; only of Gaussian
     * errors, and not of proportional ones.
     */
    std::optional<NoiseNumber> correlation_time;
    /** Of the sensor of each measurement, and its time. */
    std::vector<std::vector<double>> places;
    std::vector<double>              times;

    /** In words. */
    std::string description;
  };


  /**
   * Errors of an ErrorModel. With the scaled error \f$z_i = (y_i - s_i)/c_i\f$,
   * or \f$(\log y_i - \log s_i)/c_i\f$, the misfit is the sum of
   * \f$-\log p(z_i) + \log c_i\f$, where \f$c_i\f$ may depend on the
   * prediction; of \f$-\log P(z < z_i)\f$ where all that is known is that a
   * value is below the limit; and of errors that are correlated in time,
   * \f$z_i\f$ is what the one before it does not tell. Nothing is left out of
   * the density: log_normaliser() is 0.
   */
  class ErrorLikelihood : public Likelihood
  {
  public:
    /** @param n_unknowns Of the numbers of the model. */
    ErrorLikelihood(std::vector<double> values,
                    const ErrorModel   &model,
                    const std::size_t   n_unknowns);

    std::shared_ptr<const Likelihood>
    with_values(std::vector<double> other_values) const override
    {
      return std::make_shared<ErrorLikelihood>(std::move(other_values),
                                               model,
                                               n_noise);
    }

    std::size_t
    n_unknowns() const override
    {
      return n_noise;
    }

    /** Infinite where a prediction is not above 0, but its logarithm wanted. */
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

    /** By integration over each error. */
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

    /** Values below the detection limit become the limit. */
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
      return model.description;
    }

  private:
    /** \f$z = (Y - \text{centre})/\text{width}\f$, where \f$Y\f$ is a value or
     * its logarithm, and derivatives: those of the width over the width. */
    struct Scaling
    {
      double centre, width, centre_by_prediction, width_by_prediction,
        width_by_sigma;

      double
      error_by_prediction(const double error) const
      {
        return -centre_by_prediction / width - error * width_by_prediction;
      }

      double
      error_by_sigma(const double error) const
      {
        return -error * width_by_sigma;
      }
    };

    Scaling
    scaling(const std::size_t i,
            const double      prediction,
            const View       &noise) const;

    /** A value as errors are added to it. */
    double
    coordinate(const double value) const;

    bool
    is_censored(const std::size_t i) const
    {
      return values[i] <= model.detection_limit;
    }

    std::unique_ptr<const ErrorLaw>
    law_at(const View &noise) const;

    /** The misfit; with derivatives if there is room for them. */
    double
    evaluate(const View                      &predictions,
             const View                      &noise,
             const dealii::ArrayView<double> &weights,
             const dealii::ArrayView<double> &noise_derivative) const;

    /** Fisher's information of one value about its prediction and the noise. */
    dealii::FullMatrix<double>
    information_of(const std::size_t i,
                   const double      prediction,
                   const View       &noise,
                   const ErrorLaw   &law) const;

    /** Correlation of an error with the one before it; 0 without one. */
    double
    correlation(const std::size_t i, const double time) const;

    const ErrorModel  model;
    const std::size_t n_noise;
    /** Measurements, those of earlier times first. */
    std::vector<std::size_t> order;
    /** The one before of the same sensor, or its own number; and the time
     * since. Empty if errors are independent. */
    std::vector<std::size_t> before;
    std::vector<double>      gaps;
  };
} // namespace Tempera

#endif
