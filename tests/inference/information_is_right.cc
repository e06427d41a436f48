// SPDX-License-Identifier: LGPL-2.1-or-later

// The information of a linear model is its formula; both ways to a Jacobian
// agree and cost what they promise. Where two answers lie symmetrically, the
// information is zero at their mean and not on average. Made-up draws get the
// verdict that they were made for.

#include "tests.h"

#include <tempera/inference/information.h>
#include <tempera/sampler/random.h>
#include <tempera/study/identifiability.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  using Numbers = std::vector<double>;

  /** Predictions and their Jacobian, row by row, as formulas. */
  class FormulaModel : public ForwardModel
  {
  public:
    using Formula = std::function<Numbers(const Numbers &)>;

    FormulaModel(const unsigned int n_unknowns,
                 const Formula     &values,
                 const Formula     &jacobian)
      : n_unknowns(n_unknowns)
      , values(values)
      , jacobian(jacobian)
    {}

    class Derivative : public Linearisation
    {
    public:
      Derivative(const FormulaModel &model, const Numbers &matrix)
        : model(model)
        , matrix(matrix)
      {}

      void
      apply_transpose(const dealii::ArrayView<const double> &weights,
                      const dealii::ArrayView<double> &gradient) const override
      {
        ++model.n_derivatives;
        for (unsigned int i = 0; i < gradient.size(); ++i)
          {
            gradient[i] = 0.;
            for (unsigned int k = 0; k < weights.size(); ++k)
              gradient[i] += weights[k] * matrix[k * gradient.size() + i];
          }
      }

    private:
      const FormulaModel &model;
      const Numbers       matrix;
    };

    unsigned int
    n_parameters() const override
    {
      return n_unknowns;
    }

    unsigned int
    n_predictions() const override
    {
      return values(Numbers(n_unknowns, 1.)).size();
    }

    std::shared_ptr<const Linearisation>
    evaluate(const dealii::ArrayView<const double> &parameters,
             const dealii::ArrayView<double>       &predictions,
             const bool) const override
    {
      ++n_evaluations;
      const Numbers state(parameters.begin(), parameters.end());
      smallest             = std::min(smallest, state[0]);
      largest              = std::max(largest, state[0]);
      const Numbers result = values(state);
      std::copy(result.begin(), result.end(), predictions.begin());
      return std::make_shared<Derivative>(*this, jacobian(state));
    }

    SolverWork
    work() const override
    {
      return {};
    }

    std::string
    description() const override
    {
      return "formula";
    }

    /** Calls since the start, and the extremes of the first parameter. */
    mutable unsigned int n_evaluations = 0, n_derivatives = 0;
    mutable double       smallest = 1e9, largest = -1e9;

  private:
    const unsigned int n_unknowns;
    const Formula      values, jacobian;
  };

  Unknown
  unknown(const std::string &name, const std::string &prior)
  {
    return {name, Prior::from_text(prior, name)};
  }

  Numbers
  normals(const std::size_t n, const unsigned int chain)
  {
    Numbers   numbers(n);
    RandomKey key;
    key.chain = chain;
    fill_normals(key, dealii::make_array_view(numbers));
    return numbers;
  }

  bool
  close(const double a, const double b, const double tolerance = 1e-12)
  {
    return std::abs(a - b) <= tolerance * std::max(1., std::abs(b));
  }


  void
  check_priors()
  {
    for (const std::string text :
         {"uniform(-1, 3)", "normal(2, 0.5)", "log-normal(1.5, 0.6)"})
      {
        const Prior            prior = Prior::from_text(text, "test");
        constexpr unsigned int n     = 1000000;
        Moments                moments;
        double                 worst = 0.;
        for (unsigned int i = 0; i < n; ++i)
          {
            const double p     = (i + 0.5) / n;
            const double value = prior.quantile(p);
            moments.add(value);
            if (i % 1000 == 0)
              worst = std::max(worst, std::abs(prior.cdf(value) - p));
          }
        check(text + ": distribution function and standard deviation",
              worst < 1e-12 && close(moments.standard_deviation(),
                                     prior.standard_deviation(),
                                     1e-3),
              std::to_string(worst) + ", " +
                std::to_string(moments.standard_deviation()));
      }
    const Prior log_normal = Prior::from_text("log-normal(1, 1)", "test"),
                uniform    = Prior::from_text("uniform(0, 2)", "test");
    check("distribution functions outside the priors",
          log_normal.cdf(0.) == 0. && log_normal.cdf(-1.) == 0. &&
            uniform.cdf(-1.) == 0. && uniform.cdf(3.) == 1.);
  }


  void
  check_linear()
  {
    // J = {{1, 2}, {0, 1}}, C^-1 = {{2, -1}, {-1, 2}}/3, L = (1/2, sqrt(3)):
    // H = {{1/6, sqrt(3)/2}, {sqrt(3)/2, 6}}.
    const FormulaModel model(
      2,
      [](const Numbers &p) {
        return Numbers{p[0] + 2. * p[1], p[1]};
      },
      [](const Numbers &) {
        return Numbers{1., 2., 0., 1.};
      });
    const std::vector<Unknown> unknowns{unknown("a", "normal(1, 0.5)"),
                                        unknown("b", "uniform(0, 6)")};
    const GaussianLikelihood   likelihood({0., 0.},
                                        std::vector<Numbers>{{2., 1.},
                                                               {1., 2.}});
    const double               root  = std::sqrt(3.) / 2.;
    const double               trace = 37. / 6., determinant = 0.25;
    const double               largest =
      0.5 * (trace + std::sqrt(trace * trace - 4. * determinant));
    for (const JacobianMethod method :
         {JacobianMethod::transposed, JacobianMethod::differences})
      {
        const bool        transposed = method == JacobianMethod::transposed;
        const std::string name =
          transposed ? "transposed: " : "by differences: ";
        const double tolerance = transposed ? 1e-13 : 1e-9;
        model.n_evaluations = model.n_derivatives = 0;
        const Information result                  = average_information(
          unknowns, likelihood, model, {{1., 2.}, {0.3, 6.}}, method);
        check(name + "the information of a linear model",
              result.n_draws == 2 && result.n_skipped == 0 &&
                close(result.matrix(0, 0), 1. / 6., tolerance) &&
                close(result.matrix(0, 1), root, tolerance) &&
                close(result.matrix(1, 0), root, tolerance) &&
                close(result.matrix(1, 1), 6., tolerance) &&
                close(result.ties(0, 1), root, tolerance));
        // The vectors belong to the values if H v = lambda v.
        const Numbers &v = result.directions[0];
        check(name + "its eigenvalues and directions",
              close(result.eigenvalues[0], largest, tolerance) &&
                close(result.eigenvalues[1],
                      determinant / largest,
                      tolerance) &&
                close(v[0] / 6. + root * v[1], largest * v[0], 1e-8) &&
                close(v[0] * v[0] + v[1] * v[1], 1.));
        check(name + "its cost",
              transposed ?
                model.n_evaluations == 2 && model.n_derivatives == 4 :
                model.n_evaluations == 2 * 5 && model.n_derivatives == 0);
      }
  }


  void
  check_methods()
  {
    // Nonlinear, more predictions than twice the parameters, and a wall.
    const FormulaModel model(
      1,
      [](const Numbers &p) {
        return Numbers{p[0] * p[0], std::sin(p[0]), std::exp(p[0])};
      },
      [](const Numbers &p) {
        return Numbers{2. * p[0], std::cos(p[0]), std::exp(p[0])};
      });
    const std::vector<Unknown> unknowns{unknown("a", "uniform(0, 1)")};
    const GaussianLikelihood   likelihood({0., 0., 0.}, Numbers{0.5, 0.1, 2.});
    const std::vector<Numbers> draws{{0.}, {0.4}, {1.}};
    const Information          transposed = average_information(
      unknowns, likelihood, model, draws, JacobianMethod::transposed);
    model.n_evaluations = model.n_derivatives = 0;
    const Information differences =
      average_information(unknowns, likelihood, model, draws);
    check("both ways to a Jacobian agree, at walls too",
          close(transposed.matrix(0, 0), differences.matrix(0, 0), 1e-7),
          std::to_string(transposed.matrix(0, 0)) + " and " +
            std::to_string(differences.matrix(0, 0)));
    check("the prior is not left", model.smallest >= 0. && model.largest <= 1.);
    check("the cheaper way is taken",
          model.n_evaluations == 9 && model.n_derivatives == 0);
    check("nothing is known after a stop",
          !average_information(unknowns,
                               likelihood,
                               model,
                               draws,
                               JacobianMethod::cheaper,
                               []() { return true; })
             .is_known());
  }


  void
  check_two_answers()
  {
    const FormulaModel model(
      1,
      [](const Numbers &p) { return Numbers{p[0] * p[0]}; },
      [](const Numbers &p) { return Numbers{2. * p[0]}; });
    const std::vector<Unknown> unknowns{unknown("a", "normal(0, 1)")};
    const GaussianLikelihood   likelihood({1.}, Numbers{0.1});
    const auto information = [&](const std::vector<Numbers> &draws) {
      return average_information(unknowns, likelihood, model, draws)
        .matrix(0, 0);
    };
    check("two answers: no information at their mean, but on average",
          information({{0.}}) == 0. && close(information({{-1.}, {1.}}), 400.));

    // A tie that turns its sign: it cancels in H, and is not lost.
    const FormulaModel product(
      2,
      [](const Numbers &p) { return Numbers{p[0] * p[1]}; },
      [](const Numbers &p) {
        return Numbers{p[1], p[0]};
      });
    const Information ties = average_information({unknown("a", "normal(0, 1)"),
                                                  unknown("b", "normal(0, 1)")},
                                                 likelihood,
                                                 product,
                                                 {{1., 1.}, {-1., 1.}});
    check("a tie that changes its sign is kept",
          close(ties.matrix(0, 1), 0.) && close(ties.ties(0, 1), 100.));
  }


  void
  check_special_unknowns()
  {
    // Prediction log a: in the logarithm the information is the same
    // everywhere. Unknown sigma: 2 n/sigma^2.
    const FormulaModel model(
      1,
      [](const Numbers &p) {
        return Numbers{std::log(p[0]), 0.};
      },
      [](const Numbers &p) {
        return Numbers{1. / p[0], 0.};
      });
    const GaussianLikelihood   likelihood({0., 0.});
    const std::vector<Unknown> unknowns{unknown("a", "log-normal(1, 0.5)"),
                                        unknown("sigma", "uniform(1, 4)")};
    const Information          result = average_information(
      unknowns, likelihood, model, {{0.1, 1.}, {7., 2.}, {-1., 2.}});
    const double inverse_squares = (1. + 0.25) / 2.;
    check("the unknowns log-normal a and sigma",
          close(result.matrix(0, 0), 0.25 * inverse_squares, 1e-9) &&
            close(result.matrix(1, 1), 4. * 0.75 * inverse_squares) &&
            result.matrix(0, 1) == 0. && result.matrix(1, 0) == 0.,
          std::to_string(result.matrix(0, 0)) + ", " +
            std::to_string(result.matrix(1, 1)));
    check("draws without finite predictions are left out and counted",
          result.n_draws == 2 && result.n_skipped == 1);
    const Information none =
      average_information(unknowns, likelihood, model, {{-1., 1.}});
    check("and if there are no others, nothing is known",
          !none.is_known() && none.n_skipped == 1);
  }


  /** Of the draws of one chain, by unknown. */
  Identifiability
  identifiability(const std::vector<Unknown> &unknowns,
                  const std::vector<Numbers> &columns,
                  const Information          &information,
                  const Numbers              &replica_r_hats = {})
  {
    std::vector<Marginal> marginals(columns.size());
    std::vector<Mixing>   mixing(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i)
      {
        for (const double draw : columns[i])
          marginals[i].add(draw);
        mixing[i].convergence = convergence({columns[i]});
        if (!replica_r_hats.empty())
          mixing[i].replica_r_hat = replica_r_hats[i];
      }
    return Identifiability(unknowns, marginals, mixing, information);
  }

  /** Information of unknowns with a given Jacobian of one prediction. */
  Information
  information(const std::vector<Unknown> &unknowns, const Numbers &row)
  {
    const FormulaModel model(
      row.size(),
      [](const Numbers &) { return Numbers{0.}; },
      [&](const Numbers &) { return row; });
    return average_information(unknowns,
                               GaussianLikelihood({0.}, Numbers{1.}),
                               model,
                               {Numbers(row.size(), 1.)},
                               JacobianMethod::transposed);
  }

  /** The finding about one unknown with prior normal(0, 1). */
  Finding
  finding(const Numbers &draws, const double slope)
  {
    const std::vector<Unknown> unknowns{unknown("alpha", "normal(0, 1)")};
    return identifiability(unknowns, {draws}, information(unknowns, {slope}))
      .get_findings()[0];
  }

  void
  check_verdict(const std::string &name,
                const Finding     &finding,
                const Verdict      verdict,
                const std::string &sentence)
  {
    check(name + ": " + sentence,
          finding.verdict == verdict && finding.sentence() == sentence,
          finding.sentence());
  }


  void
  check_verdicts()
  {
    constexpr std::size_t n     = 20000;
    const Numbers         prior = normals(n, 1), noise = normals(n, 2);
    Numbers               narrow, apart, slow;
    for (std::size_t i = 0; i < n; ++i)
      {
        narrow.push_back(0.3 + 0.031 * prior[i]);
        apart.push_back((noise[i] < 0. ? -2. : 2.) + 0.1 * prior[i]);
        slow.push_back(i == 0 ? 0. : 0.999 * slow[i - 1] + 0.045 * noise[i]);
      }

    check_verdict("the prior again, no influence",
                  finding(prior, 0.1),
                  Verdict::nothing,
                  "the data say nothing about alpha");
    check_verdict("the prior again, some influence",
                  finding(prior, 0.8),
                  Verdict::little,
                  "the data say little about alpha, less than the prior: "
                  "information 0.64");
    check_verdict("the prior again, much influence",
                  finding(prior, 3.),
                  Verdict::ambiguous,
                  "the data leave alpha as open as before, although "
                  "predictions depend on it (information 9): many values fit");
    check_verdict("narrow",
                  finding(narrow, 30.),
                  Verdict::narrowed,
                  "the data narrow alpha: its standard deviation is 3.1 % of "
                  "the prior's");
    check("narrow in the middle: the spread tells what the distance does not",
          [&]() {
            Numbers middle = prior;
            for (double &value : middle)
              value *= 0.75;
            const Finding result = finding(middle, 1.);
            return result.verdict == Verdict::narrowed &&
                   result.distance < Identifiability::least_distance;
          }());
    const Finding changed = finding(apart, 3.);
    check("two answers: changed, not narrower",
          changed.verdict == Verdict::changed && changed.distance > 0.4 &&
            changed.sentence().find("the data change alpha without making it "
                                    "narrower: distance 0.") == 0,
          changed.sentence());

    const Finding undecided = finding(slow, 3.);
    check("slow: undecided about alpha, with R-hat and effective size",
          undecided.verdict == Verdict::undecided &&
            undecided.sentence().find("undecided about alpha: R-hat is 1.") ==
              0 &&
            undecided.sentence().find("; run longer") != std::string::npos,
          undecided.sentence());
    check_verdict("constant",
                  finding(Numbers(n, 0.5), 0.),
                  Verdict::undecided,
                  "undecided about alpha: its draws are too few, or all the "
                  "same; run longer");

    // alpha + 10 kappa is known: kappa is narrowed to 1/10 and follows alpha.
    const std::vector<Unknown> unknowns{unknown("alpha", "normal(0, 1)"),
                                        unknown("kappa", "normal(0, 1)"),
                                        unknown("beta", "normal(0, 1)")};
    Numbers                    kappa;
    for (std::size_t i = 0; i < n; ++i)
      kappa.push_back(-0.1 * prior[i] + 1e-3 * noise[i]);
    const std::vector<Numbers> columns{prior, kappa, normals(n, 3)};
    const Identifiability      tied =
      identifiability(unknowns,
                      columns,
                      information(unknowns, {100., 1000., 0.}));
    check_verdict("tied",
                  tied.get_findings()[0],
                  Verdict::tied,
                  "the data say nothing about alpha by itself, but tie it to "
                  "kappa");
    const auto contains = [](const std::string &text, const std::string &part) {
      return text.find(part) != std::string::npos;
    };
    const std::string text = tied.text();
    check("and the text has what holds for all",
          contains(text, "What the data tell, prior against posterior:\n") &&
            contains(text, "the data narrow kappa") &&
            contains(text, "the data say nothing about beta\n") &&
            contains(text, "mean of 1 draw: 1.01e+06, ") &&
            contains(text, "than the prior: 1 of 3\n") &&
            contains(text, "least informed: ") &&
            contains(text, "no chain has found"),
          text);

    const Identifiability unknown_information =
      identifiability(unknowns, columns, Information());
    check_verdict("without information",
                  unknown_information.get_findings()[0],
                  Verdict::unchanged,
                  "the data say nothing about alpha by itself; whether they "
                  "tie it to others was not computed");
    check("and without eigenvalues",
          !contains(unknown_information.text(), "eigenvalues"));

    const Information two = information({unknowns[0], unknowns[1]}, {3., 4.});
    const std::string least =
      identifiability({unknowns[0], unknowns[1]}, {columns[0], columns[1]}, two)
        .text();
    check("the least informed direction is named",
          contains(least,
                   "least informed: 0.8 alpha - 0.6 kappa (in units of prior "
                   "sd)\n"),
          least);

    // The product of two unknowns is known: at each draw one direction, which
    // turns from draw to draw.
    const FormulaModel product(
      2,
      [](const Numbers &x) { return Numbers{x[0] * x[1]}; },
      [](const Numbers &x) {
        return Numbers{5. * x[1], 5. * x[0]};
      });
    const Information turning =
      average_information({unknowns[0], unknowns[1]},
                          GaussianLikelihood({0.}, Numbers{1.}),
                          product,
                          {{1., 2.}, {2., 1.}},
                          JacobianMethod::transposed);
    check("directions at a single draw are counted",
          turning.eigenvalues[1] > 1. && turning.n_informed_at_a_draw == 1.);
    const std::string turning_text = identifiability({unknowns[0], unknowns[1]},
                                                     {columns[0], columns[1]},
                                                     turning)
                                       .text();
    check("and said to be tied where they are fewer",
          contains(turning_text, "2 of 2, but only 1 at a single draw"),
          turning_text);

    // Both unknowns are narrower than their priors.
    Numbers narrow_alpha, narrow_kappa;
    for (std::size_t i = 0; i < n; ++i)
      {
        narrow_alpha.push_back(0.6 * prior[i]);
        narrow_kappa.push_back(0.6 * noise[i]);
      }
    const auto combination_of = [&](const Information &found) {
      Checks checks;
      identifiability({unknowns[0], unknowns[1]},
                      {narrow_alpha, narrow_kappa},
                      found)
        .add_to(checks);
      return checks.open_combination;
    };
    const auto matrix = [](const double a, const double b, const double c) {
      dealii::FullMatrix<double> result(2, 2);
      result(0, 0) = a;
      result(0, 1) = result(1, 0) = b;
      result(1, 1)                = c;
      return result;
    };
    const Information little =
      average_information({matrix(4., 2., 1.), matrix(1., 2., 4.)});
    check("factors of a known product are warned of, however much is known",
          contains(combination_of(turning), "only 1 of 2 directions") &&
            std::abs(little.eigenvalues[1] - 0.5) < 1e-12 &&
            little.n_silent_at_a_draw == 1. &&
            contains(combination_of(little), "only 1 of 2 directions"),
          combination_of(turning) + "; " + combination_of(little));
    check("but not a direction that is informed a little at every draw",
          combination_of(
            average_information({matrix(4.5, 0., 0.5), matrix(4.5, 0., 0.5)}))
            .empty());

    // A chain that has not converged, and no information: one unknown is tied
    // to nothing.
    Checks of_one;
    identifiability({unknowns[0]},
                    {slow},
                    average_information({dealii::FullMatrix<double>(1, 1)}))
      .add_to(of_one);
    check("nor is a single unknown a combination",
          of_one.open_combination.empty() && of_one.findings.size() == 1 &&
            !of_one.findings[0].is_open,
          of_one.open_combination);

    const Identifiability split = identifiability({unknowns[0], unknowns[1]},
                                                  {columns[0], columns[1]},
                                                  Information(),
                                                  {1.5, 1.02});
    check("replicas that differ decide nothing",
          split.get_findings()[0].verdict == Verdict::undecided &&
            split.get_findings()[1].verdict != Verdict::undecided &&
            contains(split.text(), "the replicas differ (R-hat 1.500"),
          split.text());

    const std::vector<Unknown> one{unknowns[0]};
    const std::string csv = identifiability(one, {slow}, Information()).csv();
    check("the file: undecided, no information",
          csv.find("unknown,prior_sd,posterior_sd,ks_distance,information,rhat,"
                   "ess,verdict\nalpha,1,") == 0 &&
            contains(csv, ",,1.") && contains(csv, ",undecided\n"),
          csv);
    const std::string constant =
      identifiability(one, {Numbers(n, 0.)}, Information()).csv();
    check("the file has no numbers that are none",
          contains(constant, "\nalpha,1,0,0.5,,,,undecided\n"),
          constant);
    check("the file names the partner",
          contains(tied.csv(), ",tied to kappa\n"),
          tied.csv());
  }
} // namespace

int
main()
{
  check_priors();
  check_linear();
  check_methods();
  check_two_answers();
  check_special_unknowns();
  check_verdicts();
  return result();
}
