// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/beside.h>
#include <tempera/base/text.h>
#include <tempera/output/analysis.h>
#include <tempera/output/cmdstan_csv.h>
#include <tempera/output/prediction_band.h>
#include <tempera/output/record.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/report.h>
#include <tempera/output/samples_netcdf.h>
#include <tempera/output/samples_picture.h>
#include <tempera/output/summary_text.h>
#include <tempera/run/run.h>
#include <tempera/study/identifiability.h>
#include <tempera/study/level_checks.h>
#include <tempera/study/mode_search.h>
#include <tempera/study/refinement_check.h>
#include <tempera/target/forward_target.h>

#include <algorithm>
#include <cmath>

// What a Run makes of the record when the run is over.

namespace Tempera
{
  namespace
  {
    /** Draws that stand for the law of the coldest rung. */
    constexpr unsigned int n_population = 2000;
    /** Draws at which levels are compared. */
    constexpr unsigned int n_bias_draws = 100;
  } // namespace



  void
  Run::write_results(const std::atomic<bool> &stop,
                     const std::string       &closing_words)
  {
    const RecordedRun recorded(folder->get_path());
    recorded.check_written(record_lengths,
                           "Leave the output folder alone; what is sound is "
                           "shown by 'tempera summary'.");
    const auto write_draws = [&]() {
      write_samples_netcdf(recorded, folder->file("samples.nc"));
      if (settings.output.csv)
        write_cmdstan_csv(recorded, folder->get_path());
      write_samples_picture(*folder, recorded);
    };
    // Beside each other, since all only read the record; of long runs one after
    // the other, where memory matters more than time.
    constexpr std::uint64_t many = 1 << 18;
    const bool              is_long =
      recorded.n_common_draws() * recorded.n_chains() >= many;
    std::future<void> files = std::async(beside(!is_long), write_draws);
    times.enter("samples.nc");
    if (is_long)
      files.wait();

    const bool has_prior =
      recorded.n_common_draws() > 0 && target.prior() != nullptr &&
      !description.names.empty() && !settings.samples_prior();
    times.write(*folder);
    std::future<Analysis> analysing =
      std::async(beside(!is_long), [&]() { return analyse(recorded); });
    times.enter("information");
    const Information information = has_prior && samples_posterior() ?
                                      information_at_draws(recorded, stop) :
                                      Information();
    times.enter("analysis");
    Analysis analysis = analysing.get();
    Checks   checks;
    times.enter("refinement");
    const std::string refinement =
      has_prior ? check_refinement(recorded, analysis, stop, checks) : "";
    times.enter("analysis");
    const std::string comparison =
      has_prior ? compare_with_prior(recorded, analysis, information, checks) :
                  "";
    times.enter("checks");
    if (recorded.n_common_draws() > 0 && !settings.samples_prior())
      look_further(recorded, analysis, stop, checks);
    checks.rounds = analysis.rounds;
    folder->write(checks_file, checks_to_json(checks));
    analysis.checks   = checks;
    analysis.warnings = find_warnings(analysis);
    times.enter("analysis");
    journal->write(summary_text(analysis));
    if (prediction)
      journal->write(prediction->text());
    journal->write(closing_words);
    journal->write(comparison + refinement);
    times.enter("fields");
    write_fields(recorded);
    times.enter("report");
    times.write(*folder);
    if (settings.output.report)
      folder->write("report.html", report_html(recorded, analysis));
    times.enter("samples.nc");
    files.get();
  }



  std::string
  Run::check_refinement(const RecordedRun       &recorded,
                        const Analysis          &analysis,
                        const std::atomic<bool> &stop,
                        Checks                  &checks) const
  {
    ForwardTarget *const forward = target.forward();
    if (forward == nullptr || settings.output.n_refinement_draws == 0)
      return "";
    const RefinementCheck check(
      *forward,
      cold_level(),
      evenly_spaced_states(recorded, settings.output.n_refinement_draws),
      [&]() { return stop.load(); },
      // At another temperature, or where chains disagree, it is not the
      // posterior that would shift.
      samples_posterior() && analysis.chains_agree() ?
        evenly_spaced_states(recorded, n_population) :
        std::vector<std::vector<double>>());
    if (check.is_known())
      {
        folder->write("refinement.csv", check.csv());
        checks.refined_level      = cold_level();
        checks.prediction_change  = check.get_largest();
        checks.integration_change = check.get_integration_change();
        checks.refinement_shifts  = check.get_shifts();
      }
    checks.refinement = check.text();
    return check.text();
  }



