// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/driver/simulation.h>
#include <tempera/problems/problem.h>
#include <tempera/sampler/guarded_energy.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

// What a Simulation does because it is one of several.

namespace Tempera
{
  ParallelDemand
  parallel_demand(const Parameters &parameters)
  {
    ParallelDemand     result;
    const auto        &listed = parameters.ladder.temperatures.numbers;
    const unsigned int n_rungs =
      listed.empty() ? parameters.ladder.n_rungs : listed.size();
    for (unsigned int rung = 0; rung < n_rungs; ++rung)
      result.levels.push_back(entry_for_rung(
        parameters.ladder.levels, rung, n_rungs, "Sampler/Ladder/Levels"));
    result.n_chains = parameters.general.n_chains;
    for (const std::string &level : result.levels)
      if (parameters.has_problem())
        {
          const FemLevelParameters &mesh = parameters.fem_levels.at(level);
          double                    cost = 1. / mesh.time_step;
          for (unsigned int d = 0; d < parameters.problem.dimension; ++d)
            cost *= std::ldexp(
              double(mesh.degree *
                     mesh.subdivisions[mesh.subdivisions.size() == 1 ? 0 : d]),
              mesh.refinements);
          result.costs[level] = cost;
        }
      else
        result.costs[level] = 1.;

    if (parameters.has_network())
      result.obstacle = "a network has no mesh that several could share";
    else if (!parameters.has_problem())
      result.obstacle = "an analytic energy has no mesh";
    else if (parameters.problem.dimension == 1)
      result.obstacle = "a mesh in one dimension stays on one process";
    else if (parameters.unknowns.problem->has_residual())
      result.obstacle = "nonlinear equations are solved by one process each";
    return result;
  }



  void
  Simulation::deal(const std::vector<Level> &levels)
  {
    const ParallelDemand          demand = parallel_demand(parameters);
    std::map<std::string, double> cost_of_level;
    if (inversion)
      cost_of_level = inversion->measure_costs();
    else
      for (const Level &level : levels)
        cost_of_level[level.name] =
          level.energy->work(Request::values_and_gradients);
    std::vector<double> costs;
    for (unsigned int rung = 0; rung < demand.levels.size(); ++rung)
      costs.push_back(cost_of_level.at(demand.levels[rung]) *
                      entry_for_rung(parameters.kernel.steps_per_round,
                                     rung,
                                     demand.levels.size(),
                                     "Sampler/Kernel/Steps per round"));
    dealt =
      deal_rungs(costs,
                 demand.n_chains,
                 process_layout.n_groups(),
                 [&](const unsigned int group, const unsigned int rung) {
                   return process_layout.may_have(group, demand.levels[rung]);
                 });
    if (!inversion)
      return;
    std::set<std::string> needed;
    for (const auto &ladder : dealt.peer_of)
      for (unsigned int rung = 0; rung < ladder.size(); ++rung)
        if (ladder[rung] == process_layout.get_peers().me())
          needed.insert(demand.levels[rung]);
    inversion->keep_levels(needed);
  }



  std::string
  Simulation::layout_of_groups() const
  {
    std::string text;
    for (unsigned int group = 0; group < process_layout.n_groups(); ++group)
      {
        std::vector<std::string> rungs;
        for (std::size_t chain = 0; chain < dealt.peer_of.size(); ++chain)
          {
            std::vector<std::string> here;
            for (std::size_t rung = 0; rung < dealt.peer_of[chain].size();
                 ++rung)
              if (dealt.peer_of[chain][rung] == group)
                here.push_back(std::to_string(rung));
            if (!here.empty())
              rungs.push_back(
                "chain " + std::to_string(chain) + " " +
                (here.size() == dealt.peer_of[chain].size() ?
                   "whole" :
                   (here.size() == 1 ? "rung " : "rungs ") + join(here, " ")));
          }
        // Long lists say less than their length.
        constexpr std::size_t most = 8;
        if (rungs.size() > most)
          {
            const std::size_t left = rungs.size() - most;
            rungs.resize(most);
            rungs.push_back("and " + std::to_string(left) + " more");
          }
        const double all =
          std::accumulate(dealt.loads.begin(), dealt.loads.end(), 0.);
        text += "--     . group " + std::to_string(group) + ": " +
                counted(process_layout.size_of_group(group), "process") + ", " +
                join(rungs, ", ") + "; " +
                to_text(100. * dealt.loads[group] / all, 3) +
                " % of the work\n";
      }
    return text;
  }



  void
  Simulation::dismiss_helpers(const int word)
  {
    if (inversion)
      inversion->dismiss_helpers(word);
  }



  bool
  Simulation::is_stop_agreed(const std::atomic<bool> &stop) const
  {
    return process_layout.get_peers().sum({stop.load() ? 1. : 0.})[0] > 0.;
  }



  void
  Simulation::share_states(const bool is_resumed)
  {
    const Peers &peers = process_layout.get_peers();
    if (peers.size() == 1)
      return;
    std::ostringstream saved;
    if (is_resumed)
      {
        boost::archive::binary_oarchive archive(saved);
        archive                        &n_warm;
        for (unsigned int chain = 0; chain < ensemble->size(); ++chain)
          archive &(*ensemble)[chain];
      }
    const std::string bytes = peers.broadcast(saved.str());
    if (bytes.empty() || peers.is_first())
      return;
    std::istringstream              stream(bytes);
    boost::archive::binary_iarchive archive(stream);
    archive                        &n_warm;
    for (unsigned int chain = 0; chain < ensemble->size(); ++chain)
      archive &(*ensemble)[chain];
  }



  std::string
  Simulation::gather_closing_words() const
  {
    const Peers &peers = process_layout.get_peers();
    std::string  mine;
    for (const Level &level : (*ensemble)[0].get_ladder().get_levels())
      if (const auto *guarded =
            dynamic_cast<const GuardedEnergy *>(level.energy.get()))
        if (guarded->n_failures() > 0)
          mine +=
            "   " + counted(guarded->n_failures(), "evaluation") +
            " of level '" + level.name +
            (peers.size() > 1 ? "' in group " + std::to_string(peers.me()) :
                                "'") +
            " failed and counted as not finite; the first: " +
            guarded->first_failure() + "\n";
    if (peers.size() == 1)
      return mine;
    const double waited = peers.waited() - waited_before;
    std::string  result;
    for (const std::string &words : peers.gather(mine))
      result += words;
    const auto waits = peers.gather(to_text(waited, 3));
    for (unsigned int group = 0; group < waits.size(); ++group)
      result += "   group " + std::to_string(group) + " has waited " +
                waits[group] + " s for others while it sampled\n";
    return result;
  }



  bool
  Simulation::run_beside(const std::atomic<bool> &stop)
  {
    share_states(false);
    warm_up(stop);
    bool complete = false;
    ensemble->signals.end_of_run.connect(
      [&](const RunReport &report) { complete = !report.interrupted; });
    ensemble->collect();
    const bool is_stopped = is_stop_agreed(stop);
    waited_before         = process_layout.get_peers().waited();
    if (!is_stopped)
      ensemble->run(stop, parameters.output.checkpoint_rounds);
    gather_closing_words();
    return complete;
  }
} // namespace Tempera
