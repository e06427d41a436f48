// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/samples_levels.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace Tempera
{
  LevelSamples::LevelSamples(
    const RecordedRun                                     &run,
    const std::function<NetcdfGroup(const std::string &)> &add_group)
    : levels(run, read_checks(run.get_folder()).level_solves)
  {
    if (!exists())
      return;
    group.push_back(add_group("level_draws"));
    NetcdfGroup &here  = group[0];
    const int    draws = here.add_counting_dimension("draw", levels.n_draws());
    std::vector<std::string> taken = {"draw"};
    const auto               add   = [&](const std::string &name,
                         const NetcdfType   type,
                         const std::string &attribute,
                         const std::string &text) {
      variables.push_back(
        here.add_variable(netcdf_name(name, taken), type, {draws}));
      here.set_attribute(variables.back(), attribute, text);
    };
    add("weight",
        NetcdfType::real,
        "comment",
        "Sum of weight times g over all draws: the mean of g at the finest "
        "level. 1/N for each of the N draws of the coarsest level, and "
        "(w - 1)/n for each of the n draws of a level whose energy at the next "
        "finer one is known, w = exp(energy - finer_energy), smoothed, over "
        "its mean. Some are negative.");
    // With these names it stays apart from the dimensions of other groups.
    add("ladder",
        NetcdfType::integer,
        "comment",
        "Which chain of the run it is of.");
    add("rung", NetcdfType::integer, "comment", "1 follows the finest level.");
    add("round",
        NetcdfType::long_integer,
        "comment",
        "Round of the rung's own after burn-in, counted from 1.");
    add("energy", NetcdfType::real, "comment", "At the rung's own level.");
    add("finer_energy",
        NetcdfType::real,
        "comment",
        "At the next finer level; not a number where it is not known.");
    for (const std::string &name : run.description().columns())
      add(name, NetcdfType::real, "long_name", name);

    std::vector<std::string> words;
    for (const LevelStep &step : levels.steps)
      words.push_back("from '" + step.coarse + "' to '" + step.fine +
                      "': efficiency " + to_text(step.efficiency, 4) +
                      ", Pareto's k " + to_text(step.pareto_k, 3));
    here.set_attribute("weights", join(words, "; "));
    here.set_attribute("note",
                       "Whether the weights are good enough is said by "
                       "'tempera summary'.");
  }



  bool
  LevelSamples::exists() const
  {
    return levels.are_enough() && std::all_of(levels.steps.begin(),
                                              levels.steps.end(),
                                              [](const LevelStep &step) {
                                                return step.n_weighted > 0;
                                              });
  }



  void
  LevelSamples::write()
  {
    if (!exists())
      return;
    constexpr std::size_t            most_draws = 1 << 14;
    std::vector<std::vector<double>> numbers(variables.size());
    std::size_t                      n_written = 0;
    const auto                       flush     = [&]() {
      const std::size_t n = numbers[0].size();
      for (std::size_t i = 0; i < variables.size() && n > 0; ++i)
        {
          group[0].write(variables[i], {n_written}, {n}, numbers[i].data());
          numbers[i].clear();
        }
      n_written += n;
    };
    levels.visit([&](const LevelDraws::WeightedDraw &one) {
      const double      known[] = {one.weight,
                                   double(one.chain),
                                   double(one.draw->rung),
                                   double(one.draw->own_round),
                                   one.draw->energy,
                                   one.draw->finer_energy};
      const std::size_t n_known = std::size(known);
      for (std::size_t i = 0; i < variables.size(); ++i)
        numbers[i].push_back(i < n_known ? known[i] :
                                           one.draw->values[i - n_known]);
      if (numbers[0].size() == most_draws)
        flush();
    });
    flush();
  }
} // namespace Tempera
