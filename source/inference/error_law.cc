// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/inference/error_law.h>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    constexpr double log_root_two_pi = 0.91893853320467274178;

    double
    normal_cdf_of(const double z)
    {
      return 0.5 * std::erfc(-z / std::sqrt(2.));
    }

    double
    normal_quantile_of(const double probability)
    {
      return boost::math::quantile(boost::math::normal_distribution<>(),
                                   probability);
    }


    class GaussianErrors : public ErrorLaw
    {
    public:
      Term
      density(const double error) const override
      {
        return {0.5 * error * error + log_root_two_pi, error, {{0., 0.}}};
      }

      Term
      below(const double error) const override
      {
        // Beyond, the asymptotic series has more digits than erfc().
        constexpr double far = -25.;
        if (error > far)
          {
            const double probability = normal_cdf_of(error);
            return {-std::log(probability),
                    -std::exp(-0.5 * error * error - log_root_two_pi) /
                      probability,
                    {{0., 0.}}};
          }
        const double inverse = 1. / (error * error);
        const double series  = 1. - inverse * (1. - 3. * inverse);
        return {0.5 * error * error + log_root_two_pi + std::log(-error) -
                  std::log(series),
                error / series,
                {{0., 0.}}};
      }

      double
      from_normal(const double normal) const override
      {
        return normal;
      }

      double
      reach() const override
      {
        return 9.;
      }
    };


    class StudentErrors : public ErrorLaw
    {
    public:
      explicit StudentErrors(const double degrees)
        : degrees(degrees)
        , law(degrees)
        , constant(0.5 * std::log(degrees * M_PI) + std::lgamma(0.5 * degrees) -
                   std::lgamma(0.5 * (degrees + 1.)))
        , constant_slope(0.5 / degrees +
                         0.5 * boost::math::digamma(0.5 * degrees) -
                         0.5 * boost::math::digamma(0.5 * (degrees + 1.)))
      {}

      Term
      density(const double error) const override
      {
        const double square = error * error,
                     growth = std::log1p(square / degrees);
        return {0.5 * (degrees + 1.) * growth + constant,
                (degrees + 1.) * error / (degrees + square),
                {{0.5 * growth -
                    0.5 * (degrees + 1.) * square /
                      (degrees * (degrees + square)) +
                    constant_slope,
                  0.}}};
      }

      Term
      below(const double error) const override
      {
        const double probability = boost::math::cdf(law, error);
        // There is no closed form in the degrees of freedom.
        const double step       = 1e-4 * degrees;
        const auto   log_beside = [&](const double sign) {
          return std::log(boost::math::cdf(Law(degrees + sign * step), error));
        };
        return {-std::log(probability),
                -std::exp(-density(error).value) / probability,
                {{-(log_beside(1.) - log_beside(-1.)) / (2. * step), 0.}}};
      }

      double
      from_normal(const double normal) const override
      {
        const double size =
          -boost::math::quantile(law, normal_cdf_of(-std::abs(normal)));
        return normal < 0. ? -size : size;
      }

      double
      reach() const override
      {
        return 1e4;
      }

    private:
      using Law = boost::math::students_t_distribution<>;

      const double degrees;
      const Law    law;
      const double constant, constant_slope;
    };


    class OutlierErrors : public ErrorLaw
    {
    public:
      OutlierErrors(const double share, const double factor)
        : share(share)
        , factor(factor)
      {}

      Term
      density(const double error) const override
      {
        const double wide      = error / factor,
                     log_usual = -0.5 * error * error - log_root_two_pi,
                     log_wide =
                       -0.5 * wide * wide - log_root_two_pi - std::log(factor);
        return mixture(log_usual,
                       log_wide,
                       error,
                       wide / factor,
                       (1. - wide * wide) / factor);
      }

      Term
      below(const double error) const override
      {
        const GaussianErrors gaussian;
        const double         wide = error / factor;
        const Term usual = gaussian.below(error), large = gaussian.below(wide);
        return mixture(-usual.value,
                       -large.value,
                       usual.by_error,
                       large.by_error / factor,
                       -large.by_error * wide / factor);
      }

      double
      from_normal(const double normal) const override
      {
        // The lowest probabilities are those of the outliers.
        const double probability = normal_cdf_of(normal);
        return probability < share ?
                 factor * normal_quantile_of(probability / share) :
                 normal_quantile_of((probability - share) / (1. - share));
      }

      double
      reach() const override
      {
        return 9. * std::max(1., factor);
      }

    private:
      /**
       * Of two terms by their logarithms and the slopes of minus these; that
       * of the second in the factor, too.
       */
      Term
      mixture(const double log_usual,
              const double log_wide,
              const double usual_by_error,
              const double wide_by_error,
              const double wide_by_factor) const
      {
        const double largest      = std::max(log_usual, log_wide);
        const double usual        = std::exp(log_usual - largest),
                     wide         = std::exp(log_wide - largest),
                     sum          = (1. - share) * usual + share * wide;
        const double part_of_wide = share * wide / sum;
        return {-largest - std::log(sum),
                (1. - part_of_wide) * usual_by_error +
                  part_of_wide * wide_by_error,
                {{(usual - wide) / sum, part_of_wide * wide_by_factor}}};
      }

      const double share, factor;
    };
  } // namespace



  std::unique_ptr<const ErrorLaw>
  make_error_law(const ErrorShape shape, const ErrorLaw::Numbers &numbers)
  {
    switch (shape)
      {
        case ErrorShape::student_t:
          return std::make_unique<StudentErrors>(numbers[0]);
        case ErrorShape::outliers:
          return std::make_unique<OutlierErrors>(numbers[0], numbers[1]);
        default:
          return std::make_unique<GaussianErrors>();
      }
  }
} // namespace Tempera
