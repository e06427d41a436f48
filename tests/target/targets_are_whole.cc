// SPDX-License-Identifier: LGPL-2.1-or-later

// Priors and likelihoods with their constants; targets made in C++; models
// without derivative; energies that are made only when somebody asks.

#include "tests.h"

#include <tempera/base/solve_failed.h>
#include <tempera/base/user_error.h>
#include <tempera/run/run.h>
#include <tempera/target/energy_target.h>
#include <tempera/target/forward_target.h>

#include <sstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** The integral of a function of one number by the rule of midpoints. */
  template <class Function>
  double
  integral(const Function &function, const double lower, const double upper)
  {
    constexpr unsigned int n   = 200000;
    const double           h   = (upper - lower) / n;
    double                 sum = 0.;
    for (unsigned int i = 0; i < n; ++i)
      sum += h * function(lower + (i + 0.5) * h);
    return sum;
  }

  bool
  is_near(const double value, const double truth, const double tolerance)
  {
    return std::abs(value - truth) <= tolerance * (1. + std::abs(truth));
  }

  void
  check_priors()
  {
    for (const Prior &prior : {Prior::uniform(-1., 3.),
                               Prior::normal(2., 0.5),
                               Prior::log_normal(2., 0.4)})
      {
        const double lower = std::max(prior.lower(), -20.),
                     upper = std::min(prior.upper(), 60.);
        const auto density = [&](const double x) {
          return x == 0. ? 0. :
                           std::exp(-prior.energy(x) - prior.log_normaliser());
        };
        check(prior.text() + " is normalised by its constant",
              is_near(integral(density, lower, upper), 1., 1e-6));
      }
    std::string message;
    try
      {
        Prior::uniform(3., 1.);
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    check("a wrong prior of a program is told",
          message.find("uniform(3, 1)") != std::string::npos,
          message);

    const IndependentPrior prior({{"a", Prior::normal(1., 2.)},
                                  {"b", Prior::uniform(0., 6.)},
                                  {"c", Prior::log_normal(1., 0.5)}});
    // Moments of draws, against the covariance that is applied.
    constexpr unsigned int n_draws = 100000;
    std::vector<Estimate>  squares;
    bool                   is_right = true, is_reproduced = true;
    std::vector<double>    unit(3), variance(3), root(3);
    for (unsigned int i = 0; i < 3; ++i)
      {
        std::vector<double> values;
        for (unsigned int k = 0; k < n_draws; ++k)
          {
            RandomKey key;
            key.seed  = 3;
            key.round = k;
            values.push_back(prior.sample(key)[i]);
            is_reproduced =
              is_reproduced && prior.sample(key)[i] == values.back();
          }
        double mean = 0., square = 0.;
        for (const double value : values)
          mean += value / n_draws;
        for (const double value : values)
          square += (value - mean) * (value - mean) / n_draws;
        unit.assign(3, 0.);
        unit[i] = 1.;
        prior.apply_covariance(dealii::make_array_view(std::as_const(unit)),
                               dealii::make_array_view(variance));
        prior.apply_covariance_root(dealii::make_array_view(
                                      std::as_const(unit)),
                                    dealii::make_array_view(root));
        is_right = is_right && is_near(square, variance[i], 0.05) &&
                   is_near(root[i] * root[i], variance[i], 1e-12);
      }
    check("draws have the covariance of the prior", is_right);
    check("draws are a function of their key", is_reproduced);
  }

  void
  check_likelihoods()
  {
    const std::vector<double> predictions{0.3};
    const auto                density = [&](const GaussianLikelihood &of,
                             const double              deviation) {
      return [&of, deviation, &predictions](const double y) {
        const GaussianLikelihood here(of, {y});
        return std::exp(-here.misfit(dealii::make_array_view(predictions),
                                     {&deviation, here.n_unknowns()}) -
                        here.log_normaliser());
      };
    };
    const GaussianLikelihood known({0.}, std::vector<double>{0.7}),
      unknown(std::vector<double>{0.}),
      correlated({0.}, std::vector<std::vector<double>>{{0.25}});
    check("likelihoods are normalised by their constants",
          is_near(integral(density(known, 0.), -9., 9.), 1., 1e-6) &&
            is_near(integral(density(unknown, 0.4), -9., 9.), 1., 1e-6) &&
            is_near(integral(density(correlated, 0.), -9., 9.), 1., 1e-6));
    const GaussianLikelihood pair({1., 2.},
                                  std::vector<std::vector<double>>{{1., 0.5},
                                                                   {0.5, 2.}});
    check("the constant of a covariance is half the logarithm of its "
          "determinant",
          is_near(pair.log_normaliser(),
                  std::log(2. * M_PI) + 0.5 * std::log(1.75),
                  1e-12));
  }

  /** A line through points, without a derivative; counts its evaluations. */
  std::shared_ptr<const ForwardModel>
  line(const double error, unsigned int &count, const double steepest = 1e9)
  {
    return std::make_shared<FunctionModel>(
      2,
      3,
      [error, &count, steepest](const auto &theta, const auto &predictions) {
        ++count;
        if (theta[1] > steepest)
          throw SolveFailed("too steep");
        for (unsigned int i = 0; i < 3; ++i)
          predictions[i] = theta[0] + theta[1] * i + error;
      });
  }

  RunSettings
  short_run(const std::string &folder)
  {
    RunSettings settings;
    settings.folder         = folder;
    settings.run.iterations = 3000;
    settings.run.burn_in    = 500;
    settings.n_chains       = 2;
    return settings;
  }

  void
  check_runs()
  {
    std::ostringstream out;
    unsigned int       n_fine = 0, n_coarse = 0, n_unused = 0;
    ForwardTarget      target({{"fine", line(0., n_fine)},
                               {"coarse", line(0.1, n_coarse)},
                               {"unused", line(9., n_unused)}},
                         {{"height", Prior::normal(0., 10.)},
                               {"slope", Prior::uniform(-10., 10.)}},
                         {1., 2., 3.},
                         0.1);
    RunSettings        settings = short_run("line");
    settings.ladder.levels      = {"fine", "coarse"};
    const bool complete = run(target, settings, out, {OldRun::overwrite});
    check("a run of models of a program comes to its end",
          complete &&
            out.str().find("Nothing to warn about") != std::string::npos,
          out.str());
    check("a level that no rung uses is never evaluated",
          n_fine > 1000 && n_coarse > 1000 && n_unused == 0);
    ForwardTarget      steep({{"fine", line(0., n_fine, 1.02)}},
                        {{"height", Prior::normal(0., 10.)},
                              {"slope", Prior::uniform(-10., 10.)}},
                        {1., 2., 3.},
                        0.1);
    std::ostringstream failures;
    RunSettings        one = short_run("steep");
    // A chain that starts at the centre, where there is a solution.
    one.n_chains = 1;
    check("failed solves are counted and told",
          run(steep, one, failures, {OldRun::overwrite}) &&
            failures.str().find("too steep") != std::string::npos &&
            failures.str().find("failed and counted") != std::string::npos,
          failures.str());

    // Nothing of it needs a file: the same settings go on with the run.
    settings.run.iterations = 4000;
    std::ostringstream more;
    RunOptions         resume;
    resume.old_run = OldRun::resume;
    check("and can be resumed by its program",
          run(target, settings, more, resume) &&
            more.str().find("resumed after 3000 rounds") != std::string::npos,
          more.str());

    // An energy as a function, without gradient: for a kernel without need.
    unsigned int n_gradients = 0;
    EnergyTarget ball("ball",
                      {{"x"}, {"y", 0.}},
                      [&](const auto &p, const auto &g) {
                        n_gradients += g.size() > 0;
                        for (unsigned int i = 0; i < g.size(); ++i)
                          g[i] = p[i];
                        return 0.5 * (p[0] * p[0] + p[1] * p[1]);
                      });
    RunSettings  walk = short_run("ball");
    walk.kernel.types = {"random walk"};
    walk.start.points = {{0.5, 0.5}};
    std::ostringstream words;
    check("a function without gradients is sampled by a random walk",
          run(ball, walk, words, {OldRun::overwrite}) && n_gradients == 0,
          words.str() + std::to_string(n_gradients));

    std::string message;
    try
      {
        settings.ladder.levels = {"fine", "corse"};
        run(target, settings, out, {OldRun::overwrite});
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    check("a level that is not there is named",
          message.find("'corse'") != std::string::npos &&
            message.find("coarse") != std::string::npos,
          message);
  }
  void
  check_many_unknowns()
  {
    constexpr unsigned int  n = 1000;
    std::vector<Coordinate> names;
    std::vector<Unknown>    unknowns;
    for (unsigned int i = 0; i < n; ++i)
      {
        names.push_back({"x" + std::to_string(i)});
        unknowns.push_back({names.back().name, Prior::normal(0., 1.)});
      }
    EnergyTarget ball("many", names, [](const auto &p, const auto &g) {
      double sum = 0.;
      for (unsigned int i = 0; i < p.size(); ++i)
        sum += 0.5 * p[i] * p[i];
      for (unsigned int i = 0; i < g.size(); ++i)
        g[i] = p[i];
      return sum;
    });
    RunSettings  settings   = short_run("many");
    settings.run.iterations = 200;
    settings.run.burn_in    = 100;
    std::ostringstream out;
    check("a thousand unknowns are sampled, and it is said what is not shown",
          run(ball, settings, out, {OldRun::overwrite}) &&
            out.str().find("of 1000 unknowns the 20 with the fewest") !=
              std::string::npos,
          out.str());

    ForwardTarget      model({{"fine",
                               std::make_shared<FunctionModel>(
                            n,
                            2,
                            [](const auto &theta, const auto &predictions) {
                              predictions[0] = theta[0];
                              predictions[1] = theta[999];
                            })}},
                        unknowns,
                        {0.5, -0.5},
                        0.1);
    RunSettings        walk = settings;
    std::ostringstream words;
    walk.folder                     = "many_of_a_model";
    walk.kernel.types               = {"random walk"};
    walk.output.n_information_draws = 1;
    check("and of a model with a thousand parameters",
          run(model, walk, words, {OldRun::overwrite}),
          words.str());
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  check_priors();
  check_likelihoods();
  check_runs();
  check_many_unknowns();
  return result();
}
