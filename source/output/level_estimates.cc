// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/level_estimates.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Tempera
{
  namespace
  {
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

    /** So many rounds of each chain are needed to say anything. */
    constexpr std::uint64_t fewest_rounds = 20;


    /** What each draw of a level contributes to an estimate. */
    struct Weights
    {
      /** By chain and weighted draw: w, of mean 1. */
      std::vector<std::vector<double>> of_chains;
    };


    /** Reads the draws of all levels, and the weights. */
    class Levels
    {
    public:
      explicit Levels(const RecordedRun &run)
        : run(run)
        , n_levels(run.description().n_level_rungs)
        , n_rounds(std::numeric_limits<std::uint64_t>::max())
        , steps(n_levels)
        , weights(n_levels)
      {
        find_length();
        read_weights();
      }

      bool
      are_enough() const
      {
        return n_levels > 0 && n_rounds >= fewest_rounds;
      }

      /**
       * A number for each round of each chain, whose mean is the estimate of
       * each of some functions of the values of a draw.
       */
      template <class Functions>
      std::vector<std::vector<std::vector<double>>>
      series(const std::size_t          n_functions,
             const std::vector<double> &centres,
             const Functions           &functions) const
      {
        std::vector<std::vector<std::vector<double>>> result(
          n_functions,
          std::vector<std::vector<double>>(run.n_chains(),
                                           std::vector<double>(n_rounds, 0.)));
        std::vector<double> values(n_functions);
        visit([&](const unsigned int       chain,
                  const std::uint64_t      round,
                  const RecordedLevelDraw &draw,
                  const double             weight) {
          const double factor = contribution(draw.rung, weight);
          if (factor == 0.)
            return;
          functions(draw.values, values);
          for (std::size_t i = 0; i < n_functions; ++i)
            result[i][chain][round] += factor * (values[i] - centres[i]);
        });
        for (std::size_t i = 0; i < n_functions; ++i)
          for (auto &chain : result[i])
            for (double &one : chain)
              one += centres[i];
        return result;
      }

      /** Takes chain, round, draw and its weight, which may be no number. */
      template <class Visitor>
      void
      visit(const Visitor &visitor) const
      {
        std::vector<std::size_t> next(n_levels);
        for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
          {
            std::fill(next.begin(), next.end(), 0);
            run.for_each_level_draw(chain, [&](const RecordedLevelDraw &draw) {
              const std::uint64_t round = round_of(draw);
              if (round >= n_rounds)
                return;
              const unsigned int level = draw.rung - 1;
              visitor(chain,
                      round,
                      draw,
                      std::isnan(draw.finer_energy) ?
                        not_a_number :
                        weights[level].of_chains[chain][next[level]++]);
            });
          }
      }

      /** The part of a draw in the mean of its round. */
      double
      contribution(const unsigned int rung, const double weight) const
      {
        const double of_all      = rung == n_levels ?
                                     double(n_rounds) * run.n_chains() /
                                  steps[rung - 1].n_draws :
                                     0.,
                     of_weighted = std::isnan(weight) ?
                                     0. :
                                     (weight - 1.) * double(n_rounds) *
                                       run.n_chains() /
                                       steps[rung - 1].n_weighted;
        return of_all + of_weighted;
      }

      const RecordedRun &run;
      const unsigned int n_levels;
      std::uint64_t      n_rounds;
      /** By rung, from the finest on. */
      std::vector<LevelEstimates::Step> steps;
      std::vector<Weights>              weights;

    private:
      std::uint64_t
      round_of(const RecordedLevelDraw &draw) const
      {
        return (draw.own_round - 1) / run.description().paces[draw.rung];
      }

      /** Rounds that all chains have done to their end. */
      void
      find_length()
      {
        for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
          {
            std::vector<std::uint64_t> last(n_levels, 0);
            run.for_each_level_draw(chain, [&](const RecordedLevelDraw &draw) {
              last[draw.rung - 1] = draw.own_round;
            });
            for (unsigned int i = 0; i < n_levels; ++i)
              n_rounds =
                std::min(n_rounds, last[i] / run.description().paces[i + 1]);
          }
      }

      void
      read_weights()
      {
        const RunDescription &description = run.description();
        // log w of each chain, then w.
        for (Weights &level : weights)
          level.of_chains.resize(run.n_chains());
        for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
          run.for_each_level_draw(chain, [&](const RecordedLevelDraw &draw) {
            if (round_of(draw) >= n_rounds)
              return;
            LevelEstimates::Step &step = steps[draw.rung - 1];
            ++step.n_draws;
            if (std::isnan(draw.finer_energy))
              return;
            ++step.n_weighted;
            // A state that the finer level has no solution for weighs nothing.
            const double log_weight = draw.energy - draw.finer_energy;
            weights[draw.rung - 1].of_chains[chain].push_back(
              std::isnan(log_weight) ?
                -std::numeric_limits<double>::infinity() :
                log_weight);
          });
        for (unsigned int i = 0; i < n_levels; ++i)
          {
            const auto name = [&](const unsigned int rung) {
              return description.levels[description.rung_levels[rung]];
            };
            steps[i].fine   = name(i);
            steps[i].coarse = name(i + 1);
            make_weights(weights[i].of_chains, steps[i]);
          }
      }

      /** Smooth weights of mean 1 from their logarithms, and what they are. */
      void
      make_weights(std::vector<std::vector<double>> &chains,
                   LevelEstimates::Step             &step) const
      {
        double  largest = -std::numeric_limits<double>::infinity();
        Moments spread;
        for (const std::vector<double> &chain : chains)
          for (const double one : chain)
            {
              largest = std::max(largest, one);
              if (std::isfinite(one))
                spread.add(one);
            }
        if (!std::isfinite(largest))
          {
            step.n_weighted = 0;
            return;
          }
        step.spread = spread.standard_deviation();
        std::vector<double>              all;
        std::vector<std::vector<double>> plain;
        for (const std::vector<double> &chain : chains)
          {
            plain.emplace_back();
            for (const double one : chain)
              plain.back().push_back(std::exp(one - largest));
            all.insert(all.end(), plain.back().begin(), plain.back().end());
          }
        // The ratio of evidences is the mean of the weights as they are.
        const Diagnostics found       = diagnose(plain);
        step.log_evidence_ratio.value = largest + std::log(found.mean.value);
        step.log_evidence_ratio.error = found.mean.error / found.mean.value;

        step.pareto_k = smooth_pareto_tail(all);
        const double mean =
          std::accumulate(all.begin(), all.end(), 0.) / all.size();
        double      squares = 0.;
        std::size_t next    = 0;
        for (std::vector<double> &chain : chains)
          for (double &one : chain)
            {
              one = all[next++] / mean;
              squares += one * one;
            }
        step.efficiency = all.size() / squares;
      }
    };


    /** Mean and error of a number with a value for each round of each chain. */
    EstimatedValue
    mean_of(const std::vector<std::vector<double>> &chains)
    {
      return diagnose(chains).mean;
    }


    /** A distribution function from draws with signed weights. */
    class CorrectedLaw
    {
    public:
      CorrectedLaw(std::vector<std::pair<double, double>> weighted)
        : points(std::move(weighted))
      {
        std::sort(points.begin(), points.end());
        // Signed weights make it fall here and there: it may not.
        double sum = 0., highest = 0.;
        for (auto &point : points)
          {
            sum += point.second;
            highest      = std::max(highest, std::min(1., sum));
            point.second = highest;
          }
      }

      double
      quantile(const double share) const
      {
        const auto place =
          std::lower_bound(points.begin(),
                           points.end(),
                           share,
                           [](const auto &point, const double s) {
                             return point.second < s;
                           });
        return place == points.end() ? points.back().first : place->first;
      }

    private:
      std::vector<std::pair<double, double>> points;
    };


    /** Means, deviations and quantiles of all columns. */
    void
    add_columns(const Levels                   &levels,
                const std::vector<Diagnostics> &cold,
                LevelEstimates                 &result)
    {
      const std::vector<std::string> names = levels.run.description().columns();
      const std::size_t              n     = names.size();
      std::vector<double>            centres;
      for (const Diagnostics &one : cold)
        centres.push_back(one.mean.value);

      const auto values =
        levels.series(n,
                      centres,
                      [n](const double *draw, std::vector<double> &g) {
                        std::copy_n(draw, n, g.begin());
                      });
      std::vector<double>                                 plain_sums(n, 0.);
      std::vector<std::vector<std::pair<double, double>>> weighted(n);
      // Of very many draws of the cheap level some tell its quantiles.
      constexpr std::uint64_t most = 200000;
      const std::uint64_t     stride =
        levels.steps[levels.n_levels - 1].n_draws / most + 1;
      std::uint64_t number = 0;
      const double  n_all  = double(levels.n_rounds) * levels.run.n_chains();
      levels.visit([&](const unsigned int,
                       const std::uint64_t,
                       const RecordedLevelDraw &draw,
                       const double             weight) {
        const bool is_coarsest = draw.rung == levels.n_levels;
        for (std::size_t i = 0; is_coarsest && i < n; ++i)
          plain_sums[i] += draw.values[i];
        const double plain =
                       is_coarsest && number++ % stride == 0 ?
                         stride / double(levels.steps[draw.rung - 1].n_draws) :
                         0.,
                     factor =
                       plain + levels.contribution(draw.rung, weight) / n_all -
                       (is_coarsest ? 1. / levels.steps[draw.rung - 1].n_draws :
                                      0.);
        if (factor != 0.)
          for (std::size_t i = 0; i < n; ++i)
            weighted[i].emplace_back(draw.values[i], factor);
      });

      std::vector<double> means, quantiles;
      for (std::size_t i = 0; i < n; ++i)
        {
          LevelEstimates::Column column;
          column.name = names[i];
          column.mean = mean_of(values[i]);
          column.uncorrected =
            plain_sums[i] / levels.steps[levels.n_levels - 1].n_draws;
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
            levels.series(3,
                          {0.05, 0.5, 0.95},
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
          result.columns.push_back(column);
        }

      std::vector<double> variances;
      for (const Diagnostics &one : cold)
        variances.push_back(std::pow(one.standard_deviation.value, 2));
      const auto squares =
        levels.series(n,
                      variances,
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
    add_shares(const Levels                   &levels,
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
        levels.series(n,
                      centres,
                      [&](const double *draw, std::vector<double> &g) {
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
      for (const LevelEstimates::Step &step : estimates.steps)
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
  smooth_pareto_tail(std::vector<double> &weights)
  {
    const std::size_t n = weights.size();
    const auto        n_tail =
      static_cast<std::size_t>(std::min(0.2 * n, 3. * std::sqrt(double(n))));
    if (n_tail < 5)
      return std::numeric_limits<double>::infinity();

    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(),
              order.end(),
              [&](const std::size_t a, const std::size_t b) {
                return weights[a] < weights[b];
              });
    const double        cut = weights[order[n - n_tail - 1]];
    std::vector<double> tail;
    for (std::size_t i = n - n_tail; i < n; ++i)
      tail.push_back(weights[order[i]] - cut);
    // All alike: no tail at all.
    if (!(tail.back() > 0.) || !(tail.back() > 1e-12 * cut))
      return -std::numeric_limits<double>::infinity();

    // A mean over values of the parameter b = -k / scale.
    const double        quartile = tail[(n_tail + 2) / 4 - 1];
    const std::size_t   n_b      = 30 + std::sqrt(double(n_tail));
    std::vector<double> bs, log_likelihoods;
    const auto          k_of = [&](const double b) {
      double sum = 0.;
      for (const double x : tail)
        sum += std::log1p(-b * x);
      return sum / n_tail;
    };
    for (std::size_t j = 1; j <= n_b; ++j)
      {
        const double b =
          1. / tail.back() + (1. - std::sqrt(n_b / (j - 0.5))) /
                               (3. * std::max(quartile, 1e-3 * tail.back()));
        const double k = k_of(b);
        bs.push_back(b);
        log_likelihoods.push_back(n_tail * (std::log(-b / k) - k - 1.));
      }
    double largest = -std::numeric_limits<double>::infinity();
    for (const double one : log_likelihoods)
      if (std::isfinite(one))
        largest = std::max(largest, one);
    double sum = 0., mean_b = 0.;
    for (std::size_t j = 0; j < n_b; ++j)
      if (std::isfinite(log_likelihoods[j]))
        {
          const double weight = std::exp(log_likelihoods[j] - largest);
          sum += weight;
          mean_b += weight * bs[j];
        }
    mean_b /= sum;
    double       k     = k_of(mean_b);
    const double scale = -k / mean_b;
    // Few numbers: drawn to 1/2 with the weight of ten.
    k = (n_tail * k + 10. * 0.5) / (n_tail + 10.);
    if (!std::isfinite(k) || !(scale > 0.))
      return std::numeric_limits<double>::infinity();

    const double highest = weights[order[n - 1]];
    for (std::size_t i = 0; i < n_tail; ++i)
      {
        const double p                 = (i + 0.5) / n_tail;
        const double x                 = std::abs(k) < 1e-12 ?
                                           -scale * std::log1p(-p) :
                                           scale * std::expm1(-k * std::log1p(-p)) / k;
        weights[order[n - n_tail + i]] = std::min(highest, cut + x);
      }
    return k;
  }



  LevelEstimates
  estimate_from_levels(const RecordedRun              &run,
                       const std::vector<Diagnostics> &cold,
                       const Modes                    &modes,
                       const std::vector<std::size_t> &mode_columns)
  {
    LevelEstimates result;
    if (run.description().n_level_rungs == 0 || run.n_chains() == 0)
      return result;
    const Levels levels(run);
    if (!levels.are_enough())
      return result;
    result.steps.assign(levels.steps.rbegin(), levels.steps.rend());
    for (const LevelEstimates::Step &step : result.steps)
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
    return result;
  }
} // namespace Tempera
