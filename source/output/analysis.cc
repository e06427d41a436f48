// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/beside.h>
#include <tempera/output/analysis.h>
#include <tempera/output/marginal.h>
#include <tempera/output/recorded_potentials.h>
#include <tempera/output/sorting.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

namespace Tempera
{
  namespace
  {
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

    using Chains = std::vector<std::vector<double>>;


    /** The last word of each chain that has said any. */
    std::vector<const RunReport *>
    last_reports(const RecordedRun &run)
    {
      std::vector<const RunReport *> result;
      for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
        if (!run.reports(chain).empty())
          result.push_back(&run.reports(chain).back());
      return result;
    }


    void
    add_state(const RecordedRun                    &run,
              const std::vector<const RunReport *> &reports,
              Analysis                             &analysis)
    {
      const RunDescription &description = run.description();
      analysis.folder                   = run.get_folder();
      analysis.version                  = description.version;
      analysis.family                   = description.family;
      analysis.title                    = description.title;
      analysis.n_chains                 = run.n_chains();
      analysis.n_rungs                  = description.kernels.size();
      analysis.seed                     = description.seed;
      analysis.n_rounds                 = description.n_rounds;
      analysis.burn_in                  = description.burn_in;
      analysis.thinning                 = description.thinning;
      analysis.damages                  = run.get_damages();
      for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
        {
          analysis.n_draws += run.n_draws(chain);
          analysis.n_burn_in_draws += run.n_burn_in_draws(chain);
        }

      bool is_complete =
             !reports.empty() && reports.size() == description.n_chains,
           is_interrupted = false;
      analysis.rounds     = reports.size() < run.n_chains() || reports.empty() ?
                              0 :
                              std::numeric_limits<std::uint64_t>::max();
      for (const RunReport *report : reports)
        {
          analysis.rounds = std::min(analysis.rounds, report->rounds);
          is_interrupted  = is_interrupted || report->interrupted;
          const bool is_out_of_work =
            report->work_budget > 0. && report->work >= report->work_budget;
          is_complete = is_complete && !report->interrupted &&
                        (report->rounds >= description.n_rounds ||
                         is_out_of_work || report->is_enough);
        }
      analysis.state = is_complete    ? "complete" :
                       is_interrupted ? "interrupted" :
                                        "not complete";
    }


    void
    add_rungs(const RunDescription                 &description,
              const std::vector<const RunReport *> &reports,
              Analysis                             &analysis)
    {
      for (unsigned int i = 0; i < analysis.n_rungs; ++i)
        {
          Analysis::Rung rung;
          rung.kernel = description.kernels[i];
          if (i < description.rung_levels.size() &&
              description.rung_levels[i] < description.levels.size())
            rung.level = description.levels[description.rung_levels[i]];
          rung.lowest_temperature = std::numeric_limits<double>::infinity();
          double        acceptance_sum   = 0.;
          std::uint64_t acceptance_count = 0;
          bool          has_acceptance   = !reports.empty();
          for (const RunReport *report : reports)
            {
              const RungReport &one = report->rungs[i];
              rung.level            = report->level_names[one.level];
              rung.temperature += one.temperature / reports.size();
              rung.step_size += one.step_size / reports.size();
              rung.lowest_temperature =
                std::min(rung.lowest_temperature, one.temperature);
              rung.highest_temperature =
                std::max(rung.highest_temperature, one.temperature);
              rung.is_adjusted = one.is_adjusted;
              rung.steps += one.steps;
              rung.non_finite += one.non_finite;
              acceptance_sum += one.acceptance_sum;
              acceptance_count += one.acceptance_count;
              has_acceptance = has_acceptance && one.has_acceptance();
            }
          rung.acceptance = has_acceptance && acceptance_count > 0 ?
                              acceptance_sum / acceptance_count :
                              not_a_number;
          analysis.rungs.push_back(rung);
        }
    }


