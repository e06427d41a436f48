// SPDX-License-Identifier: LGPL-2.1-or-later

// Measurements of a linear model with normal priors, whose posterior is known
// in closed form. Where model, noise and prior are right, all tests of the fit
// together find something as seldom as they claim; what is wrong is found, and
// called by its name. A prior's wall, and a prior far from the answer, are
// noticed where the data contradict them, and only there.

#include "tests.h"

#include <tempera/output/model_fit.h>
#include <tempera/output/prior_conflict.h>

#include <deal.II/lac/full_matrix.h>

#include <random>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  using Numbers = std::vector<double>;

  /** What is wrong with the data. */
  struct Flaw
  {
    double noise_factor = 1., outlier = 0., drift = 0., offset = 0.;
    bool   is_deviation_unknown = false;
    /** Of the errors of a sensor from time to time. */
    double correlation = 0.;
    /** Whether an unknown deviation cannot follow the errors. */
    bool is_held = false;
    /** Of the errors; large ones leave much to the prior. */
    double sigma = 0.2;
    /** Whether means over the draws can be believed. */
    bool has_converged = true;
    /** Whether there are unknowns whose draws are not recorded. */
    bool has_unrecorded = false;
  };

  /**
   * Five sensors at n / 5 times; unknowns are the mean and a slope in time, or,
   * if there are as many as measurements, one for each; all with standard
   * normal priors.
   */
  ModelFit
  judge(const unsigned int  n,
        const unsigned int  n_unknowns,
        const Flaw         &flaw,
        const std::uint64_t seed)
  {
    const double           sigma   = flaw.sigma;
    constexpr unsigned int n_draws = 200;

    std::mt19937_64            random(seed);
    std::normal_distribution<> normal;
    RunDescription             description;
    dealii::FullMatrix<double> precision(n_unknowns, n_unknowns);
    std::vector<Numbers>       rows;
    Numbers                    truth;
    for (unsigned int k = 0; k < n_unknowns; ++k)
      {
        truth.push_back(normal(random));
        precision(k, k) = 1.;
      }
    double errors[5] = {};
    for (unsigned int i = 0; i < n; ++i)
      {
        const double time = (i / 5 + 1.) / (n / 5), place = i % 5;
        Numbers      row;
        for (unsigned int k = 0; k < n_unknowns; ++k)
          row.push_back(n_unknowns == n ? (i == k ? 1. : 0.) :
                        k == 0          ? 1. :
                                          std::pow(time, k) * (1. + 0.1 * place));
        RunDescription::Measurement one;
        one.name      = "measurement " + std::to_string(i);
        one.place     = {place};
        one.time      = time;
        one.deviation = flaw.is_deviation_unknown ? 0. : sigma;
        for (unsigned int k = 0; k < n_unknowns; ++k)
          one.value += row[k] * truth[k];
        double &error = errors[i % 5];
        error =
          flaw.correlation * error +
          std::sqrt(1. - flaw.correlation * flaw.correlation) * normal(random);
        one.value += flaw.noise_factor * sigma * error;
        if (i == n / 2)
          one.value += flaw.outlier * sigma;
        if (place == 2)
          one.value += flaw.offset * sigma;
        one.value += flaw.drift * sigma * (time - 0.5) * (place - 2.);
        description.measurements.push_back(one);
        rows.push_back(row);
        for (unsigned int k = 0; k < n_unknowns; ++k)
          for (unsigned int l = 0; l < n_unknowns; ++l)
            precision(k, l) += row[k] * row[l] / (sigma * sigma);
      }
    dealii::FullMatrix<double> covariance = precision,
                               factor(n_unknowns, n_unknowns);
    covariance.gauss_jordan();
    factor.cholesky(covariance);
    Numbers mean(n_unknowns, 0.);
    for (unsigned int k = 0; k < n_unknowns; ++k)
      for (unsigned int l = 0; l < n_unknowns; ++l)
        for (unsigned int i = 0; i < n; ++i)
          mean[k] += covariance(k, l) * rows[i][l] *
                     description.measurements[i].value / (sigma * sigma);

    std::vector<Numbers> draws;
    for (unsigned int s = 0; s < n_draws; ++s)
      {
        Numbers z(n_unknowns), state = mean;
        for (double &one : z)
          one = normal(random);
        for (unsigned int k = 0; k < n_unknowns; ++k)
          for (unsigned int l = 0; l <= k; ++l)
            state[k] += factor(k, l) * z[l];
        draws.emplace_back();
        for (const Numbers &row : rows)
          {
            double value = 0.;
            for (unsigned int k = 0; k < n_unknowns; ++k)
              value += row[k] * state[k];
            draws.back().push_back(value);
          }
      }
    description.deviation_unknown = flaw.is_deviation_unknown ? 0 : -1;
    description.has_unrecorded    = flaw.has_unrecorded;
    return judge_fit(description,
                     draws,
                     Numbers(n_draws,
                             sigma * (flaw.is_held ? 1. : flaw.noise_factor)),
                     flaw.has_converged);
  }

  /** How many of some seeds find this test, or any. */
  unsigned int
  n_found(const unsigned int   n,
          const unsigned int   n_unknowns,
          const Flaw          &flaw,
          const unsigned int   n_seeds,
          const ModelFit::Test test,
          const bool           any = false)
  {
    unsigned int result = 0;
    for (unsigned int seed = 1; seed <= n_seeds; ++seed)
      {
        const auto findings = judge(n, n_unknowns, flaw, seed).findings();
        bool       is_found = any && !findings.empty();
        for (const ModelFit::Finding &one : findings)
          is_found = is_found || one.test == test;
        result += is_found;
      }
    return result;
  }

  void
  check_count(const std::string &name,
              const unsigned int count,
              const unsigned int least,
              const unsigned int most)
  {
    check(name, count >= least && count <= most, std::to_string(count));
  }

  void
  check_fits()
  {
    using Test = ModelFit::Test;
    // Expected: at most 0.0045 of 1500, that is 7; 19 has a probability of
    // 1e-4.
    check_count("a right model is not blamed, 20 data, 2 unknowns",
                n_found(20, 2, {}, 1500, Test::outlier, true),
                0,
                18);
    Flaw unknown;
    unknown.is_deviation_unknown = true;
    check_count("nor with an unknown standard deviation",
                n_found(20, 2, unknown, 1500, Test::outlier, true),
                0,
                18);
    // Eight unknowns of which the data tell some, little or nothing: the law
    // of the residuals is far from that of the errors.
    Flaw weak;
    weak.sigma = 1.;
    check_count("nor where data and prior tell as much",
                n_found(15, 8, weak, 1500, Test::outlier, true),
                0,
                18);
    // An unknown for each measurement, errors twice the prior: H = I / 5.
    Flaw weaker;
    weaker.sigma      = 2.;
    double chi_square = 0., n_tested = 0., squares = 0., n_residuals = 0.;
    for (unsigned int seed = 1; seed <= 500; ++seed)
      {
        const ModelFit one = judge(15, 15, weaker, seed);
        chi_square += one.chi_square;
        n_tested += one.n_tested;
        for (const double residual : one.residuals)
          if (std::isfinite(residual))
            {
              squares += residual * residual;
              n_residuals += 1.;
            }
      }
    // Six standard errors: 6 sqrt(2 / 7500).
    check("residuals are N(0, I - H), together and one by one",
          n_tested > 7000. && std::abs(chi_square / n_tested - 1.) < 0.1 &&
            n_residuals > 7000. && std::abs(squares / n_residuals - 1.) < 0.1,
          std::to_string(chi_square / n_tested) + " " +
            std::to_string(squares / n_residuals));
    Flaw stuck;
    stuck.has_converged = false;
    check_count("nor if the chains disagree",
                n_found(20, 2, stuck, 1500, Test::outlier, true),
                0,
                18);
    stuck.noise_factor = 4.;
    check_count("but then, too, a gross misfit is found",
                n_found(20, 2, stuck, 100, Test::too_large),
                97,
                100);
    check_count("with as many unknowns as data nothing is said",
                n_found(5, 5, {4.}, 50, Test::outlier, true),
                0,
                0);
    check_count("noise four times as large is found",
                n_found(15, 2, {4.}, 100, Test::too_large),
                97,
                100);
    check_count("noise of a fifth is found",
                n_found(15, 2, {0.2}, 100, Test::too_small),
                97,
                100);
    Flaw weights;
    weights.noise_factor   = 0.2;
    weights.has_unrecorded = true;
    check_count("but not looked for where unknowns are not recorded",
                n_found(15, 2, weights, 100, Test::too_small),
                0,
                0);
    check_count("an outlier is found",
                n_found(20, 2, {1., 8.}, 100, Test::outlier),
                97,
                100);
    check_count("sensors that drift apart are found",
                n_found(40, 2, {1., 0., 8.}, 100, Test::neighbours, true),
                97,
                100);
    check_count("a sensor with an offset is found",
                n_found(40, 2, {1., 0., 0., 4.}, 100, Test::pattern),
                97,
                100);
    // The draws of the deviation stay at 0.2; the errors are 0.1 and 0.4.
    for (const double factor : {0.5, 2.})
      {
        Flaw held         = unknown;
        held.noise_factor = factor;
        held.is_held      = true;
        check_count(
          factor > 1. ?
            "an unknown deviation that its prior holds down is found" :
            "and one that is held up",
          n_found(
            40, 2, held, 100, factor > 1. ? Test::too_large : Test::too_small),
          97,
          100);
      }
    Flaw slow;
    slow.correlation = 0.6;
    check_count("errors that resemble those before them are found",
                n_found(200, 2, slow, 100, Test::neighbours),
                97,
                100);
    // Among ten residuals none is larger than sqrt(10) of their own
    // deviations: Student's law knows that, the normal one does not.
    Flaw single    = unknown;
    single.outlier = 30.;
    check_count("an outlier among few, of unknown deviation",
                n_found(10, 2, single, 100, Test::outlier),
                97,
                100);
    unknown.offset = 8.;
    check_count("also where the standard deviation is unknown",
                n_found(40, 2, unknown, 100, Test::pattern),
                97,
                100);
    const ModelFit fit = judge(500, 2, {3.}, 1);
    check("the noise that the residuals suggest",
          std::abs(fit.suggested_deviation - 0.6) < 0.06 &&
            std::abs(fit.n_effective_parameters - 2.) < 0.4,
          std::to_string(fit.suggested_deviation));
  }

  bool
  has_conflict(const double beyond, const std::uint64_t seed)
  {
    // A normal law of deviation 0.02 around a place beyond the bound 0 of
    // uniform(0, 1), truncated there.
    std::mt19937_64            random(seed);
    std::normal_distribution<> normal;
    Numbers                    draws;
    while (draws.size() < 4000)
      {
        // By an exponential proposal, as the tail may be far.
        const double scale = 0.02 / std::max(0.5, beyond);
        const double draw =
          -scale * std::log(std::uniform_real_distribution<>(0., 1.)(random));
        const double log_ratio = -0.5 * std::pow(draw / 0.02 + beyond, 2) +
                                 draw / scale + 0.5 * beyond * beyond -
                                 (beyond < 0.5 ? 0.2 + beyond * beyond : 0.);
        if (std::log(std::uniform_real_distribution<>(0., 1.)(random)) <
            log_ratio)
          draws.push_back(draw);
      }
    PriorConflict conflict;
    return find_prior_conflict(
             draws, 2000., Distribution::uniform(0., 1.), 2, conflict) &&
           conflict.is_wall && !conflict.is_upper;
  }

  /** @param is_logarithmic The same of the logarithms. */
  bool
  is_far(const double distance, const bool is_logarithmic = false)
  {
    // Prior normal(0, 1), posterior around a place with deviation 0.1.
    std::mt19937_64            random(1);
    std::normal_distribution<> normal;
    Numbers                    draws;
    for (unsigned int i = 0; i < 1000; ++i)
      {
        draws.push_back(distance + 0.1 * normal(random));
        if (is_logarithmic)
          draws.back() = std::exp(draws.back());
      }
    PriorConflict conflict;
    return find_prior_conflict(draws,
                               1000.,
                               is_logarithmic ?
                                 Distribution::log_normal(1., 1.) :
                                 Distribution::normal(0., 1.),
                               2,
                               conflict);
  }

  void
  check_priors()
  {
    unsigned int n_near = 0, n_beyond = 0;
    for (unsigned int seed = 1; seed <= 50; ++seed)
      {
        n_near += has_conflict(0.1, seed);
        n_beyond += has_conflict(8., seed);
      }
    check_count("an answer at the wall itself is none", n_near, 0, 0);
    check_count("a wall that the data want to pass", n_beyond, 48, 50);
    check("a prior may be off by two standard deviations", !is_far(2.));
    check("but not by five", is_far(5.) && is_far(-5.));
    // exp(-5) is next to the median 1 of the prior, seen without logarithms.
    check("a log-normal one neither",
          !is_far(2., true) && is_far(5., true) && is_far(-5., true));
  }
} // namespace

int
main()
{
  check_fits();
  check_priors();
}
