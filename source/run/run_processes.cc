// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/inference/prior_energy.h>
#include <tempera/run/run.h>
#include <tempera/sampler/absent_energy.h>
#include <tempera/sampler/guarded_energy.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>

#include <map>
#include <numeric>
#include <set>
#include <sstream>

// What a Run does because it is one of several.

namespace Tempera
{
  namespace
  {
    /** The level of each rung. */
    std::vector<std::string>
    levels_of_rungs(const RunSettings &settings)
    {
      const auto        &listed = settings.ladder.temperatures.numbers;
      const unsigned int n_rungs =
        listed.empty() ? settings.ladder.n_rungs : listed.size();
      std::vector<std::string> result;
      for (unsigned int rung = 0; rung < n_rungs; ++rung)
        result.push_back(entry_for_rung(
          settings.ladder.levels, rung, n_rungs, "Sampler/Ladder/Levels"));
      return result;
    }
  } // namespace



  ParallelDemand
  parallel_demand(const RunSettings &settings, const TargetType &type)
  {
    ParallelDemand result;
    result.levels   = levels_of_rungs(settings);
    result.n_chains = settings.n_chains;
    for (const std::string &level : result.levels)
      result.costs[level] = type.rough_cost(level);
    result.obstacle = type.obstacle_to_sharing();
    return result;
  }



  std::vector<Level>
  Run::make_levels()
  {
    const std::vector<std::string> names = settings.used_levels();
    if (settings.samples_prior())
      target.check_prior_run();
    if (process_layout.n_groups() > 1)
      return deal(names);
    std::vector<Level> levels;
    for (const std::string &name : names)
      {
        if (settings.samples_prior())
          levels.push_back(
            {name, std::make_shared<PriorEnergy>(target.prior())});
        else
          {
            levels.push_back({name, target.energy(name)});
            level_descriptions[name] = target.description(name);
          }
      }
    return levels;
  }



  std::vector<Level>
  Run::deal(const std::vector<std::string> &names)
  {
    const Peers                   &peers    = process_layout.get_peers();
    const bool                     is_prior = settings.samples_prior();
    const std::vector<std::string> of_rungs = levels_of_rungs(settings);

    // Each level is made somewhere, so that its cost can be measured.
    std::map<std::string, double>       costs;
    std::map<std::string, EnergyTraits> traits;
    for (std::size_t i = 0; i < names.size(); ++i)
      {
        std::vector<unsigned int> able;
        for (unsigned int peer = 0; peer < peers.size(); ++peer)
          if (process_layout.may_have(peer, names[i]))
            able.push_back(peer);
        if (able[i % able.size()] != peers.me())
          continue;
        if (is_prior)
          {
            costs[names[i]] = 1.;
            continue;
          }
        costs[names[i]]              = target.cost(names[i]);
        traits[names[i]]             = traits_of(*target.energy(names[i]));
        level_descriptions[names[i]] = target.description(names[i]);
      }
    std::ostringstream stream;
    {
      boost::archive::binary_oarchive archive(stream,
                                              boost::archive::no_header);
      archive &costs &traits         &level_descriptions;
    }
    for (const std::string &bytes : peers.gather(stream.str()))
      {
        std::map<std::string, double>       its_costs;
        std::map<std::string, EnergyTraits> its_traits;
        std::map<std::string, std::string>  its_descriptions;
        std::istringstream                  its_stream(bytes);
        boost::archive::binary_iarchive     archive(its_stream,
                                                boost::archive::no_header);
        archive &its_costs &its_traits     &its_descriptions;
        costs.insert(its_costs.begin(), its_costs.end());
        traits.insert(its_traits.begin(), its_traits.end());
        level_descriptions.insert(its_descriptions.begin(),
                                  its_descriptions.end());
      }

    std::vector<double> cost_of_rungs;
    unsigned int        n_swapped = 0;
    for (unsigned int rung = 0; rung < of_rungs.size(); ++rung)
      {
        const unsigned int n_steps =
          entry_for_rung(settings.kernel.steps_per_round,
                         rung,
                         of_rungs.size(),
                         "Sampler/Kernel/Steps per round");
        n_swapped += n_steps == 0 && n_swapped == rung;
        cost_of_rungs.push_back(
          costs.at(of_rungs[rung]) *
          // A rung that lives by swaps is evaluated for them.
          std::max(1u, n_steps) *
          entry_for_rung(settings.ladder.paces,
                         rung,
                         of_rungs.size(),
                         "Sampler/Ladder/Pace"));
      }
    dealt = deal_rungs(
      cost_of_rungs,
      settings.n_chains,
      process_layout.n_groups(),
      [&](const unsigned int group, const unsigned int rung) {
        return process_layout.may_have(group, of_rungs[rung]);
      },
      n_swapped);
    std::set<std::string> needed;
    for (const auto &ladder : dealt.peer_of)
      for (unsigned int rung = 0; rung < ladder.size(); ++rung)
        if (ladder[rung] == peers.me())
          needed.insert(of_rungs[rung]);

    std::vector<Level> levels;
    for (const std::string &name : names)
      {
        std::shared_ptr<const Energy> energy;
        if (needed.count(name) == 0)
          target.forget(name);
        if (is_prior)
          energy = std::make_shared<PriorEnergy>(target.prior());
        else if (needed.count(name) > 0 || target.has(name))
          energy = target.energy(name);
        else
          energy = std::make_shared<AbsentEnergy>(target.prior()->space(),
                                                  traits.at(name));
        levels.push_back({name, energy});
      }
    return levels;
  }



  std::string
  Run::layout_of_groups() const
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
                (rungs.empty() ? std::string("nothing to do") :
                                 join(rungs, ", ") + "; " +
                                   to_text(100. * dealt.loads[group] / all, 3) +
                                   " % of the work") +
                "\n";
      }
    return text;
  }



  bool
  Run::is_stop_agreed(const std::atomic<bool> &stop) const
  {
    return process_layout.get_peers().sum({stop.load() ? 1. : 0.})[0] > 0.;
  }



  void
  Run::share_states(const bool is_resumed)
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
  Run::gather_closing_words() const
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
    const auto        waits = peers.gather(to_text(waited, 3));
    LookAhead::Counts ahead;
    for (unsigned int chain = 0; chain < ensemble->size(); ++chain)
      ahead += (*ensemble)[chain].get_look_ahead_counts();
    const auto looks = peers.gather(
      ahead.kept + ahead.redone == 0 ?
        "" :
        "; it went on before a swap was decided " +
          std::to_string(ahead.kept + ahead.redone) + " times, " +
          std::to_string(ahead.redone) + " of them for nothing (work " +
          to_text(ahead.redone_work, 4) + ", not counted)");
    for (unsigned int group = 0; group < waits.size(); ++group)
      result += "   group " + std::to_string(group) + " has waited " +
                waits[group] + " s for others while it sampled" + looks[group] +
                "\n";
    return result;
  }



  bool
  Run::run_beside(const std::atomic<bool> &stop)
  {
    share_states(false);
    warm_up(stop);
    bool complete = false;
    ensemble->signals.end_of_run.connect(
      [&](const RunReport &report) { complete = !report.interrupted; });
    ensemble->collect();
    const bool is_stopped = is_stop_agreed(stop);
    waited_before         = process_layout.get_peers().waited();
    EarlyEnd early_end;
    early_end.first_look = first_look();
    if (!is_stopped)
      ensemble->run(stop, settings.output.checkpoint_rounds, early_end);
    gather_closing_words();
    return complete;
  }
} // namespace Tempera
