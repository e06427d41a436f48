// SPDX-License-Identifier: LGPL-2.1-or-later

// Maxima of posteriors, the normal laws around them, and their weighted draws,
// against closed forms.

#include "tests.h"

#include <tempera/study/posterior_maxima.h>

#include <map>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  using View = dealii::ArrayView<const double>;
  using Fill = dealii::ArrayView<double>;

  const auto no_slot = [](const std::size_t, const std::size_t) {};

  /** Of one level, 'fine'. */
  std::unique_ptr<ForwardTarget>
  target(const FunctionModel::Function &function,
         const std::vector<Unknown>    &unknowns,
         const std::vector<double>     &values,
         const double                   deviation)
  {
    const std::map<std::string, std::shared_ptr<const ForwardModel>> models = {
      {"fine",
       std::make_shared<FunctionModel>(unknowns.size(),
                                       values.size(),
                                       function)}};
    return std::make_unique<ForwardTarget>(models, unknowns, values, deviation);
  }

  std::string
  text_of(const PosteriorMaxima &found)
  {
    std::string text;
    for (const PosteriorMaximum &one : found.maxima)
      {
        text += "share " + std::to_string(one.share) + " searches " +
                std::to_string(one.n_searches) + " at";
        for (const double number : one.place)
          text += " " + std::to_string(number);
        text += "; ";
      }
    return text + std::to_string(found.n_failed) + " failed";
  }

  /** y1 = log x1 + x2, y2 = x2 / 2, x1 log-normal: normal in coordinates. */
  void
  check_normal_law()
  {
    constexpr double sigma = 0.3, s1 = 0.7, s2 = 2., m2 = 1.;
    const auto       linear = target(
      [](const View &x, const Fill &y) {
        y[0] = std::log(x[0]) + x[1];
        y[1] = 0.5 * x[1];
      },
      {{"x1", Prior::log_normal(1., s1)}, {"x2", Prior::normal(m2, s2)}},
      {2., 0.3},
      sigma);
    const NormalCoordinates posterior(*linear, "fine");
    PosteriorMaxima         found = find_maxima(posterior, 4, 1, no_slot);
    const ImportanceSample  draws =
      sample_around(posterior, found, 100, 1, no_slot);

    // The covariance of the data, and what Kalman's formula says.
    const double c11 = s1 * s1 + s2 * s2 + sigma * sigma, c12 = 0.5 * s2 * s2,
                 c22         = 0.25 * s2 * s2 + sigma * sigma;
    const double determinant = c11 * c22 - c12 * c12;
    const double r1 = 2. - m2, r2 = 0.3 - 0.5 * m2;
    const double quadratic =
      (c22 * r1 * r1 - 2. * c12 * r1 * r2 + c11 * r2 * r2) / determinant;
    // Without the constant of the likelihood, sigma^2 2 pi.
    const double log_evidence =
      -0.5 * quadratic - 0.5 * std::log(determinant) + 2. * std::log(sigma);
    check("a normal posterior has one maximum, that all searches find",
          found.maxima.size() == 1 && found.maxima[0].n_searches == 4 &&
            found.n_failed == 0,
          text_of(found));
    const PosteriorMaximum &one = found.maxima[0];
    check("its evidence is the closed form",
          std::abs(one.log_mass - log_evidence) < 1e-4,
          std::to_string(one.log_mass) + " " + std::to_string(log_evidence));
    check("its draws know that, but for those that are wider",
          draws.efficiency > 0.9 && draws.is_good() &&
            std::abs(draws.log_evidence.value - log_evidence) <
              4. * draws.log_evidence.error &&
            draws.log_evidence.error < 0.03,
          std::to_string(draws.efficiency) + ", " +
            std::to_string(draws.log_evidence.value) + " +- " +
            std::to_string(draws.log_evidence.error));

    // Of x2 and of log x1.
    const double g1 = s2 * s2, g2 = 0.5 * s2 * s2;
    const double mean2 =
      m2 +
      ((c22 * g1 - c12 * g2) * r1 + (c11 * g2 - c12 * g1) * r2) / determinant;
    const double variance2 =
      s2 * s2 -
      (c22 * g1 * g1 - 2. * c12 * g1 * g2 + c11 * g2 * g2) / determinant;
    std::vector<double> variances = posterior.prior_variances();
    one.law.reduce_variances(variances);
    const std::vector<double> slopes = posterior.derivatives(one.place);
    check("mean and deviation are Kalman's",
          std::abs(posterior.to_state(one.place)[1] - mean2) < 1e-3 &&
            std::abs(std::sqrt(variances[1]) * slopes[1] -
                     std::sqrt(variance2)) < 1e-4,
          std::to_string(posterior.to_state(one.place)[1]) + " " +
            std::to_string(mean2) + ", " +
            std::to_string(std::sqrt(variances[1]) * slopes[1]) + " " +
            std::to_string(std::sqrt(variance2)));
    const double variance1 = s1 * s1 - s1 * s1 * c22 / determinant * s1 * s1;
    check("also of a log-normal number",
          std::abs(variances[0] * s1 * s1 - variance1) < 1e-4,
          std::to_string(variances[0] * s1 * s1) + " " +
            std::to_string(variance1));
  }

  /** x^2 is known: two answers, and a saddle in the middle of the prior. */
  void
  check_two_answers()
  {
    constexpr double sigma = 0.1;
    const auto       square =
      target([](const View &x, const Fill &y) { y[0] = x[0] * x[0]; },
             {{"x", Prior::normal(0., 1.)}},
             {1.},
             sigma);
    const NormalCoordinates posterior(*square, "fine");
    PosteriorMaxima         first = find_maxima(posterior, 1, 1, no_slot);
    check("a search that begins at a saddle leaves it",
          first.maxima.size() == 1 &&
            std::abs(std::abs(first.maxima[0].place[0]) - 0.9975) < 1e-3,
          text_of(first));
    PosteriorMaxima        found = find_maxima(posterior, 8, 5, no_slot);
    const ImportanceSample draws =
      sample_around(posterior, found, 4000, 5, no_slot);
    check("both answers are found, each with half of the mass",
          found.maxima.size() == 2 &&
            std::abs(found.maxima[0].share - 0.5) < 1e-3,
          text_of(found));
    double           integral = 0., second = 0.;
    constexpr double h = 1e-4;
    for (double x = -4. + h / 2.; x < 4.; x += h)
      {
        const double density =
          std::exp(-0.5 * std::pow((1. - x * x) / sigma, 2) - 0.5 * x * x) /
          std::sqrt(2. * M_PI);
        integral += h * density;
        second += h * density * x * x;
      }
    const double deviation = std::sqrt(second / integral);
    check("weighted draws know evidence, mean and deviation",
          draws.is_good() &&
            std::abs(draws.log_evidence.value - std::log(integral)) <
              4. * draws.log_evidence.error + 1e-4 &&
            draws.log_evidence.error < 0.01 &&
            std::abs(draws.mean(0).value) < 4. * draws.mean(0).error &&
            std::abs(draws.standard_deviation(0) - deviation) < 0.005,
          std::to_string(draws.log_evidence.value) + " +- " +
            std::to_string(draws.log_evidence.error) + " instead of " +
            std::to_string(std::log(integral)) + ", mean " +
            std::to_string(draws.mean(0).value) + ", sd " +
            std::to_string(draws.standard_deviation(0)));
  }

  /** A ring is not what normal laws around its points are. */
  void
  check_ring()
  {
    const auto ring =
      target([](const View &x,
                const Fill &y) { y[0] = std::hypot(x[0] - 0.1, x[1]); },
             {{"x", Prior::normal(0., 1.)}, {"y", Prior::normal(0., 1.)}},
             {1.},
             0.02);
    const NormalCoordinates posterior(*ring, "fine");
    PosteriorMaxima         found = find_maxima(posterior, 4, 2, no_slot);
    const ImportanceSample  draws =
      sample_around(posterior, found, 500, 2, no_slot);
    check("a ring is told to be none of this",
          !draws.is_good(),
          text_of(found) + ", efficiency " + std::to_string(draws.efficiency) +
            ", k " + std::to_string(draws.pareto_k));
  }
} // namespace

int
main()
{
  check_normal_law();
  check_two_answers();
  check_ring();
  return result();
}
