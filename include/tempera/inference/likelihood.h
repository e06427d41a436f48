// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_likelihood_h
#define tempera_inference_likelihood_h

#include <deal.II/base/array_view.h>

#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * How probable measured values are, given predictions and the numbers of
   * their errors that are unknown, such as a standard deviation.
   */
  class Likelihood
  {
  public:
    using View = dealii::ArrayView<const double>;

    explicit Likelihood(std::vector<double> values)
      : values(std::move(values))
    {}

    virtual ~Likelihood() = default;

    const std::vector<double> &
    get_values() const
    {
      return values;
    }

    /** The same errors of other values, as many. */
    virtual std::shared_ptr<const Likelihood>
    with_values(std::vector<double> other_values) const = 0;

    /** Numbers of the errors that are unknown: the last ones of a state. */
    virtual std::size_t
    n_unknowns() const = 0;

    /** Those of a state. */
    View
    noise_of(const View &state) const
    {
      return View(state.data() + state.size() - n_unknowns(), n_unknowns());
    }

    /**
     * Minus the logarithm of the density of the values, up to log_normaliser().
     */
    virtual double
    misfit(const View &predictions, const View &noise) const = 0;

    /**
     * What is to be added to the misfit to make it minus the logarithm of a
     * density of the values.
     */
    virtual double
    log_normaliser() const = 0;

    /** The derivatives of the misfit in the predictions and in the noise. */
    virtual void
    derivative(const View                      &predictions,
               const View                      &noise,
               const dealii::ArrayView<double> &weights,
               const dealii::ArrayView<double> &noise_derivative) const = 0;

    /**
     * Fisher's information about predictions and noise, applied to a vector of
     * both: the expectation of the second derivative of the misfit.
     */
    virtual void
    apply_information(const View                      &predictions,
                      const View                      &noise,
                      const View                      &vector,
                      const dealii::ArrayView<double> &result) const = 0;

    /** Whether that is the same everywhere, and no noise is unknown. */
    virtual bool
    has_constant_information() const
    {
      return false;
    }

    /**
     * Weights of predictions that make number @p k of independent numbers with
     * an information of one: they are the rows of \f$W\f$ where \f$W^TW\f$ is
     * the information about the predictions.
     */
    virtual void
    whitening_weights(const std::size_t                k,
                      const View                      &predictions,
                      const View                      &noise,
                      const dealii::ArrayView<double> &weights) const = 0;

    /**
     * Turn predictions into data.
     *
     * @param normals Independent standard normal numbers.
     * @param factor Of the errors' size, 1 if they are as assumed.
     */
    virtual void
    add_errors(const View          &noise,
               const View          &normals,
               const double         factor,
               std::vector<double> &predictions) const = 0;

    /** How far one value typically is from its prediction. */
    virtual double
    standard_deviation(const std::size_t value,
                       const double      prediction,
                       const View       &noise) const = 0;

    /** The law of the errors in words; empty if they are plainly Gaussian. */
    virtual std::string
    description() const
    {
      return "";
    }

  protected:
    const std::vector<double> values;
  };


  /**
   * Gaussian errors of measurement. The misfit is
   * \f$\frac12 (y-s)^T C^{-1} (y-s)\f$ with values \f$y\f$ and predictions
   * \f$s\f$; if the standard deviation \f$\sigma\f$ is unknown, \f$C = \sigma^2
   * I\f$ and \f$n\log\sigma\f$ is added.
   */
  class GaussianLikelihood : public Likelihood
  {
  public:
    /** @param standard_deviations One for all values or one for each. */
    GaussianLikelihood(std::vector<double>        values,
                       const std::vector<double> &standard_deviations);

    /** A full covariance; a UserError if it is not positive definite. */
    GaussianLikelihood(std::vector<double>                     values,
                       const std::vector<std::vector<double>> &covariance);

    /** One unknown standard deviation. */
    explicit GaussianLikelihood(std::vector<double> values);

    /** The same errors of other values, as many. */
    GaussianLikelihood(const GaussianLikelihood &other,
                       std::vector<double>       values);

    std::shared_ptr<const Likelihood>
    with_values(std::vector<double> other_values) const override
    {
      return std::make_shared<GaussianLikelihood>(*this,
                                                  std::move(other_values));
    }

    std::size_t
    n_unknowns() const override
    {
      return unknown_deviation ? 1 : 0;
    }

    double
    misfit(const View &predictions, const View &noise) const override;

    /**
     * \f$\frac12\log\det(2\pi C)\f$, without the \f$n\log\sigma\f$ that is in
     * the misfit.
     */
    double
    log_normaliser() const override;

    void
    derivative(
      const View                      &predictions,
      const View                      &noise,
      const dealii::ArrayView<double> &weights,
      const dealii::ArrayView<double> &noise_derivative) const override;

    /** \f$C^{-1}\f$, and \f$2n/\sigma^2\f$ of an unknown deviation. */
    void
    apply_information(const View                      &predictions,
                      const View                      &noise,
                      const View                      &vector,
                      const dealii::ArrayView<double> &result) const override;

    bool
    has_constant_information() const override
    {
      return !unknown_deviation;
    }

    /** Column @p k of \f$L^{-T}\f$, where \f$C = LL^T\f$. */
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

  private:
    /** \f$C^{-1}v\f$, with \f$\sigma = 1\f$ if it is unknown. */
    void
    weigh(const View &vector, const dealii::ArrayView<double> &result) const;

    /** \f$C^{-1}(s-y)\f$, with \f$\sigma = 1\f$ if it is unknown. */
    void
    weighted_residual(const View                      &predictions,
                      const dealii::ArrayView<double> &result) const;

    const bool unknown_deviation;
    /** \f$1/\sigma_i^2\f$; empty with a full covariance. */
    std::vector<double> precisions;
    /** \f$C^{-1}\f$, row by row. */
    std::vector<double> precision_matrix;
    /** \f$L\f$ with \f$C = L L^T\f$, row by row; empty without covariance. */
    std::vector<double> covariance_factor;

    mutable std::vector<double> difference, residual;
  };
} // namespace Tempera

#endif
