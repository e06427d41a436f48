// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/inference/prior_energy.h>
#include <tempera/output/recorded_run.h>
#include <tempera/study/evaluation_progress.h>
#include <tempera/study/posterior_grid.h>
#include <tempera/study/studies.h>
#include <tempera/target/forward_target.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iomanip>
#include <memory>
#include <ostream>

namespace Tempera
{
  namespace
  {
    /** The draws of the coldest rung of a run, a column for each unknown. */
    std::vector<std::vector<double>>
    draws_of(const std::string &folder, const StateSpace &space)
    {
      const RecordedRun        run(folder);
      const auto               names = run.description().columns();
      std::vector<std::size_t> columns;
      for (unsigned int i = 0; i < space.dimension(); ++i)
        {
          const auto place =
            std::find(names.begin(), names.end(), space[i].name);
          if (place == names.end() || run.description().n_recorded_rungs == 0)
            throw UserError("The run in '" + folder + "' has no unknown '" +
                            space[i].name + "'. It is of another problem.");
          columns.push_back(place - names.begin());
        }
      std::vector<std::vector<double>> draws(columns.size());
      for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
        run.for_each_draw(chain, [&](const RecordedDraw &draw) {
          if (!draw.is_burn_in)
            for (std::size_t i = 0; i < columns.size(); ++i)
              draws[i].push_back(draw.rungs[0].values[columns[i]]);
        });
      return draws;
    }
  } // namespace



  bool
  show_truth(Target                  &target,
             const RunSettings       &settings,
             const TruthOptions      &options,
             std::ostream            &out,
             const bool               is_terminal,
             const std::atomic<bool> &stop)
  {
    const std::string  &level = settings.ladder.levels[0];
    std::vector<double> centre;
    if (const ForwardTarget *const forward = target.forward())
      if (forward->true_circle().size() == 3)
        centre.assign(forward->true_circle().begin(),
                      forward->true_circle().begin() + 2);
    const std::shared_ptr<const Energy> its_energy =
      settings.samples_prior() ? std::make_shared<PriorEnergy>(target.prior()) :
                                 target.energy(level);
    const Energy      &energy = *its_energy;
    EvaluationProgress progress("evaluations", out, is_terminal, stop);
    std::unique_ptr<const PosteriorGrid> evaluated;
    try
      {
        evaluated = std::make_unique<PosteriorGrid>(
          energy, options.n_bins, options.n_points, centre, std::ref(progress));
      }
    catch (const EvaluationProgress::Stopped &stopped)
      {
        out << "-- stopped after " << stopped.n_done << " of " << stopped.n_all
            << " evaluations; fewer --bins or --points take less time\n";
        return false;
      }
    const PosteriorGrid &grid    = *evaluated;
    const auto           moments = grid.moments();
    const unsigned int   n       = grid.dimension();
    const auto           squared = [&](const unsigned int number) {
      const std::string text = std::to_string(number);
      return n == 1 ? text : text + " x " + text;
    };
    out << "-- posterior of level '" << level << "' on "
        << squared(options.n_bins) << " bins, " << squared(options.n_points)
        << " evaluations in each\n";
    for (unsigned int i = 0; i < n; ++i)
      out << "--     . " << energy.space()[i].name << ": mean "
          << to_text(moments[i].first, 5) << ", sd "
          << to_text(moments[i].second, 5) << "\n";
    for (unsigned int i = 0; i < n; ++i)
      if (const Coordinate &unknown = energy.space()[i];
          2. * moments[i].second * options.n_bins * options.n_points <
          unknown.upper - unknown.lower)
        out << "--     . note: the grid is too coarse for " << unknown.name
            << "; raise --points\n";
    out << "--     . share of the lower half of " << energy.space()[0].name
        << ": " << to_text(grid.lower_share(), 4) << "\n";
    if (const std::shared_ptr<const PriorMeasure> prior = target.prior())
      {
        const double without =
          grid.get_log_integral() - prior->log_normaliser();
        const bool has_constant =
          target.forward() != nullptr && !settings.samples_prior();
        out
          << "--     . log evidence: "
          << to_text(without -
                       (has_constant ?
                          target.forward()->get_likelihood().log_normaliser() :
                          0.),
                     10)
          << (has_constant ?
                "; without the likelihood's constant " + to_text(without, 10) :
                std::string())
          << "\n";
      }
    if (!options.file.empty())
      {
        std::ofstream file(options.file);
        file << grid.csv();
        file.close();
        if (!file)
          throw UserError("The file '" + options.file + "' cannot be written.");
      }
    if (options.runs.empty())
      return true;

    // Means as their errors, in true standard deviations.
    const auto mean_title = [&](const unsigned int i) {
      return "  mean of " + energy.space()[i].name + " off";
    };
    const auto mean_width = [&](const unsigned int i) {
      return std::max<int>(16, mean_title(i).size());
    };
    out << "\n"
        << std::setw(32) << "run" << std::setw(10) << "draws" << std::setw(10)
        << "TV" << std::setw(10) << "share";
    for (unsigned int i = 0; i < n; ++i)
      out << std::setw(mean_width(i)) << mean_title(i);
    if (grid.has_centre())
      out << std::setw(12) << "KL angle" << std::setw(10) << "angles";
    out << "\n";
    double       sum_variation = 0., sum_square = 0., largest_divergence = 0.;
    double       sum_divergence = 0.;
    unsigned int fewest_angles  = PosteriorGrid::n_angles;
    std::vector<double> sum_square_of_means(n, 0.);
    for (const std::string &run : options.runs)
      {
        const auto           draws = draws_of(run, energy.space());
        const GridComparison here  = grid.compare(draws);
        out << std::setw(32) << run << std::setw(10) << here.n_draws
            << std::setw(10) << to_text(here.total_variation, 4)
            << std::setw(10) << to_text(here.lower_share, 4);
        for (unsigned int i = 0; i < n; ++i)
          {
            out << std::setw(mean_width(i))
                << to_text(here.mean_errors[i], 3) + " sd";
            sum_square_of_means[i] += std::pow(here.mean_errors[i], 2);
          }
        if (grid.has_centre())
          out << std::setw(12) << to_text(here.angular_divergence, 4)
              << std::setw(10) << here.n_angles_visited;
        out << "\n";
        sum_variation += here.total_variation;
        sum_square += std::pow(here.lower_share - grid.lower_share(), 2);
        sum_divergence += here.angular_divergence;
        largest_divergence =
          std::max(largest_divergence, here.angular_divergence);
        fewest_angles = std::min(fewest_angles, here.n_angles_visited);
      }
    const double n_runs = options.runs.size();
    out << "\nmean total variation:                " +
             to_text(sum_variation / n_runs, 4) +
             "\nroot mean square error of the share: " +
             to_text(std::sqrt(sum_square / n_runs), 4) + "\n";
    for (unsigned int i = 0; i < n; ++i)
      out << "root mean square error of the mean:  " +
               to_text(std::sqrt(sum_square_of_means[i] / n_runs), 4) +
               " true standard deviations of " + energy.space()[i].name + "\n";
    if (grid.has_centre())
      out << "divergence of the angle:             mean " +
               to_text(sum_divergence / n_runs, 4) + ", largest " +
               to_text(largest_divergence, 4) +
               "\nfewest bins of the angle visited:    " +
               std::to_string(fewest_angles) + " of " +
               std::to_string(PosteriorGrid::n_angles) + "\n";
    return true;
  }
} // namespace Tempera