  void
  Run::look_further(const RecordedRun       &recorded,
                    const Analysis          &analysis,
                    const std::atomic<bool> &stop,
                    Checks                  &checks) const
  {
    const auto    is_stopped = [&]() { return stop.load(); };
    const Ladder &ladder     = (*ensemble)[0].get_ladder();
    // Energies that another process has cannot be asked for here.
    const auto is_here = [&](const unsigned int level) {
      return target.has(ladder.get_levels()[level].name);
    };
    bool all_are_here = true;
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      all_are_here = all_are_here && is_here(ladder[rung].level);
    if (!is_here(ladder[0].level) || is_stopped())
      return;

    checks.fine_shares = fine_shares(analysis, recorded, ladder, is_stopped);

    if (all_are_here)
      checks.swap_shifts =
        swap_shifts(analysis,
                    description,
                    ladder,
                    settings.swaps,
                    whole_draws(recorded, n_bias_draws),
                    evenly_spaced_states(recorded, n_population),
                    is_stopped);

    constexpr unsigned int most_unknowns = 20;
    if (!target.has_distinct_minima() || !samples_posterior() ||
        ladder.space().dimension() > most_unknowns ||
        ladder.energy(0).is_stochastic())
      return;
    // Where evaluations cost least.
    unsigned int cheapest = ladder[0].level;
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        const unsigned int level  = ladder[rung].level;
        const Energy      &energy = *ladder.get_levels()[level].energy;
        if (is_here(level) && !energy.is_stochastic() &&
            energy.work(Request::values_and_gradients) <
              ladder.get_levels()[cheapest].energy->work(
                Request::values_and_gradients))
          cheapest = level;
      }
    constexpr double share_of_work = 0.02;
    SearchBudget     budget;
    budget.work       = share_of_work * analysis.work;
    budget.seed       = settings.run.seed;
    budget.is_stopped = is_stopped;
    const SearchSpace space =
      target.unknowns().empty() ?
        SearchSpace(
          ladder.space(),
          evenly_spaced_states(recorded,
                               n_population,
                               recorded.description().n_recorded_rungs - 1)) :
        SearchSpace(target.unknowns());
    const Checks found =
      search_modes(*ladder.get_levels()[cheapest].energy,
                   ladder.energy(0),
                   space,
                   evenly_spaced_states(recorded, n_population),
                   budget);
    checks.places     = found.places;
    checks.n_searches = found.n_searches;
  }



  bool
  Run::has_unrecorded() const
  {
    const StateSpace &space = (*ensemble)[0].get_ladder().space();
    return space.recorded().size() < space.dimension();
  }



  std::vector<std::vector<double>>
  Run::whole_draws(const RecordedRun &recorded, const unsigned int n) const
  {
    return has_unrecorded() ? kept_draws->evenly_spaced(n) :
                              evenly_spaced_states(recorded, n);
  }



  unsigned int
  Run::n_information_draws() const
  {
    return std::min(target.most_information_draws(),
                    settings.output.n_information_draws);
  }



  unsigned int
  Run::n_kept_draws() const
  {
    // More where a bias is to be estimated from them.
    return settings.swaps.rule == "multi-variance" ?
             std::max(n_bias_draws, n_information_draws()) :
             n_information_draws();
  }



  bool
  Run::samples_posterior() const
  {
    return target.samples_posterior((*ensemble)[0].get_ladder());
  }



  Information
  Run::information_at_draws(const RecordedRun       &recorded,
                            const std::atomic<bool> &is_stopped) const
  {
    return target.information((*ensemble)[0].get_ladder(),
                              whole_draws(recorded, n_information_draws()),
                              [&]() { return is_stopped.load(); });
  }



  std::string
  Run::compare_with_prior(const RecordedRun &recorded,
                          const Analysis    &analysis,
                          const Information &information,
                          Checks            &checks) const
  {
    if (!samples_posterior())
      return "\nWhat the data tell is not said: the coldest temperature is " +
             to_text(ensemble->report().rungs[0].temperature, 4) +
             ", and only draws at temperature 1 are draws from the "
             "posterior.\n";

    std::vector<Marginal> marginals(description.names.size());
    for (unsigned int chain = 0; chain < recorded.n_chains(); ++chain)
      recorded.for_each_draw(chain, [&](const RecordedDraw &draw) {
        if (!draw.is_burn_in)
          for (std::size_t i = 0; i < marginals.size(); ++i)
            marginals[i].add(draw.rungs[0].values[i]);
      });
    std::vector<Mixing> mixing(marginals.size());
    for (std::size_t i = 0; i < mixing.size(); ++i)
      {
        const Analysis::Column &column = analysis.columns[i];
        mixing[i].convergence          = {column.diagnostics.r_hat,
                                          column.diagnostics.bulk_size};
        if (!std::isnan(column.replica_r_hat))
          mixing[i].replica_r_hat = column.replica_r_hat;
      }
    const Identifiability identifiability(target.unknowns(),
                                          marginals,
                                          mixing,
                                          information);
    folder->write("identifiability.csv", identifiability.csv());
    identifiability.add_to(checks);
    return identifiability.text();
  }



  void
  Run::write_fields(const RecordedRun &recorded) const
  {
    const OutputParameters &output  = settings.output;
    ForwardTarget *const    forward = target.forward();
    if (forward == nullptr ||
        (output.n_field_draws == 0 && output.n_mean_draws <= 1))
      return;
    const auto          its_model = forward->model(cold_level());
    const ForwardModel &model     = *its_model;
    const std::string   path      = folder->get_path() + "/fields";
    // Without the noise level, which is no business of the solver.
    const auto states = [&](const unsigned int n) {
      auto result = evenly_spaced_states(recorded, n);
      for (std::vector<double> &state : result)
        state.resize(model.n_parameters());
      return result;
    };
    unsigned int number = 0;
    for (const std::vector<double> &state : states(output.n_field_draws))
      model.write_fields({state},
                         {path,
                          "draw_" + std::to_string(number++),
                          output.n_field_times});
    if (output.n_mean_draws > 1 && recorded.n_common_draws() > 1)
      model.write_fields(states(output.n_mean_draws),
                         {path, "posterior", output.n_field_times});
  }
} // namespace Tempera