    void
    add_pairs(const RunDescription                 &description,
              const std::vector<const RunReport *> &reports,
              Analysis                             &analysis)
    {
      for (unsigned int i = 0; i + 1 < analysis.n_rungs; ++i)
        {
          Analysis::Pair pair;
          pair.overlap   = not_a_number;
          double squares = 0.;
          for (const RunReport *report : reports)
            {
              const PairReport &one = report->pairs[i];
              pair.attempts += one.attempts;
              pair.accepted += one.accepted;
              pair.non_finite += one.non_finite;
              pair.cross_evaluations.resize(
                std::max(pair.cross_evaluations.size(),
                         one.cross_evaluations.size()));
              for (std::size_t k = 0; k < one.cross_evaluations.size(); ++k)
                pair.cross_evaluations[k] += one.cross_evaluations[k];
              pair.penalties.resize(
                std::max(pair.penalties.size(), one.penalties.size()));
              for (std::size_t k = 0; k < one.penalties.size(); ++k)
                pair.penalties[k] += one.penalties[k] / reports.size();
              const Moments &difference = one.rule_difference;
              pair.n_differences += difference.count();
              pair.difference_mean += difference.mean() * difference.count();
              squares += difference.variance() *
                           (std::max<double>(1., difference.count()) - 1.) +
                         difference.count() * std::pow(difference.mean(), 2);
              pair.difference_largest =
                std::max(pair.difference_largest, difference.largest());
              analysis.has_swaps = analysis.has_swaps || !one.penalties.empty();
            }
          if (pair.n_differences > 0)
            pair.difference_mean /= pair.n_differences;
          if (pair.n_differences > 1)
            pair.difference_deviation = std::sqrt(
              std::max(0.,
                       squares - pair.n_differences *
                                   std::pow(pair.difference_mean, 2)) /
              (pair.n_differences - 1));
          pair.acceptance = pair.attempts > 0 ?
                              double(pair.accepted) / pair.attempts :
                              not_a_number;
          analysis.pairs.push_back(pair);
        }

      analysis.barrier              = analysis.has_swaps ? 0. : not_a_number;
      analysis.swap_times           = analysis.has_swaps ? 0. : not_a_number;
      analysis.best_round_trip_rate = not_a_number;
      if (!analysis.has_swaps)
        return;
      double sum = 0.;
      for (const Analysis::Pair &pair : analysis.pairs)
        {
          const double rejection = 1. - pair.acceptance;
          analysis.barrier += rejection;
          sum += rejection / pair.acceptance;
          analysis.swap_times += 2. * pair.attempts / analysis.pairs.size();
        }
      // The theory is one of pairs that are tested equally often.
      if (description.paces.empty() || description.paces.back() == 1)
        analysis.best_round_trip_rate = 1. / (2. + 2. * sum);
    }


    void
    add_costs(const RecordedRun                    &run,
              const std::vector<const RunReport *> &reports,
              const PhaseTimes                     &times,
              Analysis                             &analysis)
    {
      analysis.work = analysis.set_up_work = 0.;
      analysis.pilot_work                  = run.description().pilot_work;
      for (const std::string &name : run.description().levels)
        analysis.levels.push_back({name, 0});
      for (const RunReport *report : reports)
        {
          analysis.work += report->work;
          analysis.set_up_work += report->set_up_work;
          for (std::size_t i = 0; i < report->evaluations.size(); ++i)
            analysis.levels[i].evaluations += report->evaluations[i];
        }

      analysis.times   = times;
      analysis.seconds = analysis.times.empty() ? not_a_number : 0.;
      for (const auto &[phase, seconds] : analysis.times)
        analysis.seconds += seconds;
      for (const auto &[phase, seconds] : analysis.times)
        if (phase == "sampling")
          analysis.seconds = seconds;
    }


    /** What needs every draw: exact moments, and trips. */
    struct AllDraws
    {
      explicit AllDraws(const RecordedRun &run)
        : n_columns(run.description().columns().size())
        , moments(n_columns + 1)
        , round_trips(run.n_chains(), 0)
      {}

      void
      add(const unsigned int chain, const RecordedDraw &draw)
      {
        if (draw.is_burn_in)
          return;
        round_trips[chain] = draw.round_trips;
        if (draw.rungs.empty())
          return;
        const RecordedRung &cold = draw.rungs[0];
        for (std::size_t i = 0; i < n_columns; ++i)
          moments[i].add(cold.values[i]);
        moments[n_columns].add(cold.reference + cold.potential);
      }

