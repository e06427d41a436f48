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
    /** Of the hottest rung, where there is no prior to go to. */
    constexpr double highest_temperature = 100.;
    /** Rounds of the first pilot, and how often they may be doubled. */
    constexpr unsigned int first_rounds = 250, most_doublings = 6;
    /** States at which levels are compared. */
    constexpr unsigned int n_compared = 24;
    /** Pilots end with so many effective draws of the coldest rung. */
    constexpr double enough_draws = 100.;

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

    /** What the pilots have found. */
    struct Findings
    {
      PilotLadder ladder;
      PilotResult result;
      /** Autocorrelation times of the ladder, and of its coldest rung alone. */
      double together = infinity, alone = infinity;
      /** By level: deviation of the energy from that of another level. */
      std::map<std::pair<std::string, std::string>, double> spreads;
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
        , dimension(target.energy(task.levels[0])->space().dimension())
        , has_prior(target.prior() && target.prior()->is_integrable(1.))
      {}

      LadderDesign
      make();

    private:
      void
      find_temperatures(const std::string &level);

      void
      choose_kernel();

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

      Target                                         &target;
      const DesignTask                               &task;
      const std::function<void(const std::string &)> &say;
      const std::atomic<bool>                        &stop;
      LadderPilot                                     pilot;
      const unsigned int                              dimension;
      const bool                                      has_prior;
      Findings                                        found;
      double                                          barrier  = 0.;
      unsigned int                                    n_rounds = first_rounds;
    };



    void
    Designer::find_temperatures(const std::string &level)
    {
      PilotLadder ladder;
      ladder.level  = level;
      ladder.kernel = dimension <= 10 ? "differences" : "MALA";
      if (dimension > 10)
        ladder.preconditioner = dimension <= 100 ? "adapt dense" : "adapt";
      ladder.is_spaced = true;
      ladder.temperatures =
        geometric(8, has_prior ? infinity : highest_temperature);

      PilotResult  result;
      double       last_barrier = infinity;
      unsigned int n_doublings  = 0;
      while (!stop)
        {
          const bool        is_first = result.states.empty();
          const PilotResult before   = result;
          result =
            pilot.run(ladder, n_rounds, n_rounds, is_first ? nullptr : &before);
          barrier = 0.;
          for (const double rejection : result.rejections)
            barrier += rejection;
          say("temperatures on level '" + level + "': " +
              counted(n_rounds, "round") + ", barrier " + to_text(barrier, 3));
          const double largest = *std::max_element(result.rejections.begin(),
                                                   result.rejections.end());
          if (largest > 0.75 && ladder.temperatures.size() < 60)
            {
              ladder.temperatures = geometric(2 * ladder.temperatures.size(),
                                              ladder.temperatures.back());
              continue;
            }
          const bool is_settled =
            std::abs(barrier - last_barrier) < 0.15 * barrier + 0.05;
          if ((is_settled && result.effective_size > enough_draws) ||
              ++n_doublings > most_doublings)
            break;
          last_barrier = barrier;
          n_rounds *= 2;
        }
      const unsigned int n =
        std::max(2, static_cast<int>(std::ceil(2. * barrier)) + 1);
      ladder.is_spaced    = false;
      ladder.temperatures = spaced(result, n);
      found.ladder        = ladder;
      found.result        = result;
    }



    void
    Designer::choose_kernel()
    {
      const std::string learned = dimension <= 100 ? "adapt dense" : "adapt";
      std::vector<std::pair<std::string, std::string>> kernels = {
        {"differences", "none"}, {"MALA", learned}, {"HMC", "none"}};
      const PilotResult before = found.result;
      double            least  = infinity;
      for (const auto &[kernel, preconditioner] : kernels)
        {
          PilotLadder ladder    = found.ladder;
          ladder.kernel         = kernel;
          ladder.preconditioner = preconditioner;
          if (stop)
            return;
          const PilotResult result =
            pilot.run(ladder, n_rounds, n_rounds, &before);
          const double work =
            result.work_per_round * result.autocorrelation_time;
          say("kernel '" + kernel +
              "': " + to_text(result.autocorrelation_time, 3) +
              " rounds an effective draw, work " + to_text(work, 3));
          if (work < least)
            {
              least          = work;
              found.ladder   = ladder;
              found.result   = result;
              found.together = result.autocorrelation_time;
            }
        }

      while (!stop && found.result.effective_size < enough_draws &&
             n_rounds < (first_rounds << most_doublings))
        {
          n_rounds *= 2;
          const PilotResult shorter = found.result;
          found.result = pilot.run(found.ladder, n_rounds, n_rounds, &shorter);
          found.together = found.result.autocorrelation_time;
          say("the same for " + counted(n_rounds, "round") + ": " +
              to_text(found.together, 3) + " rounds an effective draw");
        }

      // The coldest rung alone, from wherever the posterior is: that chains
      // stay in their modes shows as an endless time.
      PilotLadder alone               = found.ladder;
      alone.temperatures              = {1.};
      const PilotResult ladder_states = found.result;
      const PilotResult of_alone =
        pilot.run(alone, n_rounds, n_rounds, &ladder_states);
      // A few effective draws a chain are what chains have that never meet.
      constexpr double least_of_chain = 5.;
      found.alone = of_alone.effective_size > least_of_chain * task.n_chains ?
                      of_alone.autocorrelation_time :
                      infinity;
      say("the coldest rung alone: " + to_text(found.alone, 3) +
          " rounds an effective draw");
    }



    void
    Designer::compare_levels()
    {
      std::vector<std::vector<double>> states;
      const std::size_t                n = found.result.n_states();
      for (unsigned int i = 0; i < n_compared; ++i)
        states.push_back(found.result.state(
          static_cast<std::size_t>((i + 0.5) / n_compared * n)));
      std::map<std::string, std::vector<double>> energies;
      for (const std::string &level : task.levels)
        energies[level] = pilot.energies(level, states);
      found.spreads.clear();
      for (const auto &one : energies)
        for (const auto &other : energies)
          found.spreads[{one.first, other.first}] =
            spread_of(one.second, other.second);
    }



    double
    Designer::work_of_round(const std::string &level,
                            const unsigned int n_cold_steps)
    {
      const double of_step = found.result.work_per_round /
                             found.ladder.temperatures.size() /
                             pilot.cost(found.ladder.level, Request::values) *
                             pilot.cost(level, Request::values);
      return of_step * (found.ladder.temperatures.size() + n_cold_steps - 1.);
    }



    LadderOption
    Designer::option(const std::vector<std::string> &levels)
    {
      LadderOption result;
      result.levels = levels;
      for (std::size_t i = 0; i + 1 < levels.size(); ++i)
        result.acceptances.push_back(
          acceptance_of(found.spreads.at({levels[i], levels[i + 1]})));

      const unsigned int n_temperatures = found.ladder.temperatures.size();
      const std::vector<unsigned int> factors = {
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

      // The last level has the ladder; all before it live by swaps.
      double least = infinity;
      for (const unsigned int n_cold_steps :
           {1u, n_temperatures, 4 * n_temperatures, 16 * n_temperatures})
        {
          const double rate =
            rate_of(found.together) + (n_cold_steps - 1) * rate_of(found.alone);
          std::vector<unsigned int> chosen(levels.size(), 1);
          const auto                try_paces = [&]() {
            double memory = std::exp(-rate);
            double work = work_of_round(levels.back(), n_cold_steps);
            double fine = levels.size() == 1 ? work : 1.;
            for (std::size_t i = levels.size() - 1; i > 0; --i)
              {
                memory = 1. - result.acceptances[i - 1] *
                                (1. - std::pow(memory, chosen[i]));
                work =
                  pilot.cost(levels[i - 1], Request::values) + chosen[i] * work;
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
                pilot.cost(medium, Request::values) >
                  2. * pilot.cost(coarse, Request::values))
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
      const double own_rounds = std::max(400., 10. * found.together);
      const double burn_in =
        std::max(n_levels > 1 ? 60. : 200.,
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
      if (has_prior)
        all.push_back({"Sampler/Start from", "prior"});
      all.push_back({"Sampler/Ladder/Temperatures", join(temperatures, ", ")});
      all.push_back({"Sampler/Ladder/Levels", join(levels, ", ")});
      all.push_back({"Sampler/Ladder/Pace", join(paces, ", ")});
      all.push_back(
        {"Sampler/Ladder/Temper", has_prior ? "likelihood" : "posterior"});
      all.push_back({"Sampler/Kernel/Type", design.kernel});
      all.push_back({"Sampler/Kernel/Steps per round", join(steps, ", ")});
      all.push_back({"Sampler/Kernel/Preconditioner", design.preconditioner});
      all.push_back({"Sampler/Swaps/Rule", "exact"});
    }



    LadderDesign
    Designer::make()
    {
      LadderDesign design;
      const auto   finest = target.energy(task.levels[0]);
      if (finest->is_stochastic() || finest->has_noisy_gradients())
        design.objection = "its energy is stochastic";
      else if (target.has_warm_start() || dimension > most_unknowns)
        design.objection = "it has " + counted(dimension, "unknown") +
                           ", and pilots are for " +
                           std::to_string(most_unknowns) + " at most";
      if (!design.objection.empty())
        return design;

      // Pilots run where it costs least, and again where the best ladder is,
      // since levels are to be compared where the posterior is.
      std::string base = task.levels[0];
      for (const std::string &level : task.levels)
        if (pilot.cost(level, Request::values) <
            pilot.cost(base, Request::values))
          base = level;
      find_temperatures(base);
      choose_kernel();
      compare_levels();
      design.options                    = all_options();
      constexpr unsigned int most_moves = 3;
      for (unsigned int i = 0; i < most_moves && !stop; ++i)
        {
          const std::string level = design.options[0].levels.back();
          // Finer ones only, so that there is an end.
          const double cost = pilot.cost(level, Request::values);
          if (cost <= pilot.cost(found.ladder.level, Request::values) ||
              cost > 0.1)
            break;
          say("a pilot on level '" + level + "'");
          found.ladder.level       = level;
          const PilotResult before = found.result;
          found.result   = pilot.run(found.ladder, n_rounds, n_rounds, &before);
          found.together = found.result.autocorrelation_time;
          compare_levels();
          design.options = all_options();
        }
      design.temperatures   = found.ladder.temperatures;
      design.kernel         = found.ladder.kernel;
      design.preconditioner = found.ladder.preconditioner;
      design.barrier        = barrier;
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
