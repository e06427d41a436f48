// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_tests_bent_posterior_h
#define tempera_tests_bent_posterior_h

// A Gaussian prior of two unknowns, and a measurement that bends it: for tests
// of kernels that use the prior.

#include <tempera/sampler/energy.h>
#include <tempera/sampler/prior_measure.h>

#include <cmath>
#include <vector>

namespace Tempera
{
  namespace Testing
  {
    /** Two correlated normal unknowns; the root has three columns. */
    class TwoNormals : public PriorMeasure
    {
    public:
      TwoNormals(std::vector<double> mean,
                 const double        covariance,
                 const bool          is_proper         = true,
                 const bool          says_it_is_normal = true)
        : mean(std::move(mean))
        , c01(covariance)
        , is_proper(is_proper)
        , says_it_is_normal(says_it_is_normal)
      {}

      const StateSpace &
      space() const override
      {
        return state_space;
      }

      double
      energy(const dealii::ArrayView<const double> &x,
             const dealii::ArrayView<double>       &gradient) const override
      {
        const double d[]    = {x[0] - mean[0], x[1] - mean[1]};
        const double by_x[] = {(c11 * d[0] - c01 * d[1]) / determinant(),
                               (c00 * d[1] - c01 * d[0]) / determinant()};
        for (unsigned int i = 0; i < gradient.size(); ++i)
          gradient[i] = by_x[i];
        return 0.5 * (d[0] * by_x[0] + d[1] * by_x[1]);
      }

      double
      log_normaliser() const override
      {
        return std::log(2. * M_PI) + 0.5 * std::log(determinant());
      }

      bool
      is_integrable(const double) const override
      {
        return is_proper;
      }

      bool
      is_gaussian() const override
      {
        return says_it_is_normal;
      }

      std::vector<double>
      sample(const RandomKey &key) const override
      {
        std::vector<double> normals(root_size()), result(2);
        fill_normals(key, dealii::make_array_view(normals));
        apply_covariance_root(dealii::make_array_view(std::as_const(normals)),
                              dealii::make_array_view(result));
        for (unsigned int i = 0; i < 2; ++i)
          result[i] += mean[i];
        return result;
      }

      std::vector<double>
      centre() const override
      {
        return mean;
      }

      void
      apply_covariance(const dealii::ArrayView<const double> &x,
                       const dealii::ArrayView<double> &result) const override
      {
        result[0] = c00 * x[0] + c01 * x[1];
        result[1] = c01 * x[0] + c11 * x[1];
      }

      std::size_t
      root_size() const override
      {
        return 3;
      }

      /** Something in common, and something of one's own. */
      void
      apply_covariance_root(
        const dealii::ArrayView<const double> &z,
        const dealii::ArrayView<double>       &result) const override
      {
        result[0] = std::sqrt(c01) * z[0] + std::sqrt(c00 - c01) * z[1];
        result[1] = std::sqrt(c01) * z[0] + std::sqrt(c11 - c01) * z[2];
      }

      double
      determinant() const
      {
        return c00 * c11 - c01 * c01;
      }

      static constexpr double   c00 = 1., c11 = 2.;
      const std::vector<double> mean;
      /** Between zero and one. */
      const double c01;

    private:
      const bool       is_proper, says_it_is_normal;
      const StateSpace state_space{{Coordinate{"x"}, Coordinate{"y"}}};
    };


    /** A measurement of \f$x^2 + y\f$, or only of \f$y\f$. */
    class BentPosterior : public Energy
    {
    public:
      explicit BentPosterior(const double bend = 1.)
        : bend(bend)
      {}

      const StateSpace &
      space() const override
      {
        return prior.space();
      }

      bool
      is_integrable(const Exponents &) const override
      {
        return true;
      }

      void
      evaluate(const dealii::ArrayView<const double> &x,
               const RandomKey &,
               const Request request,
               Evaluation   &evaluation) const override
      {
        const bool with_gradient = request != Request::values;
        evaluation.reference =
          prior.energy(x,
                       with_gradient ? dealii::make_array_view(
                                         evaluation.reference_gradient) :
                                       dealii::ArrayView<double>());
        const double misfit  = (bend * x[0] * x[0] + x[1] - measured) / error;
        evaluation.potential = 0.5 * misfit * misfit;
        if (with_gradient)
          evaluation.potential_gradient = {2. * bend * x[0] * misfit / error,
                                           misfit / error};
      }

      bool
      has_sensitivities() const override
      {
        return true;
      }

      std::vector<std::vector<double>>
      sensitivities(const dealii::ArrayView<const double> &x) const override
      {
        return {{2. * bend * x[0] / error, 1. / error}};
      }

      static constexpr double measured = 1., error = 0.5;
      const double            bend;
      const TwoNormals        prior{{0.5, -0.3}, 0.6};
    };
  } // namespace Testing
} // namespace Tempera

#endif