      const std::size_t n_columns;
      /** Of the coldest rung; the last is the energy. */
      std::vector<Moments> moments;
      /** By chain. */
      std::vector<std::uint64_t> round_trips;
    };


    Analysis::Column
    make_column(const std::string &name,
                const Chains      &chains,
                const Moments     &all,
                const Analysis    &analysis)
    {
      Analysis::Column column;
      column.name        = name;
      column.diagnostics = diagnose(chains);
      if (all.count() > 0)
        {
          column.diagnostics.mean.value = all.mean();
          column.diagnostics.standard_deviation.value =
            all.standard_deviation();
        }
      Marginal marginal;
      for (const std::vector<double> &chain : chains)
        for (const double value : chain)
          if (std::isfinite(value))
            marginal.add(value);
      if (marginal.moments().count() > 0)
        column.sketch = marginal.sketch(20);
      const double size = column.diagnostics.bulk_size;
      column.size_per_work =
        analysis.work > 0. ? size / analysis.work : not_a_number;
      column.size_per_second =
        analysis.seconds > 0. ? size / analysis.seconds : not_a_number;
      return column;
    }

    /** The energies of a rung, by chain. */
    Chains
    energies(const DrawTable &table, const unsigned int rung)
    {
      Chains result;
      for (const std::vector<RungColumns> &chain : table.chains)
        {
          result.push_back(chain[rung].reference);
          for (std::size_t i = 0; i < result.back().size(); ++i)
            result.back()[i] += chain[rung].potential[i];
        }
      return result;
    }


    /** Whether measurements, priors and draws fit to each other. */
    void
    add_fit(const RecordedRun &run, const DrawTable &table, Analysis &analysis)
    {
      const bool has_converged = analysis.chains_agree();
      analysis.fit             = check_fit(run, has_converged);

      const RunDescription &description = run.description();
      const std::size_t     n =
        std::min(description.priors.size(), description.names.size());
      for (std::size_t i = 0; i < n && has_converged; ++i)
        {
          const auto prior = Distribution::if_text(description.priors[i]);
          if (!prior)
            continue;
          std::vector<double> draws;
          for (const auto &chain : table.chains)
            draws.insert(draws.end(),
                         chain[0].values[i].begin(),
                         chain[0].values[i].end());
          PriorConflict conflict;
          conflict.name = description.names[i];
          if (find_prior_conflict(draws,
                                  analysis.columns[i].diagnostics.bulk_size,
                                  *prior,
                                  n,
                                  conflict))
            analysis.prior_conflicts.push_back(conflict);
        }
    }


    /**
     * Whether steps are accepted all over the draws. Where a law narrows, as a
     * funnel does, a step that suits the rest is always rejected: draws end
     * there, and the law goes on. In the tails of laws that one step suits,
     * the acceptance is lower, too, but not by so much.
     */
    void
    add_unreachable(const DrawTable &table, Analysis &analysis)
    {
      constexpr double      end_part = 0.02, largest_part = 0.2;
      constexpr std::size_t fewest = 40;

      if (analysis.rungs.empty() || !analysis.rungs[0].is_adjusted)
        return;
      std::vector<double> acceptances;
      Moments             all;
      for (const std::vector<RungColumns> &chain : table.chains)
        for (const double one : chain[0].acceptance)
          {
            acceptances.push_back(one);
            if (!std::isfinite(one))
              return;
            all.add(one);
          }
      const std::size_t n_end = end_part * acceptances.size();
      if (n_end < fewest)
        return;
      Analysis::Unreachable worst;
      worst.all_acceptance = all.mean();
      worst.acceptance     = largest_part * all.mean();
      for (std::size_t i = 0; i < analysis.columns.size(); ++i)
        {
          if (analysis.columns[i].is_derived)
            continue;
          std::vector<double> values;
          for (const std::vector<RungColumns> &chain : table.chains)
            values.insert(values.end(),
                          chain[0].values[i].begin(),
                          chain[0].values[i].end());
          const std::vector<double> bounds =
            order_statistics(values, {n_end, values.size() - 1 - n_end});
          for (const bool is_above : {false, true})
            {
              Moments there;
              for (std::size_t k = 0; k < values.size(); ++k)
                if (is_above ? values[k] >= bounds[1] : values[k] <= bounds[0])
                  there.add(acceptances[k]);
              if (there.count() >= fewest && there.mean() < worst.acceptance)
                {
                  worst.name       = analysis.columns[i].name;
                  worst.is_above   = is_above;
                  worst.bound      = bounds[is_above];
                  worst.acceptance = there.mean();
                }
            }
        }
      if (!worst.name.empty())
        analysis.unreachable.push_back(worst);
    }


