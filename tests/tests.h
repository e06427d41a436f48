// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_tests_h
#define tempera_tests_h

// What tests share: saying what holds, and the statistics to decide it.

#include <tempera/sampler/energy.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace Tempera
{
  namespace Testing
  {
    inline int n_failed = 0;

    /**
     * Print "OK name", which is what the .output file expects, or the failure
     * with its details, which are printed nowhere else: they vary.
     */
    inline void
    check(const std::string &name,
          const bool         holds,
          const std::string &details = "")
    {
      if (holds)
        std::cout << "OK " << name << std::endl;
      else
        {
          ++n_failed;
          std::cout << "FAILED " << name << ": " << details << std::endl;
        }
    }

    /** What main() returns. */
    inline int
    result()
    {
      return n_failed > 0 ? 1 : 0;
    }


    /**
     * Mean with standard error and effective size, by 100 batch means. Where
     * the memory of a chain is longer than a batch, errors are too small and
     * effective sizes too large; that they are far above 100 must be checked.
     */
    struct Estimate
    {
      double mean;
      double standard_error;
      double effective_size;

      /** Deviation from the truth in standard errors. */
      double
      deviation(const double truth) const
      {
        return std::abs(mean - truth) / standard_error;
      }

      std::string
      text(const double truth) const
      {
        return std::to_string(mean) + " +- " + std::to_string(standard_error) +
               " instead of " + std::to_string(truth) + ", effective size " +
               std::to_string(effective_size);
      }
    };

    inline Estimate
    estimate(const std::vector<double> &values)
    {
      constexpr std::size_t n_batches = 100;
      const std::size_t     length    = values.size() / n_batches;
      const std::size_t     n         = length * n_batches;

      double mean = 0., square = 0.;
      for (std::size_t i = 0; i < n; ++i)
        mean += values[i] / n;
      std::vector<double> batch_means(n_batches, 0.);
      for (std::size_t i = 0; i < n; ++i)
        {
          square += (values[i] - mean) * (values[i] - mean) / n;
          batch_means[i / length] += values[i] / length;
        }
      double batch_variance = 0.;
      for (const double batch_mean : batch_means)
        batch_variance +=
          (batch_mean - mean) * (batch_mean - mean) / (n_batches - 1);
      const double variance_of_mean = batch_variance / n_batches;
      return {mean, std::sqrt(variance_of_mean), square / variance_of_mean};
    }


    /** Cumulative distribution function of the standard normal law. */
    inline double
    normal_cdf(const double x)
    {
      return 0.5 * std::erfc(-x / std::sqrt(2.));
    }

    /**
     * p-value of the one-sample test of Kolmogorov and Smirnov for
     * independent values.
     */
    inline double
    kolmogorov_smirnov(std::vector<double>                        values,
                       const std::function<double(const double)> &cdf)
    {
      std::sort(values.begin(), values.end());
      const double n        = values.size();
      double       distance = 0.;
      for (std::size_t i = 0; i < values.size(); ++i)
        {
          const double probability = cdf(values[i]);
          distance                 = std::max(
            {distance, (i + 1) / n - probability, probability - i / n});
        }
      const double lambda =
        (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
      double p = 0.;
      for (int k = 1; k <= 100; ++k)
        p += (k % 2 == 1 ? 2. : -2.) * std::exp(-2. * k * k * lambda * lambda);
      return lambda < 0.2 ? 1. : std::min(1., std::max(0., p));
    }


    /** Slope of a straight line through points, by least squares. */
    inline double
    slope(const std::vector<double> &x, const std::vector<double> &y)
    {
      double mean_x = 0., mean_y = 0., xy = 0., xx = 0.;
      for (std::size_t i = 0; i < x.size(); ++i)
        {
          mean_x += x[i] / x.size();
          mean_y += y[i] / x.size();
        }
      for (std::size_t i = 0; i < x.size(); ++i)
        {
          xy += (x[i] - mean_x) * (y[i] - mean_y);
          xx += (x[i] - mean_x) * (x[i] - mean_x);
        }
      return xy / xx;
    }


    /** An energy in one dimension from a formula for value and derivative. */
    class FormulaEnergy : public Energy
    {
    public:
      using Formula = std::function<double(const double)>;

      FormulaEnergy(Formula value, Formula derivative)
        : state_space({Coordinate{"x"}})
        , value(std::move(value))
        , derivative(std::move(derivative))
      {}

      const StateSpace &
      space() const override
      {
        return state_space;
      }

      bool
      is_integrable(const Exponents &) const override
      {
        return true;
      }

      void
      evaluate(const dealii::ArrayView<const double> &state,
               const RandomKey &,
               const Request request,
               Evaluation   &evaluation) const override
      {
        if (request != Request::gradients)
          {
            evaluation.reference = 0.;
            evaluation.potential = value(state[0]);
          }
        if (request != Request::values)
          {
            evaluation.reference_gradient[0] = 0.;
            evaluation.potential_gradient[0] = derivative(state[0]);
          }
      }

    private:
      const StateSpace state_space;
      const Formula    value, derivative;
    };
  } // namespace Testing
} // namespace Tempera

#endif
