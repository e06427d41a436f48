// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/posterior_shift.h>
#include <tempera/study/level_checks.h>
#include <tempera/study/study.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace Tempera
{
  namespace
  {
    using Numbers = std::vector<double>;

    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

    double
    potential_at(const Energy &energy, const Numbers &state)
    {
      Evaluation evaluation;
      energy.evaluate(dealii::make_array_view(state),
                      RandomKey(),
                      Request::values,
                      evaluation);
      return evaluation.potential;
    }

    /** Places in a list that follow its weights, evenly: systematic sampling.
     */
    std::vector<std::size_t>
    sample_by_weight(const Numbers &weights, const std::size_t n)
    {
      double sum = 0.;
      for (const double weight : weights)
        sum += weight;
      std::vector<std::size_t> result;
      double                   passed = 0.;
      for (std::size_t i = 0; i < weights.size() && sum > 0.; ++i)
        {
          passed += weights[i];
          while (result.size() < n && (result.size() + 0.5) * sum < passed * n)
            result.push_back(i);
        }
      return result;
    }

    /** Mean of exponentials, and what they are worth in draws. */
    struct MeanRatio
    {
      double log_mean, kish_size;
    };

    MeanRatio
    mean_ratio(const Numbers &logarithms)
    {
      if (logarithms.empty())
        return {-std::numeric_limits<double>::infinity(), 0.};
      const double largest =
        *std::max_element(logarithms.begin(), logarithms.end());
      double sum = 0., squares = 0.;
      for (const double one : logarithms)
        {
          sum += std::exp(one - largest);
          squares += std::exp(2. * (one - largest));
        }
      return {largest + std::log(sum / logarithms.size()), sum * sum / squares};
    }


    /** One hot draw that may tell of a missed mode. */
    struct HotDraw
    {
      Numbers state;
      double  potential, log_weight;
    };
  } // namespace



  std::vector<double>
  fine_shares(const Analysis              &analysis,
              const RecordedRun           &run,
              const Ladder                &ladder,
              const std::function<bool()> &is_stopped)
  {
    constexpr std::size_t n_tried = 40, most_draws = 4000;
    constexpr double      least_kish_size = 4.;

    const RunDescription &description = run.description();
    std::vector<double>   shares;
    // Read when the first suspect asks for it.
    std::optional<DrawTable> table;
    for (const MissedMode &mode : analysis.missed_modes.missed)
      {
        const bool is_same_level =
          description.rung_levels[mode.rung] == description.rung_levels[0];
        shares.push_back(is_same_level ? mode.expected : not_a_number);
        if (is_same_level || is_stopped() ||
            description.indices.size() != ladder.space().dimension())
          continue;

        // By their weights: draws there, and elsewhere.
        std::vector<HotDraw> draws[2];
        if (!table)
          table = run.table(most_draws / run.n_chains());
        const Exponents cold = ladder[0].exponents,
                        hot  = ladder[mode.rung].exponents;
        double largest       = -std::numeric_limits<double>::infinity();
        for (const auto &chain : table->chains)
          {
            const RungColumns &columns = chain[mode.rung];
            for (std::size_t k = 0; k < columns.potential.size(); ++k)
              {
                HotDraw one;
                for (std::size_t i = 0; i < description.names.size(); ++i)
                  one.state.push_back(columns.values[i][k]);
                one.potential = columns.potential[k];
                one.log_weight =
                  (hot.reference - cold.reference) * columns.reference[k] +
                  (hot.potential - cold.potential) * one.potential;
                if (!std::isfinite(one.log_weight))
                  continue;
                largest = std::max(largest, one.log_weight);
                draws[mode.contains([&](const std::size_t i) {
                  return columns.values[i][k];
                })]
                  .push_back(std::move(one));
              }
          }
        MeanRatio ratios[2];
        for (const unsigned int inside : {0, 1})
          {
            Numbers weights;
            for (const HotDraw &one : draws[inside])
              weights.push_back(std::exp(one.log_weight - largest));
            Numbers logarithms;
            for (const std::size_t k : sample_by_weight(weights, n_tried))
              {
                const HotDraw &one = draws[inside][k];
                const double   ratio =
                  -cold.potential *
                  (potential_at(ladder.energy(0), one.state) - one.potential);
                if (std::isfinite(ratio))
                  logarithms.push_back(ratio);
              }
            ratios[inside] = mean_ratio(logarithms);
          }
        // The coldest rung's draws are elsewhere, so little is needed there.
        if (ratios[1].kish_size < least_kish_size ||
            ratios[0].kish_size < least_kish_size)
          continue;
        const double odds = mode.expected / (1. - mode.expected) *
                            std::exp(ratios[1].log_mean - ratios[0].log_mean);
        shares.back() = std::isinf(odds) ? 1. : odds / (1. + odds);
      }
    return shares;
  }



  std::vector<Checks::Shift>
  swap_shifts(const Analysis                         &analysis,
              const RunDescription                   &description,
              const Ladder                           &ladder,
              const SwapParameters                   &swaps,
              const std::vector<std::vector<double>> &states,
              const std::vector<std::vector<double>> &population,
              const std::function<bool()>            &is_stopped)
  {
    if (swaps.rule != "multi-variance" || states.size() < 3 ||
        analysis.rounds == 0 || analysis.columns.empty())
      return {};

    // The exponent by which swaps multiply the law, at each state.
    std::vector<Numbers> potentials(ladder.get_levels().size(),
                                    Numbers(states.size(), not_a_number));
    Numbers              bias(states.size(), 0.);
    bool                 is_other_level = false;
    double               swap_rate = std::numeric_limits<double>::infinity();
    for (unsigned int pair = 0; pair + 1 < ladder.size(); ++pair)
      {
        const Rung &cold = ladder[pair], &hot = ladder[pair + 1];
        if (!is_other_level)
          // Accepted swaps of a chain per draw, on the way to this pair.
          swap_rate =
            std::min(swap_rate,
                     double(analysis.pairs[pair].accepted) / analysis.n_chains /
                       analysis.rounds * analysis.thinning);
        if (cold.level == hot.level)
          continue;
        is_other_level      = true;
        const double factor = swaps.weights[1] * (cold.exponents.potential -
                                                  hot.exponents.potential) +
                              hot.exponents.potential;
        for (std::size_t k = 0; k < states.size(); ++k)
          {
            if (is_stopped())
              return {};
            for (const unsigned int level : {cold.level, hot.level})
              if (std::isnan(potentials[level][k]))
                potentials[level][k] =
                  potential_at(*ladder.get_levels()[level].energy, states[k]);
            bias[k] +=
              factor * (potentials[hot.level][k] - potentials[cold.level][k]);
          }
      }
    if (!is_other_level ||
        !std::all_of(bias.begin(), bias.end(), [](const double one) {
          return std::isfinite(one);
        }))
      return {};
    double mean = 0.;
    for (const double one : bias)
      mean += one / bias.size();

    // Only what is recorded has a law to shift.
    const std::size_t    n = description.names.size();
    std::vector<Numbers> recorded;
    for (const Numbers &state : states)
      {
        recorded.emplace_back();
        for (std::size_t i = 0; i < n; ++i)
          recorded.back().push_back(
            state.size() == n ? state[i] : state[description.indices[i]]);
      }

    std::vector<Checks::Shift> result;
    for (std::size_t i = 0; i < n; ++i)
      {
        // How fast this unknown's draws forget: as an autoregression with the
        // same effective size would.
        const double efficiency =
          std::min(0.99,
                   analysis.columns[i].diagnostics.bulk_size / analysis.n_used /
                     analysis.stride);
        const double rate = -std::log((1. - efficiency) / (1. + efficiency));
        const double part =
          std::min(1., -std::log1p(-std::min(0.999, swap_rate)) / rate);

        // Draws are a mixture of the two laws; the constant follows.
        double  constant = 1.;
        Numbers log_weights(bias.size());
        for (unsigned int step = 0; step < 30; ++step)
          {
            double sum = 0., sum_of_exponentials = 0.;
            for (std::size_t k = 0; k < bias.size(); ++k)
              {
                const double one    = std::exp(-(bias[k] - mean));
                const double weight = 1. / (1. - part + part * one / constant);
                log_weights[k]      = std::log(weight);
                sum += weight;
                sum_of_exponentials += weight * one;
              }
            constant = sum_of_exponentials / sum;
          }
        const auto shifts = shifts_by_weights(recorded,
                                              log_weights,
                                              population,
                                              description.names);
        if (i < shifts.size())
          result.push_back(shifts[i]);
      }
    return result;
  }



  namespace
  {
    class LevelStudy : public Study
    {
    public:
      std::string
      phase() const override
      {
        return "checks";
      }

      unsigned int
      n_whole_draws(const Target &, const RunSettings &settings) const override
      {
        return settings.swaps.rule == "multi-variance" ? n_bias_draws : 0;
      }

      std::string
      make(const FinishedRun &run, Checks &checks) const override
      {
        if (!run.can_evaluate())
          return "";
        const Analysis &analysis = run.analysis.get();
        checks.fine_shares =
          fine_shares(analysis, run.recorded, run.ladder, run.is_stopped);
        // Energies that another process has cannot be asked for here.
        bool all_are_here = true;
        for (unsigned int rung = 0; rung < run.ladder.size(); ++rung)
          all_are_here = all_are_here && run.has(run.ladder[rung].level);
        if (all_are_here)
          checks.swap_shifts = swap_shifts(analysis,
                                           run.description,
                                           run.ladder,
                                           run.settings.swaps,
                                           run.whole_draws(n_bias_draws),
                                           run.draws(n_population),
                                           run.is_stopped);
        return "";
      }

    private:
      /** Draws at which levels are compared. */
      static constexpr unsigned int n_bias_draws = 100;
    };

    const Registration<StudyRegistry, LevelStudy>
      registration("levels",
                   "What coarse levels and biased swaps do to the answer");
  } // namespace
} // namespace Tempera