    /** The larger of two numbers, if both are any. */
    double
    larger(const double one, const double other)
    {
      return std::isnan(one) || other > one ? other : one;
    }


    /** Of a column at the coldest rung; see Analysis::Column. */
    double
    replica_r_hat(const DrawTable   &table,
                  const std::size_t  column,
                  const unsigned int n_rungs)
    {
      // A replica that was hardly ever there says nothing.
      constexpr std::size_t fewest_draws = 200;

      double largest = not_a_number;
      for (const std::vector<RungColumns> &chain : table.chains)
        {
          const std::vector<double> &values = chain[0].values[column];
          Chains                     by_replica(n_rungs);
          for (std::size_t i = 0; i < values.size(); ++i)
            by_replica[chain[0].replica[i]].push_back(values[i]);
          by_replica.erase(std::remove_if(by_replica.begin(),
                                          by_replica.end(),
                                          [&](const auto &draws) {
                                            return draws.size() < fewest_draws;
                                          }),
                           by_replica.end());
          if (by_replica.size() > 1)
            largest = larger(largest, rank_r_hat(by_replica));
        }
      return largest;
    }


    /** All columns at the coldest rung, then its energy. */
    void
    add_columns(const RunDescription       &description,
                const DrawTable            &table,
                const std::vector<Moments> &moments,
                Analysis                   &analysis)
    {
      const std::vector<std::string> names = description.columns();
      for (std::size_t i = 0; i < names.size(); ++i)
        {
          Chains chains;
          for (const auto &chain : table.chains)
            chains.push_back(chain[0].values[i]);
          Analysis::Column column =
            make_column(names[i], chains, moments[i], analysis);
          column.is_derived = i >= description.names.size();
          if (analysis.n_rungs > 1)
            column.replica_r_hat = replica_r_hat(table, i, analysis.n_rungs);
          analysis.replica_r_hat =
            larger(analysis.replica_r_hat, column.replica_r_hat);
          analysis.columns.push_back(std::move(column));
        }
      analysis.energy = make_column("energy",
                                    energies(table, 0),
                                    moments[names.size()],
                                    analysis);
    }


    /** Sum over bins of the smaller of two shares. */
    double
    overlap(const Chains &one, const Chains &other)
    {
      constexpr std::size_t n_bins = 50;

      std::vector<double> all;
      for (const Chains *chains : {&one, &other})
        for (const std::vector<double> &chain : *chains)
          for (const double value : chain)
            if (std::isfinite(value))
              all.push_back(value);
      if (all.empty())
        return not_a_number;
      // A single wild energy must not put all others in one bin.
      const std::vector<double> ends =
        order_statistics(all,
                         {std::size_t(0.005 * (all.size() - 1)),
                          std::size_t(0.995 * (all.size() - 1))});
      const double low = ends[0], high = ends[1];
      const auto   shares = [&](const Chains &chains) {
        std::vector<double> result(n_bins, 0.);
        double              n = 0.;
        for (const std::vector<double> &chain : chains)
          for (const double value : chain)
            if (std::isfinite(value))
              {
                const double place =
                  high > low ? n_bins * (value - low) / (high - low) : 0.;
                result[std::min(n_bins - 1., std::max(0., place))] += 1.;
                n += 1.;
              }
        for (double &share : result)
          share /= std::max(1., n);
        return result;
      };
      const std::vector<double> a = shares(one), b = shares(other);
      double                    sum = 0.;
      for (std::size_t i = 0; i < n_bins; ++i)
        sum += std::min(a[i], b[i]);
      return sum;
    }


