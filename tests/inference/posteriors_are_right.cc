// SPDX-License-Identifier: LGPL-2.1-or-later

// Priors have the law that they name, misfits are the formula of their
// covariance, and the gradient of the posterior is its derivative, for every
// kind of noise, at once and in two steps. Finite differences of a model work
// also at the walls of the prior.

#include "tests.h"

#include <tempera/forward/finite_differences.h>
#include <tempera/inference/posterior.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Predicts (a b, a + sin b, b^3). */
  class Toy : public ForwardModel
  {
  public:
    class Derivative : public Linearisation
    {
    public:
      Derivative(const double a, const double b)
        : a(a)
        , b(b)
      {}

      void
      apply_transpose(const dealii::ArrayView<const double> &w,
                      const dealii::ArrayView<double> &gradient) const override
      {
        gradient[0] = w[0] * b + w[1];
        gradient[1] = w[0] * a + w[1] * std::cos(b) + w[2] * 3. * b * b;
      }

    private:
      const double a, b;
    };

    unsigned int
    n_parameters() const override
    {
      return 2;
    }

    unsigned int
    n_predictions() const override
    {
      return 3;
    }

    std::shared_ptr<const Linearisation>
    evaluate(const dealii::ArrayView<const double> &p,
             const dealii::ArrayView<double>       &predictions,
             const bool) const override
    {
      if (p[0] < 0. || p[0] > 2.)
        was_outside = true;
      predictions[0] = p[0] * p[1];
      predictions[1] = p[0] + std::sin(p[1]);
      predictions[2] = p[1] * p[1] * p[1];
      return std::make_shared<Derivative>(p[0], p[1]);
    }

    SolverWork
    work() const override
    {
      return {10., 20., 5.};
    }

    std::string
    description() const override
    {
      return "toy";
    }

    mutable bool was_outside = false;
  };

  double
  energy_at(const Energy              &energy,
            const std::vector<double> &state,
            std::vector<double>       *gradient,
            const bool                 in_two_steps)
  {
    Evaluation evaluation;
    evaluation.reference_gradient.resize(state.size());
    evaluation.potential_gradient.resize(state.size());
    const auto view = dealii::make_array_view(state);
    if (gradient == nullptr || in_two_steps)
      energy.evaluate(view, RandomKey(), Request::values, evaluation);
    if (gradient != nullptr)
      {
        energy.evaluate(view,
                        RandomKey(),
                        in_two_steps ? Request::gradients :
                                       Request::values_and_gradients,
                        evaluation);
        for (std::size_t i = 0; i < state.size(); ++i)
          gradient->push_back(evaluation.reference_gradient[i] +
                              evaluation.potential_gradient[i]);
      }
    return evaluation.energy();
  }

  void
  check_gradient(const std::string                       &name,
                 const std::shared_ptr<const Likelihood> &likelihood)
  {
    std::vector<Unknown> unknowns{
      {"a", Prior::from_text("log-normal(1.2, 0.4)", "a")},
      {"b", Prior::from_text("normal(0.5, 0.7)", "b")}};
    std::vector<double> state{0.9, 0.8};
    if (likelihood->n_unknowns() > 0)
      {
        unknowns.push_back(
          {"sigma", Prior::from_text("log-normal(0.3, 1)", "sigma")});
        state.push_back(0.4);
      }
    const Posterior posterior(unknowns, likelihood, std::make_shared<Toy>());
    std::vector<double> at_once, in_two_steps;
    energy_at(posterior, state, &at_once, false);
    energy_at(posterior, state, &in_two_steps, true);
    double worst = 0.;
    for (std::size_t i = 0; i < state.size(); ++i)
      {
        const double        h  = 1e-5;
        std::vector<double> up = state, down = state;
        up[i] += h;
        down[i] -= h;
        const double difference = (energy_at(posterior, up, nullptr, false) -
                                   energy_at(posterior, down, nullptr, false)) /
                                  (2. * h);
        worst = std::max(worst, std::abs(difference - at_once[i]));
      }
    check(name + ": the gradient is the derivative",
          worst < 1e-7 && at_once == in_two_steps,
          std::to_string(worst));
    // Where J^T w is known, so is J^T P J: with P from apply_precision().
    const Toy::Derivative derivative(state[0], state[1]);
    const auto noise = likelihood->noise_of(dealii::make_array_view(state));
    std::vector<double> predictions(3);
    Toy().evaluate(dealii::ArrayView<const double>(state.data(), 2),
                   dealii::make_array_view(predictions),
                   false);
    const auto at   = dealii::make_array_view(std::as_const(predictions));
    const auto rows = posterior.sensitivities(dealii::make_array_view(state));
    worst           = rows.size() == 3 + noise.size() ? 0. : 1.;
    for (unsigned int k = 0; k < 3 && worst < 1.; ++k)
      {
        // Of a direction e_k of the data: J^T P e_k both ways.
        std::vector<double> unit(state.size() + 1, 0.), weighted(unit.size()),
          expected(2), found(2, 0.), whitened(3);
        unit[k] = 1.;
        likelihood->apply_information(at,
                                      noise,
                                      dealii::make_array_view(
                                        std::as_const(unit)),
                                      dealii::make_array_view(weighted));
        weighted.resize(3);
        derivative.apply_transpose(dealii::make_array_view(
                                     std::as_const(weighted)),
                                   dealii::make_array_view(expected));
        for (unsigned int l = 0; l < 3; ++l)
          {
            likelihood->whitening_weights(l,
                                          at,
                                          noise,
                                          dealii::make_array_view(whitened));
            for (unsigned int i = 0; i < 2; ++i)
              found[i] += rows[l][i] * whitened[k];
          }
        for (unsigned int i = 0; i < 2; ++i)
          worst = std::max(worst, std::abs(found[i] - expected[i]));
      }
    if (noise.size() == 1 && worst < 1.)
      {
        std::vector<double> unit(4, 0.), information(4);
        unit[3] = 1.;
        likelihood->apply_information(at,
                                      noise,
                                      dealii::make_array_view(
                                        std::as_const(unit)),
                                      dealii::make_array_view(information));
        worst =
          std::max({worst,
                    std::abs(std::pow(rows[3].back(), 2) - information[3]),
                    std::abs(rows[3][0]),
                    std::abs(rows[0].back())});
      }
    check(name + ": sensitivities are in units of the errors",
          worst < 1e-12,
          std::to_string(worst));
    check(name + ": the work is that of the solver",
          posterior.work(Request::values) == 10. &&
            posterior.work(Request::gradients) == 20. &&
            posterior.work(Request::values_and_gradients) == 30. &&
            posterior.set_up_work() == 5.);
  }

  void
  check_prior(const std::string &text, const double lower, const double upper)
  {
    const Prior prior = Prior::from_text(text, "test");
    check(text + " is written as it is read", prior.text() == text);

    // Quantiles and density belong together: the midpoint rule between two
    // quantiles gives their share.
    const unsigned int n     = 200000;
    double             total = 0., part = 0.;
    for (unsigned int i = 0; i < n; ++i)
      {
        const double x = lower + (upper - lower) * (i + 0.5) / n;
        const double p = std::exp(-prior.energy(x));
        total += p;
        if (x > prior.quantile(0.2) && x < prior.quantile(0.7))
          part += p;
      }
    check(text + " has its law",
          std::abs(part / total - 0.5) < 1e-4,
          std::to_string(part / total));
  }
} // namespace

