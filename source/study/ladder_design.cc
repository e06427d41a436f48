// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/base/text.h>
#include <tempera/study/ladder_design.h>
#include <tempera/study/ladder_pilot.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace Tempera
{
  namespace
  {
    constexpr double infinity = std::numeric_limits<double>::infinity();

    /** Above this many unknowns pilots would take as long as a run. */
    constexpr unsigned int most_unknowns = 200;
    /** Of the hottest rung: where hot rungs keep a prior, and elsewhere. */
    constexpr double hot_as_the_prior = 1e6, highest_temperature = 100.;
    /** Rounds of the first pilot, and how often they may be doubled. */
    constexpr unsigned int first_rounds = 64, most_doublings = 7;
    /** States at which levels are compared. */
    constexpr unsigned int n_compared = 24;
    /** Pilots end with so many effective draws of the coldest rung. */
    constexpr double enough_draws = 100.;
    /** What pilots may take of the work of the run that they plan. */
    constexpr double share_of_run = 1. / 3.;

    /** Swaps between levels whose energies' difference has this deviation. */
    double
    acceptance_of(const double spread)
    {
      return std::erfc(spread / 2.);
    }

    /** Rate at which a series with this autocorrelation time forgets. */
    double
    rate_of(const double time)
    {
      return std::isinf(time)  ? 0. :
             time <= 1. + 1e-9 ? 50. :
                                 std::log((time + 1.) / (time - 1.));
    }

    /** What the pilots have found on one level. */
    struct Findings
    {
      PilotLadder ladder;
      PilotResult result;
    };


    /** All temperatures from 1 to the last one, a guess to begin with. */
    std::vector<double>
    geometric(const unsigned int n, const double last)
    {
      std::vector<double> result;
      for (unsigned int i = 0; i < n; ++i)
        {
          const double share = n > 1 ? double(i) / (n - 1) : 0.;
          result.push_back(std::isinf(last) ? 1. / std::pow(1. - share, 3) :
                                              std::pow(last, share));
        }
      return result;
    }

    /**
     * So many temperatures with equal rejections between them, by what was
     * measured at others. Between those, rejections grow with the third root
     * of the inverse temperature.
     */
    std::vector<double>
    spaced(const PilotResult &pilot, const unsigned int n)
    {
      std::vector<double> way{0.}, place;
      for (const double temperature : pilot.temperatures)
        place.push_back(std::cbrt(1. / temperature));
      for (const double rejection : pilot.rejections)
        way.push_back(way.back() + std::max(1e-3, rejection));
      std::vector<double> result;
      for (unsigned int i = 0; i < n; ++i)
        {
          const double at = way.back() * i / (n - 1);
          std::size_t  k  = 1;
          while (k + 1 < way.size() && way[k] < at)
            ++k;
          const double share = (at - way[k - 1]) / (way[k] - way[k - 1]);
          const double root  = place[k - 1] + share * (place[k] - place[k - 1]);
          result.push_back(i == 0     ? 1. :
                           i == n - 1 ? pilot.temperatures.back() :
                                        1. / (root * root * root));
        }
      return result;
    }

    /** Standard deviation of what is finite; infinite with too little. */
    double
    spread_of(const std::vector<double> &one, const std::vector<double> &other)
    {
      Moments moments;
      for (std::size_t i = 0; i < one.size(); ++i)
        {
          const double difference = one[i] - other[i];
          if (!std::isfinite(difference))
            return infinity;
          moments.add(difference);
        }
      return moments.standard_deviation();
    }


    /** A design while it is made. */
    class Designer
    {
    public:
      Designer(Target                                         &target,
               const DesignTask                               &task,
               const std::function<void(const std::string &)> &say,
               const std::atomic<bool>                        &stop)
        : target(target)
        , task(task)
        , say(say)
        , stop(stop)
        , pilot(target, task.levels[0], task.seed, task.n_chains)
        , energy(target.energy(task.levels[0]))
        , dimension(energy->space().dimension())
      {}

      LadderDesign
      make();

    private:
      /** A ladder on a level as a pilot begins with it. */
      PilotLadder
      first_ladder(const std::string &level);

      void
      find_temperatures(const std::string &level);

      /** Take what a pilot has found, with temperatures for it. */
      void
      take(const PilotLadder &ladder, const PilotResult &result);

      /** Find the level for the ladder, and be there. */
      void
      choose_levels();

      /** Where the ladder seems to belong. */
      std::string
      promising_level();

      /** Try the other kernel, where it is open which one is better. */
      void
      try_other_kernel();

      /** How fast the coldest rung forgets by itself. */
      void
      leave_alone();

      /** Deviations of energies between all levels, where the draws are. */
      void
      compare_levels();

      /** All that a choice of levels costs, with its best paces. */
      LadderOption
      option(const std::vector<std::string> &levels);

      std::vector<LadderOption>
      all_options();

      void
      write_settings(const LadderOption &best, LadderDesign &design) const;

      double
      work_of_round(const std::string &level, const unsigned int n_cold_steps);

      /** Work of a pilot with so many rounds of draws. */
      double
      work_of_pilot(const unsigned int rounds,
                    const double       work_per_round) const
      {
        return 2. * rounds * task.n_chains * work_per_round;
      }

      /** Whether pilots may take so much more. */
      bool
      may_take(const double more) const
      {
        return pilot.work() + more <=
               share_of_run * task.effective_draws * predicted;
      }

      /**
       * Gradients at what HMC needs of them for an effective draw, in values at
       * what differences need: rough, for targets that are nearly normal.
       */
      double
      cost_of_gradients(const std::string &level)
      {
        return 5. * pilot.cost(level, Request::values_and_gradients) /
               (6. * dimension * pilot.cost(level));
      }

      Target                                         &target;
      const DesignTask                               &task;
      const std::function<void(const std::string &)> &say;
      const std::atomic<bool>                        &stop;
      LadderPilot                                     pilot;
      const std::shared_ptr<const Energy>             energy;
      const unsigned int                              dimension;
      /** By level; the one that counts; rounds of its draws. */
      std::map<std::string, Findings> on_levels;
      Findings                        found;
      unsigned int                    n_rounds = first_rounds;
      /** Autocorrelation time of the coldest rung without the others. */
      double alone = infinity;
      /** By two levels: deviation of the difference of their energies. */
      std::map<std::pair<std::string, std::string>, double> spreads;
      /** Work per effective draw of the best design so far. */
      double predicted = infinity;
    };



    PilotLadder
    Designer::first_ladder(const std::string &level)
    {
      constexpr unsigned int n_rungs = 8, few_unknowns = 10;

      PilotLadder ladder;
      ladder.level = level;
      ladder.kernel =
        dimension > few_unknowns && cost_of_gradients(level) < 1. ?
          "HMC" :
          "differences";
      ladder.is_spaced  = true;
      const bool is_law = target.prior() && target.prior()->is_integrable(1.);
      // An energy in a box, or with a Gaussian prior.
      const bool has_prior = is_law || energy->is_integrable({1., 0.});
      ladder.temper        = has_prior ? Temper::likelihood : Temper::posterior;
      double hottest       = is_law    ? infinity :
                             has_prior ? hot_as_the_prior :
                                         highest_temperature;
      while (!has_prior && hottest > 1. &&
             !energy->is_integrable({1. / hottest, 1. / hottest}))
        hottest /= 2.;
      ladder.temperatures = geometric(n_rungs, std::max(1.5, hottest));
      return ladder;
    }



    void
    Designer::find_temperatures(const std::string &level)
    {
      PilotLadder                      ladder = first_ladder(level);
      PilotResult                      result;
      std::vector<std::vector<double>> starts;
      double                           last_barrier = infinity;
      unsigned int                     n_doublings  = 0;
      do
        {
          result               = pilot.run(ladder, n_rounds, starts);
          const double barrier = result.barrier();
          say("temperatures on level '" + level + "': " +
              counted(n_rounds, "round") + ", barrier " + to_text(barrier, 3) +
              ", " + to_text(result.effective_size, 3) + " effective draws");
          const double largest = *std::max_element(result.rejections.begin(),
                                                   result.rejections.end());
          if (largest > 0.75 && ladder.temperatures.size() < 60)
            {
              ladder.temperatures = geometric(2 * ladder.temperatures.size(),
                                              ladder.temperatures.back());
              starts              = {};
              continue;
            }
          // What it takes at least: the finest level is solved, too.
          predicted =
            result.work_per_draw() + (level == task.levels[0] ? 0. : 1.);
          const bool is_settled =
            std::abs(barrier - last_barrier) < 0.15 * barrier + 0.05;
          if ((is_settled && result.effective_size > enough_draws) ||
              ++n_doublings > most_doublings ||
              !may_take(work_of_pilot(2 * n_rounds, result.work_per_round)))
            break;
          last_barrier = barrier;
          n_rounds *= 2;
          starts =
            result.spread_states(ladder.temperatures.size() * task.n_chains);
        }
      while (!stop);
      take(ladder, result);
    }



    void
    Designer::take(const PilotLadder &ladder, const PilotResult &result)
    {
      found.ladder              = ladder;
      found.result              = result;
      found.ladder.temperatures = spaced(
        result,
        std::max(2, static_cast<int>(std::ceil(2. * result.barrier())) + 1));
      on_levels[ladder.level] = found;
    }



    std::string
    Designer::promising_level()
    {
      // Draws of a level that differs more than that say little of others.
      constexpr double most_spread = 1.5, most_cost = 0.2;

      const std::string &finest = task.levels[0];
      if (spreads.at({found.ladder.level, finest}) < most_spread)
        return all_options()[0].levels.back();
      std::string best;
      for (const std::string &level : task.levels)
        {
          const double spread = spreads.at({level, finest});
          if (level == finest || pilot.cost(level) > most_cost ||
              on_levels.count(level) > 0)
            continue;
          if (best.empty())
            {
              best = level;
              continue;
            }
          // The cheapest of those that are close, else the closest.
          const double least = spreads.at({best, finest});
          if (spread < most_spread / 2. && least < most_spread / 2. ?
                pilot.cost(level) < pilot.cost(best) :
                spread < least)
            best = level;
        }
      return best.empty() ? all_options()[0].levels.back() : best;
    }



    void
    Designer::choose_levels()
    {
      constexpr unsigned int most_moves = 4;

      compare_levels();
      for (unsigned int i = 0; i < most_moves && !stop; ++i)
        {
          const std::string level = promising_level();
          if (on_levels.count(level) > 0)
            {
              found = on_levels.at(level);
              break;
            }
          const double work_per_round =
            found.result.work_per_round * found.ladder.temperatures.size() /
            found.result.temperatures.size() * pilot.cost(level) /
            pilot.cost(found.ladder.level);
          unsigned int rounds = n_rounds;
          while (rounds > first_rounds &&
                 !may_take(work_of_pilot(rounds, work_per_round)))
            rounds /= 2;
          if (!may_take(work_of_pilot(rounds, work_per_round)))
            {
              say("level '" + level + "' is too expensive for a pilot");
              break;
            }
          PilotLadder ladder = found.ladder;
          ladder.level       = level;
          ladder.is_spaced   = ladder.temperatures.size() > 2;
          const PilotResult result =
            pilot.run(ladder,
                      rounds,
                      found.result.spread_states(ladder.temperatures.size() *
                                                 task.n_chains));
          say("a pilot on level '" + level + "': " + counted(rounds, "round") +
              ", barrier " + to_text(result.barrier(), 3) + ", " +
              to_text(result.effective_size, 3) + " effective draws");
          take(ladder, result);
          compare_levels();
        }
    }



    void
    Designer::try_other_kernel()
    {
      constexpr double       hopeless      = 0.6;
      constexpr unsigned int many_unknowns = 30;
      constexpr double       few_draws     = 10.;

      const std::string &level = found.ladder.level;
      if (cost_of_gradients(level) > hopeless || dimension > many_unknowns)
        return;
      PilotLadder ladder = found.ladder;
      ladder.kernel      = ladder.kernel == "HMC" ? "differences" : "HMC";
      ladder.is_spaced   = false;
      std::vector<std::vector<double>> starts =
        found.result.spread_states(ladder.temperatures.size() * task.n_chains);
      const PilotResult &incumbent = found.result;
      for (unsigned int rounds = first_rounds; rounds <= 4 * n_rounds && !stop;
           rounds *= 2)
        {
          const PilotResult result = pilot.run(ladder, rounds, starts);
          say("kernel '" + ladder.kernel + "': work " +
              to_text(result.work_per_draw(), 3) + " per effective draw, of '" +
              found.ladder.kernel + "' " +
              to_text(incumbent.work_per_draw(), 3));
          const double difference =
            std::log(result.work_per_draw() / incumbent.work_per_draw());
          const double error     = std::hypot(result.error_of_logarithm(),
                                          incumbent.error_of_logarithm());
          const bool   is_better = result.effective_size > few_draws &&
                                 difference < -2. * error &&
                                 result.agrees_with(incumbent);
          if (is_better)
            {
              take(ladder, result);
              n_rounds = rounds;
            }
          if (is_better || difference > 2. * error ||
              !may_take(work_of_pilot(2 * rounds, result.work_per_round)))
            return;
          if (result.effective_size > few_draws)
            starts = result.spread_states(starts.size());
        }
    }



    void
    Designer::leave_alone()
    {
      PilotLadder ladder  = found.ladder;
      ladder.temperatures = {1.};
      ladder.is_spaced    = false;
      const double of_step =
        found.result.work_per_round / found.result.temperatures.size();
      unsigned int rounds = 2 * n_rounds;
      while (rounds > first_rounds && !may_take(work_of_pilot(rounds, of_step)))
        rounds /= 2;
      // From states that are far from each other: where there are several
      // modes, chains stay in them, and that shows as an endless time.
      const PilotResult result =
        pilot.run(ladder, rounds, found.result.distant_states(task.n_chains));
      // A few effective draws a chain are what chains have that never meet.
      constexpr double least_of_chain = 5.;
      alone = result.effective_size > least_of_chain * task.n_chains ?
                result.autocorrelation_time :
                infinity;
      say("the coldest rung alone: " + to_text(alone, 3) +
          " rounds an effective draw");
    }



    void
    Designer::compare_levels()
    {
      const std::vector<std::vector<double>> states =
        found.result.spread_states(n_compared);
      std::map<std::string, std::vector<double>> energies;
      for (const std::string &level : task.levels)
        energies[level] = pilot.energies(level, states);
      for (const auto &one : energies)
        for (const auto &other : energies)
          spreads[{one.first, other.first}] =
            spread_of(one.second, other.second);
      predicted = all_options()[0].work;
    }



    double
    Designer::work_of_round(const std::string &level,
                            const unsigned int n_cold_steps)
    {
      const double of_step = found.result.work_per_round /
                             found.result.temperatures.size() /
                             pilot.cost(found.ladder.level) * pilot.cost(level);
      return of_step * (found.ladder.temperatures.size() + n_cold_steps - 1.);
    }



    LadderOption
    Designer::option(const std::vector<std::string> &levels)
    {
      LadderOption result;
      result.levels = levels;
      for (std::size_t i = 0; i + 1 < levels.size(); ++i)
        result.acceptances.push_back(
          acceptance_of(spreads.at({levels[i], levels[i + 1]})));

      const unsigned int n_temperatures = found.ladder.temperatures.size();
      const std::vector<unsigned int> factors = {
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

      // The last level has the ladder; all before it live by swaps.
      double least = infinity;
      for (const unsigned int n_cold_steps :
           {1u, n_temperatures, 4 * n_temperatures, 16 * n_temperatures})
        {
          const double rate = rate_of(found.result.autocorrelation_time) +
                              (n_cold_steps - 1) * rate_of(alone);
          std::vector<unsigned int> chosen(levels.size(), 1);
          const auto                try_paces = [&]() {
            double memory = std::exp(-rate);
            double work = work_of_round(levels.back(), n_cold_steps);
            double fine = levels.size() == 1 ? work : 1.;
            for (std::size_t i = levels.size() - 1; i > 0; --i)
              {
                memory = 1. - result.acceptances[i - 1] *
                                (1. - std::pow(memory, chosen[i]));
                work = pilot.cost(levels[i - 1]) + chosen[i] * work;
              }
            const double time = (1. + memory) / (1. - memory);
            if (work * time < least)
              {
                least                       = work * time;
                result.autocorrelation_time = time;
                result.work                 = least;
                result.fine_solves          = fine * time;
                result.n_cold_steps         = n_cold_steps;
                result.paces                = {1};
                for (std::size_t i = 1; i < levels.size(); ++i)
                  result.paces.push_back(result.paces.back() * chosen[i]);
              }
          };
          if (levels.size() == 1)
            try_paces();
          else if (levels.size() == 2)
            for (const unsigned int first : factors)
              {
                chosen[1] = first;
                try_paces();
              }
          else
            for (const unsigned int first : factors)
              for (const unsigned int second : factors)
                {
                  chosen[1] = first;
                  chosen[2] = second;
                  try_paces();
                }
        }
      if (std::isinf(least))
        {
          result.work = result.fine_solves = result.autocorrelation_time =
            infinity;
          result.paces.assign(levels.size(), 1);
        }
      return result;
    }



    std::vector<LadderOption>
    Designer::all_options()
    {
      const std::string        &finest = task.levels[0];
      std::vector<LadderOption> result = {option({finest})};
      for (const std::string &coarse : task.levels)
        {
          if (coarse == finest)
            continue;
          result.push_back(option({finest, coarse}));
          for (const std::string &medium : task.levels)
            if (medium != finest && medium != coarse &&
                pilot.cost(medium) > 2. * pilot.cost(coarse))
              result.push_back(option({finest, medium, coarse}));
        }
      std::stable_sort(result.begin(),
                       result.end(),
                       [](const LadderOption &a, const LadderOption &b) {
                         return a.rank() < b.rank();
                       });
      return result;
    }



    void
    Designer::write_settings(const LadderOption &best,
                             LadderDesign       &design) const
    {
      std::vector<std::string> temperatures, levels, paces, steps;
      const auto               add = [&](const double       temperature,
                           const std::string &level,
                           const unsigned int pace,
                           const unsigned int n_steps) {
        temperatures.push_back(
          std::isinf(temperature) ? "infinity" : to_text(temperature, 6));
        levels.push_back(level);
        paces.push_back(std::to_string(pace));
        steps.push_back(std::to_string(n_steps));
      };
      const std::size_t n_levels = best.levels.size();
      for (std::size_t i = 0; i + 1 < n_levels; ++i)
        add(1., best.levels[i], best.paces[i], 0);
      for (std::size_t i = 0; i < design.temperatures.size(); ++i)
        add(design.temperatures[i],
            best.levels.back(),
            best.paces.back(),
            i == 0 ? best.n_cold_steps : 1);

      // Archives, scales and steps are learned by the rungs that move.
      const double own_rounds = std::max(
        {200., 20. * dimension, 10. * found.result.autocorrelation_time});
      const double burn_in =
        std::max(n_levels > 1 ? 32. : 200.,
                 std::ceil(own_rounds / best.paces.back()));
      constexpr double reserve = 1.25;
      const double     sampled =
        std::ceil(reserve * task.effective_draws * best.autocorrelation_time /
                  task.n_chains);

      auto &all = design.settings;
      all.push_back({"Chains", std::to_string(task.n_chains)});
      all.push_back({"Burn-in", to_text(burn_in, 15)});
      all.push_back(
        {"Iterations", to_text(burn_in + std::max(100., sampled), 15)});
      if (std::isinf(design.temperatures.back()))
        all.push_back({"Sampler/Start from", "prior"});
      all.push_back({"Sampler/Ladder/Temperatures", join(temperatures, ", ")});
      all.push_back({"Sampler/Ladder/Levels", join(levels, ", ")});
      all.push_back({"Sampler/Ladder/Pace", join(paces, ", ")});
      all.push_back({"Sampler/Ladder/Temper",
                     found.ladder.temper == Temper::likelihood ? "likelihood" :
                                                                 "posterior"});
      all.push_back({"Sampler/Kernel/Type", design.kernel});
      all.push_back({"Sampler/Kernel/Steps per round", join(steps, ", ")});
      all.push_back({"Sampler/Kernel/Preconditioner", design.preconditioner});
      all.push_back({"Sampler/Swaps/Rule", "exact"});
    }



    LadderDesign
    Designer::make()
    {
      LadderDesign design;
      if (energy->is_stochastic() || energy->has_noisy_gradients())
        design.objection = "its energy is stochastic";
      else if (target.has_warm_start() || dimension > most_unknowns)
        design.objection = "it has " + counted(dimension, "unknown") +
                           ", and pilots are for " +
                           std::to_string(most_unknowns) + " at most";
      if (!design.objection.empty())
        return design;

      // Pilots begin where it costs least, and go on where the best ladder is,
      // since levels are to be compared where the posterior is.
      find_temperatures(
        *std::min_element(task.levels.begin(),
                          task.levels.end(),
                          [&](const std::string &a, const std::string &b) {
                            return pilot.cost(a) < pilot.cost(b);
                          }));
      if (task.levels.size() > 1)
        choose_levels();
      try_other_kernel();
      leave_alone();
      design.options        = all_options();
      design.temperatures   = found.ladder.temperatures;
      design.kernel         = found.ladder.kernel;
      design.preconditioner = found.ladder.preconditioner;
      design.barrier        = found.result.barrier();
      design.work           = pilot.work();
      write_settings(design.options[0], design);
      return design;
    }
  } // namespace



  double
  LadderOption::rank() const
  {
    // Weights that leave 80 % of the draws, see LevelEstimates.
    constexpr double least_acceptance = 0.74, premium = 1.5;

    const bool is_close =
      !acceptances.empty() &&
      *std::min_element(acceptances.begin(), acceptances.end()) >
        least_acceptance;
    return is_close ? work / premium : work;
  }



  std::string
  LadderOption::text() const
  {
    std::string result;
    for (std::size_t i = 0; i < levels.size(); ++i)
      result += (i > 0 ? " <- " : "") + std::string("'") + levels[i] + "'" +
                (i > 0 ? " x " + std::to_string(paces[i] / paces[i - 1]) :
                         std::string());
    return result;
  }



  std::string
  LadderDesign::text() const
  {
    if (!objection.empty())
      return "No ladder is designed for this target: " + objection + ".\n";
    std::string result =
      "-- ladder: " + counted(temperatures.size(), "temperature") +
      " (barrier " + to_text(barrier, 3) + "), kernel '" + kernel +
      "', found with the work of " + to_text(work, 3) + " fine solves\n" +
      "--     fine solves, work per effective draw (predicted)\n";
    for (std::size_t i = 0; i < std::min<std::size_t>(3, options.size()); ++i)
      {
        const LadderOption &one = options[i];
        result += "--     " + to_text(one.fine_solves, 3) + ", " +
                  to_text(one.work, 3) + ": " + one.text();
        if (!one.acceptances.empty())
          {
            std::vector<std::string> words;
            for (const double acceptance : one.acceptances)
              words.push_back(to_text(acceptance, 2));
            result += ", swaps accepted " + join(words, ", ");
          }
        result += i == 0 ? "\n" : " (not taken)\n";
      }
    return result;
  }



  LadderDesign
  design_ladder(Target                                         &target,
                const DesignTask                               &task,
                const std::function<void(const std::string &)> &say,
                const std::atomic<bool>                        &stop)
  {
    return Designer(target, task, say, stop).make();
  }
} // namespace Tempera