    void
    add_overlaps(const DrawTable &table, Analysis &analysis)
    {
      Chains cold = energies(table, 0);
      for (unsigned int i = 0; i + 1 < table.chains[0].size(); ++i)
        {
          Chains hot                = energies(table, i + 1);
          analysis.pairs[i].overlap = overlap(cold, hot);
          cold                      = std::move(hot);
        }
    }


    /** Modes of the unknowns, or of some derived numbers. */
    void
    add_modes(const RunDescription &description,
              const DrawTable      &table,
              Analysis             &analysis)
    {
      // Neighbours in many columns, say a whole curve, are costly and vague.
      constexpr std::size_t most_columns = 20;
      // A share is known well enough from so many draws of all chains.
      constexpr std::size_t most_draws = 1 << 15;

      const std::vector<std::string> names   = description.columns();
      const std::size_t              n_first = description.names.size();
      const std::size_t begin = 0, end = n_first > 0 ? n_first : names.size();
      const std::size_t stride =
        (end - begin + most_columns - 1) / most_columns;
      if (end == 0)
        return;
      std::vector<std::vector<std::vector<double>>> chains(table.chains.size());
      const std::size_t                             draw_stride =
        (table.numbers[0].size() * chains.size() + most_draws - 1) / most_draws;
      for (std::size_t i = begin; i < end; i += stride)
        {
          analysis.mode_columns.push_back(names[i]);
          for (std::size_t chain = 0; chain < chains.size(); ++chain)
            {
              const auto         &all = table.chains[chain][0].values[i];
              std::vector<double> some;
              for (std::size_t k = 0; k < all.size(); k += draw_stride)
                some.push_back(all[k]);
              chains[chain].push_back(std::move(some));
            }
        }
      analysis.modes = find_modes(chains);
    }


    /** The table is used up. */
    void
    add_missed_modes(const RecordedRun &run,
                     DrawTable        &&table,
                     Analysis          &analysis)
    {
      const RunDescription                &description = run.description();
      std::vector<std::vector<RungSample>> chains;
      for (std::size_t c = 0; c < table.chains.size(); ++c)
        {
          if (run.reports(c).empty())
            return;
          const std::vector<RungReport> &rungs = run.reports(c).back().rungs;
          const auto reference_weight          = [&](const unsigned int rung) {
            return description.tempers_likelihood ?
                              1. :
                              1. / rungs[rung].temperature;
          };
          chains.emplace_back();
          for (unsigned int j = 0; j < table.chains[c].size(); ++j)
            {
              RungColumns &columns = table.chains[c][j];
              RungSample   sample;
              const double reference =
                             reference_weight(0) - reference_weight(j),
                           potential = 1. / rungs[0].temperature -
                                       1. / rungs[j].temperature;
              if (j > 0)
                for (std::size_t i = 0; i < columns.potential.size(); ++i)
                  sample.log_weights.push_back(
                    -reference * columns.reference[i] -
                    potential * columns.potential[i]);
              sample.columns = std::move(columns.values);
              chains.back().push_back(std::move(sample));
            }
        }
      // Chains that adapted temperatures of their own have other constants in
      // their weights: each chain weighs the same then.
      for (unsigned int j = 1; j < chains[0].size(); ++j)
        if (analysis.rungs[j].highest_temperature >
            analysis.rungs[j].lowest_temperature)
          for (std::vector<RungSample> &chain : chains)
            {
              std::vector<double> &log_weights = chain[j].log_weights;
              double largest = -std::numeric_limits<double>::infinity();
              for (const double one : log_weights)
                if (std::isfinite(one))
                  largest = std::max(largest, one);
              double sum = 0.;
              for (const double one : log_weights)
                if (std::isfinite(one))
                  sum += std::exp(one - largest);
              for (double &one : log_weights)
                one -= largest + std::log(sum);
            }
      analysis.missed_modes = find_missed_modes(description.columns(), chains);
    }
  } // namespace



