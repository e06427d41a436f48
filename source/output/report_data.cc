// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/analysis.h>
#include <tempera/output/json.h>
#include <tempera/output/mesh_error_bar.h>
#include <tempera/output/recorded_potentials.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/report_data.h>
#include <tempera/output/report_levels.h>
#include <tempera/output/report_statistics.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace Tempera
{
  namespace
  {
    using ReportStatistics::evenly_spaced;
    using ReportStatistics::quantile;

    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

    // What bounds the size of a report.
    constexpr std::size_t most_columns = 24, most_pair_columns = 8,
                          most_rungs = 12, most_chains = 8;
    constexpr std::size_t most_table_draws = 20000;
    /** Numbers in all, and points of one line or cloud. */
    constexpr std::size_t most_scatter_numbers = 60000,
                          most_scatter_points  = 3000,
                          most_trace_numbers = 80000, most_trace_points = 1200;
    constexpr std::size_t most_places = 1000, most_predictions = 1000,
                          most_path_draws = 120, most_text = 200000;
    constexpr unsigned int n_rank_bins = 20;

    /** What stands before the time in the header of a map's columns. */
    const std::string time_label = "mean t=";


    /** What one pass over all draws of a chain leaves. */
    struct Passage
    {
      /** Of some draws, burn-in too. */
      std::vector<double> rounds;
      /** By recorded rung. */
      std::vector<std::vector<double>> energies;
      /** By recorded rung and column; empty where nothing is asked for. */
      std::vector<std::vector<std::vector<double>>> values;

      /** By recorded rung and replica: draws after burn-in. */
      std::vector<std::vector<double>> visits;
      /**
       * By recorded rung: visits of replicas that were at the cold end after
       * they were at the hot one, and the other way round.
       */
      std::vector<double> from_cold, from_hot;
      /** By pair, after burn-in. */
      std::vector<double> attempts, accepted;
      /** Of consecutive draws: their rounds, the replica at each rung. */
      std::vector<double>              path_rounds;
      std::vector<std::vector<double>> path_replicas;
      std::uint64_t                    round_trips = 0, last_round = 0;
    };


    /** Makes the passage of a chain, draw by draw. */
    class PassageMaker
    {
    public:
      /**
       * @param chain Of the first all rungs are kept, of others the coldest.
       * @param most So many draws are kept.
       */
      PassageMaker(const RecordedRun &run,
                   const unsigned int chain,
                   const std::size_t  n_columns,
                   const std::size_t  most)
        : is_first(chain == 0)
        , n_recorded(run.description().n_recorded_rungs)
        , n_rungs(run.description().kernels.size())
        , n_columns(n_columns)
        , kept(evenly_spaced(run.n_burn_in_draws(chain) + run.n_draws(chain),
                             most))
        , path_begin(run.n_burn_in_draws(chain) +
                     (run.n_draws(chain) > most_path_draws ?
                        (run.n_draws(chain) - most_path_draws) / 2 :
                        0))
        , last_end(n_rungs, 0)
      {
        result.energies.resize(n_recorded);
        result.values.assign(n_recorded,
                             std::vector<std::vector<double>>(n_columns));
        result.visits.assign(n_recorded, std::vector<double>(n_rungs, 0.));
        result.from_cold.assign(n_recorded, 0.);
        result.from_hot.assign(n_recorded, 0.);
        result.path_replicas.resize(n_recorded);
      }

      void
      add(const RecordedDraw &draw)
      {
        result.last_round  = draw.round;
        result.round_trips = draw.round_trips;
        if (next < kept.size() && kept[next] == number)
          {
            ++next;
            keep(draw);
          }
        if (!draw.is_burn_in)
          count(draw);
        ++number;
      }

      Passage result;

    private:
      std::size_t
      n_rungs_of(const RecordedDraw &draw) const
      {
        return std::min<std::size_t>(n_recorded, draw.rungs.size());
      }

      void
      keep(const RecordedDraw &draw)
      {
        result.rounds.push_back(draw.round);
        for (std::size_t rung = 0; rung < n_rungs_of(draw); ++rung)
          {
            result.energies[rung].push_back(draw.rungs[rung].reference +
                                            draw.rungs[rung].potential);
            if (is_first || rung == 0)
              for (std::size_t column = 0; column < n_columns; ++column)
                result.values[rung][column].push_back(
                  draw.rungs[rung].values[column]);
          }
      }

      void
      count(const RecordedDraw &draw)
      {
        result.attempts.resize(std::max(result.attempts.size(),
                                        draw.swaps.size()),
                               0.);
        result.accepted.resize(result.attempts.size(), 0.);
        for (std::size_t pair = 0; pair < draw.swaps.size(); ++pair)
          {
            result.attempts[pair] += draw.swaps[pair].attempts;
            result.accepted[pair] += draw.swaps[pair].accepted;
          }
        const bool is_path =
          number >= path_begin && number < path_begin + most_path_draws;
        if (is_path)
          result.path_rounds.push_back(draw.round);
        for (std::size_t rung = 0; rung < n_rungs_of(draw); ++rung)
          {
            const std::uint32_t replica = draw.rungs[rung].replica;
            if (replica >= n_rungs)
              continue;
            result.visits[rung][replica] += 1.;
            if (is_path)
              result.path_replicas[rung].push_back(replica);
            if (rung == 0)
              last_end[replica] = 1;
            else if (rung + 1 == n_rungs)
              last_end[replica] = -1;
            result.from_cold[rung] += last_end[replica] == 1;
            result.from_hot[rung] += last_end[replica] == -1;
          }
      }

      const bool                     is_first;
      const std::size_t              n_recorded, n_rungs, n_columns;
      const std::vector<std::size_t> kept;
      const std::uint64_t            path_begin;
      /** By replica: 1 if the cold end was its last, -1 if the hot one was. */
      std::vector<int> last_end;
      std::size_t      next   = 0;
      std::uint64_t    number = 0;
    };


    class Data
    {
    public:
      Data(const RecordedRun &run, const Analysis &analysis)
        : run(run)
        , analysis(analysis)
        , description(run.description())
        , columns(description.columns())
        , n_recorded(description.n_recorded_rungs)
        , n_rungs(description.kernels.size())
        , shown_columns(std::min(columns.size(), most_columns))
        , shown_rungs(evenly_spaced(n_recorded, most_rungs))
        , shown_chains(std::min<std::size_t>(run.n_chains(), most_chains))
      {
        const std::size_t n_lines =
          shown_columns *
          std::max<std::size_t>(1, shown_chains + shown_rungs.size());
        const std::size_t most =
          std::min(most_trace_points,
                   most_trace_numbers / std::max<std::size_t>(1, n_lines));
        std::vector<PassageMaker> makers;
        for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
          makers.emplace_back(run, chain, shown_columns, most);
        table =
          run.table(most_table_draws,
                    [&](const unsigned int chain, const RecordedDraw &draw) {
                      makers[chain].add(draw);
                    });
        for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
          {
            passages.push_back(std::move(makers[chain].result));
            if (!run.reports(chain).empty() &&
                (last == nullptr ||
                 run.reports(chain).back().rounds > last->rounds))
              last = &run.reports(chain).back();
          }
        has_draws = n_recorded > 0 && run.n_common_draws() > 0 &&
                    analysis.columns.size() == columns.size();
      }

      std::string
      text()
      {
        std::uint64_t last_round = 0, n_draws = 0, round_trips = 0;
        for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
          {
            last_round = std::max(last_round, passages[chain].last_round);
            n_draws += run.n_draws(chain);
            round_trips += passages[chain].round_trips;
          }
        if (last != nullptr)
          last_round = std::max(last_round, last->rounds);

        JsonObject all;
        all.add("title", description.title)
          .add("question", description.question)
          .add("version", description.version)
          .add("family", description.family)
          .add("seed", std::to_string(description.seed))
          .add("chains", run.n_chains())
          .add("shownChains", shown_chains)
          .add("rounds", description.n_rounds)
          .add("lastRound", last_round)
          .add("burnIn", description.burn_in)
          .add("thinning", description.thinning)
          .add("draws", n_draws)
          .add("roundTrips", round_trips)
          .add("hasDraws", has_draws)
          .add("rungs", rungs())
          .add("allRungs", n_rungs)
          .add("columns",
               std::vector<std::string>(columns.begin(),
                                        columns.begin() + shown_columns))
          .add("allColumns", columns.size())
          .add("unknowns", unknowns())
          .add("warnings", warnings())
          .add("modes", modes())
          .add("levelEstimates",
               level_estimates_of_report(analysis.level_estimates,
                                         most_columns))
          .add("evidence", evidence())
          .add("state", analysis.state)
          .add("barrier", analysis.barrier)
          .add("tripRate", analysis.round_trip_rate)
          .add("bestTripRate", analysis.best_round_trip_rate);
        if (has_draws)
          {
            all.add("scatter", scatter())
              .add("marginals", marginals())
              .add("energies", energies())
              .add("autocorrelation", autocorrelation())
              .add("ranks", ranks());
          }
        all.add("traces", traces())
          .add("swaps", swaps())
          .add("fit", fit())
          .add("map", map("posterior"))
          .add("unknownFields", unknown_fields())
          .add("dataTell", data_tell())
          .add("checks", checks())
          .add("meshError", mesh_error_json(analysis))
          .add("curve", csv("prediction.csv"))
          .add("errors", csv("errors.csv"))
          .add("times", times())
          .add("levels", levels())
          .add("notes", notes);
        std::string parameters = description.parameters;
        if (parameters.size() > most_text)
          parameters = parameters.substr(0, most_text) +
                       "\n# ... the rest is in parameters.prm";
        all.add("parameters", parameters);
        return all.get_text();
      }

    private:
      /** Which rungs are drawn, and what they are. */
      Json
      rungs() const
      {
        std::vector<Json> entries;
        for (const std::size_t rung : shown_rungs)
          {
            const bool is_reported =
              last != nullptr && rung < last->rungs.size();
            const double temperature =
              is_reported ? last->rungs[rung].temperature : not_a_number;
            entries.push_back(
              JsonObject()
                .add("number", rung)
                .add("temperature", temperature)
                .add("level",

                     rung < description.rung_levels.size() &&
                         description.rung_levels[rung] <
                           description.levels.size() ?
                       description.levels[description.rung_levels[rung]] :
                       "")
                .add("kernel",
                     rung < description.kernels.size() ?
                       description.kernels[rung] :
                       ""));
          }
        return entries;
      }

      /** All draws of a column at a rung, by chain. */
      std::vector<std::vector<double>>
      chains_of(const std::size_t column, const std::size_t rung) const
      {
        std::vector<std::vector<double>> result;
        for (const std::vector<RungColumns> &chain : table.chains)
          result.push_back(chain[rung].values[column]);
        return result;
      }

      std::vector<std::vector<double>>
      energies_of(const std::size_t rung) const
      {
        std::vector<std::vector<double>> result;
        for (const std::vector<RungColumns> &chain : table.chains)
          {
            result.push_back(chain[rung].reference);
            for (std::size_t i = 0; i < result.back().size(); ++i)
              result.back()[i] += chain[rung].potential[i];
          }
        return result;
      }

      static std::vector<double>
      pool(const std::vector<std::vector<double>> &chains)
      {
        std::vector<double> result;
        for (const std::vector<double> &chain : chains)
          result.insert(result.end(), chain.begin(), chain.end());
        return result;
      }

      /** The true values of a column: one for each true state. */
      std::vector<double>
      truth_of(const std::size_t column) const
      {
        std::vector<double> result;
        for (const std::vector<double> &state : description.truth)
          if (column < state.size() && column < description.names.size())
            result.push_back(state[column]);
        return result;
      }

      /** The table of unknowns, and their effective sizes for other charts. */
      Json
      unknowns()
      {
        std::vector<Json> entries;
        for (std::size_t column = 0; column < shown_columns; ++column)
          {
            JsonObject one;
            one.add("name", columns[column])
              .add("derived", column >= description.names.size())
              .add("prior",
                   column < description.priors.size() ?
                     description.priors[column] :
                     "")
              .add("truth", Json::rounded(truth_of(column)));
            double size = not_a_number;
            if (has_draws)
              {
                const Analysis::Column &found = analysis.columns[column];
                const Diagnostics      &of    = found.diagnostics;
                size                          = of.bulk_size;
                one.add("mean", of.mean.value)
                  .add("mcse", of.mean.error)
                  .add("sd", of.standard_deviation.value)
                  .add("low", of.quantile_5.value)
                  .add("median", of.median.value)
                  .add("high", of.quantile_95.value)
                  .add("rHat", of.r_hat)
                  .add("bulk", of.bulk_size)
                  .add("tail", of.tail_size)
                  .add("perSecond", found.size_per_second)
                  .add("perWork", found.size_per_work);
              }
            effective_sizes.push_back(size);
            entries.push_back(one);
          }
        if (shown_columns < columns.size())
          notes.push_back("The first " + std::to_string(shown_columns) +
                          " of " + std::to_string(columns.size()) +
                          " recorded numbers are shown.");
        if (shown_rungs.size() < n_recorded)
          notes.push_back(std::to_string(shown_rungs.size()) + " of " +
                          std::to_string(n_recorded) +
                          " recorded rungs are shown.");
        if (shown_chains < run.n_chains())
          notes.push_back("Traces and ranks show the first " +
                          std::to_string(shown_chains) + " of " +
                          std::to_string(run.n_chains()) + " chains.");
        if (table.stride > 1)
          notes.push_back("Charts are made from one in " +
                          std::to_string(table.stride) + " draws.");
        return entries;
      }

      Json
      warnings() const
      {
        std::vector<Json> entries;
        for (const Warning &warning : analysis.warnings)
          entries.push_back(JsonObject()
                              .add("severity", to_text(warning.severity))
                              .add("what", warning.what)
                              .add("remedy", warning.remedy));
        return entries;
      }

      /** The separate answers with their shares; null if there is one. */
      Json
      modes() const
      {
        const std::vector<Mode> &found = analysis.modes.modes;
        if (found.size() < 2)
          return Json();
        std::vector<Json> entries;
        for (const Mode &mode : found)
          if (entries.size() < most_columns)
            {
              std::vector<double> centre = mode.centre;
              centre.resize(std::min(centre.size(), most_pair_columns));
              entries.push_back(JsonObject()
                                  .add("share", mode.share)
                                  .add("error", mode.error)
                                  .add("rHat", mode.r_hat)
                                  .add("size", mode.effective_size)
                                  .add("centre", Json::rounded(centre)));
            }
        std::vector<std::string> names = analysis.mode_columns;
        names.resize(std::min(names.size(), most_pair_columns));
        return JsonObject().add("names", names).add("modes", entries);
      }

      /** The evidence by pairs and by parts of the draws; or why not. */
      Json
      evidence() const
      {
        const Evidence &found = analysis.evidence;
        if (!found.is_known())
          return JsonObject()
            .add("objection", found.objection)
            .add("remedy", found.remedy);
        const auto one = [](const EstimatedValue &value) {
          return JsonObject()
            .add("value", value.value)
            .add("error", value.error);
        };
        const double constant = found.has_constant() ? found.constant : 0.;
        const auto   shifted  = [&](EstimatedValue value) {
          value.value -= constant;
          return one(value);
        };
        return JsonObject()
          .add("logEvidence", one(found.log_evidence()))
          .add("hasConstant", found.has_constant())
          .add("logIntegral", found.log_integral.value)
          .add("information", one(found.information))
          .add("pairs",
               Json(found.pairs,
                    [&](const EvidencePair &pair) {
                      return JsonObject()
                        .add("rung", pair.rung)
                        .add("isBridge", pair.is_bridge)
                        .add("isGood", pair.is_good())
                        .add("logRatio", one(pair.log_ratio))
                        .add("forward", one(pair.forward))
                        .add("backward", one(pair.backward))
                        .add("overlap", pair.overlap);
                    }))
          .add("parts",
               Json(evidence_by_parts(recorded_potentials(run)),
                    [&](const EvidencePart &part) {
                      return JsonObject()
                        .add("share", part.share)
                        .add("first", shifted(part.first))
                        .add("last", shifted(part.last));
                    }));
      }

      Json
      scatter() const
      {
        const std::size_t n_pair = std::min(columns.size(), most_pair_columns);
        std::vector<std::string> names(columns.begin(),
                                       columns.begin() + n_pair);
        const std::size_t        most =
          std::min(most_scatter_points,
                   most_scatter_numbers /
                     std::max<std::size_t>(1, n_pair * shown_rungs.size()));
        const std::size_t most_of_chain =
          std::max<std::size_t>(1, most / table.chains.size());
        // Of each chain as many, so that the page knows which is whose.
        const std::vector<std::size_t> kept =
          evenly_spaced(table.numbers[0].size(), most_of_chain);
        std::vector<Json> clouds;
        for (const std::size_t rung : shown_rungs)
          {
            std::vector<std::vector<double>> values(n_pair);
            for (std::size_t column = 0; column < n_pair; ++column)
              for (const auto &chain : table.chains)
                for (const std::size_t i : kept)
                  values[column].push_back(chain[rung].values[column][i]);
            clouds.push_back(Json::rounded(values));
          }
        std::vector<std::vector<double>> truth;
        for (const std::vector<double> &state : description.truth)
          truth.push_back(
            {state.begin(), state.begin() + std::min(state.size(), n_pair)});
        return JsonObject()
          .add("columns", n_pair)
          .add("pointsOfChain", kept.size())
          .add("rungs", clouds)
          .add("truth", Json::rounded(truth))
          .add("circle", Json::rounded(description.true_circle))
          .add("sensors", Json::rounded(description.sensors));
      }

      static Json
      histogram(const std::vector<double> &values)
      {
        return histogram(ReportStatistics::histogram(values));
      }

      static Json
      histogram(const ReportStatistics::Histogram &result)
      {
        // Edges need all their digits: they are added up.
        return JsonObject()
          .add("low", result.low)
          .add("width", result.width)
          .add("density", Json::rounded(result.density))
          .add("beyond", result.n_beyond)
          .add("least", result.least)
          .add("largest", result.largest);
      }

      /** The density of a prior, in detail where the draws are. */
      static Json
      curve_of(const Distribution                             &law,
               const std::vector<ReportStatistics::Histogram> &by_rung)
      {
        double low = INFINITY, high = -INFINITY;
        for (const ReportStatistics::Histogram &rung : by_rung)
          if (!rung.density.empty())
            {
              low = std::min(low, rung.low);
              high =
                std::max(high, rung.low + rung.density.size() * rung.width);
            }
        // A little beyond, as the picture goes.
        const double room = 0.1 * (high - low);
        const auto   curve =
          ReportStatistics::prior_curve(law, low - room, high + room);
        return JsonObject()
          .add("x", curve.x)
          .add("density", Json::rounded(curve.density))
          .add("low", curve.low)
          .add("high", curve.high);
      }

      Json
      marginals() const
      {
        std::vector<Json> entries;
        for (std::size_t column = 0; column < shown_columns; ++column)
          {
            std::vector<ReportStatistics::Histogram> by_rung;
            for (const std::size_t rung : shown_rungs)
              by_rung.push_back(
                ReportStatistics::histogram(pool(chains_of(column, rung))));
            JsonObject one;
            one.add("rungs",
                    Json(by_rung, [](const ReportStatistics::Histogram &rung) {
                      return histogram(rung);
                    }));
            const LevelEstimates &estimates = analysis.level_estimates;
            if (estimates.is_good() && !by_rung[0].density.empty() &&
                !estimates.columns[column].law.empty())
              one.add("levels",
                      histogram(corrected_histogram(estimates.columns[column],
                                                    by_rung[0])));
            std::optional<Distribution> law;
            if (column < description.priors.size())
              law = Distribution::if_text(description.priors[column]);
            if (law)
              one.add("law", curve_of(*law, by_rung));
            else if (column < description.prior_draws.size() &&
                     !description.prior_draws[column].empty())
              one.add("prior", histogram(description.prior_draws[column]));
            entries.push_back(one);
          }
        return entries;
      }

      /**
       * Histograms by rung; of the logarithms of 1 plus the energies above the
       * least one if those of the hottest rung would hide the coldest one's.
       */
      Json
      energies() const
      {
        std::vector<std::vector<double>> by_rung;
        double                           least = INFINITY;
        for (const std::size_t rung : shown_rungs)
          {
            by_rung.push_back(pool(energies_of(rung)));
            for (const double energy : by_rung.back())
              least = std::min(least, energy);
          }
        constexpr double much  = 15.;
        const auto       width = [](const std::vector<double> &energies) {
          const auto ends = ReportStatistics::quantiles(energies, {0.05, 0.95});
          return ends[1] - ends[0];
        };
        const bool is_logarithmic =
          width(by_rung.back()) > much * width(by_rung.front());
        std::vector<Json> entries;
        for (std::vector<double> &energies : by_rung)
          {
            if (is_logarithmic)
              for (double &energy : energies)
                energy = std::log10(1. + (energy - least));
            entries.push_back(histogram(energies));
          }
        return JsonObject()
          .add("logarithmic", is_logarithmic)
          .add("rungs", entries);
      }

      Json
      traces() const
      {
        std::vector<Json> by_chain, by_rung, chain_energies, rung_energies,
          rounds;
        if (n_recorded == 0)
          return Json();
        for (std::size_t chain = 0; chain < shown_chains; ++chain)
          {
            rounds.push_back(Json::rounded(passages[chain].rounds));
            by_chain.push_back(Json::rounded(passages[chain].values[0]));
            chain_energies.push_back(
              Json::rounded(passages[chain].energies[0]));
          }
        for (const std::size_t rung : shown_rungs)
          {
            by_rung.push_back(rung == 0 ? Json() : // is the first chain's
                                Json::rounded(passages[0].values[rung]));
            rung_energies.push_back(Json::rounded(passages[0].energies[rung]));
          }
        return JsonObject()
          .add("rounds", rounds)
          .add("chains", by_chain)
          .add("chainEnergies", chain_energies)
          .add("rungs", by_rung)
          .add("rungEnergies", rung_energies);
      }

      Json
      swaps() const
      {
        if (n_rungs < 2)
          return Json();
        std::vector<std::vector<double>> acceptances;
        for (std::size_t chain = 0; chain < shown_chains; ++chain)
          {
            acceptances.emplace_back();
            const Passage &passage = passages[chain];
            // Without any attempts there is nothing to draw.
            if (std::all_of(passage.attempts.begin(),
                            passage.attempts.end(),
                            [](const double attempts) {
                              return attempts == 0.;
                            }))
              continue;
            for (std::size_t pair = 0; pair < passage.attempts.size(); ++pair)
              acceptances.back().push_back(passage.accepted[pair] /
                                           passage.attempts[pair]);
          }

        std::vector<std::vector<double>> visits(n_recorded,
                                                std::vector<double>(n_rungs,
                                                                    0.));
        std::vector<double>              flow;
        for (std::size_t rung = 0; rung < n_recorded; ++rung)
          {
            double cold = 0., hot = 0., all = 0.;
            for (const Passage &passage : passages)
              {
                cold += passage.from_cold[rung];
                hot += passage.from_hot[rung];
                for (std::size_t replica = 0; replica < n_rungs; ++replica)
                  {
                    visits[rung][replica] += passage.visits[rung][replica];
                    all += passage.visits[rung][replica];
                  }
              }
            for (double &share : visits[rung])
              share /= std::max(1., all);
            flow.push_back(cold / (cold + hot));
          }
        // Which replica is where is of no interest with very many.
        constexpr std::size_t most_replicas = 32;

        JsonObject result;
        result.add("acceptances", Json::rounded(acceptances));
        if (n_recorded == n_rungs && has_draws)
          result.add("flow", Json::rounded(flow));
        if (n_rungs <= most_replicas && has_draws)
          {
            result.add("visits", Json::rounded(visits));
            std::vector<Json> paths;
            for (std::size_t chain = 0; chain < shown_chains; ++chain)
              paths.push_back(
                JsonObject()
                  .add("rounds", Json::rounded(passages[chain].path_rounds))
                  .add("replicas",
                       Json::rounded(passages[chain].path_replicas)));
            result.add("paths", paths);
          }
        return result;
      }

      Json
      autocorrelation() const
      {
        std::vector<std::vector<std::vector<double>>> numbers = {
          energies_of(0)};
        std::vector<std::string> names = {"energy"};
        for (std::size_t column = 0; column < shown_columns; ++column)
          {
            numbers.push_back(chains_of(column, 0));
            names.push_back(columns[column]);
          }
        ReportStatistics::Autocorrelation result =
          ReportStatistics::autocorrelation(numbers);
        for (double &lag : result.lags)
          lag *= table.stride;
        return JsonObject()
          .add("lags", Json::rounded(result.lags))
          .add("names", names)
          .add("values", Json::rounded(result.values));
      }

      Json
      ranks() const
      {
        std::vector<Json> entries, labels;
        const bool        is_split = table.chains.size() == 1;
        for (std::size_t column = 0; column < shown_columns; ++column)
          {
            std::vector<std::vector<double>> chains = chains_of(column, 0);
            if (is_split)
              {
                const std::vector<double> all    = chains[0];
                const auto                middle = all.begin() + all.size() / 2;
                chains = {{all.begin(), middle}, {middle, all.end()}};
              }
            auto histograms =
              ReportStatistics::rank_histograms(chains, n_rank_bins);
            // What independent draws, as many as are worth it, would do.
            const double share     = 1. / n_rank_bins;
            const double size      = effective_sizes[column] / chains.size();
            const double deviation = std::sqrt(
              share * (1. - share) / size * (1. - 1. / double(chains.size())));
            histograms.resize(std::min(histograms.size(), most_chains));
            entries.push_back(JsonObject()
                                .add("shares", Json::rounded(histograms))
                                .add("deviation", deviation));
          }
        if (is_split)
          labels = {"first half", "second half"};
        else
          for (std::size_t chain = 0; chain < shown_chains; ++chain)
            labels.push_back("chain " + std::to_string(chain));
        return JsonObject().add("labels", labels).add("columns", entries);
      }

      /** Standard deviation of a measurement's error, if it is known. */
      double
      deviation_of(const RunDescription::Measurement &measurement) const
      {
        if (measurement.deviation > 0.)
          return measurement.deviation;
        const int column = description.deviation_unknown;
        if (!has_draws || column < 0 || column >= int(columns.size()))
          return not_a_number;
        std::vector<double> all = pool(chains_of(column, 0));
        std::sort(all.begin(), all.end());
        return quantile(all, 0.5);
      }

      Json
      fit()
      {
        std::vector<std::vector<double>> predictions;
        for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
          {
            const auto all = run.predictions(chain);
            for (const std::size_t i : evenly_spaced(
                   all.size(),
                   std::max<std::size_t>(1, most_predictions / run.n_chains())))
              {
                // With a curve, those of the measurements stand apart.
                const std::vector<double> &values =
                  all[i].measured.empty() ? all[i].values : all[i].measured;
                if (predictions.empty() ||
                    values.size() == predictions[0].size())
                  predictions.push_back(values);
              }
          }
        const std::size_t n_measured = description.measurements.size(),
                          n_predicted =
                            predictions.empty() ? 0 : predictions[0].size();
        if (n_measured == 0 && n_predicted == 0)
          return Json();
        const bool is_compared =
          n_measured > 0 && (n_predicted == n_measured || n_predicted == 0);
        const std::size_t n = is_compared ? n_measured : n_predicted;
        const std::vector<std::size_t> places = evenly_spaced(n, most_places);
        if (places.size() < n)
          notes.push_back(
            "Data and predictions: " + std::to_string(places.size()) + " of " +
            std::to_string(n) + " are drawn.");

        std::vector<double> numbers, values, deviations, low, median, high,
          means, times, standardised;
        std::vector<std::vector<double>> where;
        std::vector<std::string>         names;
        double                           common_deviation = 0.;
        for (const std::size_t place : places)
          {
            numbers.push_back(place + 1);
            if (is_compared)
              {
                const auto &measurement = description.measurements[place];
                names.push_back(measurement.name);
                values.push_back(measurement.value);
                where.push_back(measurement.place);
                times.push_back(measurement.time);
                standardised.push_back(place < analysis.fit.residuals.size() ?
                                         analysis.fit.residuals[place] :
                                         not_a_number);
                if (measurement.deviation > 0.)
                  deviations.push_back(measurement.deviation);
                else
                  {
                    if (common_deviation == 0.)
                      common_deviation = deviation_of(measurement);
                    deviations.push_back(common_deviation);
                  }
              }
            std::vector<double> here;
            double              mean = 0.;
            for (const std::vector<double> &prediction : predictions)
              {
                here.push_back(prediction[place]);
                mean += (here.back() - mean) / here.size();
              }
            const std::vector<double> found =
              ReportStatistics::quantiles(here, {0.05, 0.5, 0.95});
            low.push_back(found[0]);
            median.push_back(found[1]);
            high.push_back(found[2]);
            means.push_back(here.empty() ? not_a_number : mean);
          }
        return JsonObject()
          .add("compared", is_compared)
          .add("all", n)
          .add("states", predictions.size())
          .add("numbers", Json::rounded(numbers))
          .add("names", names)
          .add("places", where)
          .add("times", times)
          .add("values", values)
          .add("deviations", deviations)
          .add("unknownDeviation", description.deviation_unknown >= 0)
          .add("correlated", !description.covariance.empty())
          .add("noise", description.noise)
          .add("low", Json::rounded(low))
          .add("median", median)
          .add("mean", means)
          .add("high", Json::rounded(high))
          .add("standardised", Json::rounded(standardised))
          .add("judged", judged_fit());
      }

      /** How well the data are predicted; null if that was not judged. */
      Json
      judged_fit() const
      {
        const ModelFit &found = analysis.fit;
        if (found.n_draws == 0 || std::isnan(found.noise_factor))
          return Json();
        // An unknown deviation is estimated already.
        const bool is_suggested =
          !found.is_deviation_unknown && !found.is_of_best_draw;
        return JsonObject()
          .add("chiSquare", found.chi_square)
          .add("tested", found.n_tested)
          .add("deviation", found.chi_square_deviation())
          .add("parameters", found.n_effective_parameters)
          .add("factor", is_suggested ? found.noise_factor : not_a_number)
          .add("given", found.given_deviation)
          .add("suggested",
               is_suggested ? found.suggested_deviation : not_a_number)
          .add("ofBestDraw", found.is_of_best_draw);
      }

      /** Maps of fields that were unknown. */
      Json
      unknown_fields() const
      {
        namespace fs                   = std::filesystem;
        const std::string        begin = "unknown_", end = "_map.csv";
        std::vector<std::string> names;
        std::error_code          error;
        for (const auto &entry :
             fs::directory_iterator(run.get_folder() + "/fields", error))
          {
            const std::string name = entry.path().filename().string();
            if (name.size() > begin.size() + end.size() &&
                name.compare(0, begin.size(), begin) == 0 &&
                name.compare(name.size() - end.size(), end.size(), end) == 0)
              names.push_back(
                name.substr(begin.size(),
                            name.size() - begin.size() - end.size()));
          }
        std::sort(names.begin(), names.end());
        return Json(names, [&](const std::string &name) {
          return JsonObject().add("name", name).add("map", map(begin + name));
        });
      }

      /**
       * Fields in the plane, from fields/STEM_map.csv, such as the mean
       * solution at some times: their values as numbers from 0 to 254, 255
       * where the domain is not; null without it.
       */
      Json
      map(const std::string &stem) const
      {
        std::ifstream file(run.get_folder() + "/fields/" + stem + "_map.csv");
        std::string   line;
        if (!std::getline(file, line))
          return Json();
        constexpr std::size_t            most_points = 40000;
        std::vector<double>              x, y, times;
        std::vector<std::string>         labels;
        std::vector<std::vector<double>> values;
        std::istringstream               header(line);
        for (std::string one; std::getline(header, one, ',');)
          labels.push_back(one);
        // After those of x and y.
        labels.erase(labels.begin(),
                     labels.begin() + std::min<std::size_t>(2, labels.size()));
        for (const std::string &label : labels)
          if (label.compare(0, time_label.size(), time_label) == 0)
            times.push_back(
              std::strtod(label.c_str() + time_label.size(), nullptr));
        values.resize(labels.size());
        while (std::getline(file, line) && x.size() < most_points)
          {
            std::istringstream cells(line);
            std::string        cell;
            const auto         next = [&]() {
              return std::getline(cells, cell, ',') ? number_in(cell) :
                                                              not_a_number;
            };
            x.push_back(next());
            y.push_back(next());
            for (std::vector<double> &one : values)
              one.push_back(next());
          }
        // Rows of equal y, from the bottom; in each x grows.
        std::size_t n_x = 0;
        while (n_x < y.size() && y[n_x] == y[0])
          ++n_x;
        if (n_x < 2 || x.size() % n_x != 0 || x.size() / n_x < 2 ||
            labels.empty())
          return Json();
        const std::size_t   n_y = x.size() / n_x;
        std::vector<Json>   pictures;
        std::vector<double> lowest, highest;
        for (const std::vector<double> &one : values)
          {
            double low = INFINITY, high = -INFINITY;
            for (const double value : one)
              if (std::isfinite(value))
                {
                  low  = std::min(low, value);
                  high = std::max(high, value);
                }
            pictures.emplace_back(one, [&](const double value) {
              return !std::isfinite(value) ?
                       255 :
                     high > low ?
                       std::lround(254. * (value - low) / (high - low)) :
                       127;
            });
            lowest.push_back(low);
            highest.push_back(high);
          }
        // Points are in the middle of the cells of the raster.
        const double dx = (x[n_x - 1] - x[0]) / (n_x - 1),
                     dy = (y.back() - y[0]) / (n_y - 1);
        return JsonObject()
          .add("columns", n_x)
          .add("rows", n_y)
          .add("x", std::vector<double>{x[0] - 0.5 * dx, x[n_x - 1] + 0.5 * dx})
          .add("y", std::vector<double>{y[0] - 0.5 * dy, y.back() + 0.5 * dy})
          .add("times", times)
          .add("labels", labels)
          .add("low", lowest)
          .add("high", highest)
          .add("pictures", pictures);
      }

      /** Some lines of a table of numbers of the folder; null without it. */
      Json
      csv(const std::string &name) const
      {
        std::ifstream                    file(run.get_folder() + "/" + name);
        std::string                      line;
        std::vector<std::string>         names;
        std::vector<std::vector<double>> result;
        if (!std::getline(file, line))
          return Json();
        std::istringstream header(line);
        for (std::string one; std::getline(header, one, ',');)
          names.push_back(one);
        result.resize(names.size());
        while (std::getline(file, line))
          {
            std::istringstream cells(line);
            for (std::vector<double> &column : result)
              {
                std::string cell;
                std::getline(cells, cell, ',');
                column.push_back(number_in(cell));
              }
          }
        names.resize(std::min(names.size(), most_columns));
        result.resize(names.size());
        const auto kept =
          evenly_spaced(result.empty() ? 0 : result[0].size(), most_places);
        for (std::vector<double> &column : result)
          {
            std::vector<double> some;
            for (const std::size_t i : kept)
              some.push_back(column[i]);
            column = some;
          }
        return JsonObject().add("names", names).add("columns", result);
      }

      static double
      number_in(const std::string &cell)
      {
        char        *end   = nullptr;
        const double value = std::strtod(cell.c_str(), &end);
        return cell.empty() || *end != 0 ? not_a_number : value;
      }

      /** What the data tell of each unknown. */
      Json
      data_tell() const
      {
        std::vector<Json> entries;
        for (const Checks::Finding &one : analysis.checks.findings)
          if (entries.size() < most_columns)
            entries.push_back(JsonObject()
                                .add("unknown", one.unknown)
                                .add("prior", one.prior_deviation)
                                .add("posterior", one.posterior_deviation)
                                .add("distance", one.distance)
                                .add("information", one.information)
                                .add("verdict", one.verdict));
        return entries;
      }

      /** What was found out with solves of its own; null if nothing was. */
      Json
      checks() const
      {
        const Checks &found = analysis.checks;
        if (!found.is_known())
          return Json();
        std::vector<Json> findings;
        for (const Checks::Finding &finding : found.findings)
          if (findings.size() < most_columns)
            findings.push_back(JsonObject().add("sentence", finding.sentence));
        const auto shifts = [](const std::vector<Checks::Shift> &all) {
          std::vector<Json> entries;
          for (const Checks::Shift &shift : all)
            if (entries.size() < most_columns)
              entries.push_back(JsonObject()
                                  .add("column", shift.column)
                                  .add("mean", shift.mean)
                                  .add("width", shift.width));
          return entries;
        };
        return JsonObject()
          .add("findings", findings)
          .add("openCombination", found.open_combination)
          .add("refinement", found.refinement)
          .add("swapShifts", shifts(found.swap_shifts))
          .add("largestRefinementShift", Checks::largest_refinement_shift)
          .add("largestSwapShift", Checks::largest_swap_shift);
      }

      /** Names and seconds; null without them. */
      Json
      times() const
      {
        std::vector<std::string> phases;
        std::vector<double>      seconds;
        for (const auto &[phase, duration] : analysis.times)
          if (phases.size() < most_columns)
            {
              phases.push_back(phase);
              seconds.push_back(duration);
            }
        if (phases.empty())
          return Json();
        return JsonObject()
          .add("phases", phases)
          .add("seconds", Json::rounded(seconds));
      }

      Json
      levels() const
      {
        if (last == nullptr)
          return Json();
        std::vector<double> evaluations(last->level_names.size(), 0.);
        double              work = 0., set_up_work = 0.;
        for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
          if (!run.reports(chain).empty())
            {
              const RunReport &report = run.reports(chain).back();
              for (std::size_t i = 0;
                   i < std::min(evaluations.size(), report.evaluations.size());
                   ++i)
                evaluations[i] += report.evaluations[i];
              work += report.work;
              set_up_work += report.set_up_work;
            }
        return JsonObject()
          .add("names", last->level_names)
          .add("evaluations", Json::rounded(evaluations))
          .add("work", work)
          .add("setUpWork", set_up_work)
          .add("coldest", last->rungs.empty() ? 0 : last->rungs[0].level);
      }

      const RecordedRun             &run;
      const Analysis                &analysis;
      const RunDescription          &description;
      const std::vector<std::string> columns;
      const std::size_t              n_recorded, n_rungs, shown_columns;
      const std::vector<std::size_t> shown_rungs;
      const std::size_t              shown_chains;
      DrawTable                      table;
      std::vector<Passage>           passages;
      const RunReport               *last      = nullptr;
      bool                           has_draws = false;
      /** By shown column. */
      std::vector<double>      effective_sizes;
      std::vector<std::string> notes;
    };
  } // namespace



  std::string
  report_data(const RecordedRun &run, const Analysis &analysis)
  {
    return Data(run, analysis).text();
  }
} // namespace Tempera
