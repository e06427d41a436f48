// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_ladder_options_h
#define tempera_study_ladder_options_h

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /** Rungs of one level, as pilots have tried them. */
  struct TriedLadder
  {
    /** From the posterior on. */
    std::vector<double> temperatures;
    std::string         kernel;
    /** Whether the last rung is the prior, or nearly so. */
    bool is_whole = true;

    /** A round, in forward solves of its level. */
    double solves = 1.;
    /** Rounds that are worth one effective draw, and the deviation of the
     * logarithm of what is known of that. */
    double time = std::numeric_limits<double>::infinity(), error = 0.;
    /** Rounds of its own in which it learns. */
    double burn_in = 0.;
  };


  /**
   * What is known of a target before it is sampled, for the price of ladders
   * (doc/automatic.md). Work is in forward solves of the finest level.
   */
  struct LadderFindings
  {
    /** The finest first, then those that are worth a thought. */
    std::vector<std::string> levels;
    /** A forward solve of each. */
    std::map<std::string, double> costs;
    /** By two levels: deviation of the difference of their energies where the
     * posterior is; infinite if it is not known. */
    std::map<std::pair<std::string, std::string>, double> spreads;

    std::vector<TriedLadder> ladders;

    unsigned int n_chains        = 1;
    double       effective_draws = 1.;
  };


  /** One way through the plane of temperatures and levels, and its price. */
  struct LadderOption
  {
    /** From the finest level to the one that moves by itself. */
    std::vector<std::string> levels;
    /** Rounds of each level in one of the finest; begins with 1. */
    std::vector<unsigned int> paces;
    /** The one that moves by itself. */
    TriedLadder ladder;

    /** Acceptance of swaps between a level and the next. */
    std::vector<double> acceptances;
    /** Rounds that are worth one effective draw of the coldest rung. */
    double autocorrelation_time = std::numeric_limits<double>::infinity();
    /** Rounds of burn-in. */
    double burn_in = 0.;
    /** Per effective draw: solves of the finest level, and all work. */
    double fine_solves = std::numeric_limits<double>::infinity(),
           work        = std::numeric_limits<double>::infinity();

    /**
     * By what options are ordered: the work, with premiums for levels that are
     * so close that the draws of all of them make one estimate, and for whole
     * ladders, which know the evidence and find what nobody has found yet.
     */
    double
    rank() const;

    /** In a line, for people. */
    std::string
    text() const;
  };


  /**
   * The best ladder for every choice of one, two or three levels, by rank. What
   * is not known for sure is taken to be worse rather than better.
   */
  std::vector<LadderOption>
  ladder_options(const LadderFindings &found);
} // namespace Tempera

#endif