int
main()
{
  check_prior("uniform(-1, 3)", -1., 3.);
  check_prior("normal(2, 0.5)", -6., 10.);
  check_prior("log-normal(1.5, 0.3)", 1e-6, 20.);

  const std::vector<double> values{0.5, 1.1, 0.2};
  check_gradient(
    "one sigma",
    std::make_shared<GaussianLikelihood>(values, std::vector<double>{0.3}));
  check_gradient("a sigma for each",
                 std::make_shared<GaussianLikelihood>(
                   values, std::vector<double>{0.3, 0.1, 2.}));
  check_gradient("a covariance",
                 std::make_shared<GaussianLikelihood>(
                   values,
                   std::vector<std::vector<double>>{{1., 0.5, 0.1},
                                                    {0.5, 2., 0.3},
                                                    {0.1, 0.3, 0.7}}));
  check_gradient("an unknown sigma",
                 std::make_shared<GaussianLikelihood>(values));

  {
    // By hand: the inverse of {{2, 1}, {1, 2}} is {{2, -1}, {-1, 2}}/3.
    const GaussianLikelihood likelihood(
      {1., 1.}, std::vector<std::vector<double>>{{2., 1.}, {1., 2.}});
    const std::vector<double> predictions{2., 4.};
    check("the misfit of a covariance",
          std::abs(likelihood.misfit(dealii::make_array_view(predictions), {}) -
                   0.5 * (2. * 1. - 2. * 3. + 2. * 9.) / 3.) < 1e-14);
  }

  {
    const auto                  toy = std::make_shared<Toy>();
    std::vector<ParameterRange> ranges(2);
    ranges[0].lower = 0.;
    ranges[0].upper = 2.;
    for (const std::string scheme : {"central", "forward"})
      {
        FiniteDifferenceParameters parameters;
        parameters.scheme = scheme == "central" ? DifferenceScheme::central :
                                                  DifferenceScheme::forward;
        const FiniteDifferenceModel model(toy, parameters, ranges);
        double                      worst = 0.;
        for (const double a : {0., 1., 2.})
          {
            const std::vector<double> state{a, 0.7}, weights{0.3, -1., 0.5};
            std::vector<double>       predictions(3), exact(2), estimate(2);
            toy
              ->evaluate(dealii::make_array_view(state),
                         dealii::make_array_view(predictions),
                         true)
              ->apply_transpose(dealii::make_array_view(weights),
                                dealii::make_array_view(exact));
            model
              .evaluate(dealii::make_array_view(state),
                        dealii::make_array_view(predictions),
                        true)
              ->apply_transpose(dealii::make_array_view(weights),
                                dealii::make_array_view(estimate));
            for (unsigned int i = 0; i < 2; ++i)
              worst = std::max(worst, std::abs(exact[i] - estimate[i]));
          }
        check(scheme + " differences are accurate, at the walls too",
              worst < (scheme == "central" ? 1e-9 : 1e-6) && !toy->was_outside,
              std::to_string(worst));
      }
  }
  return result();
}
