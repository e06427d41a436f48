// SPDX-License-Identifier: LGPL-2.1-or-later
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
    /** States at which levels are compared: cold ones, and as many hot ones. */
    constexpr unsigned int n_compared = 20;
    /** Effective draws of the coldest rung: as many as are welcome, and as few
     * as will do where pilots are expensive, or are not the last ones. */
    constexpr double enough_draws = 100., few_draws = 25.;
    /** What pilots may take of the work of the run that they plan: all of them,
     * one that would only know a little better, and one that might save much.
     */
    constexpr double share_of_run = 0.25, small_share = 0.05,
                     share_of_hope = 0.16;
    /** Solves for an effective draw and an unknown: what 'differences' take
     * where the posterior is nearly normal is six at best. */
    constexpr double good_solves = 10.;
    /** What moves on ladders, and on a rung alone: both learn the law. */
    const std::string ladder_kernel = "differences + mixture",
                      single_kernel = "Laplace + differences";
    /** Draws of one level serve another if their energies differ by less. */
    constexpr double nearly_the_same = 0.6, too_different = 1.5;

    /** What pilots have found on one level. */
    struct Found
    {
      PilotLadder ladder;
      PilotResult result;
      TriedLadder tried;
      /** Of its rungs. */
      std::vector<TriedLadder> shorter;

      /** Of the pilots of the ladder: rounds of the next one, the barrier by
       * the last, and draws of all of them, of which the last count most. */
      unsigned int n_rounds     = 0;
      double       last_barrier = infinity, n_draws = 0., n_effective = 0.;
    };


    /** What pilots of some rungs of a ladder have found. */
    struct Shorter
    {
      PilotLadder ladder;
      PilotResult result;
      TriedLadder tried;
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
      return sum > 0. ? std::sqrt(squares / sum) : infinity;
    }


    /**
     * Where levels are compared: at draws of the coldest rung, if they are
     * where the finest level has its posterior, too. If it has lower energies
     * at hotter states, its posterior is elsewhere; then at all states, by what
     * they weigh on the finest level at a temperature that leaves several.
     */
    struct Comparison
    {
      /** @param n_cold The first of the states; none if none is cold. */
      Comparison(const std::vector<double> &finest, const unsigned int n_cold)
        : weights(finest.size(), 0.)
      {
        constexpr double lower = 3., fewest = 6., hottest = 1e12;

        const double least = *std::min_element(finest.begin(), finest.end());
        if (!std::isfinite(least))
          {
            is_elsewhere = true;
            return;
          }
        if (n_cold > 0 &&
            least > *std::min_element(finest.begin(), finest.begin() + n_cold) -
                      lower)
          {
            std::fill_n(weights.begin(), n_cold, 1.);
            return;
          }
        double size = 0.;
        for (; size < fewest && temperature < hottest; temperature *= 2.)
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
            if (size >= fewest)
              break;
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
        , pilot(target, task.levels[0], task.seed, task.n_chains, stop)
        , energy(target.energy(task.levels[0]))
        , dimension(energy->space().dimension())
        , finest(task.levels[0])
      {}

      LadderDesign
      make();

    private:
      /** Where the first pilot is. */
      std::string
      first_level();

      /** A ladder on a level as a pilot begins with it. */
      PilotLadder
      first_ladder(const std::string &level);

      /**
       * Know the law on a level: first by a few rounds of the whole ladder, to
       * see what there is; then by its coldest rung alone, if that finds all of
       * this, else by the ladder.
       */
      void
      explore(const PilotLadder                      &ladder,
              const std::vector<std::vector<double>> &starts,
              const double                            enough);

      /** Begin with a ladder on a level. */
      void
      begin(const PilotLadder &ladder);

      /**
       * Pilots of doubling length, until enough is known or too much spent.
       *
       * @param starts Of the first; the others go on where it came to.
       * @param most_pilots Though it is not enough.
       * @return Whether no more are needed.
       */
      bool
      run_ladder(std::vector<std::vector<double>> starts,
                 const double                     enough,
                 const unsigned int               most_pilots);

      /** Find the level for the ladder, and be there. */
      void
      choose_levels();

      /** Where the ladder seems to belong. */
      std::string
      promising_level();

      /** Deviations of energies between levels that are worth it, where the
       * draws are; or at states of no law at all. */
      void
      compare_levels(const std::vector<std::vector<double>> &cold,
                     const std::vector<std::vector<double>> &hot);

      /** Whether some of the rungs, or the coldest alone, will do. */
      void
      try_shorter_ladders();

      /** Pilots of so many of the rungs, until enough is known, or too much
       * spent. */
      Shorter
      run_shorter(const std::size_t n_temperatures, const std::string &kernel);

      /** Whether they find what all have found; then they are a choice. */
      bool
      take(const Shorter &shorter);

      bool
      try_shorter(const std::size_t n_temperatures, const std::string &kernel)
      {
        const Shorter shorter = run_shorter(n_temperatures, kernel);
        return !stop && take(shorter);
      }

      /**
       * Whether chains agree with each other. A few effective draws a chain are
       * what chains have that never meet.
       */
      bool
      is_enough_of(const PilotResult &result) const
      {
        constexpr double least_of_chain = 4.;
        return result.effective_size > least_of_chain * task.n_chains;
      }

      /**
       * Whether the ladder reaches the prior, and of so few unknowns that its
       * pilots find what there is: then nothing is taken without them.
       */
      bool
      knows_all_modes() const
      {
        constexpr unsigned int few_unknowns = 10;
        return found.ladder.temper == Temper::likelihood &&
               dimension <= few_unknowns;
      }

      /**
       * Whether they do, and have found a law; or know more of it than others,
       * from states of whose they have begun.
       */
      bool
      finds(const PilotResult &result, const PilotResult &law) const
      {
        return is_enough_of(result) &&
               ((!knows_all_modes() &&
                 result.effective_size > law.effective_size) ||
                result.agrees_with(law));
      }

      /**
       * Rounds of burn-in that some of the rungs need from where a run begins:
       * pilots from there must find the same law. Infinite if they do not.
       */
      double
      burn_in_from_start(const PilotLadder &ladder, const PilotResult &law);

      /** What a pilot may take that could save much. */
      double
      allowance() const
      {
        return std::max(rest(),
                        share_of_hope * task.effective_draws * predicted);
      }

      /** As the formula takes it. */
      TriedLadder
      tried(const PilotLadder &ladder, const PilotResult &result);

      /** Solves for an effective draw of a ladder of its own. */
      bool
      is_good(const TriedLadder &ladder) const
      {
        return ladder.solves * ladder.time < good_solves * dimension;
      }

      /** What is known so far, for the formula. */
      void
      update_findings();

      void
      write_settings(const LadderOption &best, LadderDesign &design) const;

      /** Work of a pilot with so many rounds of draws. */
      double
      work_of_pilot(const unsigned int rounds,
                    const double       work_per_round) const
      {
        return 2. * rounds * task.n_chains * work_per_round;
      }

      /** What pilots may still take. */
      double
      rest() const
      {
        return share_of_run * task.effective_draws * predicted - pilot.work();
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
      const DesignTask                                task;
      const std::function<void(const std::string &)> &say;
      const std::atomic<bool>                        &stop;
      LadderPilot                                     pilot;
      const std::shared_ptr<const Energy>             energy;
      const unsigned int                              dimension;
      const std::string                               finest;

      /** By level, and the one that counts. */
      std::map<std::string, Found> on_levels;
      Found                        found;
      LadderFindings               findings;
      /** Whether the last pilot was where the finest posterior is not. */
      bool is_elsewhere = false;
      /** Whether chains of the last shorter ladder never met. */
      bool is_divided = false;
      /** Work per effective draw of the best design so far. */
      double predicted = infinity;
    };



    std::string
    Designer::first_level()
    {
      if (task.levels.size() == 1)
        return finest;
      std::string cheapest = task.levels[1];
      for (const std::string &level : task.levels)
        if (pilot.cost(level) < pilot.cost(cheapest))
          cheapest = level;
      if (!target.has_random_starts())
        return cheapest;
      // What is far off already where the prior is, is no place to begin.
      compare_levels({}, pilot.prior_states(n_compared));
      return promising_level();
    }



    PilotLadder
    Designer::first_ladder(const std::string &level)
    {
      constexpr unsigned int n_rungs = 7, few_unknowns = 30;

      PilotLadder ladder;
      ladder.level = level;
      ladder.kernel =
        dimension > few_unknowns && cost_of_gradients(level) < 1. ?
          "HMC" :
          ladder_kernel;
      ladder.is_spaced  = true;
      const bool is_law = target.prior() && target.prior()->is_integrable(1.);
      // An energy in a box, or with a Gaussian prior.
      const bool has_prior = is_law || energy->is_integrable({1., 0.});
      ladder.temper        = has_prior ? Temper::likelihood : Temper::posterior;
      double hottest       = is_law    ? infinity :
                             has_prior ? hot_as_the_prior :
                                         highest_temperature;
      while (!has_prior && hottest > 1.01 &&
             !energy->is_integrable({1. / hottest, 1. / hottest}))
        hottest = 1. + (hottest - 1.) / 2.;
      ladder.temperatures = geometric(n_rungs, hottest);
      return ladder;
    }



    void
    Designer::explore(const PilotLadder                      &ladder,
                      const std::vector<std::vector<double>> &starts,
                      const double                            enough)
    {
      constexpr unsigned int few_pilots = 2, all_pilots = 1000;

      begin(ladder);
      found.ladder.kernel = ladder_kernel;
      bool is_done =
        run_ladder(starts, enough, knows_all_modes() ? all_pilots : few_pilots);
      if (stop)
        return;
      const Shorter shorter = run_shorter(1, single_kernel);
      // If both say that they know the law, and do not agree, one of them is
      // wrong. Short pilots of ladders are so sooner, and go on.
      constexpr double most_doubt = 0.5;
      while (!stop && !take(shorter) &&
             (!is_done ||
              (is_enough_of(shorter.result) &&
               pilot.work() < most_doubt * task.effective_draws * predicted)))
        {
          found.ladder.kernel = ladder.kernel;
          is_done             = run_ladder({},
                               enough,
                               is_enough_of(shorter.result) ? 1 : all_pilots);
        }
      on_levels[found.ladder.level] = found;
    }



    void
    Designer::begin(const PilotLadder &ladder)
    {
      constexpr unsigned int first_rounds = 32;

      found          = Found();
      found.ladder   = ladder;
      found.n_rounds = first_rounds;
    }



    bool
    Designer::run_ladder(std::vector<std::vector<double>> starts,
                         const double                     enough,
                         const unsigned int               most_pilots)
    {
      constexpr unsigned int last_rounds = 8192, most_rungs = 64;
      constexpr double       too_far = 0.75;

      PilotLadder &ladder  = found.ladder;
      PilotResult &result  = found.result;
      bool         is_done = false;
      if (starts.empty() && !result.last_states.empty())
        starts = result.states_for(ladder.temperatures);
      for (unsigned int n_pilots = 0; n_pilots < most_pilots && !is_done;
           ++n_pilots)
        {
          result = pilot.run(ladder, found.n_rounds, starts);
          if (stop)
            return true;
          const double barrier = result.barrier();
          const bool   is_far =
            *std::max_element(result.rejections.begin(),
                              result.rejections.end()) > too_far &&
            ladder.temperatures.size() < most_rungs;
          ladder.temperatures =
            spaced(result,
                   is_far ?
                     2 * ladder.temperatures.size() :
                     std::max(2,
                              static_cast<int>(std::ceil(2. * barrier)) + 1));
          ladder.is_spaced = false;
          starts           = result.states_for(ladder.temperatures);
          found.tried      = tried(ladder, result);
          // By the last pilots: one alone may be the last because it was good.
          found.n_draws     = 0.5 * found.n_draws + result.n_states();
          found.n_effective = 0.5 * found.n_effective + result.effective_size;
          if (found.n_effective > 0.)
            found.tried.time = std::max(1., found.n_draws / found.n_effective);
          update_findings();
          if (is_far)
            continue;
          const double next =
            work_of_pilot(2 * found.n_rounds, result.work_per_round);
          const bool is_settled =
            std::abs(barrier - found.last_barrier) < 0.15 * barrier + 0.1;
          const bool is_enough =
            result.effective_size > enough ||
            (result.effective_size > few_draws &&
             next > small_share * task.effective_draws * predicted);
          is_done = (is_settled && is_enough) ||
                    2 * found.n_rounds > last_rounds ||
                    (next > rest() && (is_settled || !knows_all_modes()));
          // The second begins where the first one came to.
          if (std::isfinite(found.last_barrier))
            found.n_rounds *= 2;
          found.last_barrier = barrier;
        }
      say("level '" + ladder.level + "': barrier " +
          to_text(result.barrier(), 3) + ", " +
          to_text(result.effective_size, 3) + " effective draws in " +
          counted(result.states[0].size(), "round") + "; work so far " +
          to_text(pilot.work(), 3));
      return is_done;
    }



    TriedLadder
    Designer::tried(const PilotLadder &ladder, const PilotResult &result)
    {
      TriedLadder one;
      one.temperatures = ladder.temperatures;
      one.kernel       = ladder.kernel;
      one.is_whole =
        ladder.temper == Temper::likelihood &&
        ladder.temperatures.back() == found.ladder.temperatures.back();
      one.solves = result.work_per_round / result.temperatures.size() *
                   ladder.temperatures.size() / pilot.cost(ladder.level);
      one.time  = result.autocorrelation_time;
      one.error = result.error_of_logarithm();
      // Archives need states of the posterior, which hot rungs bring.
      const double least = ladder.kernel == single_kernel ? 64. :
                           ladder.kernel == "HMC"         ? 150. :
                           ladder.temperatures.size() > 1 ? 200. :
                                                            500.;
      one.burn_in        = std::max({least, 20. * dimension, 10. * one.time});
      return one;
    }



    void
    Designer::update_findings()
    {
      findings.n_chains        = task.n_chains;
      findings.effective_draws = task.effective_draws;
      findings.ladders         = {found.tried};
      findings.ladders.insert(findings.ladders.end(),
                              found.shorter.begin(),
                              found.shorter.end());
      // Where draws are expensive, learning pays.
      constexpr double learning = 0.25;
      for (TriedLadder &ladder : findings.ladders)
        if (std::isfinite(ladder.time))
          ladder.burn_in = std::max(ladder.burn_in,
                                    std::ceil(learning * task.effective_draws *
                                              ladder.time / task.n_chains));
      if (findings.levels.empty())
        {
          findings.levels                    = {finest};
          findings.costs[finest]             = 1.;
          findings.spreads[{finest, finest}] = 0.;
        }
      // What it takes at least where nothing is known of the levels yet.
      predicted = task.levels.size() > 1 && on_levels.empty() ?
                    1. + found.tried.time * found.result.work_per_round :
                    ladder_options(findings)[0].work;
    }



    void
    Designer::compare_levels(const std::vector<std::vector<double>> &cold,
                             const std::vector<std::vector<double>> &hot)
    {
      // A level that is dearer than one that is close enough has no use.
      constexpr double close = 0.15;

      std::vector<std::vector<double>> states = cold;
      states.insert(states.end(), hot.begin(), hot.end());
      std::map<std::string, std::vector<double>> energies;
      energies[finest] = pilot.energies(finest, states);
      const Comparison comparison(energies.at(finest), cold.size());

      std::vector<std::string> levels = task.levels;
      std::stable_sort(levels.begin() + 1,
                       levels.end(),
                       [&](const std::string &a, const std::string &b) {
                         return pilot.cost(a) < pilot.cost(b);
                       });
      findings.levels = {finest};
      findings.spreads.clear();
      double cost_close = infinity;
      for (const std::string &level : levels)
        {
          findings.costs[level]            = pilot.cost(level);
          findings.spreads[{level, level}] = 0.;
          const bool is_here               = level == found.ladder.level;
          if (level == finest ||
              (!is_here && pilot.cost(level) > 2. * cost_close))
            continue;
          findings.levels.push_back(level);
          energies[level] = pilot.energies(level, states);
          for (const auto &other : energies)
            findings.spreads[{level, other.first}] =
              findings.spreads[{other.first, level}] =
                spread_of(energies.at(level),
                          other.second,
                          comparison.weights) /
                comparison.temperature;
          if (findings.spreads.at({level, finest}) < close)
            cost_close = std::min(cost_close, pilot.cost(level));
        }
      is_elsewhere = comparison.is_elsewhere;
    }



    std::string
    Designer::promising_level()
    {
      constexpr double most_cost = 0.3;

      if (!is_elsewhere &&
          findings.spreads.at({found.ladder.level, finest}) < too_different)
        return ladder_options(findings)[0].levels.back();
      std::string best;
      for (const std::string &level : findings.levels)
        {
          const double spread = findings.spreads.at({level, finest});
          if (level == finest || pilot.cost(level) > most_cost ||
              on_levels.count(level) > 0)
            continue;
          if (best.empty())
            {
              best = level;
              continue;
            }
          // The cheapest of those that are close, else the closest.
          const double least = findings.spreads.at({best, finest});
          if (spread < too_different / 2. && least < too_different / 2. ?
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

      for (unsigned int i = 0; i < most_moves && !stop; ++i)
        {
          compare_levels(found.result.spread_states(n_compared),
                         found.result.hot_states(n_compared));
          if (is_elsewhere)
            say("the posterior of level '" + finest + "' is elsewhere");
          else
            update_findings();
          const std::string level = promising_level();
          if (on_levels.count(level) > 0)
            {
              found = on_levels.at(level);
              update_findings();
              return;
            }
          if (!is_elsewhere && findings.spreads.at(
                                 {level, found.ladder.level}) < nearly_the_same)
            return;
          PilotLadder ladder = found.ladder;
          ladder.level       = level;
          if (!is_elsewhere &&
              work_of_pilot(64, found.tried.solves * pilot.cost(level)) >
                rest())
            {
              say("level '" + level + "' is too expensive for a pilot");
              return;
            }
          explore(ladder,
                  found.result.states_for(ladder.temperatures),
                  enough_draws);
        }
    }



    Shorter
    Designer::run_shorter(const std::size_t  n_temperatures,
                          const std::string &kernel)
    {
      // Archives learn from some hundred states.
      const unsigned int first_rounds =
        kernel == ladder_kernel && n_temperatures == 1 ? 128 : 64;
      constexpr unsigned int last_rounds = 2048;
      // Chains that never meet have one effective draw each.
      constexpr double hopeless = 1.25;

      Shorter      shorter;
      PilotLadder &ladder = shorter.ladder;
      PilotResult &result = shorter.result;
      TriedLadder &one    = shorter.tried;
      ladder              = found.ladder;
      ladder.temperatures.resize(n_temperatures);
      ladder.kernel = kernel;
      // From states that are far from each other: where there are several
      // modes, chains stay in them, and that shows as an endless time.
      const auto distant = found.result.distant_states(task.n_chains);
      std::vector<std::vector<double>> starts;
      for (std::size_t i = 0; i < n_temperatures; ++i)
        starts.insert(starts.end(), distant.begin(), distant.end());
      double n_draws = 0., n_effective = 0.;
      for (unsigned int rounds = first_rounds; !stop; rounds *= 2)
        {
          result = pilot.run(ladder, rounds, starts, 2. * allowance());
          if (stop)
            break;
          say((n_temperatures == 1 ?
                 "the coldest rung" :
                 "the coldest " + counted(n_temperatures, "rung")) +
              " alone, '" + kernel + "': " + counted(rounds, "round") + ", " +
              to_text(result.effective_size, 3) + " effective draws, work " +
              to_text(result.work_per_draw(), 3) + " each");
          n_draws     = 0.5 * n_draws + result.n_states();
          n_effective = 0.5 * n_effective + result.effective_size;
          // What a ladder of one or a few rungs saves is worth a pilot even
          // where those of the whole one have taken all that there was. And
          // what is not good may become so when more is learned.
          one      = tried(ladder, result);
          one.time = std::max(1., n_draws / n_effective);
          if ((result.effective_size > few_draws && is_good(one)) ||
              (rounds > first_rounds &&
               result.effective_size < hopeless * task.n_chains) ||
              2 * rounds > last_rounds ||
              work_of_pilot(2 * rounds, result.work_per_round) > allowance())
            break;
        }
      is_divided = result.effective_size < hopeless * task.n_chains;
      return shorter;
    }



    bool
    Designer::take(const Shorter &shorter)
    {
      const PilotLadder &ladder = shorter.ladder;
      const PilotResult &result = shorter.result;
      TriedLadder        one    = shorter.tried;
      if (!finds(result, found.result))
        return false;
      one.burn_in = std::max(one.burn_in, burn_in_from_start(ladder, result));
      if (std::isinf(one.burn_in))
        {
          is_divided = true;
          say("but not from where a run begins");
          return false;
        }
      // Hot rungs free chains that stick where the posterior is bent, and find
      // what is far: both happen too seldom for short pilots.
      constexpr double unseen = 2.;
      if (ladder.temperatures.size() == 1 ? !is_good(one) :
                                            ladder.temper == Temper::likelihood)
        one.time *= unseen;
      found.shorter.push_back(one);
      // The coldest rung's draws are those of whoever has most.
      if (result.effective_size > found.result.effective_size)
        {
          found.result.states         = result.states;
          found.result.energies       = result.energies;
          found.result.effective_size = result.effective_size;
        }
      update_findings();
      return true;
    }



    double
    Designer::burn_in_from_start(const PilotLadder &ladder,
                                 const PilotResult &law)
    {
      constexpr unsigned int last_rounds = 2048;
      const unsigned int     first_rounds =
        ladder.kernel == single_kernel ? 32 : 128;
      // Half of it is for what comes when the law is found, and other chains
      // may be slower by as much again.
      constexpr double reserve = 4.;

      for (unsigned int rounds = first_rounds; !stop; rounds *= 2)
        {
          const PilotResult result = pilot.run(ladder, rounds);
          if (is_enough_of(result) && result.agrees_with(law))
            return reserve * rounds;
          if (2 * rounds > last_rounds ||
              work_of_pilot(2 * rounds, law.work_per_round) > allowance())
            break;
        }
      return infinity;
    }



    void
    Designer::try_shorter_ladders()
    {
      constexpr unsigned int few_unknowns = 30;
      constexpr double       hopeless     = 1.;

      const auto can_take = [&](const unsigned int n_solves) {
        return work_of_pilot(n_solves, pilot.cost(found.ladder.level)) < rest();
      };
      // Nothing is better than what explore() has found then.
      if (std::any_of(found.shorter.begin(),
                      found.shorter.end(),
                      [this](const TriedLadder &one) { return is_good(one); }))
        return;
      const bool has_gradients =
        cost_of_gradients(found.ladder.level) < hopeless;
      const std::size_t n    = found.ladder.temperatures.size();
      const std::size_t half = (n + 1) / 2;
      // Where the coldest rung's chains never meet there are several modes, and
      // only the prior is sure to know them all.
      if (half > 1 && half < n && can_take(64 * half) &&
          !(is_divided && found.ladder.temper == Temper::likelihood))
        try_shorter(half, found.ladder.kernel);
      if (has_gradients && can_take(dimension > few_unknowns ? 0 : 1000))
        try_shorter(1, "HMC");
    }



    void
    Designer::write_settings(const LadderOption &best,
                             LadderDesign       &design) const
    {
      std::vector<std::string> temperatures, levels, paces, steps;
      const auto               add = [&](const double       temperature,
                           const std::size_t  level,
                           const unsigned int n_steps) {
        temperatures.push_back(
          std::isinf(temperature) ? "infinity" : to_text(temperature, 6));
        levels.push_back(best.levels[level]);
        paces.push_back(std::to_string(best.paces[level]));
        steps.push_back(std::to_string(n_steps));
      };
      const std::size_t last = best.levels.size() - 1;
      for (std::size_t i = 0; i < last; ++i)
        add(1., i, 0);
      for (const double temperature : best.ladder.temperatures)
        add(temperature, last, 1);

      constexpr double reserve = 1.25;
      const double     sampled =
        std::max(100.,
                 std::ceil(reserve * task.effective_draws *
                           best.autocorrelation_time / task.n_chains));
      design.n_rounds = best.burn_in + sampled;
      // It ends with the effective draws, unless all was a mistake.
      constexpr double far_too_many = 20.;

      auto &all = design.settings;
      all.push_back({"Chains", std::to_string(task.n_chains)});
      all.push_back({"Burn-in", to_text(best.burn_in, 15)});
      all.push_back(
        {"Iterations", to_text(best.burn_in + far_too_many * sampled, 15)});
      all.push_back({"Effective draws", to_text(task.effective_draws, 15)});
      if (target.has_random_starts())
        all.push_back({"Sampler/Start from", "prior"});
      all.push_back({"Sampler/Ladder/Temperatures", join(temperatures, ", ")});
      all.push_back({"Sampler/Ladder/Levels", join(levels, ", ")});
      all.push_back({"Sampler/Ladder/Pace", join(paces, ", ")});
      all.push_back({"Sampler/Ladder/Temper",
                     found.ladder.temper == Temper::likelihood ? "likelihood" :
                                                                 "posterior"});
      all.push_back({"Sampler/Kernel/Type", best.ladder.kernel});
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

      // Pilots begin where it costs little, and go on where the best ladder is,
      // since levels are to be compared where the posterior is.
      const bool is_only = task.levels.size() == 1;
      explore(first_ladder(first_level()),
              {},
              is_only ? enough_draws : few_draws);
      if (!is_only && !stop)
        choose_levels();
      if (stop)
        return design;
      if (is_elsewhere)
        for (auto &spread : findings.spreads)
          if (spread.first.first != spread.first.second)
            spread.second = infinity;
      try_shorter_ladders();
      if (stop)
        return design;
      design.options        = ladder_options(findings);
      design.temperatures   = design.options[0].ladder.temperatures;
      design.kernel         = design.options[0].ladder.kernel;
      design.preconditioner = found.ladder.preconditioner;
      design.barrier        = found.result.barrier();
      design.work           = pilot.work();
      if (!std::isfinite(design.options[0].work))
        design.objection = "its pilots have found no effective draw";
      else
        write_settings(design.options[0], design);
      return design;
    }
  } // namespace



  std::string
  LadderDesign::text() const
  {
    if (!objection.empty())
      return "-- no ladder is designed for this target, since " + objection +
             ": that of the section 'Sampler' is taken, with its defaults\n";
    if (options.empty())
      return "";
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
