// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_likelihood_h
#define tempera_inference_likelihood_h

#include <deal.II/base/array_view.h>

#include <vector>

namespace Tempera
{
  /**
   * Gaussian errors of measurement. The misfit is
   * \f$\frac12 (y-s)^T C^{-1} (y-s)\f$ with values \f$y\f$ and predictions
   * \f$s\f$; if the standard deviation \f$\sigma\f$ is unknown, \f$C = \sigma^2
   * I\f$ and \f$n\log\sigma\f$ is added.
   */
  class GaussianLikelihood
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

    bool
    has_unknown_deviation() const
    {
      return unknown_deviation;
    }

    /** @param deviation Used only if it is unknown. */
    double
    misfit(const dealii::ArrayView<const double> &predictions,
           const double                           deviation) const;

    /**
     * What is to be added to the misfit to make it minus the logarithm of a
     * density of the values: \f$\frac12\log\det(2\pi C)\f$, without the
     * \f$n\log\sigma\f$ that is in the misfit.
     */
    double
    log_normaliser() const;

    /**
     * The derivative of the misfit in the predictions.
     *
     * @return The derivative in the unknown standard deviation.
     */
    double
    derivative(const dealii::ArrayView<const double> &predictions,
               const double                           deviation,
               const dealii::ArrayView<double>       &weights) const;

    /**
     * \f$C^{-1} v\f$: in the predictions this is the second derivative of the
     * misfit, applied to \f$v\f$.
     */
    void
    apply_precision(const dealii::ArrayView<const double> &vector,
                    const double                           deviation,
                    const dealii::ArrayView<double>       &result) const;

    /**
     * Column @p k of \f$L^{-T}\f$, where \f$C = LL^T\f$: as weights of
     * predictions they make one of independent numbers with errors of one.
     *
     * @param deviation Used only if it is unknown.
     */
    void
    whitening_weights(const std::size_t                k,
                      const double                     deviation,
                      const dealii::ArrayView<double> &weights) const;

    /**
     * Turn independent standard normal numbers into errors of measurement.
     *
     * @param deviation Used only if it is unknown.
     */
    void
    make_errors(const double                     deviation,
                const dealii::ArrayView<double> &normals) const;

    /**
     * Standard deviation of the error of one value.
     *
     * @param deviation Used only if it is unknown.
     */
    double
    standard_deviation(const std::size_t value, const double deviation) const;

    const std::vector<double> &
    get_values() const
    {
      return values;
    }

  private:
    /** \f$C^{-1}v\f$, with \f$\sigma = 1\f$ if it is unknown. */
    void
    weigh(const dealii::ArrayView<const double> &vector,
          const dealii::ArrayView<double>       &result) const;

    /** \f$C^{-1}(s-y)\f$, with \f$\sigma = 1\f$ if it is unknown. */
    void
    weighted_residual(const dealii::ArrayView<const double> &predictions,
                      const dealii::ArrayView<double>       &result) const;

    const std::vector<double> values;
    const bool                unknown_deviation;
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
