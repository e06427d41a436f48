// SPDX-License-Identifier: LGPL-2.1-or-later

// Estimates from the draws of all levels are right, and so are their errors: in
// many short runs of two models with known posteriors, true errors are below
// twice the stated ones as often as they should be, where the coarse level
// alone is wrong by many of them. Of a coarse level that is bad or lacks a
// mode, no confident wrong number is made, and the draws of the fine rung have
// the right law. With an argument: so many runs of each.

#include "tests.h"

#include <tempera/output/analysis.h>
#include <tempera/run/run.h>
#include <tempera/target/forward_target.h>

#include <filesystem>
#include <sstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  using Function = std::function<std::vector<double>(const double)>;

  /** One unknown, some predictions, data with errors of one size. */
  struct Question
  {
    std::string         name;
    Prior               prior;
    Function            fine, coarse;
    std::vector<double> data;
    double              noise;
    /** Where the posterior is looked at. */
    double lower, upper;
  };

  double
  misfit(const Question &question, const Function &model, const double x)
  {
    const std::vector<double> predictions = model(x);
    double                    sum         = 0.;
    for (std::size_t i = 0; i < predictions.size(); ++i)
      sum +=
        0.5 * std::pow((predictions[i] - question.data[i]) / question.noise, 2);
    return sum;
  }

  struct Posterior
  {
    double mean = 0., deviation = 0., share = 0.;
    /** Of the predictions. */
    std::vector<double> predictions;
  };

  /** Midpoints for integrals. */
  constexpr unsigned int n_points = 200000;

  const std::string folder = "levels_make_one_estimate.run";

  /** By the rule of midpoints; share of what is below zero. */
  Posterior
  posterior(const Question &question, const Function &model)
  {
    const double h   = (question.upper - question.lower) / n_points;
    double       sum = 0., square = 0.;
    Posterior    result;
    for (unsigned int i = 0; i < n_points; ++i)
      {
        const double x = question.lower + (i + 0.5) * h;
        const double weight =
          std::exp(-question.prior.energy(x) - misfit(question, model, x));
        sum += weight;
        result.mean += weight * x;
        square += weight * x * x;
        result.share += x < 0. ? weight : 0.;
        const std::vector<double> predictions = model(x);
        result.predictions.resize(predictions.size(), 0.);
        for (std::size_t k = 0; k < predictions.size(); ++k)
          result.predictions[k] += weight * predictions[k];
      }
    for (double &one : result.predictions)
      one /= sum;
    result.mean /= sum;
    result.share /= sum;
    result.deviation = std::sqrt(square / sum - result.mean * result.mean);
    return result;
  }

  /** The distribution function of the posterior. */
  std::function<double(const double)>
  law(const Question &question, const Function &model)
  {
    const double        h   = (question.upper - question.lower) / n_points;
    double              sum = 0.;
    std::vector<double> sums;
    for (unsigned int i = 0; i < n_points; ++i)
      {
        sums.push_back(sum);
        const double x = question.lower + (i + 0.5) * h;
        sum += std::exp(-question.prior.energy(x) - misfit(question, model, x));
      }
    sums.push_back(sum);
    return [=](const double x) {
      const double place =
        std::max(0., std::min<double>(n_points, (x - question.lower) / h));
      const unsigned int i = std::min<unsigned int>(place, n_points - 1);
      return (sums[i] + (place - i) * (sums[i + 1] - sums[i])) / sum;
    };
  }

  /**
   * Draws of the fine rung that are nearly independent: of each chain every so
   * many that unknown and side have forgotten the last one.
   */
  void
  add_thinned(const RecordedRun &run, std::vector<double> &thinned)
  {
    const DrawTable                  table = run.table(100000);
    std::vector<std::vector<double>> values, sides;
    for (const auto &chain : table.chains)
      {
        values.push_back(chain[0].values[0]);
        sides.emplace_back();
        for (const double value : values.back())
          sides.back().push_back(value < 0.);
      }
    const double n_draws = double(values[0].size()) * values.size();
    const double size =
      std::min(effective_size_of_mean(values), effective_size_of_mean(sides));
    const auto stride = static_cast<std::size_t>(
      std::isfinite(size) ? std::ceil(4. * n_draws / size) : n_draws);
    for (const std::vector<double> &chain : values)
      for (std::size_t i = chain.size() - 1; i < chain.size(); i -= stride)
        thinned.push_back(chain[i]);
  }

  std::shared_ptr<FunctionModel>
  make_model(const Question &question,
             const Function &function,
             const double    work)
  {
    return std::make_shared<FunctionModel>(
      1,
      question.data.size(),
      [function](const auto &x, const auto &predictions) {
        const std::vector<double> values = function(x[0]);
        std::copy(values.begin(), values.end(), predictions.begin());
      },
      work);
  }

  /** How a run differs from that of all others. */
  using Change = std::function<void(RunSettings &)>;

  Analysis
  sample(
    const Question    &question,
    const unsigned int seed,
    const Change      &change = [](RunSettings &) {},
    std::string *const words  = nullptr)
  {
    ForwardTarget target({{"fine", make_model(question, question.fine, 1.)},
                          {"coarse",
                           make_model(question, question.coarse, 0.002)}},
                         {{"x", question.prior}},
                         question.data,
                         question.noise);
    RunSettings   settings;
    settings.run.seed            = seed;
    settings.run.iterations      = 650;
    settings.run.burn_in         = 50;
    settings.n_chains            = 4;
    settings.folder              = folder;
    settings.ladder.temperatures = std::vector<double>{
      1., 1., 5., 30., std::numeric_limits<double>::infinity()};
    settings.ladder.levels = {"fine", "coarse", "coarse", "coarse", "coarse"};
    settings.ladder.paces  = {1, 20, 20, 20, 20};
    settings.ladder.temper = Temper::likelihood;
    settings.kernel.types  = {"differences"};
    settings.kernel.steps_per_round = {0, 1, 1, 1, 1};
    for (auto &format : settings.output.formats)
      format.second = false;
    change(settings);
    std::ostringstream terminal;
    run(target, settings, terminal, RunOptions{OldRun::overwrite});
    if (words != nullptr)
      *words = terminal.str();
    return analyse(RecordedRun(settings.folder));
  }

  /** An unknown that enters linearly, with a normal prior. */
  const Question linear = {
    "linear",
    Prior::normal(0., 1.),
    [](const double x) {
      return std::vector<double>{x, 0.5 * x};
    },
    [](const double x) {
      return std::vector<double>{1.03 * x - 0.02, 0.5 * x + 0.03};
    },
    {0.8, 0.5},
    0.2,
    -2.,
    3.};

  /** Two answers of unequal shares, which the coarse level has wrong. */
  const Question two_answers = {
    "two answers",
    Prior::uniform(-3., 3.),
    [](const double x) {
      return std::vector<double>{x * x, 0.1 * x};
    },
    [](const double x) {
      return std::vector<double>{1.01 * x * x, 0.1 * x + 0.04};
    },
    {1., 0.02},
    0.15,
    -3.,
    3.};

  void
  check_errors(const Question &question, const unsigned int n_runs)
  {
    const Posterior truth = posterior(question, question.fine),
                    wrong = posterior(question, question.coarse);
    unsigned int n = 0, n_inside = 0, n_good = 0, n_predicted = 0,
                 n_predicted_inside = 0;
    double gain                     = 0.;
    double uncorrected = 0., mean_of_means = 0., error_of_means = 0.;
    for (unsigned int seed = 1; seed <= n_runs; ++seed)
      {
        const Analysis        analysis  = sample(question, 1000 + seed);
        const LevelEstimates &estimates = analysis.level_estimates;
        if (!estimates.is_good())
          continue;
        ++n_good;
        const auto notice = [&](const EstimatedValue &one, const double value) {
          ++n;
          n_inside += std::abs(one.value - value) < 2. * one.error;
        };
        for (std::size_t k = 0; k < estimates.predictions.size(); ++k)
          {
            const LevelPrediction &one = estimates.predictions[k];
            ++n_predicted;
            n_predicted_inside +=
              std::abs(one.of_levels.value - truth.predictions[k]) <
              2. * one.of_levels.error;
            gain += one.of_draws.error / one.of_levels.error;
          }
        notice(estimates.columns[0].mean, truth.mean);
        notice(estimates.columns[0].standard_deviation, truth.deviation);
        mean_of_means += (estimates.columns[0].mean.value - truth.mean);
        error_of_means += std::pow(estimates.columns[0].mean.error, 2);
        uncorrected += estimates.columns[0].uncorrected - wrong.mean;
        for (std::size_t i = 0; i < estimates.shares.size(); ++i)
          if (analysis.modes.modes[i].centre[0] < 0.)
            notice(estimates.shares[i], truth.share);
      }
    const double coverage = double(n_inside) / n;
    check(question.name + ": nearly all runs are good",
          n_good >= 0.95 * n_runs,
          std::to_string(n_good) + " of " + std::to_string(n_runs));
    // For few runs, what chance makes of 0.91 to 0.98.
    const double slack = 3. * std::sqrt(0.95 * 0.05 / n);
    check(question.name + ": stated errors are honest",
          coverage > 0.91 - slack && coverage < 0.98 + slack,
          std::to_string(coverage) + " of " + std::to_string(n));
    const double predicted = double(n_predicted_inside) / n_predicted;
    check(question.name + ": so are those of predictions",
          n_predicted == 2 * n_good &&
            predicted > 0.91 - 3. * std::sqrt(0.95 * 0.05 / n_predicted) &&
            gain > 1.3 * n_predicted,
          std::to_string(predicted) + " of " + std::to_string(n_predicted) +
            ", gain " + std::to_string(gain / n_predicted));
    mean_of_means /= n_good;
    error_of_means = std::sqrt(error_of_means) / n_good;
    check(question.name + ": the mean of all runs is right",
          std::abs(mean_of_means) < 4. * error_of_means,
          std::to_string(mean_of_means) + " +- " +
            std::to_string(error_of_means));
    check(question.name + ": without its correction it would be wrong",
          std::abs(truth.mean - wrong.mean) > 10. * error_of_means &&
            std::abs(uncorrected / n_good) <
              0.2 * std::abs(truth.mean - wrong.mean),
          std::to_string(truth.mean - wrong.mean) + ", " +
            std::to_string(uncorrected / n_good));
    if (n_runs > 100)
      std::cout << "   coverage " << coverage << " of " << n
                << ", of predictions " << predicted << " of " << n_predicted
                << " with errors smaller by " << gain / n_predicted
                << std::endl;
  }

  /** Fine solves at draws of the coarse level, which swaps have not asked for.
   */
  void
  check_level_solves()
  {
    const auto no_swaps = [](RunSettings &settings) {
      settings.swaps.rule             = "none";
      settings.kernel.steps_per_round = {1, 1, 1, 1, 1};
      settings.ladder.paces           = {1, 1, 1, 1, 1};
      settings.run.iterations         = 20050;
    };
    const auto with_solves = [&](RunSettings &settings) {
      no_swaps(settings);
      settings.output.n_level_solves = 600;
    };
    const Posterior truth  = posterior(linear, linear.fine),
                    wrong  = posterior(linear, linear.coarse);
    const Analysis without = sample(linear, 1, no_swaps);
    check("without swaps nothing is known of the finer energy",
          !without.level_estimates.is_good());
    std::string           words;
    const Analysis        analysis  = sample(linear, 1, with_solves, &words);
    const LevelEstimates &estimates = analysis.level_estimates;
    check("solves on request make weights",
          estimates.is_good() && estimates.steps[0].n_weighted == 600 &&
            analysis.checks.level_solve_work == 600. &&
            std::abs(estimates.columns[0].mean.value - truth.mean) <
              4. * estimates.columns[0].mean.error &&
            std::abs(estimates.columns[0].mean.value - wrong.mean) >
              5. * estimates.columns[0].mean.error &&
            words.find("Level solves: 600 draws") != std::string::npos,
          estimates.objection + words);
    sample(
      linear,
      1,
      [&](RunSettings &settings) {
        settings.output.n_level_solves = 600;
        settings.ladder.temperatures   = std::vector<double>{
            1., 2., 5., 30., std::numeric_limits<double>::infinity()};
        settings.kernel.steps_per_round = {1, 1, 1, 1, 1};
      },
      &words);
    check("without a coarse rung at the coldest temperature that is said",
          words.find("No 'Output/Level solves' are made: no rung follows") !=
            std::string::npos,
          words);
  }

  /** A coarse level that is no good must not lead to a confident error. */
  void
  check_bad_level(const std::string &name,
                  const Function    &coarse,
                  const unsigned int n_runs,
                  const unsigned int first,
                  const bool         lacks_a_mode)
  {
    Question question                  = two_answers;
    question.coarse                    = coarse;
    const Posterior truth              = posterior(question, question.fine);
    unsigned int    n_confident_errors = 0, n_silent_errors = 0, n_stepped = 0;
    std::vector<double> thinned;
    // With such a level the start is forgotten slowly, over some 30 rounds.
    const auto forget = [](RunSettings &settings) {
      settings.run.iterations += 600;
      settings.run.burn_in += 600;
    };
    for (unsigned int seed = first; seed < first + n_runs; ++seed)
      {
        const Analysis        analysis  = sample(question, seed, forget);
        const LevelEstimates &estimates = analysis.level_estimates;
        n_stepped += !estimates.is_good();
        const auto is_wrong = [&](const EstimatedValue &one) {
          return !(std::abs(one.value - truth.mean) < 5. * one.error);
        };
        n_confident_errors +=
          estimates.is_good() && is_wrong(estimates.columns[0].mean);
        const bool is_warned =
          std::any_of(analysis.warnings.begin(),
                      analysis.warnings.end(),
                      [](const Warning &warning) {
                        return warning.severity != Warning::Severity::note;
                      });
        n_silent_errors +=
          !is_warned && is_wrong(analysis.columns[0].diagnostics.mean);
        add_thinned(RecordedRun(folder), thinned);
      }
    check(name + ": no confident error from all levels",
          n_confident_errors == 0 && (n_stepped == n_runs || !lacks_a_mode),
          std::to_string(n_confident_errors) + ", stepped back " +
            std::to_string(n_stepped));
    check(name + ": no silent error of the draws",
          n_silent_errors == 0,
          std::to_string(n_silent_errors));
    // A swap with a state that the coarse level lacks is never offered.
    if (!lacks_a_mode)
      {
        const double right      = kolmogorov_smirnov(thinned,
                                                law(question, question.fine)),
                     wrong      = kolmogorov_smirnov(thinned,
                                                law(question, question.coarse));
        const std::string words = std::to_string(thinned.size()) +
                                  " draws: p = " + to_text(right, 3) +
                                  ", of the coarse law " + to_text(wrong, 3);
        check(name + ": draws of the fine rung have the fine law",
              right > 1e-6 && wrong < (n_runs >= 20 ? 1e-6 : 1e-2),
              words);
        if (n_runs >= 20)
          std::cout << "   " << words << std::endl;
      }
    if (n_runs >= 20)
      std::cout << "   stepped back " << n_stepped << std::endl;
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  const unsigned int n_runs = argc > 1 ? std::stoi(argv[1]) : 40;

  check_errors(linear, n_runs);
  check_errors(two_answers, n_runs);

  check_level_solves();

  const unsigned int n_bad = argc > 1 ? 20 : 3,
                     first = argc > 2 ? std::stoi(argv[2]) : 2001;
  for (const double factor : {0.7, 1.1, 1.3})
    check_bad_level(
      "predictions times " + std::to_string(factor).substr(0, 3),
      [factor](const double x) {
        return std::vector<double>{factor * x * x, factor * 0.1 * x};
      },
      n_bad,
      first,
      false);
  check_bad_level(
    "a level that lacks a mode",
    [](const double x) {
      return std::vector<double>{x * x + (x > 0. ? 3. * x : 0.), 0.1 * x};
    },
    n_bad,
    first,
    true);
  std::filesystem::remove_all(folder);
  return result();
}
