// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_ladder_pilot_h
#define tempera_study_ladder_pilot_h

#include <tempera/run/run_settings.h>
#include <tempera/target/target.h>

#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /** A ladder of one level and one kernel, to be tried for a while. */
  struct PilotLadder
  {
    std::string level;
    /** May end with infinity. */
    std::vector<double> temperatures;
    /** Whether to space them anew in burn-in. */
    bool is_spaced = false;
    /** What they divide. */
    Temper      temper = Temper::automatic;
    std::string kernel;
    /** 'none', 'adapt' or 'adapt dense'. */
    std::string preconditioner = "none";
  };


  /** What came of it. Work is in forward solves of the finest level. */
  struct PilotResult
  {
    /** States and energies of the coldest rung, by chain and round. */
    std::vector<std::vector<std::vector<double>>> states;
    std::vector<std::vector<double>>              energies;

    /** As they were in the end: the mean over chains of their logarithms. */
    std::vector<double> temperatures;
    /** Where the rungs were in the end, by chain and rung. */
    std::vector<std::vector<std::vector<double>>> last_states;
    /** Share of rejected swaps of each pair. */
    std::vector<double> rejections;

    /** Of a chain in a round. */
    double work_per_round = 0.;

    /**
     * Rounds that are worth one independent draw: the most for any unknown, its
     * square, and the energy. Infinite if chains do not agree at all.
     */
    double autocorrelation_time = 0.;

    /** Effective draws of all chains. */
    double effective_size = 0.;

    /** Sum of the rejections: how far it is from the coldest to the hottest. */
    double
    barrier() const;

    /** Work for one effective draw of the coldest rung. */
    double
    work_per_draw() const
    {
      return work_per_round * autocorrelation_time;
    }

    /** About one standard deviation of the logarithm of work_per_draw(). */
    double
    error_of_logarithm() const;

    /** So many states, evenly from all rounds and all chains. */
    std::vector<std::vector<double>>
    spread_states(const std::size_t n) const;

    /**
     * States for another ladder to begin with: of each rung by chain, as hot as
     * there are any.
     */
    std::vector<std::vector<double>>
    states_for(const std::vector<double> &other_temperatures) const;

    /** So many of the last states of all rungs but the coldest. */
    std::vector<std::vector<double>>
    hot_states(const std::size_t n) const;

    /** So many states, each far from those before. */
    std::vector<std::vector<double>>
    distant_states(const std::size_t n) const;

    /**
     * Whether another pilot has found the same law: the means of all unknowns,
     * their squares and the energy are the same within their errors.
     */
    bool
    agrees_with(const PilotResult &other) const;

    std::size_t
    n_states() const
    {
      return states.size() * states[0].size();
    }

  private:
    /** A state of all those, in turns. */
    const std::vector<double> &
    state(const std::size_t i) const;
  };


  /**
   * Short runs without output, by which a ladder is designed. Their random
   * numbers are not those of any run.
   */
  class LadderPilot
  {
  public:
    /**
     * @param target Must outlive this object.
     * @param finest The level whose forward solves work is counted in.
     * @param stop Ends a run; its result is then worth nothing.
     */
    LadderPilot(Target                  &target,
                const std::string       &finest,
                const std::uint64_t      seed,
                const unsigned int       n_chains,
                const std::atomic<bool> &stop);

    /**
     * As many rounds of burn-in, and then of draws.
     *
     * @param starts States to begin with, by rung, and of each rung by chain;
     * if there are none, draws from the prior, or the target's centre.
     * @param most_work Where it ends; then there are no effective draws.
     */
    PilotResult
    run(const PilotLadder                      &ladder,
        const unsigned int                      n_rounds,
        const std::vector<std::vector<double>> &starts = {},
        const double most_work = std::numeric_limits<double>::infinity());

    /** Energies of a level at states; infinite where there is no solution. */
    std::vector<double>
    energies(const std::string                      &level,
             const std::vector<std::vector<double>> &states);

    /** Of one evaluation, in those of the finest level without gradients. */
    double
    cost(const std::string &level, const Request request = Request::values);

    /** Draws from the prior; those without a solution are drawn, too. */
    std::vector<std::vector<double>>
    prior_states(const std::size_t n) const;

    /** All work so far, set-up of levels included. */
    double
    work() const
    {
      return all_work;
    }

  private:
    std::shared_ptr<const Energy>
    energy(const std::string &level);

    Target                  &target;
    const std::string        finest;
    const std::uint64_t      seed;
    const unsigned int       n_chains;
    const std::atomic<bool> &stop;
    unsigned int             n_runs   = 0;
    double                   all_work = 0.;

    std::map<std::string, std::shared_ptr<const Energy>> energies_of_levels;
  };
} // namespace Tempera

#endif
