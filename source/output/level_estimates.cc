// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/level_estimates.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /** So many rounds of each chain are needed to say anything. */
    constexpr std::uint64_t fewest_rounds = 20;


    /** Mean and error of a number with a value for each round of each chain. */
    EstimatedValue
    mean_of(const std::vector<std::vector<double>> &chains)
    {
      return diagnose(chains).mean;
    }


    /** The law at evenly spaced places, from one end to the other. */
    void
    add_law(const CorrectedLaw &law, LevelEstimates::Column &column)
    {
      constexpr unsigned int n_places = 400;
      constexpr double       end      = 1e-4;
      column.law_low                  = law.quantile(end);
      column.law_width =
        (law.quantile(1. - end) - column.law_low) / (n_places - 1);
      if (!(column.law_width > 0.))
        return;
      for (unsigned int i = 0; i < n_places; ++i)
        column.law.push_back(
          law.share_below(column.law_low + i * column.law_width));
    }


    /** Means, deviations and quantiles of all columns. */
    void
    add_columns(const LevelDraws               &levels,
                const std::vector<Diagnostics> &cold,
                LevelEstimates                 &result)
    {
      const std::vector<std::string> names = levels.run.description().columns();
      const std::size_t              n     = names.size();
      std::vector<double>            centres;
      for (const Diagnostics &one : cold)
        centres.push_back(one.mean.value);

      const auto values =
        levels.series(centres, [n](const double *draw, std::vector<double> &g) {
          std::copy_n(draw, n, g.begin());
        });
      const LevelStep    &coarsest = levels.steps.back();
      std::vector<double> plain_sums(n, 0.);
      std::vector<std::vector<std::pair<double, double>>> weighted(n);
      // Of very many draws of the cheap level some tell its quantiles.
      constexpr std::uint64_t most   = 200000;
      const std::uint64_t     stride = coarsest.n_draws / most + 1;
      std::uint64_t           number = 0;
      levels.visit([&](const LevelDraws::WeightedDraw &one) {
        double weight = one.weight;
        if (one.draw->rung == levels.n_levels)
          {
            for (std::size_t i = 0; i < n; ++i)
              plain_sums[i] += one.draw->values[i];
            const double plain = number++ % stride == 0 ? stride : 0.;
            weight += (plain - 1.) / coarsest.n_draws;
          }
        if (weight != 0.)
          for (std::size_t i = 0; i < n; ++i)
            weighted[i].emplace_back(one.draw->values[i], weight);
      });

      std::vector<double> means, quantiles;
      for (std::size_t i = 0; i < n; ++i)
        {
          LevelEstimates::Column column;
          column.name        = names[i];
          column.mean        = mean_of(values[i]);
          column.uncorrected = plain_sums[i] / coarsest.n_draws;
          means.push_back(column.mean.value);
          const CorrectedLaw law(std::move(weighted[i]));
          column.quantile_5.value  = law.quantile(0.05);
          column.median.value      = law.quantile(0.5);
          column.quantile_95.value = law.quantile(0.95);
          for (const EstimatedValue *one :
               {&column.quantile_5, &column.median, &column.quantile_95})
            quantiles.push_back(one->value);
          // The error of a share becomes one of the quantile.
          const double shares[] = {0.05, 0.5, 0.95};
          const auto   below =
            levels.series({0.05, 0.5, 0.95},
                          [&, i](const double *draw, std::vector<double> &g) {
                            for (unsigned int k = 0; k < 3; ++k)
                              g[k] = draw[i] <= quantiles[3 * i + k];
                          });
          EstimatedValue *const places[] = {&column.quantile_5,
                                            &column.median,
                                            &column.quantile_95};
          for (unsigned int k = 0; k < 3; ++k)
            {
              const double error = mean_of(below[k]).error;
              places[k]->error =
                0.5 * (law.quantile(std::min(1., shares[k] + error)) -
                       law.quantile(std::max(0., shares[k] - error)));
            }
          add_law(law, column);
          result.columns.push_back(column);
        }

      std::vector<double> variances;
      for (const Diagnostics &one : cold)
        variances.push_back(std::pow(one.standard_deviation.value, 2));
      const auto squares =
        levels.series(variances,
                      [&](const double *draw, std::vector<double> &g) {
                        for (std::size_t i = 0; i < n; ++i)
                          g[i] = std::pow(draw[i] - means[i], 2);
                      });
      for (std::size_t i = 0; i < n; ++i)
        {
          const EstimatedValue variance = mean_of(squares[i]);
          if (!(variance.value > 0.))
            continue;
          EstimatedValue &deviation = result.columns[i].standard_deviation;
          deviation.value           = std::sqrt(variance.value);
          deviation.error           = 0.5 * variance.error / deviation.value;
        }
    }


    void
    add_shares(const LevelDraws               &levels,
               const Modes                    &modes,
               const std::vector<std::size_t> &mode_columns,
               LevelEstimates                 &result)
    {
      const std::size_t n = modes.modes.size();
      if (n < 2 || !modes.mode_of)
        return;
      std::vector<double> centres;
      for (const Mode &mode : modes.modes)
        centres.push_back(mode.share);
      std::vector<double> place(mode_columns.size());
      const auto          belongs =
        levels.series(centres, [&](const double *draw, std::vector<double> &g) {
          for (std::size_t i = 0; i < place.size(); ++i)
            place[i] = draw[mode_columns[i]];
          std::fill(g.begin(), g.end(), 0.);
          g[modes.mode_of(place)] = 1.;
        });
      for (std::size_t i = 0; i < n; ++i)
        result.shares.push_back(mean_of(belongs[i]));
    }


    /** What the weights say against the levels; empty if all is well. */
    std::string
    find_difference(const LevelEstimates &estimates)
    {
      for (const LevelStep &step : estimates.steps)
        {
          const std::string names =
            "the levels '" + step.coarse + "' and '" + step.fine + "' ";
          if (step.n_weighted < fewest_rounds)
            return names + "were compared too seldom";
          if (!(step.efficiency >= LevelEstimates::least_efficiency))
            return names + "differ too much: weights between them leave " +
                   to_text(100. * step.efficiency, 2) + " % of the draws (" +
                   to_text(100. * LevelEstimates::least_efficiency, 2) +
                   " % wanted)";
          const double largest_k =
            std::min(0.7, 1. - 1. / std::log10(double(step.n_weighted)));
          if (!(step.pareto_k <= largest_k))
            return "the weights between " + names +
                   "have a heavy tail (Pareto's k = " +
                   to_text(step.pareto_k, 2) + ", at most " +
                   to_text(largest_k, 2) + " wanted)";
        }
      return "";
    }


    /** Whether the draws of the coldest rung say something else. */
    std::string
    find_disagreement(const LevelEstimates           &estimates,
                      const std::vector<Diagnostics> &cold,
                      const Modes                    &modes)
    {
      // Of many comparisons, chance makes one worse than three errors.
      const double limit =
        3. + 0.35 * std::log(double(std::max<std::size_t>(
                      1, estimates.columns.size() + estimates.shares.size())));
      const auto differs = [limit](const EstimatedValue &one,
                                   const EstimatedValue &other) {
        return std::abs(one.value - other.value) >
               limit * std::hypot(one.error, other.error);
      };
      for (std::size_t i = 0; i < estimates.columns.size(); ++i)
        if (differs(estimates.columns[i].mean, cold[i].mean) ||
            differs(estimates.columns[i].standard_deviation,
                    cold[i].standard_deviation))
          return "for " + estimates.columns[i].name +
                 " they do not agree with the draws of the coldest rung";
      for (std::size_t i = 0; i < estimates.shares.size(); ++i)
        if (differs(estimates.shares[i],
                    EstimatedValue{modes.modes[i].share, modes.modes[i].error}))
          return "for the shares of the modes they do not agree with the draws "
                 "of the coldest rung";
      return "";
    }
  } // namespace



  double
  LevelEstimates::Column::share_below(const double value) const
  {
    const double place = (value - law_low) / law_width;
    if (!(place > 0.))
      return 0.;
    const std::size_t i = place;
    if (i + 1 >= law.size())
      return 1.;
    return law[i] + (place - i) * (law[i + 1] - law[i]);
  }



  LevelEstimates
  estimate_from_levels(const RecordedRun                     &run,
                       const std::vector<Checks::LevelSolve> &solves,
                       const std::vector<Diagnostics>        &cold,
                       const Modes                           &modes,
                       const std::vector<std::size_t>        &mode_columns)
  {
    LevelEstimates result;
    if (run.description().n_level_rungs == 0 || run.n_chains() == 0)
      return result;
    const LevelDraws levels(run, solves);
    if (!levels.are_enough())
      return result;
    result.steps.assign(levels.steps.rbegin(), levels.steps.rend());
    for (const LevelStep &step : result.steps)
      if (step.n_weighted == 0)
        {
          result.objection = "no state of the level '" + step.coarse +
                             "' has a finite energy at the level '" +
                             step.fine + "'";
          result.levels_differ = true;
          return result;
        }
    add_columns(levels, cold, result);
    add_shares(levels, modes, mode_columns, result);
    result.objection     = find_difference(result);
    result.levels_differ = !result.objection.empty();
    if (!result.levels_differ)
      result.objection = find_disagreement(result, cold, modes);
    if (result.is_good())
      result.predictions = predict_from_levels(levels);
    return result;
  }
} // namespace Tempera
