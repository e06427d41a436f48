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
    /** States at which levels are compared: cold ones, and as many hot ones. */
    constexpr unsigned int n_compared = 20;
    /** Effective draws of the coldest rung: as many as are welcome, and as few
     * as will do where pilots are expensive, or are not the last ones. */
    constexpr double enough_draws = 150., few_draws = 30.;
    /** What pilots may take of the work of the run that they plan. */
    constexpr double share_of_run = 1. / 3.;

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
    useful_part_of(const double acceptance, const double spread)
    {
      return acceptance * std::exp(-spread * spread);
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

    /** Weighted deviation of a difference; infinite if it is not finite. */
    double
    spread_of(const std::vector<double> &one,
              const std::vector<double> &other,
              const std::vector<double> &weights)
    {
      double sum = 0., mean = 0., squares = 0.;
      for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] > 0.)
          {
            const double difference = one[i] - other[i];
            if (!std::isfinite(difference))
              return infinity;
            sum += weights[i];
            const double change = difference - mean;
            mean += weights[i] / sum * change;
            squares += weights[i] * change * (difference - mean);
          }
      return std::sqrt(squares / sum);
    }


    /**
     * Where levels are compared: at draws of the coldest rung, if they are
     * where the finest level has its posterior, too. If it has lower energies
     * at hotter states, its posterior is elsewhere; then at all states, by what
     * they weigh on the finest level at a temperature that leaves several.
     */
    struct Comparison
    {
      Comparison(const std::vector<double> &finest, const unsigned int n_cold)
        : weights(finest.size(), 0.)
      {
        constexpr double lower = 3., fewest = 6., hottest = 1e12;

        const double least = *std::min_element(finest.begin(), finest.end());
        if (least >
            *std::min_element(finest.begin(), finest.begin() + n_cold) - lower)
          {
            std::fill_n(weights.begin(), n_cold, 1.);
            return;
          }
        double size = 0.;
        for (temperature = 1.; size < fewest && temperature < hottest;
             temperature *= 2.)
          {
            double sum = 0., squares = 0.;
            for (std::size_t i = 0; i < weights.size(); ++i)
              {
                weights[i] = std::isfinite(finest[i]) ?
                               std::exp((least - finest[i]) / temperature) :
                               0.;
                sum += weights[i];
                squares += weights[i] * weights[i];
              }
            size = sum * sum / squares;
            // What hardly counts shall not spoil it.
            for (double &weight : weights)
              if (weight < 1e-3)
                weight = 0.;
          }
        is_elsewhere = true;
      }

      std::vector<double> weights;
      double              temperature  = 1.;
      bool                is_elsewhere = false;
    };


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
      {
        // The finest first, then the cheapest.
        std::stable_sort(this->task.levels.begin() + 1,
                         this->task.levels.end(),
                         [&](const std::string &a, const std::string &b) {
                           return pilot.cost(a) < pilot.cost(b);
                         });
        candidates = {task.levels[0]};
      }

      LadderDesign
      make();

    private:
      /** A ladder on a level as a pilot begins with it. */
      PilotLadder
      first_ladder(const std::string &level);

      /** Pilots of doubling length, until enough is known or too much spent. */
      void
      find_temperatures(PilotLadder                      ladder,
                        std::vector<std::vector<double>> starts,
                        const double                     enough);

      /** Take what a pilot has found, with temperatures for it. */
      void
      take(const PilotLadder &ladder, const PilotResult &result);

      /** Find the level for the ladder, and be there. */
      void
      choose_levels();

      /** Where the ladder seems to belong. */
      std::string
      promising_level();

      /** How fast the coldest rung forgets by itself, and with what kernel. */
      void
      leave_alone();

      PilotResult
      run_alone(const std::string &kernel,
                const unsigned int rounds,
                const double       most_work);

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

      /** Rounds of the burn-in of a run. */
      double
      burn_in(const std::vector<unsigned int> &paces) const;

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
      DesignTask                                      task;
      const std::function<void(const std::string &)> &say;
      const std::atomic<bool>                        &stop;
      LadderPilot                                     pilot;
      const std::shared_ptr<const Energy>             energy;
      const unsigned int                              dimension;
      /** By level, and the one that counts. */
      std::map<std::string, Findings> on_levels;
      Findings                        found;
      /** Levels that are worth a comparison; the finest first. */
      std::vector<std::string> candidates;
      /** Of the coldest rung without the others: its kernel,
       * autocorrelation time, and work of a step. */
      std::string kernel_alone;
      double      alone = infinity, step_alone = 0.;
      /** By two levels: deviation of the difference of their energies. */
      std::map<std::pair<std::string, std::string>, double> spreads;
      /** Whether the last pilot was where the finest posterior is not. */
      bool is_elsewhere = false;
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
    Designer::find_temperatures(PilotLadder                      ladder,
                                std::vector<std::vector<double>> starts,
                                const double                     enough)
    {
      // More is not spent for numbers that are known a little better.
      constexpr double small_share = 0.1;

      const double of_finest = ladder.level == task.levels[0] ? 0. : 1.;
      ladder.is_spaced       = ladder.temperatures.size() > 2;
      PilotResult  result;
      double       last_barrier = infinity;
      unsigned int n_rounds     = first_rounds;
      double       n_draws = 0., n_effective = 0.;
      do
        {
          result               = pilot.run(ladder, n_rounds, starts);
          const double barrier = result.barrier();
          // By all pilots: the last one is the last one because it was good.
          n_draws += result.n_states();
          n_effective += result.effective_size;
          if (n_effective > 0.)
            result.autocorrelation_time = std::max(1., n_draws / n_effective);
          say("level '" + ladder.level + "': " + counted(n_rounds, "round") +
              ", barrier " + to_text(barrier, 3) + ", " +
              to_text(result.effective_size, 3) + " effective draws");
          const double largest = *std::max_element(result.rejections.begin(),
                                                   result.rejections.end());
          if (largest > 0.75 && ladder.temperatures.size() < 60)
            {
              ladder.temperatures = geometric(2 * ladder.temperatures.size(),
                                              ladder.temperatures.back());
              ladder.is_spaced    = true;
              starts              = {};
              n_draws = n_effective = 0.;
              continue;
            }
          // What it takes at least: the finest level is solved, too.
          const double at_least = result.work_per_draw() + of_finest;
          if (of_finest == 0. || std::isinf(predicted))
            predicted = at_least;
          const double next =
            work_of_pilot(2 * n_rounds, result.work_per_round);
          const bool is_settled =
            std::abs(barrier - last_barrier) < 0.15 * barrier + 0.05;
          const bool is_enough =
            result.effective_size > enough ||
            (result.effective_size > few_draws &&
             next > small_share * task.effective_draws * predicted);
          if ((is_settled && is_enough) ||
              n_rounds >= (first_rounds << most_doublings) || !may_take(next))
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
      constexpr double most_spread = 1.5, most_cost = 0.3;

      const std::string &finest = task.levels[0];
      if (!is_elsewhere &&
          spreads.at({found.ladder.level, finest}) < most_spread)
        return all_options()[0].levels.back();
      std::string best;
      for (const std::string &level : candidates)
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
      return best.empty() ? finest : best;
    }



    void
    Designer::choose_levels()
    {
      constexpr unsigned int most_moves = 6;

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
          if (!is_elsewhere &&
              !may_take(work_of_pilot(first_rounds, work_per_round)))
            {
              say("level '" + level + "' is too expensive for a pilot");
              break;
            }
          PilotLadder ladder = found.ladder;
          ladder.level       = level;
          find_temperatures(ladder,
                            found.result.spread_states(
                              ladder.temperatures.size() * task.n_chains),
                            enough_draws);
          compare_levels();
        }
    }



    PilotResult
    Designer::run_alone(const std::string &kernel,
                        const unsigned int rounds,
                        const double       most_work)
    {
      PilotLadder ladder  = found.ladder;
      ladder.temperatures = {1.};
      ladder.is_spaced    = false;
      ladder.kernel       = kernel;
      // From states that are far from each other: where there are several
      // modes, chains stay in them, and that shows as an endless time.
      const PilotResult result = pilot.run(
        ladder, rounds, found.result.distant_states(task.n_chains), most_work);
      say("the coldest rung alone, kernel '" + kernel +
          "': " + to_text(result.autocorrelation_time, 3) +
          " rounds an effective draw, work " +
          to_text(result.work_per_draw(), 3));
      return result;
    }



    void
    Designer::leave_alone()
    {
      // Fewer are too few for an archive.
      constexpr unsigned int least_rounds = 256;
      // A few effective draws a chain are what chains have that never meet.
      constexpr double least_of_chain = 5., hopeless = 1.;

      const double of_step =
        found.result.work_per_round / found.result.temperatures.size();
      unsigned int rounds =
        std::max<unsigned int>(least_rounds, 2 * found.result.states[0].size());
      while (rounds > least_rounds && !may_take(work_of_pilot(rounds, of_step)))
        rounds /= 2;
      kernel_alone           = found.ladder.kernel;
      const PilotResult here = run_alone(kernel_alone, rounds, infinity);
      step_alone             = here.work_per_round;
      if (!(here.effective_size > least_of_chain * task.n_chains))
        return;
      alone = here.autocorrelation_time;

      // Where it is open which kernel is better, the coldest rung may have the
      // other one.
      predicted = std::min(predicted, all_options()[0].work);
      const double most_work =
        share_of_run * task.effective_draws * predicted - pilot.work();
      if (cost_of_gradients(found.ladder.level) > hopeless ||
          most_work < work_of_pilot(first_rounds, here.work_per_round))
        return;
      const std::string other  = kernel_alone == "HMC" ? "differences" : "HMC";
      const PilotResult result = run_alone(other, least_rounds / 2, most_work);
      const double      error =
        std::hypot(result.error_of_logarithm(), here.error_of_logarithm());
      if (result.effective_size > few_draws &&
          std::log(result.work_per_draw() / here.work_per_draw()) < -error &&
          result.agrees_with(here))
        {
          kernel_alone = other;
          alone        = result.autocorrelation_time;
          step_alone   = result.work_per_round;
        }
    }



    void
    Designer::compare_levels()
    {
      std::vector<std::vector<double>> states =
        found.result.spread_states(n_compared);
      const auto &hot = found.result.hot_states;
      for (unsigned int i = 0; i < n_compared; ++i)
        states.push_back(
          hot[static_cast<std::size_t>((i + 0.5) / n_compared * hot.size())]);
      // A level that is dearer than one that is close enough has no use.
      constexpr double close = 0.15;

      const std::string                         &finest = task.levels[0];
      std::map<std::string, std::vector<double>> energies;
      energies[finest] = pilot.energies(finest, states);
      const Comparison comparison(energies.at(finest), n_compared);
      candidates                = {finest};
      spreads[{finest, finest}] = 0.;
      double cost_close         = infinity;
      for (const std::string &level : task.levels)
        {
          const bool is_here = level == found.ladder.level;
          if (level == finest ||
              (!is_here && pilot.cost(level) > 2. * cost_close))
            continue;
          candidates.push_back(level);
          energies[level] = pilot.energies(level, states);
          for (const auto &other : energies)
            spreads[{level, other.first}] = spreads[{other.first, level}] =
              spread_of(energies.at(level), other.second, comparison.weights) /
              comparison.temperature;
          if (spreads.at({level, finest}) < close)
            cost_close = std::min(cost_close, pilot.cost(level));
        }
      is_elsewhere = comparison.is_elsewhere;
      if (is_elsewhere)
        say("the posterior of level '" + task.levels[0] + "' is elsewhere");
      else
        predicted = all_options()[0].work;
    }



    double
    Designer::work_of_round(const std::string &level,
                            const unsigned int n_cold_steps)
    {
      const double of_rung =
        found.result.work_per_round / found.result.temperatures.size();
      const double of_step = n_cold_steps > 1 ? step_alone : of_rung;
      return (of_rung * (found.ladder.temperatures.size() - 1.) +
              of_step * n_cold_steps) /
             pilot.cost(found.ladder.level) * pilot.cost(level);
    }



    double
    Designer::burn_in(const std::vector<unsigned int> &paces) const
    {
      // Archives, scales and steps are learned by the rungs that move.
      const double own_rounds = std::max(
        {100., 20. * dimension, 10. * found.result.autocorrelation_time});
      return std::max(32., std::ceil(own_rounds / paces.back()));
    }



    LadderOption
    Designer::option(const std::vector<std::string> &levels)
    {
      LadderOption result;
      result.levels = levels;
      std::vector<double> useful;
      for (std::size_t i = 0; i + 1 < levels.size(); ++i)
        {
          const double spread = spreads.at({levels[i], levels[i + 1]});
          result.acceptances.push_back(acceptance_of(spread));
          useful.push_back(useful_part_of(result.acceptances[i], spread));
        }

      const std::vector<unsigned int> factors = {
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

      // The last level has the ladder; all before it live by swaps.
      double least = infinity;
      for (const unsigned int n_cold_steps :
           {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 256u})
        {
          if (n_cold_steps > 1 && std::isinf(alone))
            break;
          const double rate = rate_of(found.result.autocorrelation_time) +
                              (n_cold_steps - 1) * rate_of(alone);
          std::vector<unsigned int> chosen(levels.size(), 1);
          const auto                try_paces = [&]() {
            double memory = std::exp(-rate);
            double work = work_of_round(levels.back(), n_cold_steps);
            double fine = levels.size() == 1 ? work : 1.;
            for (std::size_t i = levels.size() - 1; i > 0; --i)
              {
                memory =
                  1. - useful[i - 1] * (1. - std::pow(memory, chosen[i]));
                work = pilot.cost(levels[i - 1]) + chosen[i] * work;
              }
            std::vector<unsigned int> paces = {1};
            for (std::size_t i = 1; i < levels.size(); ++i)
              paces.push_back(paces.back() * chosen[i]);
            const double time = (1. + memory) / (1. - memory);
            // Rounds per effective draw, with a share of the burn-in.
            const double rounds =
              time + task.n_chains * burn_in(paces) / task.effective_draws;
            if (work * rounds < least)
              {
                least                       = work * rounds;
                result.autocorrelation_time = time;
                result.work                 = least;
                result.fine_solves          = fine * rounds;
                result.n_cold_steps         = n_cold_steps;
                result.paces                = paces;
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
      for (const std::string &coarse : candidates)
        {
          if (coarse == finest)
            continue;
          result.push_back(option({finest, coarse}));
          for (const std::string &medium : candidates)
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
      std::vector<std::string> temperatures, levels, paces, steps, kernels;
      const auto               add = [&](const double       temperature,
                           const std::string &level,
                           const unsigned int pace,
                           const unsigned int n_steps) {
        temperatures.push_back(
          std::isinf(temperature) ? "infinity" : to_text(temperature, 6));
        levels.push_back(level);
        paces.push_back(std::to_string(pace));
        steps.push_back(std::to_string(n_steps));
        kernels.push_back(n_steps > 1 ? kernel_alone : design.kernel);
      };
      const std::size_t n_levels = best.levels.size();
      for (std::size_t i = 0; i + 1 < n_levels; ++i)
        add(1., best.levels[i], best.paces[i], 0);
      for (std::size_t i = 0; i < design.temperatures.size(); ++i)
        add(design.temperatures[i],
            best.levels.back(),
            best.paces.back(),
            i == 0 ? best.n_cold_steps : 1);

      const double     of_burn_in = burn_in(best.paces);
      constexpr double reserve    = 1.25;
      const double     sampled =
        std::ceil(reserve * task.effective_draws * best.autocorrelation_time /
                  task.n_chains);

      auto &all = design.settings;
      all.push_back({"Chains", std::to_string(task.n_chains)});
      all.push_back({"Burn-in", to_text(of_burn_in, 15)});
      all.push_back(
        {"Iterations", to_text(of_burn_in + std::max(100., sampled), 15)});
      if (std::isinf(design.temperatures.back()))
        all.push_back({"Sampler/Start from", "prior"});
      all.push_back({"Sampler/Ladder/Temperatures", join(temperatures, ", ")});
      all.push_back({"Sampler/Ladder/Levels", join(levels, ", ")});
      all.push_back({"Sampler/Ladder/Pace", join(paces, ", ")});
      all.push_back({"Sampler/Ladder/Temper",
                     found.ladder.temper == Temper::likelihood ? "likelihood" :
                                                                 "posterior"});
      all.push_back({"Sampler/Kernel/Type",
                     best.n_cold_steps > 1 && kernel_alone != design.kernel ?
                       join(kernels, ", ") :
                       design.kernel});
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
      const bool is_only = task.levels.size() == 1;
      find_temperatures(first_ladder(task.levels[is_only ? 0 : 1]),
                        {},
                        is_only ? enough_draws : few_draws);
      if (!is_only)
        choose_levels();
      if (is_elsewhere)
        for (auto &spread : spreads)
          if (spread.first.first != spread.first.second)
            spread.second = infinity;
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
