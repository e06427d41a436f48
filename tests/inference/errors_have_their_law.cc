// SPDX-License-Identifier: LGPL-2.1-or-later

// Errors of every law, in every scale, censored, correlated in time, with a
// discrepancy of the model, with known and unknown numbers: the density of a
// value has an integral of one, draws have it, its gradient is the derivative,
// and Fisher's information is the covariance of that gradient over draws.

#include "tests.h"

#include <tempera/base/user_error.h>
#include <tempera/inference/noise.h>
#include <tempera/sampler/random.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  using Numbers = std::vector<double>;

  bool
  is_near(const double value, const double truth, const double tolerance)
  {
    return std::abs(value - truth) <= tolerance * (1. + std::abs(truth));
  }

  dealii::ArrayView<const double>
  view(const Numbers &numbers)
  {
    return dealii::make_array_view(numbers);
  }

  /** Errors as a file describes them, and where they are looked at. */
  struct Setting
  {
    std::string           name;
    ObservationParameters parameters;
    Numbers               predictions{1.3, 0.8, 2.1}, noise, groups;
  };

  Setting
  setting(const std::string &name, const Numbers &noise = {})
  {
    Setting result;
    result.name             = name;
    result.noise            = noise;
    result.parameters.noise = "0.3, 0.2, 0.4";
    return result;
  }

  std::vector<Setting>
  settings()
  {
    std::vector<Setting> all;
    const auto           add =
      [&](const std::string                                 &name,
          const Numbers                                     &noise,
          const std::function<void(ObservationParameters &)> change) {
        all.push_back(setting(name, noise));
        change(all.back().parameters);
      };
    const std::string sigma = "half-normal(1)";
    add("Student t", {}, [](ObservationParameters &one) {
      one.errors.shape              = ErrorShape::student_t;
      one.errors.degrees_of_freedom = "3";
    });
    add("Student t, sigma and dof unknown", {0.3, 4.}, [&](auto &one) {
      one.noise                     = sigma;
      one.errors.shape              = ErrorShape::student_t;
      one.errors.degrees_of_freedom = "gamma(2, 10) above 1";
    });
    add("outliers", {}, [](ObservationParameters &one) {
      one.errors.shape          = ErrorShape::outliers;
      one.errors.outlier_share  = "0.1";
      one.errors.outlier_factor = "5";
    });
    add("outliers, all unknown", {0.3, 0.2, 6.}, [&](auto &one) {
      one.noise                 = sigma;
      one.errors.shape          = ErrorShape::outliers;
      one.errors.outlier_share  = "beta(1, 9)";
      one.errors.outlier_factor = "log-normal(10, 1) above 1";
    });
    add("proportional", {}, [](ObservationParameters &one) {
      one.errors.scale = ErrorScale::proportional;
    });
    add("proportional, with a floor, sigma unknown", {0.4}, [&](auto &one) {
      one.noise        = sigma;
      one.errors.scale = ErrorScale::proportional;
      one.errors.floor = 0.2;
    });
    add("proportional Student t, dof unknown", {5.}, [](auto &one) {
      one.errors.scale              = ErrorScale::proportional;
      one.errors.shape              = ErrorShape::student_t;
      one.errors.degrees_of_freedom = "gamma(2, 10) above 1";
    });
    add("logarithmic, sigma unknown", {0.5}, [&](auto &one) {
      one.noise        = sigma;
      one.errors.scale = ErrorScale::logarithmic;
    });
    add("censored, sigma unknown", {0.7}, [&](auto &one) {
      one.noise                  = sigma;
      one.errors.detection_limit = "1.1";
    });
    add("censored Student t, all unknown", {0.7, 3.}, [&](auto &one) {
      one.noise                     = sigma;
      one.errors.shape              = ErrorShape::student_t;
      one.errors.degrees_of_freedom = "gamma(2, 10) above 1";
      one.errors.detection_limit    = "1.1";
    });
    add("censored outliers, all unknown", {0.5, 0.3, 4.}, [&](auto &one) {
      one.noise                  = sigma;
      one.errors.shape           = ErrorShape::outliers;
      one.errors.outlier_share   = "beta(1, 9)";
      one.errors.outlier_factor  = "log-normal(10, 1) above 1";
      one.errors.detection_limit = "1.1";
    });
    add("censored logarithms", {0.6}, [&](auto &one) {
      one.noise                  = sigma;
      one.errors.scale           = ErrorScale::logarithmic;
      one.errors.detection_limit = "1.1";
    });
    add("correlated in time", {}, [](ObservationParameters &one) {
      one.errors.correlation_time = "0.8";
    });
    add("correlated in time, all unknown", {0.3, 0.8}, [&](auto &one) {
      one.noise                   = sigma;
      one.errors.correlation_time = "log-normal(0.2, 1)";
    });
    add("correlated logarithms, all unknown", {0.3, 0.8}, [&](auto &one) {
      one.noise                   = sigma;
      one.errors.scale            = ErrorScale::logarithmic;
      one.errors.correlation_time = "log-normal(0.2, 1)";
    });
    add("a discrepancy", {}, [](ObservationParameters &one) {
      one.errors.discrepancy        = "0.4";
      one.errors.discrepancy_length = "0.5";
    });
    add("a discrepancy, all unknown", {0.3, 0.4, 0.5, 0.6}, [&](auto &one) {
      one.noise                     = sigma;
      one.errors.discrepancy        = "half-normal(1)";
      one.errors.discrepancy_length = "log-normal(0.5, 0.5)";
      one.errors.discrepancy_time   = "log-normal(0.5, 0.5)";
    });
    add("a discrepancy and correlated errors", {0.3, 0.2, 0.4}, [&](auto &one) {
      one.noise                     = sigma;
      one.errors.correlation_time   = "log-normal(0.2, 1)";
      one.errors.discrepancy        = "half-normal(1)";
      one.errors.discrepancy_length = "0.5";
    });
    add("Student t, a sigma for each of two groups",
        {0.3, 0.6},
        [&](auto &one) {
          one.noise                     = sigma;
          one.errors.shape              = ErrorShape::student_t;
          one.errors.degrees_of_freedom = "3";
        });
    all.back().groups = {7., 2., 7.};
    add("a discrepancy and two groups", {0.3, 0.6, 0.4}, [&](auto &one) {
      one.noise                     = sigma;
      one.errors.discrepancy        = "half-normal(1)";
      one.errors.discrepancy_length = "0.5";
    });
    all.back().groups = {7., 2., 7.};
    return all;
  }

  Observations
  observations(const Numbers &values, const Numbers &groups = {})
  {
    Observations result;
    result.values = values;
    result.groups = groups;
    for (std::size_t i = 0; i < values.size(); ++i)
      // Two of one sensor, if there are three.
      result.sensors.push_back(
        {"", {i == 1 ? 0.2 : 0.5}, 0.1 * double(i + 1) * double(i + 1)});
    return result;
  }

  Numbers
  draw(const Likelihood &likelihood, const Setting &at, const unsigned int k)
  {
    Numbers   normals(at.predictions.size()), data = at.predictions;
    RandomKey key;
    key.seed  = 5;
    key.round = k;
    fill_normals(key, dealii::make_array_view(normals));
    likelihood.add_errors(view(at.noise), view(normals), 1., data);
    return data;
  }

  /** One value: its density, and draws of it. */
  void
  check_density(const Setting &at)
  {
    if (!at.parameters.errors.correlation_time.empty() ||
        !at.parameters.errors.discrepancy.empty() || !at.groups.empty())
      return;
    Setting one     = at;
    one.predictions = {0.9};
    if (one.noise.empty() ||
        one.parameters.noise.find('(') == std::string::npos)
      one.parameters.noise = "0.5";
    const auto likelihood =
      make_noise(one.parameters, observations({1.})).likelihood;
    const auto density = [&](const double value) {
      const auto here = likelihood->with_values({value});
      return std::exp(-here->misfit(view(one.predictions), view(one.noise)) -
                      here->log_normaliser());
    };
    const bool   is_log = at.parameters.errors.scale == ErrorScale::logarithmic;
    const bool   is_censored = !at.parameters.errors.detection_limit.empty();
    const double limit       = 1.1;
    // Places, in the coordinate asinh or log, and the law below each.
    Numbers                places, below;
    double                 sum = is_censored ? density(limit) : 0.;
    constexpr unsigned int n   = 20000;
    const double from = is_log ? (is_censored ? std::log(limit) : -12.) :
                                 (is_censored ? std::asinh(limit) : -9.);
    const double step = (9. - from) / n;
    for (unsigned int i = 0; i < n; ++i)
      {
        const double u = from + (i + 0.5) * step,
                     x = is_log ? std::exp(u) : std::sinh(u);
        places.push_back(x);
        below.push_back(sum);
        sum += step * density(x) * (is_log ? x : std::cosh(u));
      }
    check(one.name + ": the density of a value has an integral of one",
          is_near(sum, 1., 2e-5),
          std::to_string(sum));
    Numbers            draws;
    unsigned int       n_censored = 0;
    constexpr unsigned n_draws    = 10000;
    for (unsigned int k = 0; k < n_draws; ++k)
      {
        draws.push_back(draw(*likelihood, one, k)[0]);
        if (is_censored && draws.back() == limit)
          {
            ++n_censored;
            draws.pop_back();
          }
      }
    const double share = is_censored ? density(limit) : 0.;
    const double p     = kolmogorov_smirnov(draws, [&](const double x) {
      const auto i =
        std::lower_bound(places.begin(), places.end(), x) - places.begin();
      return ((i < int(n) ? below[i] : 1.) - share) / (1. - share);
    });
    check(one.name + ": draws have this law",
          p > 1e-4 && std::abs(n_censored - share * n_draws) <
                        4. * std::sqrt(share * n_draws) + 1e-6,
          std::to_string(p) + ", censored " + std::to_string(n_censored) +
            " instead of " + std::to_string(share * n_draws));
  }

  void
  check_gradient(const Setting &at)
  {
    const std::size_t n = at.predictions.size(), m = at.noise.size();
    // The middle one is below the limit where there is one.
    const auto likelihood =
      make_noise(at.parameters, observations({1.7, 0.9, 1.4}, at.groups))
        .likelihood;
    const auto misfit = [&](const Numbers &state) {
      const Numbers predictions(state.begin(), state.begin() + n);
      return likelihood->misfit(view(predictions),
                                likelihood->noise_of(view(state)));
    };
    Numbers state = at.predictions, weights(n), of_noise(m);
    state.insert(state.end(), at.noise.begin(), at.noise.end());
    likelihood->derivative(view(at.predictions),
                           view(at.noise),
                           dealii::make_array_view(weights),
                           dealii::make_array_view(of_noise));
    weights.insert(weights.end(), of_noise.begin(), of_noise.end());
    double worst = 0.;
    for (std::size_t i = 0; i < state.size(); ++i)
      {
        const double h  = 1e-5 * state[i];
        Numbers      up = state, down = state;
        up[i] += h;
        down[i] -= h;
        worst = std::max(worst,
                         std::abs((misfit(up) - misfit(down)) / (2. * h) -
                                  weights[i]) /
                           (1. + std::abs(weights[i])));
      }
    check(at.name + ": the gradient is the derivative",
          likelihood->n_unknowns() == m && worst < 1e-7,
          std::to_string(worst));
  }

  void
  check_information(const Setting &at)
  {
    const std::size_t n = at.predictions.size(), m = at.noise.size();
    const auto        likelihood =
      make_noise(at.parameters, observations(at.predictions, at.groups))
        .likelihood;
    constexpr unsigned int n_draws = 40000;
    std::vector<Numbers>   products((n + m) * (n + m));
    for (unsigned int k = 0; k < n_draws; ++k)
      {
        const auto here = likelihood->with_values(draw(*likelihood, at, k));
        Numbers    score(n), of_noise(m);
        here->derivative(view(at.predictions),
                         view(at.noise),
                         dealii::make_array_view(score),
                         dealii::make_array_view(of_noise));
        score.insert(score.end(), of_noise.begin(), of_noise.end());
        for (std::size_t i = 0; i < n + m; ++i)
          for (std::size_t j = 0; j < n + m; ++j)
            products[i * (n + m) + j].push_back(score[i] * score[j]);
      }
    double      worst = 0.;
    std::string where;
    Numbers     unit(n + m), column(n + m), whitened(n * n, 0.);
    for (std::size_t j = 0; j < n + m; ++j)
      {
        std::fill(unit.begin(), unit.end(), 0.);
        unit[j] = 1.;
        likelihood->apply_information(view(at.predictions),
                                      view(at.noise),
                                      view(unit),
                                      dealii::make_array_view(column));
        for (std::size_t i = 0; i < n + m; ++i)
          {
            const Estimate found = estimate(products[i * (n + m) + j]);
            const double   deviation =
              std::abs(found.mean - column[i]) /
              (found.standard_error + 1e-9 + 1e-3 * std::abs(column[i]));
            if (deviation > worst)
              {
                worst = deviation;
                where = std::to_string(i) + ", " + std::to_string(j) + ": " +
                        found.text(column[i]);
              }
            if (i < n && j < n)
              whitened[i * n + j] -= column[i];
          }
      }
    check(at.name + ": the information is the covariance of gradients",
          worst < 4.5,
          std::to_string(worst) + " at " + where);
    Numbers row(n);
    for (std::size_t k = 0; k < n; ++k)
      {
        likelihood->whitening_weights(k,
                                      view(at.predictions),
                                      view(at.noise),
                                      dealii::make_array_view(row));
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            whitened[i * n + j] += row[i] * row[j];
      }
    double largest = 0.;
    for (const double entry : whitened)
      largest = std::max(largest, std::abs(entry));
    check(at.name + ": whitening weights are its root",
          largest < 1e-9,
          std::to_string(largest));
  }

  /** Against a covariance, and what has a closed form. */
  void
  check_values()
  {
    const Numbers values{1.7, 0.9, 1.4}, predictions{1.3, 0.8, 2.1},
      times{0.1, 0.4, 0.9}, places{0.5, 0.2, 0.5};
    std::vector<Numbers> correlated(3, Numbers(3)), discrepant(3, Numbers(3));
    for (unsigned int i = 0; i < 3; ++i)
      for (unsigned int j = 0; j < 3; ++j)
        {
          correlated[i][j] =
            places[i] == places[j] ?
              0.09 * std::exp(-std::abs(times[i] - times[j]) / 0.8) :
              0.;
          discrepant[i][j] =
            0.16 * std::exp(-0.5 * std::pow((places[i] - places[j]) / 0.5, 2)) +
            (i == j ? 0.09 : 0.);
        }
    const auto whole_misfit = [&](const Likelihood &one,
                                  const Numbers    &numbers) {
      return one.misfit(view(predictions), view(numbers)) +
             one.log_normaliser();
    };
    const auto is_gaussian = [&](const std::string          &name,
                                 const std::vector<Numbers> &covariance,
                                 const Numbers              &of_noise,
                                 const auto                 &change) {
      ObservationParameters known, unknown;
      known.noise   = "0.3";
      unknown.noise = "half-normal(1)";
      change(known, unknown);
      const Noise  one = make_noise(known, observations(values));
      const double truth =
        whole_misfit(GaussianLikelihood(values, covariance), {});
      check(name,
            is_near(whole_misfit(*one.likelihood, {}), truth, 1e-12) &&
              one.covariance.size() == 3 &&
              one.likelihood->description().empty() &&
              is_near(whole_misfit(
                        *make_noise(unknown, observations(values)).likelihood,
                        of_noise),
                      truth,
                      1e-12));
    };
    is_gaussian("errors that are correlated in time have a covariance",
                correlated,
                {0.3, 0.8},
                [](auto &known, auto &unknown) {
                  known.errors.correlation_time   = "0.8";
                  unknown.errors.correlation_time = "log-normal(0.2, 1)";
                });
    is_gaussian("so has a discrepancy",
                discrepant,
                {0.3, 0.4},
                [](auto &known, auto &unknown) {
                  known.errors.discrepancy          = "0.4";
                  unknown.errors.discrepancy        = "half-normal(1)";
                  known.errors.discrepancy_length   = "0.5";
                  unknown.errors.discrepancy_length = "0.5";
                });

    const auto value_of =
      [](const std::function<void(ObservationParameters &)> &change,
         const double                                        value,
         const double                                        prediction) {
        ObservationParameters parameters;
        parameters.noise = "0.5";
        change(parameters);
        const Numbers predictions{prediction};
        return make_noise(parameters, observations({value}))
          .likelihood->misfit(view(predictions), {});
      };
    check(
      "densities in closed form",
      // Cauchy's, and the log-normal one.
      is_near(value_of(
                [](auto &one) {
                  one.errors.shape              = ErrorShape::student_t;
                  one.errors.degrees_of_freedom = "1";
                },
                2.,
                1.),
              std::log(M_PI * 0.5 * 5.),
              1e-12) &&
        is_near(value_of(
                  [](auto &one) { one.errors.scale = ErrorScale::logarithmic; },
                  2.,
                  1.),
                0.5 * std::pow(std::log(2.) / 0.5, 2) +
                  std::log(0.5 * 2. * std::sqrt(2. * M_PI)),
                1e-12) &&
        is_near(value_of(
                  [](auto &one) {
                    one.errors.scale = ErrorScale::proportional;
                    one.errors.floor = 1.5;
                  },
                  2.,
                  4.),
                0.5 * std::pow(2. / 2.5, 2) +
                  std::log(2.5 * std::sqrt(2. * M_PI)),
                1e-12) &&
        is_near(value_of([](auto &one) { one.errors.detection_limit = "1"; },
                         0.3,
                         0.),
                -std::log(normal_cdf(2.)),
                1e-12));
    // A prediction far above the limit: erfc() is 0 there.
    const double far =
      value_of([](auto &one) { one.errors.detection_limit = "0"; }, 0., 30.);
    check("a value far below its prediction has all its digits",
          is_near(far,
                  0.5 * 3600. + std::log(60. * std::sqrt(2. * M_PI)) +
                    1. / 3600.,
                  1e-9),
          std::to_string(far));
    check("logarithms of what is not above 0 are impossible",
          std::isinf(value_of(
            [](auto &one) { one.errors.scale = ErrorScale::logarithmic; },
            2.,
            -1.)));
  }

  void
  check_mistake(const std::string                                  &name,
                const std::function<void(ObservationParameters &)> &change,
                const std::vector<std::string>                     &parts,
                const Numbers &values = {1., 2., 3.})
  {
    ObservationParameters parameters;
    change(parameters);
    std::string message;
    try
      {
        make_noise(parameters, observations(values));
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    bool is_right = !message.empty();
    for (const std::string &part : parts)
      is_right = is_right && message.find(part) != std::string::npos;
    check(name + " is refused with a word", is_right, message);
  }

  void
  check_groups()
  {
    ObservationParameters parameters;
    parameters.noise = "half-normal(1)";
    const Noise noise =
      make_noise(parameters, observations({1., 2., 3.}, {7., 2., 7.}));
    check("a group has a sigma of its own",
          noise.unknowns.size() == 2 && noise.unknowns[0].name == "sigma_2" &&
            noise.unknowns[1].name == "sigma_7");
    const Numbers predictions(3, 0.), sigmas{1., 2.};
    check("which is that of its values",
          is_near(noise.likelihood->misfit(view(predictions), view(sigmas)),
                  0.5 * (0.25 + 4. + 2.25) + std::log(4.) +
                    1.5 * std::log(2. * M_PI),
                  1e-12));
    std::string message;
    try
      {
        make_noise(ObservationParameters(), observations({1.}, {1.}));
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    check("groups of a known sigma are refused with a word",
          message.find("'group'") != std::string::npos,
          message);
  }

  void
  check_mistakes()
  {
    const auto student = [](const std::string &degrees) {
      return [degrees](ObservationParameters &one) {
        one.errors.shape              = ErrorShape::student_t;
        one.errors.degrees_of_freedom = degrees;
      };
    };
    check_mistake("half a degree of freedom",
                  student("0.5"),
                  {"'Observations/Degrees of freedom' is '0.5'", "at least 1"});
    check_mistake("no degrees of freedom",
                  student(""),
                  {"not set", "gamma(2, 10) above 1"});
    check_mistake("a prior of them that reaches below 1",
                  student("gamma(2, 10)"),
                  {"gamma(2, 10)", "at least 1", "above 1"});
    check_mistake("degrees of freedom of Gaussian errors",
                  [](auto &one) { one.errors.degrees_of_freedom = "4"; },
                  {"'Observations/Noise law = student-t'", "remove"});
    check_mistake("a share of two",
                  [](auto &one) {
                    one.errors.shape          = ErrorShape::outliers;
                    one.errors.outlier_share  = "2";
                    one.errors.outlier_factor = "10";
                  },
                  {"'Observations/Outlier share' is '2'", "between 0 and 1"});
    check_mistake("a logarithm of a negative value",
                  [](auto &one) { one.errors.scale = ErrorScale::logarithmic; },
                  {"Measurement 2 is -2",
                   "'Observations/Noise scale = logarithmic'"},
                  {1., -2., 3.});
    check_mistake("a value of zero with proportional errors",
                  [](auto &one) {
                    one.errors.scale = ErrorScale::proportional;
                  },
                  {"Measurement 3 is 0", "'Observations/Noise floor'"},
                  {1., 2., 0.});
    check_mistake("a covariance of errors that are not Gaussian",
                  [&](auto &one) {
                    student("3")(one);
                    one.covariance = {{1.}};
                  },
                  {"'Observations/Covariance'", "not plainly Gaussian"});
    check_mistake("correlated Student errors",
                  [&](auto &one) {
                    student("3")(one);
                    one.errors.correlation_time = "1";
                  },
                  {"'Observations/Correlation time'", "Gaussian"});
    check_mistake("a floor of absolute errors",
                  [](auto &one) { one.errors.floor = 1.; },
                  {"'Observations/Noise floor'", "proportional"});
    check_mistake("a detection limit that is no number",
                  [](auto &one) { one.errors.detection_limit = "low"; },
                  {"'Observations/Detection limit' is 'low'"});
    check_mistake("a sigma that may be negative",
                  [&](auto &one) {
                    student("3")(one);
                    one.noise = "normal(1, 1)";
                  },
                  {"zero or negative"});
  }
} // namespace

int
main()
{
  for (const Setting &one : settings())
    {
      check_density(one);
      check_gradient(one);
      check_information(one);
    }
  check_values();
  check_groups();
  check_mistakes();
  return result();
}
