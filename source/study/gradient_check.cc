// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/study/gradient_check.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace Tempera
{
  namespace
  {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();

    /** Balances truncation and rounding of central differences. */
    const double relative_step = std::cbrt(epsilon);

    double
    potential(const Energy &energy, const std::vector<double> &state)
    {
      Evaluation evaluation;
      evaluation.reference_gradient.resize(state.size());
      evaluation.potential_gradient.resize(state.size());
      energy.evaluate(dealii::make_array_view(state),
                      RandomKey(),
                      Request::values,
                      evaluation);
      return evaluation.potential;
    }

    std::vector<double>
    moved(const GradientPoint &point, const double distance)
    {
      std::vector<double> state = point.state;
      for (std::size_t i = 0; i < state.size(); ++i)
        state[i] += distance * point.direction[i];
      return state;
    }


    /** An energy with its gradient replaced by central differences. */
    class DifferencedEnergy : public Energy
    {
    public:
      DifferencedEnergy(std::shared_ptr<const Energy> inner,
                        std::vector<double>           scales)
        : inner(std::move(inner))
        , scales(std::move(scales))
      {}

      const StateSpace &
      space() const override
      {
        return inner->space();
      }

      bool
      is_integrable(const Exponents &exponents) const override
      {
        return inner->is_integrable(exponents);
      }

      void
      evaluate(const dealii::ArrayView<const double> &state,
               const RandomKey                       &key,
               const Request                          request,
               Evaluation                            &evaluation) const override
      {
        inner->evaluate(state, key, request, evaluation);
        if (request == Request::values)
          return;
        std::vector<double> there(state.begin(), state.end());
        for (unsigned int i = 0; i < there.size(); ++i)
          {
            const double step      = relative_step * scales[i];
            there[i]               = state[i] + step;
            const double upper_end = there[i], upper = potential(*inner, there);
            there[i]               = state[i] - step;
            const double lower_end = there[i], lower = potential(*inner, there);
            there[i] = state[i];
            evaluation.potential_gradient[i] =
              (upper - lower) / (upper_end - lower_end);
          }
      }

    private:
      const std::shared_ptr<const Energy> inner;
      const std::vector<double>           scales;
    };


    /** Norm of a gradient in units of the scales. */
    double
    norm(const std::vector<double> &gradient, const std::vector<double> &scales)
    {
      double sum = 0.;
      for (std::size_t i = 0; i < gradient.size(); ++i)
        sum += std::pow(scales[i] * gradient[i], 2);
      return std::sqrt(sum);
    }

    double
    norm_of_difference(std::vector<double>        first,
                       const std::vector<double> &second,
                       const std::vector<double> &scales)
    {
      for (std::size_t i = 0; i < first.size(); ++i)
        first[i] -= second[i];
      return norm(first, scales);
    }


    /**
     * Noise of a potential as it is computed, from its differences of high
     * order over steps so small that nothing else is left of it (Moré and Wild,
     * Estimating computational noise, 2011).
     */
    double
    measured_noise(const Energy &energy, const GradientPoint &point)
    {
      constexpr unsigned int n    = 7;
      constexpr double       step = 1e-9;
      std::array<double, n>  table{};
      for (unsigned int i = 0; i < n; ++i)
        table[i] = potential(energy, moved(point, step * (double(i) - n / 2)));
      double largest = 0., factor = 1.;
      for (unsigned int order = 1; order < n; ++order)
        {
          double square = 0.;
          for (unsigned int i = 0; i + order < n; ++i)
            {
              table[i] = table[i + 1] - table[i];
              square += table[i] * table[i];
            }
          // (k!)^2 / (2k)!, by which independent errors grow.
          factor *= order / (2. * (2. * order - 1.));
          if (order >= 3)
            largest =
              std::max(largest, std::sqrt(factor * square / (n - order)));
        }
      return largest;
    }


    /** Slope of a straight line through points. */
    double
    slope(const std::vector<std::pair<double, double>> &points)
    {
      double mean_x = 0., mean_y = 0., xy = 0., xx = 0.;
      for (const auto &point : points)
        {
          mean_x += point.first / points.size();
          mean_y += point.second / points.size();
        }
      for (const auto &point : points)
        {
          xy += (point.first - mean_x) * (point.second - mean_y);
          xx += (point.first - mean_x) * (point.first - mean_x);
        }
      return xy / xx;
    }


    /**
     * The order of the remainder of Taylor's formula. Only remainders well
     * above rounding, and above what the method does not claim to resolve,
     * count; of these the ones at the smallest steps.
     */
    double
    taylor_order(const GradientMethod      &method,
                 const std::vector<double> &gradient,
                 const GradientPoint       &point,
                 const double               noise)
    {
      constexpr unsigned int n_halvings = 24, n_fitted = 4, n_least = 3;
      constexpr double       margin = 10., most_spread = 0.25;

      const auto is_inside = [&](const double distance) {
        const std::vector<double> state = moved(point, distance);
        return method.energy->space().contains(dealii::make_array_view(state));
      };
      double step = 0.01;
      while (step > epsilon && !is_inside(step))
        step *= 0.5;

      double slope_here = 0., size = 0.;
      for (std::size_t i = 0; i < gradient.size(); ++i)
        {
          slope_here += gradient[i] * point.direction[i];
          size += std::abs(gradient[i] * point.direction[i]);
        }
      const double here = potential(*method.energy, point.state);
      std::vector<std::pair<double, double>> logarithms;
      for (unsigned int k = 0; k < n_halvings; ++k, step *= 0.5)
        {
          const double there = potential(*method.energy, moved(point, step));
          const double remainder = std::abs(there - here - step * slope_here);
          if (remainder > margin * (noise + method.accuracy * step * size))
            logarithms.emplace_back(std::log(step), std::log(remainder));
          else if (!logarithms.empty())
            break;
        }
      if (logarithms.size() < n_least)
        return std::numeric_limits<double>::quiet_NaN();
      if (logarithms.size() > n_fitted)
        logarithms.erase(logarithms.begin(), logarithms.end() - n_fitted);

      // Where terms of the second and the third order cancel, the slope
      // changes from step to step and means nothing.
      double least = std::numeric_limits<double>::infinity(), largest = -least;
      for (std::size_t k = 1; k < logarithms.size(); ++k)
        {
          const double here_slope = slope({logarithms[k - 1], logarithms[k]});
          least                   = std::min(least, here_slope);
          largest                 = std::max(largest, here_slope);
        }
      if (largest - least > most_spread)
        return std::numeric_limits<double>::quiet_NaN();
      return slope(logarithms);
    }
  } // namespace



  GradientMethod
  finite_differences_within(std::shared_ptr<const Energy> energy)
  {
    return {"finite differences", std::move(energy), 1e-5, 1. / relative_step};
  }



  GradientMethod
  finite_differences_of(std::shared_ptr<const Energy> energy,
                        std::vector<double>           scales)
  {
    return finite_differences_within(
      std::make_shared<DifferencedEnergy>(std::move(energy),
                                          std::move(scales)));
  }



  bool
  GradientFinding::has_wrong_order() const
  {
    constexpr double least = 1.5;
    return order < least;
  }



  std::vector<GradientFinding>
  compare_gradients(const std::vector<GradientMethod> &methods,
                    const GradientPoint               &point)
  {
    AssertThrow(methods.size() > 1, dealii::ExcInternalError());
    const std::size_t                n = point.state.size();
    std::vector<std::vector<double>> gradients;
    std::vector<double>              noises;
    for (const GradientMethod &method : methods)
      {
        Evaluation evaluation;
        evaluation.reference_gradient.resize(n);
        evaluation.potential_gradient.resize(n);
        method.energy->evaluate(dealii::make_array_view(point.state),
                                RandomKey(),
                                Request::values_and_gradients,
                                evaluation);
        bool is_finite = std::isfinite(evaluation.potential);
        // The states themselves are rounded, too.
        double noise = std::abs(evaluation.potential);
        for (std::size_t i = 0; i < n; ++i)
          {
            const double part = evaluation.potential_gradient[i];
            is_finite         = is_finite && std::isfinite(part);
            noise += std::abs(part * point.state[i]);
          }
        if (!is_finite)
          return {};
        gradients.push_back(evaluation.potential_gradient);
        noises.push_back(std::max({epsilon * noise,
                                   point.rounding,
                                   measured_noise(*method.energy, point)}));
      }

    std::vector<GradientFinding> findings;
    for (std::size_t i = 0; i < methods.size(); ++i)
      {
        const std::size_t other = i == 0 ? methods.size() - 1 : 0;
        GradientFinding   finding;
        finding.method = methods[i].name;
        finding.other  = methods[other].name;

        const double size = norm(gradients[other], point.scales);
        finding.difference =
          norm_of_difference(gradients[i], gradients[other], point.scales);
        finding.allowed =
          (methods[i].accuracy + methods[other].accuracy) * size +
          std::sqrt(n) * (methods[i].amplification * noises[i] +
                          methods[other].amplification * noises[other]);
        if (size > 0.)
          {
            finding.difference /= size;
            finding.allowed /= size;
          }
        finding.order =
          taylor_order(methods[i], gradients[i], point, noises[i]);
        findings.push_back(finding);
      }
    return findings;
  }
} // namespace Tempera
