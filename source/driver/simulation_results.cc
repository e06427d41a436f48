// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/beside.h>
#include <tempera/base/text.h>
#include <tempera/driver/identifiability.h>
#include <tempera/driver/refinement_check.h>
#include <tempera/driver/simulation.h>
#include <tempera/output/analysis.h>
#include <tempera/output/cmdstan_csv.h>
#include <tempera/output/prediction_band.h>
#include <tempera/output/record.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/report.h>
#include <tempera/output/samples_netcdf.h>
#include <tempera/output/samples_picture.h>
#include <tempera/output/summary_text.h>

#include <algorithm>
#include <cmath>

// What a Simulation makes of the record when the run is over.

namespace Tempera
{
  void
  Simulation::write_results(const std::atomic<bool> &stop,
                            const std::string       &closing_words)
  {
    const RecordedRun recorded(folder->get_path());
    recorded.check_written(record_lengths,
                           "Leave the output folder alone; what is sound is "
                           "shown by 'tempera summary'.");
    const auto write_draws = [&]() {
      write_samples_netcdf(recorded, folder->file("samples.nc"));
      if (parameters.output.csv)
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
      recorded.n_common_draws() > 0 && (inversion || network) &&
      !description.names.empty() && !parameters.general.samples_prior();
    times.enter("refinement");
    const std::string refinement =
      has_prior ? check_refinement(recorded, stop) : "";
    times.write(*folder);
    std::future<Analysis> analysing =
      std::async(beside(!is_long), [&]() { return analyse(recorded); });
    times.enter("information");
    const Information information = has_prior && samples_posterior() ?
                                      information_at_draws(recorded, stop) :
                                      Information();
    times.enter("analysis");
    const Analysis    analysis = analysing.get();
    const std::string comparison =
      has_prior ? compare_with_prior(recorded, analysis, information) : "";
    journal->write(summary_text(analysis));
    if (prediction)
      journal->write(prediction->text());
    journal->write(closing_words);
    journal->write(comparison + refinement);
    times.enter("fields");
    if (inversion)
      write_fields(recorded);
    times.enter("report");
    times.write(*folder);
    if (parameters.output.report)
      folder->write("report.html", report_html(recorded, analysis));
    times.enter("samples.nc");
    files.get();
  }



  std::string
  Simulation::check_refinement(const RecordedRun       &recorded,
                               const std::atomic<bool> &stop) const
  {
    if (!inversion || parameters.output.n_refinement_draws == 0)
      return "";
    const RefinementCheck check(
      *inversion,
      parameters,
      evenly_spaced_states(recorded, parameters.output.n_refinement_draws),
      [&]() { return stop.load(); });
    if (check.is_known())
      folder->write("refinement.csv", check.csv());
    return check.text();
  }



  unsigned int
  Simulation::n_network_information_draws() const
  {
    // Each takes a linear system in all misfits.
    constexpr unsigned int most = 10;
    return std::min(most, parameters.output.n_information_draws);
  }



  bool
  Simulation::samples_posterior() const
  {
    // With weights in the place of standard deviations, the temperature is a
    // part of the likelihood.
    return std::abs(ensemble->report().rungs[0].temperature - 1.) <= 1e-12 ||
           (network && parameters.network.likelihood.is_weighted() &&
            (*ensemble)[0].get_ladder()[0].exponents.reference == 1.);
  }



  Information
  Simulation::information_at_draws(const RecordedRun       &recorded,
                                   const std::atomic<bool> &is_stopped) const
  {
    const auto stop = [&]() { return is_stopped.load(); };
    if (network)
      return network->information((*ensemble)[0].get_ladder(),
                                  network_draws->evenly_spaced(
                                    n_network_information_draws()),
                                  stop);
    return average_information(
      inversion->get_unknowns(),
      inversion->get_likelihood(),
      inversion->model(parameters.ladder.levels[0]),
      evenly_spaced_states(recorded, parameters.output.n_information_draws),
      JacobianMethod::cheaper,
      stop);
  }



  std::string
  Simulation::compare_with_prior(const RecordedRun &recorded,
                                 const Analysis    &analysis,
                                 const Information &information) const
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
    const Identifiability identifiability(network ? network->get_unknowns() :
                                                    inversion->get_unknowns(),
                                          marginals,
                                          mixing,
                                          information);
    folder->write("identifiability.csv", identifiability.csv());
    return identifiability.text();
  }



  void
  Simulation::write_fields(const RecordedRun &recorded) const
  {
    const OutputParameters &output = parameters.output;
    const FemModel   &model = inversion->model(parameters.ladder.levels[0]);
    const std::string path  = folder->get_path() + "/fields";
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
