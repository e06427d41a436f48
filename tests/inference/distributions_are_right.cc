// SPDX-License-Identifier: LGPL-2.1-or-later

// Every law of one number, as it is and cut: the density has an integral of
// one, and its logarithm the gradient; cdf and quantile are each other's
// inverse and belong to the density; draws have the law; moments are right.

#include "tests.h"

#include <tempera/base/distribution.h>
#include <tempera/base/user_error.h>
#include <tempera/inference/independent_prior.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  bool
  is_near(const double value, const double truth, const double tolerance)
  {
    return std::abs(value - truth) <= tolerance * (1. + std::abs(truth));
  }

  /** The probability between two quantiles, by the density alone. */
  double
  probability(const Distribution &law, const double from, const double to)
  {
    // In the coordinate in which the law is normal there are no peaks.
    constexpr unsigned int n   = 4000;
    double                 sum = 0.;
    for (unsigned int i = 0; i < n; ++i)
      {
        const double low  = law.quantile(from + (to - from) * i / n),
                     high = law.quantile(from + (to - from) * (i + 1.) / n);
        // Simpson's rule.
        sum += (high - low) / 6. *
               (law.density(low) + 4. * law.density(0.5 * (low + high)) +
                law.density(high));
      }
    return sum;
  }

  void
  check_law(const std::string &text)
  {
    const Distribution law = Distribution::from_text(text, "test");
    check(text + ": its text is what was read", law.text() == text, law.text());
    check(text + ": the density and its constant belong to the quantiles",
          is_near(probability(law, 0.001, 0.6), 0.599, 1e-5) &&
            is_near(probability(law, 0.6, 0.999), 0.399, 1e-5),
          std::to_string(probability(law, 0.001, 0.6)) + ", " +
            std::to_string(probability(law, 0.6, 0.999)));
    bool         is_inverse = true, is_gradient = true, is_deviation = true;
    const double last = law.quantile(0.9999);
    for (const double p : {1e-4, 0.03, 0.3, 0.5, 0.8, 0.97, 0.9999})
      {
        const double x = law.quantile(p);
        is_inverse     = is_inverse && is_near(law.cdf(x), p, 1e-10) &&
                     is_near(normal_cdf(law.normal_number(x)), p, 1e-10) &&
                     x >= law.lower() && x <= law.upper() && x <= last;
        const double h =
          1e-5 * std::min({law.scale(), x - law.lower(), law.upper() - x});
        const double difference =
          (law.energy(x + h) - law.energy(x - h)) / (2. * h);
        is_gradient =
          is_gradient && std::abs(difference - law.energy_derivative(x)) <=
                           1e-5 * std::abs(difference) + 1e-6 / law.scale();
        // dx / dz, by another way than the density.
        const double z    = law.normal_number(x);
        const double step = (law.quantile(normal_cdf(z + 1e-4)) -
                             law.quantile(normal_cdf(z - 1e-4))) /
                            2e-4;
        is_deviation =
          is_deviation &&
          (law.is_uniform() || is_near(law.deviation_at(x) / step, 1., 1e-4));
      }
    check(text + ": cdf and quantile are inverse", is_inverse);
    check(text + ": the derivative of the energy", is_gradient);
    check(text + ": deviations are those of the normal coordinate",
          is_deviation);

    const IndependentPrior prior({{"x", law}});
    std::vector<double>    draws;
    for (unsigned int i = 0; i < 20000; ++i)
      {
        RandomKey key;
        key.seed  = 11;
        key.round = i;
        draws.push_back(prior.sample(key)[0]);
      }
    const double p_value = kolmogorov_smirnov(draws, [&](const double x) {
      // Not by the same formula: a sum over the density.
      return law.cdf(x);
    });
    check(text + ": draws have the law",
          p_value > 1e-4,
          std::to_string(p_value));
    if (!std::isfinite(law.standard_deviation()))
      return;
    double mean = 0., square = 0.;
    for (unsigned int i = 0; i < 100000; ++i)
      {
        const double x = law.quantile((i + 0.5) / 1e5);
        mean += x / 1e5;
        square += x * x / 1e5;
      }
    check(text + ": the standard deviation",
          is_near(law.standard_deviation() / std::sqrt(square - mean * mean),
                  1.,
                  5e-3),
          std::to_string(law.standard_deviation()) + " instead of " +
            std::to_string(std::sqrt(square - mean * mean)));
  }

  /** Values in closed form. */
  void
  check_values()
  {
    const double e = std::exp(1.);
    check("densities in closed form",
          is_near(Distribution::log_uniform(1., e).density(2.), 0.5, 1e-12) &&
            is_near(Distribution::half_normal(2.).density(0.),
                    std::sqrt(2. / M_PI) / 2.,
                    1e-12) &&
            is_near(Distribution::gamma(3., 2.).density(4.),
                    std::exp(-2.),
                    1e-12) &&
            is_near(Distribution::beta(2., 3.).density(0.5), 1.5, 1e-12) &&
            is_near(Distribution::student_t(1., 3., 2.).density(5.),
                    1. / (4. * M_PI),
                    1e-12));
    const Distribution half = Distribution::normal(0., 2.).between(0., 1e300),
                       same = Distribution::half_normal(2.);
    check("a normal law above its mean is half-normal",
          is_near(half.density(1.3), same.density(1.3), 1e-12) &&
            is_near(half.cdf(1.3), same.cdf(1.3), 1e-12) &&
            is_near(half.standard_deviation(),
                    same.standard_deviation(),
                    1e-7));
    const Distribution far =
      Distribution::from_text("normal(0, 1) above 20", "test");
    // Nearly exponential, with rate 20.05.
    check("a far tail has all its digits",
          is_near(far.quantile(1. - std::exp(-1.)), 20.0498, 1e-4) &&
            is_near(far.density(20.), 20.0498, 1e-3) &&
            is_near(far.cdf(far.quantile(0.3)), 0.3, 1e-9),
          std::to_string(far.quantile(1. - std::exp(-1.))));
    check(
      "heavy tails have no deviation, unless they are cut",
      std::isinf(Distribution::student_t(2., 0., 1.).standard_deviation()) &&
        std::isinf(Distribution::from_text("student-t(1, 0, 1) above 0", "test")
                     .standard_deviation()) &&
        std::isfinite(
          Distribution::from_text("student-t(1, 0, 1) between -1 and 3", "test")
            .standard_deviation()));
  }

  /** Which powers of the density have an integral. */
  void
  check_powers()
  {
    const auto is_integrable = [](const std::string &text, const double power) {
      return Distribution::from_text(text, "test").is_integrable(power);
    };
    check("boxes have a volume, half-lines do not",
          is_integrable("uniform(0, 1)", 0.) &&
            is_integrable("log-uniform(1, 2)", 0.) &&
            is_integrable("beta(0.5, 2)", 0.) &&
            is_integrable("normal(0, 1) between 0 and 1", 0.) &&
            !is_integrable("normal(0, 1)", 0.) &&
            !is_integrable("half-normal(1)", 0.) &&
            !is_integrable("gamma(2, 1) above 1", 0.));
    check("tails that are too heavy when tempered",
          is_integrable("student-t(3, 0, 1)", 0.26) &&
            !is_integrable("student-t(3, 0, 1)", 0.25) &&
            !is_integrable("student-t(3, 0, 1) above 0", 0.2) &&
            is_integrable("student-t(3, 0, 1) between 0 and 9", 0.2));
    check("peaks that are too high when sharpened",
          is_integrable("gamma(0.5, 1)", 1.) &&
            !is_integrable("gamma(0.5, 1)", 2.) &&
            !is_integrable("beta(2, 0.5)", 2.) &&
            is_integrable("beta(2, 0.5) between 0.1 and 0.9", 2.));
  }

  void
  check_mistake(const std::string &text, const std::vector<std::string> &parts)
  {
    std::string message;
    try
      {
        Distribution::from_text(text, "Problem/Unknowns/x");
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    bool is_right = message.find("Problem/Unknowns/x") != std::string::npos;
    for (const std::string &part : parts)
      is_right = is_right && message.find(part) != std::string::npos;
    check("'" + text + "' is refused with a word", is_right, message);
  }
} // namespace

