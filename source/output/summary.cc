// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/summary.h>

#include <algorithm>

namespace Tempera
{
  namespace
  {
    using Row = std::vector<std::string>;
  } // namespace



  Summary::Summary(const RunDescription &description)
    : description(description)
    , round_trips(description.kernels.size())
    , marginals(description.names.size())
  {}



  void
  Summary::connect(Signals &signals)
  {
    round_trips.connect(signals);
    signals.draw.connect([this](const Draw &draw) {
      if (draw.rung == 0 && !draw.is_burn_in)
        for (std::size_t i = 0; i < marginals.size(); ++i)
          marginals[i].add(draw.position[description.indices[i]]);
    });
  }



  std::string
  Summary::text(const RunReport &report) const
  {
    constexpr unsigned int digits = 4;
    std::string            text;

    std::vector<Row> rows = {
      {"unknown", "mean", "sd", "5 %", "50 %", "95 %", "marginal"}};
    for (std::size_t i = 0; i < marginals.size(); ++i)
      if (marginals[i].moments().count() > 0)
        {
          const Marginal &marginal = marginals[i];
          rows.push_back(
            {description.names[i],
             to_text(marginal.moments().mean(), digits),
             to_text(marginal.moments().standard_deviation(), digits),
             to_text(marginal.quantile(0.05), digits),
             to_text(marginal.quantile(0.5), digits),
             to_text(marginal.quantile(0.95), digits),
             marginal.sketch(20)});
        }
    const std::uint64_t n_draws =
      marginals.empty() ? 0 : marginals[0].moments().count();
    const std::uint64_t n_subset =
      marginals.empty() ? 0 : marginals[0].get_subset().size();
    if (marginals.empty())
      text += "\nCold rung: no unknown is recorded\n";
    else
      text +=
        "\nCold rung, " + std::to_string(n_draws) + " draws" +
        (n_subset < n_draws ?
           ", quantiles from " + std::to_string(n_subset) + " of them" :
           "") +
        ":\n" +
        (rows.size() > 1 ? aligned_table(rows) : "  none after burn-in\n");

    rows            = {{"rung",
                        "level",
                        "kernel",
                        "temperature",
                        "step size",
                        "acceptance",
                        "non-finite"}};
    bool unadjusted = false;
    for (std::size_t i = 0; i < report.rungs.size(); ++i)
      {
        const RungReport &rung = report.rungs[i];
        unadjusted = unadjusted || (!rung.is_adjusted && rung.has_acceptance());
        rows.push_back({std::to_string(i),
                        report.level_names[rung.level],
                        description.kernels[i],
                        to_text(rung.temperature, digits),
                        to_text(rung.step_size, digits),
                        rung.has_acceptance() ?
                          to_text(rung.acceptance(), digits) +
                            (rung.is_adjusted ? "" : "*") :
                          "-",
                        std::to_string(rung.non_finite)});
      }
    text += "\n" + aligned_table(rows);
    if (unadjusted)
      text +=
        "   * what MALA would have given to these steps (0 at a wall); below "
        "1 the draws are biased\n";

    // Without swaps there is nothing to tell of pairs.
    if (report.pairs.empty() || report.pairs[0].penalties.empty())
      return text;

    rows = {{"pair", "attempts", "accepted", "non-finite"}};
    for (const std::string &level : report.level_names)
      rows[0].push_back("extra " + level);
    bool any_noise = false, any_difference = false;
    for (const PairReport &pair : report.pairs)
      {
        any_noise =
          any_noise || std::any_of(pair.penalties.begin(),
                                   pair.penalties.end(),
                                   [](const double p) { return p != 0.; });
        any_difference = any_difference || pair.rule_difference.count() > 0;
      }
    if (any_noise)
      rows[0].push_back("noise penalty");
    for (std::size_t i = 0; i < report.pairs.size(); ++i)
      {
        const PairReport &pair = report.pairs[i];
        rows.push_back({std::to_string(i) + "-" + std::to_string(i + 1),
                        std::to_string(pair.attempts),
                        to_text(pair.acceptance(), digits),
                        std::to_string(pair.non_finite)});
        for (std::size_t level = 0; level < report.level_names.size(); ++level)
          rows.back().push_back(std::to_string(pair.cross_evaluations[level]));
        if (any_noise)
          {
            std::vector<std::string> penalties;
            for (const double penalty : pair.penalties)
              penalties.push_back(to_text(penalty, digits));
            rows.back().push_back(join(penalties, " + "));
          }
      }
    text += "\n" + aligned_table(rows);
    text += "   extra: evaluations of a level that only the swaps needed\n"
            "   round trips cold-hot-cold: " +
            std::to_string(round_trips.count()) + "\n";

    if (any_difference)
      {
        rows = {{"log S of 'multi-variance' - 'exact' where known",
                 "mean",
                 "sd",
                 "largest"}};
        for (std::size_t i = 0; i < report.pairs.size(); ++i)
          if (report.pairs[i].rule_difference.count() > 0)
            {
              const Moments &difference = report.pairs[i].rule_difference;
              rows.push_back({std::to_string(i) + "-" + std::to_string(i + 1) +
                                ", " + std::to_string(difference.count()) +
                                " swaps",
                              to_text(difference.mean(), digits),
                              to_text(difference.standard_deviation(), digits),
                              to_text(difference.largest(), digits)});
            }
        text += "\n" + aligned_table(rows);
      }
    return text;
  }



  std::string
  burn_in_text(const RunReport &report)
  {
    std::vector<std::string> temperatures, step_sizes, noise;
    bool                     any_noise = false;
    for (const RungReport &rung : report.rungs)
      {
        temperatures.push_back(to_text(rung.temperature, 4));
        step_sizes.push_back(to_text(rung.step_size, 4));
        noise.push_back(to_text(rung.noise, 4));
        any_noise = any_noise || rung.noise > 0.;
      }
    return "-- Burn-in ended after " + std::to_string(report.rounds) +
           " rounds; from here on nothing is adapted\n"
           "--     . temperatures " +
           join(temperatures, ", ") + "\n--     . step sizes " +
           join(step_sizes, ", ") + "\n" +
           (any_noise ?
              "--     . noise of the energies " + join(noise, ", ") + "\n" :
              "");
  }
} // namespace Tempera