  void
  Analysis::estimate_levels(const RecordedRun &run, const Checks &its_checks)
  {
    std::vector<Diagnostics> cold;
    for (const Column &column : columns)
      cold.push_back(column.diagnostics);
    const std::vector<std::string> names = run.description().columns();
    std::vector<std::size_t>       indices;
    for (const std::string &name : mode_columns)
      indices.push_back(std::find(names.begin(), names.end(), name) -
                        names.begin());
    level_estimates =
      estimate_from_levels(run, its_checks.level_solves, cold, modes, indices);
  }



  void
  Analysis::set_checks(const Checks &found)
  {
    checks = found;
    if (!checks.places.empty() && !level_estimates.is_empty())
      level_estimates.objection =
        "a place of low energy was found that no chain has visited";
    warnings = find_warnings(*this);
  }



  bool
  Analysis::chains_agree() const
  {
    return energy.diagnostics.r_hat < bad_r_hat &&
           std::all_of(columns.begin(),
                       columns.end(),
                       [](const Column &column) {
                         return column.diagnostics.r_hat < bad_r_hat;
                       });
  }



  Analysis
  analyse(const RecordedRun &run)
  {
    return analyse(run,
                   read_times(run.get_folder()),
                   read_checks(run.get_folder()));
  }



  Analysis
  analyse(const RecordedRun &run, const PhaseTimes &times, const Checks &checks)
  {
    // Draws of all chains, and numbers in all.
    constexpr std::size_t most_draws = 200000, most_numbers = 1 << 23,
                          least_draws_of_chain = 1000;

    Analysis                             analysis;
    const RunDescription                &description = run.description();
    const std::vector<const RunReport *> reports     = last_reports(run);
    add_state(run, reports, analysis);
    add_rungs(description, reports, analysis);
    add_pairs(description, reports, analysis);
    add_costs(run, reports, times, analysis);
    analysis.replica_r_hat = not_a_number;

    // Of a run that has gone on since, they say nothing.
    const Checks of_this_run =
      checks.rounds == analysis.rounds ? checks : Checks();

    const std::vector<std::string> names      = description.columns();
    const unsigned int             n_recorded = description.n_recorded_rungs;
    analysis.missed_modes.kish_sizes.assign(n_recorded, 0.);
    AllDraws   all(run);
    DrawTable  table;
    const bool has_draws = n_recorded > 0 && run.n_common_draws() > 0;
    const auto visit = [&](const unsigned int chain, const RecordedDraw &draw) {
      all.add(chain, draw);
    };
    if (has_draws)
      {
        const std::size_t n_numbers = n_recorded * (names.size() + 3);
        table =
          run.table(std::max(least_draws_of_chain,
                             std::min(most_draws, most_numbers / n_numbers) /
                               run.n_chains()),
                    visit);
      }
    else
      for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
        run.for_each_draw(chain, [&](const RecordedDraw &draw) {
          visit(chain, draw);
        });
    for (const std::uint64_t round_trips : all.round_trips)
      analysis.round_trips += round_trips;
    analysis.round_trip_rate = analysis.swap_times > 0. ?
                                 analysis.round_trips / analysis.swap_times :
                                 not_a_number;

    if (has_draws)
      {
        analysis.stride = table.stride;
        for (const auto &numbers : table.numbers)
          analysis.n_used += numbers.size();

        // Two halves that take about as long, beside each other; of many draws
        // one after the other, where memory matters more than time.
        constexpr std::uint64_t many = 1 << 17;
        std::future<void>       columns =
          std::async(beside(analysis.n_used < many), [&]() {
            add_columns(description, table, all.moments, analysis);
          });
        add_overlaps(table, analysis);
        add_modes(description, table, analysis);
        columns.get();
        // At another temperature the draws are not of the posterior.
        if (!analysis.rungs.empty() &&
            std::abs(analysis.rungs[0].temperature - 1.) < 1e-12)
          add_fit(run, table, analysis);
        add_unreachable(table, analysis);
        analysis.estimate_levels(run, of_this_run);
        if (n_recorded > 1)
          add_missed_modes(run, std::move(table), analysis);
      }
    analysis.evidence = recorded_evidence(run);
    analysis.set_checks(of_this_run);
    return analysis;
  }
} // namespace Tempera
