// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/driver/identifiability.h>
#include <tempera/driver/refinement_check.h>
#include <tempera/driver/simulation.h>
#include <tempera/output/analysis.h>
#include <tempera/output/cmdstan_csv.h>
#include <tempera/output/prediction_band.h>
#include <tempera/output/record.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/replica_marginals.h>
#include <tempera/output/report.h>
#include <tempera/output/samples_netcdf.h>
#include <tempera/output/samples_picture.h>
#include <tempera/output/summary_text.h>

#include <algorithm>
#include <cmath>
#include <future>

// What a Simulation makes of the record when the run is over.

namespace Tempera
{
  void
  Simulation::write_results(const std::atomic<bool> &stop,
                            const std::string       &closing_words)
  {
    const RecordedRun recorded(folder->get_path());
    const auto        write_draws = [&]() {
      write_samples_netcdf(recorded, folder->file("samples.nc"));
      if (parameters.output.csv)
        write_cmdstan_csv(recorded, folder->get_path());
      write_samples_picture(*folder, recorded);
    };
    // Beside the analysis, since both only read the record; of long runs before
    // it, where memory matters more than time.
    constexpr std::uint64_t many = 1 << 18;
    std::future<void>       files;
    times.enter("samples.nc");
    if (recorded.n_common_draws() * recorded.n_chains() < many)
      files = std::async(std::launch::async, write_draws);
    else
      write_draws();

    std::string told;
    if (recorded.n_common_draws() > 0 && (inversion || network) &&
        !parameters.general.samples_prior())
      {
        times.enter("information");
        told = compare_with_prior(recorded, stop);
        times.enter("refinement");
        if (inversion && parameters.output.n_refinement_draws > 0)
          {
            const RefinementCheck check(
              *inversion,
              parameters,
              evenly_spaced_states(recorded,
                                   parameters.output.n_refinement_draws),
              [&]() { return stop.load(); });
            if (check.is_known())
              folder->write("refinement.csv", check.csv());
            told += check.text();
          }
      }
    times.enter("analysis");
    times.write(*folder);
    const Analysis analysis = analyse(recorded);
    journal->write(summary_text(analysis));
    if (prediction)
      journal->write(prediction->text());
    journal->write(closing_words);
    journal->write(told);
    times.enter("fields");
    if (inversion)
      write_fields(recorded);
    times.enter("report");
    times.write(*folder);
    if (parameters.output.report)
      folder->write("report.html", report_html(recorded, analysis));
    times.enter("samples.nc");
    if (files.valid())
      files.get();
  }



  unsigned int
  Simulation::n_network_information_draws() const
  {
    // Each takes a linear system in all misfits.
    constexpr unsigned int most = 10;
    return std::min(most, parameters.output.n_information_draws);
  }



  std::string
  Simulation::compare_with_prior(const RecordedRun       &recorded,
                                 const std::atomic<bool> &is_stopped) const
  {
    if (recorded.n_common_draws() == 0 || description.names.empty())
      return "";
    const Ladder   &ladder = (*ensemble)[0].get_ladder();
    const RunReport report = ensemble->report();
    // With weights in the place of standard deviations, the temperature is a
    // part of the likelihood.
    const bool is_posterior =
      std::abs(report.rungs[0].temperature - 1.) <= 1e-12 ||
      (network && parameters.network.likelihood.is_weighted() &&
       ladder[0].exponents.reference == 1.);
    if (!is_posterior)
      return "\nWhat the data tell is not said: the coldest temperature is " +
             to_text(report.rungs[0].temperature, 4) +
             ", and only draws at temperature 1 are draws from the "
             "posterior.\n";

    std::vector<Marginal> marginals(description.names.size());
    ReplicaMarginals      replicas(description);
    for (unsigned int chain = 0; chain < recorded.n_chains(); ++chain)
      recorded.for_each_draw(chain, [&](const RecordedDraw &draw) {
        if (draw.is_burn_in)
          return;
        for (std::size_t i = 0; i < marginals.size(); ++i)
          marginals[i].add(draw.rungs[0].values[i]);
        replicas.add(chain, draw.rungs[0]);
      });

    const auto        stop = [&]() { return is_stopped.load(); };
    const Information information =
      network ?
        network->information(ladder,
                             network_draws->evenly_spaced(
                               n_network_information_draws()),
                             stop) :
        average_information(
          inversion->get_unknowns(),
          inversion->get_likelihood(),
          inversion->model(parameters.ladder.levels[0]),
          evenly_spaced_states(recorded, parameters.output.n_information_draws),
          JacobianMethod::cheaper,
          stop);
    const Identifiability identifiability(network ? network->get_unknowns() :
                                                    inversion->get_unknowns(),
                                          marginals,
                                          information,
                                          replicas.r_hats());
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
