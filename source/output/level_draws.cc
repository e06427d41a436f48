// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/output/level_draws.h>

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


    /** Smooth weights of mean 1 from their logarithms, and what they are. */
    void
    make_weights(std::vector<std::vector<double>> &chains, LevelStep &step)
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
  } // namespace



  LevelDraws::LevelDraws(const RecordedRun                     &run,
                         const std::vector<Checks::LevelSolve> &given)
    : run(run)
    , n_levels(run.description().n_level_rungs)
    , n_rounds(std::numeric_limits<std::uint64_t>::max())
    , steps(n_levels)
    , weights(n_levels)
  {
    if (n_levels == 0)
      return;
    for (const Checks::LevelSolve &one : given)
      solves[{{one.chain, one.rung, one.own_round}}] = one;
    find_length();
    read_weights();
  }



  bool
  LevelDraws::are_enough() const
  {
    return n_levels > 0 && run.n_chains() > 0 && n_rounds >= fewest_rounds;
  }



  void
  LevelDraws::visit(
    const std::function<void(const WeightedDraw &)> &visitor) const
  {
    std::vector<std::size_t> next(n_levels);
    for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
      {
        std::fill(next.begin(), next.end(), 0);
        for_each(chain, [&](const RecordedLevelDraw &draw) {
          const unsigned int level = draw.rung - 1;
          const double       ratio = std::isnan(draw.finer_energy) ?
                                       not_a_number :
                                       weights[level][chain][next[level]++];
          const double       of_all =
            draw.rung == n_levels ? 1. / steps[level].n_draws : 0.;
          const double of_weighted =
            std::isnan(ratio) || steps[level].n_weighted == 0 ?
              0. :
              (ratio - 1.) / steps[level].n_weighted;
          visitor({chain, round_of(draw), &draw, ratio, of_all + of_weighted});
        });
      }
  }



  std::vector<std::vector<std::vector<double>>>
  LevelDraws::series(
    const std::vector<double>                                        &centres,
    const std::function<void(const double *, std::vector<double> &)> &functions)
    const
  {
    const std::size_t   n     = centres.size();
    const double        n_all = double(n_rounds) * run.n_chains();
    std::vector<double> values(n);
    std::vector<std::vector<std::vector<double>>> result(n);
    for (std::size_t i = 0; i < n; ++i)
      result[i].assign(run.n_chains(),
                       std::vector<double>(n_rounds, centres[i]));
    visit([&](const WeightedDraw &one) {
      if (one.weight == 0.)
        return;
      functions(one.draw->values, values);
      for (std::size_t i = 0; i < n; ++i)
        result[i][one.chain][one.round] +=
          n_all * one.weight * (values[i] - centres[i]);
    });
    return result;
  }



  std::uint64_t
  LevelDraws::n_draws() const
  {
    std::uint64_t n = 0;
    for (const LevelStep &step : steps)
      n += step.n_draws;
    return n;
  }



  std::uint64_t
  LevelDraws::round_of(const RecordedLevelDraw &draw) const
  {
    return (draw.own_round - 1) / run.description().paces[draw.rung];
  }



  void
  LevelDraws::for_each(
    const unsigned int                                    chain,
    const std::function<void(const RecordedLevelDraw &)> &visitor) const
  {
    run.for_each_level_draw(chain, [&](const RecordedLevelDraw &draw) {
      if (round_of(draw) >= n_rounds)
        return;
      if (solves.empty() || !std::isnan(draw.finer_energy))
        return visitor(draw);
      RecordedLevelDraw known = draw;
      const auto solve = solves.find({{chain, draw.rung, draw.own_round}});
      // Of a run that was begun anew it would be another draw's.
      if (solve != solves.end() && solve->second.energy == draw.energy)
        known.finer_energy = solve->second.finer_energy;
      visitor(known);
    });
  }



  void
  LevelDraws::find_length()
  {
    // Rounds that all chains have done to their end.
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
  LevelDraws::read_weights()
  {
    // log w of each chain, then w.
    const RunDescription &description = run.description();
    for (auto &level : weights)
      level.resize(run.n_chains());
    for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
      for_each(chain, [&](const RecordedLevelDraw &draw) {
        LevelStep &step = steps[draw.rung - 1];
        ++step.n_draws;
        if (std::isnan(draw.finer_energy))
          return;
        ++step.n_weighted;
        // A state that the finer level has no solution for weighs nothing.
        const double log_weight = draw.energy - draw.finer_energy;
        weights[draw.rung - 1][chain].push_back(
          std::isnan(log_weight) ? -std::numeric_limits<double>::infinity() :
                                   log_weight);
      });
    for (unsigned int i = 0; i < n_levels; ++i)
      {
        const auto name = [&](const unsigned int rung) {
          return description.levels[description.rung_levels[rung]];
        };
        steps[i].fine   = name(i);
        steps[i].coarse = name(i + 1);
        make_weights(weights[i], steps[i]);
      }
  }



  CorrectedLaw::CorrectedLaw(std::vector<std::pair<double, double>> weighted)
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
  CorrectedLaw::quantile(const double share) const
  {
    const auto place = std::lower_bound(points.begin(),
                                        points.end(),
                                        share,
                                        [](const auto &point, const double s) {
                                          return point.second < s;
                                        });
    return place == points.end() ? points.back().first : place->first;
  }



  double
  CorrectedLaw::share_below(const double value) const
  {
    const auto place = std::upper_bound(points.begin(),
                                        points.end(),
                                        value,
                                        [](const double v, const auto &point) {
                                          return v < point.first;
                                        });
    return place == points.begin() ? 0. : std::prev(place)->second;
  }



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
} // namespace Tempera
