// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/study/ladder_options.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /** Swaps between levels whose energies' difference has this deviation. */
    double
    acceptance_of(const double spread)
    {
      return std::erfc(spread / 2.);
    }

    /**
     * The same as far as it brings new states: a fine rung stays long where the
     * coarse one seldom comes.
     */
    double
    useful_part_of(const double spread)
    {
      return acceptance_of(spread) * std::exp(-spread * spread);
    }

    /** Rate at which a series with this autocorrelation time forgets. */
    double
    rate_of(const double time)
    {
      constexpr double forgets_at_once = 50.;

      return std::isinf(time)  ? 0. :
             time <= 1. + 1e-9 ? forgets_at_once :
                                 std::log((time + 1.) / (time - 1.));
    }


    /** One choice of levels, whose ladder and paces are looked for. */
    class Choice
    {
    public:
      Choice(const LadderFindings           &found,
             const std::vector<std::string> &levels)
        : found(found)
        , levels(levels)
      {
        best.levels = levels;
        best.paces.assign(levels.size(), 1);
        best.ladder = found.ladders[0];
        for (std::size_t i = 0; i + 1 < levels.size(); ++i)
          {
            const double spread = found.spreads.at({levels[i], levels[i + 1]});
            best.acceptances.push_back(acceptance_of(spread));
            useful.push_back(useful_part_of(spread));
          }
      }

      const LadderOption &
      find()
      {
        for (const TriedLadder &ladder : found.ladders)
          {
            LadderOption option = best;
            option.ladder       = ladder;
            try_paces(option, 1);
          }
        return best;
      }

    private:
      void
      try_paces(LadderOption &option, const std::size_t i)
      {
        if (i == levels.size())
          {
            find_price(option);
            if (option.rank() < best.rank())
              best = option;
            return;
          }
        for (const unsigned int factor :
             {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000})
          {
            option.paces[i] = option.paces[i - 1] * factor;
            try_paces(option, i + 1);
          }
      }

      void
      find_price(LadderOption &option) const
      {
        const TriedLadder &ladder = option.ladder;
        const double       pace   = option.paces.back();
        // The last level moves by itself; all before it live by swaps.
        double work = pace * ladder.solves * found.costs.at(levels.back());
        for (std::size_t i = 0; i + 1 < levels.size(); ++i)
          work += option.paces[i] * found.costs.at(levels[i]);

        // Short series seem to forget sooner than they do.
        constexpr std::array<double, 4> worse = {{-1., 0., 1., 2.}};
        option.autocorrelation_time           = 0.;
        for (const double n_worse : worse)
          {
            double memory = std::exp(
              -rate_of(ladder.time * std::exp(n_worse * ladder.error)));
            for (std::size_t i = levels.size() - 1; i > 0; --i)
              memory =
                1. - useful[i - 1] *
                       (1. - std::pow(memory,
                                      option.paces[i] / option.paces[i - 1]));
            option.autocorrelation_time +=
              (1. + memory) / (1. - memory) / worse.size();
          }
        // A rung that lives by swaps takes every state in the first half, and
        // gives back its own: two states share the steps of the next rung.
        constexpr double fewest   = 16.;
        const double     n_states = levels.size() > 1 ? 2. : 1.;
        option.burn_in =
          std::max(fewest, std::ceil(n_states * ladder.burn_in / pace));
        const double rounds =
          option.autocorrelation_time +
          found.n_chains * option.burn_in / found.effective_draws;
        option.work        = work * rounds;
        option.fine_solves = levels.size() == 1 ? option.work : rounds;
      }

      const LadderFindings           &found;
      const std::vector<std::string> &levels;
      /** Of swaps between a level and the next. */
      std::vector<double> useful;
      LadderOption        best;
    };
  } // namespace



  double
  LadderOption::rank() const
  {
    // Weights that leave 80 % of the draws, see LevelEstimates.
    constexpr double least_acceptance = 0.74, premium_of_closeness = 1.5,
                     premium_of_temperatures = 1.3;

    const bool is_close =
      !acceptances.empty() &&
      *std::min_element(acceptances.begin(), acceptances.end()) >
        least_acceptance;
    return work / (is_close ? premium_of_closeness : 1.) /
           (ladder.is_whole ? premium_of_temperatures : 1.);
  }



  std::string
  LadderOption::text() const
  {
    std::string result;
    for (std::size_t i = 0; i < levels.size(); ++i)
      result += (i > 0 ? " <- " : "") + std::string("'") + levels[i] + "'" +
                (i > 0 ? " x " + std::to_string(paces[i] / paces[i - 1]) :
                         std::string());
    const std::size_t n = ladder.temperatures.size();
    return result + ", " + std::to_string(n) +
           (n == 1 ? " temperature" : " temperatures");
  }



  std::vector<LadderOption>
  ladder_options(const LadderFindings &found)
  {
    const std::string                    &finest  = found.levels[0];
    std::vector<std::vector<std::string>> choices = {{finest}};
    const auto are_apart = [&](const std::string &a, const std::string &b) {
      return !std::isfinite(found.spreads.at({a, b}));
    };
    for (const std::string &coarse : found.levels)
      {
        if (coarse == finest)
          continue;
        if (!are_apart(finest, coarse))
          choices.push_back({finest, coarse});
        for (const std::string &medium : found.levels)
          if (medium != finest && medium != coarse &&
              found.costs.at(medium) > 2. * found.costs.at(coarse) &&
              !are_apart(finest, medium) && !are_apart(medium, coarse))
            choices.push_back({finest, medium, coarse});
      }
    std::vector<LadderOption> result;
    for (const std::vector<std::string> &levels : choices)
      result.push_back(Choice(found, levels).find());
    std::stable_sort(result.begin(),
                     result.end(),
                     [](const LadderOption &a, const LadderOption &b) {
                       return a.rank() < b.rank();
                     });
    return result;
  }
} // namespace Tempera