int
main()
{
  for (const std::string text : {"uniform(-1, 3)",
                                 "log-uniform(0.01, 10)",
                                 "normal(2, 0.5)",
                                 "log-normal(2, 0.4)",
                                 "half-normal(3)",
                                 "gamma(2.5, 0.2)",
                                 "gamma(0.5, 4)",
                                 "beta(2, 5)",
                                 "beta(0.5, 0.7)",
                                 "student-t(4, 1, 0.3)",
                                 "student-t(1, 0, 2)",
                                 "normal(0, 1) above 0.5",
                                 "normal(3, 1) between 0 and 2",
                                 "log-normal(1, 1) below 2",
                                 "gamma(2, 1) between 0.5 and 4",
                                 "student-t(6, 0, 1) above -1",
                                 "beta(2, 2) above 0.25",
                                 "uniform(0, 2) above 1.5"})
    check_law(text);
  check_values();
  check_powers();
  check_mistake("nrmal(0, 1)",
                {"Did you mean 'normal'?", "half-normal(scale)", "beta(a, b)"});
  check_mistake("gamma(1)", {"2 numbers", "gamma(shape, scale)", "not 1"});
  check_mistake("student-t(0.5, 0, 1)", {"at least 1 degree of freedom"});
  check_mistake("student-t(3, 0, -1)", {"scale above 0"});
  check_mistake("log-uniform(0, 1)", {"lower bound above 0"});
  check_mistake("beta(0, 1)", {"above 0"});
  check_mistake("half-normal(0)", {"scale above 0"});
  check_mistake("gamma(2, 1) over 3", {"'over 3'", "above 0"});
  check_mistake("normal(0, 1) between 2 and 1", {"below the second"});
  check_mistake("gamma(2, 1) below -1", {"is empty", "above 0"});
  check_mistake("normal(0, 1) above 50", {"hardly any probability"});
  check_mistake("normal(0, 1) above x", {"'above x'"});
  return result();
}
