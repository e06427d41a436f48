// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/output/posterior_shift.h>
#include <tempera/study/mesh_error.h>
#include <tempera/study/study.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /** Predictions by state; empty where the equation has no solution. */
    std::vector<std::vector<double>>
    predictions_at(const ForwardModel                     &model,
                   const std::vector<std::vector<double>> &states)
    {
      std::vector<std::vector<double>> result = model.predict(states);
      for (std::vector<double> &one : result)
        if (!std::all_of(one.begin(), one.end(), [](const double value) {
              return std::isfinite(value);
            }))
          one.clear();
      return result;
    }
  } // namespace



  MeshError::MeshError(ForwardTarget                          &target,
                       const std::string                      &level,
                       const std::vector<std::vector<double>> &all_states,
                       const std::function<bool()>            &is_stopped,
                       const std::vector<std::vector<double>> &population,
                       const double                            most_work)
    : level(level)
    , advice(target.get_family().refinement_advice(level))
    , is_interrupted(is_stopped())
  {
    if (all_states.empty() || is_interrupted)
      return;
    std::shared_ptr<const ForwardModel> refined;
    try
      {
        refined = target.get_family().make_refined(level, false);
      }
    catch (const UserError &error)
      {
        // Too large, for instance; the run itself is in order.
        obstacle = error.what();
        return;
      }

    if (!refined)
      return;
    const auto          its_model    = target.model(level);
    const ForwardModel &model        = *its_model;
    const double        unit         = model.work().prediction;
    double              work_of_pair = 1. + refined->work().prediction / unit;
    // Where sweeps are made once and make solves free, the run's work is
    // counted as if there were none, for budgets. Then a refined level has
    // sweeps, too, if that costs less, and its work is bounded for itself.
    const bool   is_prepared = model.work().set_up > 0.;
    const double bound       = is_prepared && std::isfinite(most_work) ?
                                 std::min(most_work, most_prepared_work) :
                                 most_work;
    const double sweeps      = refined->n_predictions() * (work_of_pair - 1.);
    // Of integrals, two pairs.
    work                  = 4.;
    const bool has_sweeps = is_prepared && work + sweeps <= bound &&
                            sweeps < all_states.size() * work_of_pair;
    if (has_sweeps)
      {
        work += sweeps;
        work_of_pair = 0.;
      }
    const std::vector<std::vector<double>> states =
      affordable(all_states, work_of_pair, bound);
    if (states.empty())
      return;
    if (has_sweeps)
      refined = target.get_family().make_refined(level, true);
    compare_integrals(target, states);
    double                           sum = 0.;
    std::vector<std::vector<double>> used;
    std::vector<double>              log_weights;
    const auto misfit = [&](const std::vector<double> &predictions,
                            const std::vector<double> &state) {
      return target.get_likelihood().misfit(
        dealii::make_array_view(predictions),
        target.get_likelihood().noise_of(dealii::make_array_view(state)));
    };
    // As many at a time as one of the models likes.
    const std::size_t n_at_a_time =
      std::max(model.n_together(), refined->n_together());
    std::vector<std::vector<double>> all_now, all_better;
    for (std::size_t i = 0; i < states.size(); ++i)
      {
        if (i % n_at_a_time == 0)
          {
            is_interrupted = is_stopped();
            if (is_interrupted)
              break;
            const std::vector<std::vector<double>> some(
              states.begin() + i,
              states.begin() + std::min(i + n_at_a_time, states.size()));
            all_now    = predictions_at(model, some);
            all_better = predictions_at(*refined, some);
          }
        const std::vector<double> &state  = states[i];
        const std::vector<double> &now    = all_now[i % n_at_a_time];
        const std::vector<double> &better = all_better[i % n_at_a_time];
        work += work_of_pair;
        if (now.empty() || better.empty())
          {
            ++n_skipped;
            continue;
          }
        ++n_draws;
        used.push_back(state);
        log_weights.push_back(misfit(now, state) - misfit(better, state));
        for (unsigned int k = 0; k < now.size(); ++k)
          {
            const double difference =
              std::abs(now[k] - better[k]) /
              target.get_likelihood().standard_deviation(
                k,
                now[k],
                target.get_likelihood().noise_of(
                  dealii::make_array_view(state)));
            sum += difference / now.size();
            if (difference > largest)
              {
                largest     = difference;
                measurement = k;
              }
          }
      }
    if (n_draws == 0)
      return;
    mean = sum / n_draws;
    find_shifts(used, log_weights, population, target.unknowns());
    measurement_name = target.name_of_measurement(measurement);
  }



  std::vector<std::vector<double>>
  MeshError::affordable(const std::vector<std::vector<double>> &states,
                        const double                            work_of_state,
                        const double                            most_work)
  {
    const double n_affordable =
      work_of_state > 0. ?
        std::max(0., std::floor((most_work - work) / work_of_state)) :
        states.size();
    if (n_affordable >= states.size())
      return states;
    const std::size_t                n = n_affordable;
    std::vector<std::vector<double>> result;
    for (std::size_t i = 0; i < n; ++i)
      result.push_back(states[i * states.size() / n]);
    n_left_out = states.size() - n;
    if (n == 0)
      obstacle =
        "A draw on the refined level would take " +
        to_text(work + work_of_state, 2) + " solves, and no more than " +
        to_text(most_work, 2) +
        " are spent on it unasked. Set 'Output/Mesh error' to a number "
        "of draws.";
    return result;
  }



  void
  MeshError::find_shifts(const std::vector<std::vector<double>> &states,
                         const std::vector<double>              &log_weights,
                         const std::vector<std::vector<double>> &population,
                         const std::vector<Unknown>             &unknowns)
  {
    Moments differences;
    for (const double one : log_weights)
      differences.add(one);
    if (population.empty())
      {
        objection = "the chains disagree, or do not sample the posterior";
        return;
      }
    if (states.size() < fewest_draws)
      {
        objection = "it needs at least " + std::to_string(fewest_draws) +
                    " draws, set 'Output/Mesh error'";
        return;
      }
    energy_spread = differences.standard_deviation();
    if (energy_spread > Checks::largest_energy_spread)
      {
        objection = "the energies of the two levels differ by a standard "
                    "deviation of " +
                    to_text(energy_spread, 2) + " (at most " +
                    to_text(Checks::largest_energy_spread) +
                    " wanted), so the refined level has another posterior";
        return;
      }
    std::vector<std::string> names;
    for (const Unknown &unknown : unknowns)
      names.push_back(unknown.name);
    shifts = shifts_with_errors(states, log_weights, population, names);
    if (shifts.empty())
      objection = "there are too few draws";
  }



  void
  MeshError::compare_integrals(ForwardTarget                          &target,
                               const std::vector<std::vector<double>> &states)
  {
    const auto model = target.model(level);
    const auto other = target.get_family().make_reintegrated(level);
    if (!other)
      return;
    const std::vector<std::vector<double>> ends{states.front(), states.back()};
    const auto                             now = predictions_at(*model, ends),
               better                          = predictions_at(*other, ends);
    for (std::size_t i = 0; i < ends.size(); ++i)
      for (std::size_t k = 0; k < std::min(now[i].size(), better[i].size());
           ++k)
        integration_change =
          std::max(integration_change,
                   std::abs(now[i][k] - better[i][k]) /
                     target.get_likelihood().standard_deviation(
                       k,
                       now[i][k],
                       target.get_likelihood().noise_of(
                         dealii::make_array_view(ends[i]))));
  }



  double
  MeshError::largest_shift() const
  {
    double result = 0.;
    for (const Checks::Shift &one : shifts)
      result = std::max({result, std::abs(one.mean), std::abs(one.width)});
    return result;
  }



  std::string
  MeshError::text() const
  {
    if (!obstacle.empty())
      return "Whether level '" + level +
             "' is fine enough is not known: it was not refined. " + obstacle +
             "\n";
    if (!is_known())
      return n_skipped > 0 ? "Whether level '" + level +
                               "' is fine enough is not known: at no draw "
                               "could the refined equation be solved.\n" :
                             "";
    const std::string end =
      " sigma (" + counted(n_draws, "draw") +
      (n_left_out > 0 ? " instead of " + std::to_string(n_draws + n_left_out) +
                          ", to stay below " + to_text(100. * share_of_work) +
                          " % of the run's work" :
                        "") +
      (n_skipped > 0 ? ", " + std::to_string(n_skipped) + " without solution" :
                       "") +
      (is_interrupted ? ", then stopped" : "") + ")" +
      (shifts.empty() ?
         "" :
         ", and the posterior by up to " + to_text(largest_shift(), 2) +
           " of its standard deviation");
    if (integration_change > largest_difference)
      return "Warning: level '" + level +
             "' is not fine enough: more integration points in its cells "
             "change the predictions by up to " +
             to_text(integration_change, 2) +
             " sigma. Something in the data of the equation is narrower than "
             "a cell. " +
             advice + "\n";
    if (is_fine_enough())
      return "Level '" + level +
             "' is fine enough: refining it once changes the predictions by "
             "at most " +
             to_text(largest, 2) + end + ".\n";
    return "Warning: level '" + level +
           "' is not fine enough: refining it once changes the predictions by "
           "up to " +
           to_text(largest, 2) + end + ", most at " + measurement_name + ". " +
           (shifts.empty() && !(energy_spread > Checks::largest_energy_spread) ?
              "Above " + to_text(largest_difference) +
                " the posterior is in part that of the mesh. " :
              "The posterior is in part that of the mesh. ") +
           advice + "\n";
  }



  void
  MeshError::add_to(Checks &checks) const
  {
    checks.refinement = text();
    if (!is_known())
      return;
    checks.refined_level          = level;
    checks.prediction_change      = largest;
    checks.mean_prediction_change = mean;
    checks.n_refinement_draws     = n_draws;
    checks.worst_measurement      = measurement + 1;
    checks.integration_change     = integration_change;
    checks.refinement_shifts      = shifts;
    checks.energy_spread          = energy_spread;
    checks.mesh_objection         = objection;
    checks.refinement_work        = work;
  }



  std::string
  MeshError::csv() const
  {
    if (!is_known())
      return "quantity,value\nn_draws,0\n";
    return "quantity,value\nlargest," + to_text(largest, 8) + "\nmean," +
           to_text(mean, 8) + "\nn_draws," + std::to_string(n_draws) +
           "\nmeasurement," + std::to_string(measurement + 1) + "\n";
  }



  namespace
  {
    class MeshErrorStudy : public Study
    {
    public:
      std::string
      phase() const override
      {
        return "mesh error";
      }

      std::string
      make(const FinishedRun &run, Checks &checks) const override
      {
        ForwardTarget *const forward = run.target.forward();
        const auto          &asked   = run.settings.output.n_mesh_draws;
        const std::uint64_t  n = asked.value_or(MeshError::n_automatic_draws);
        if (!run.has_prior() || forward == nullptr || n == 0)
          return "";
        const MeshError error(
          *forward,
          run.cold_level(),
          run.draws(n),
          run.is_stopped,
          // At another temperature, or where chains disagree, it is not the
          // posterior that would shift.
          run.samples_posterior() && run.analysis.get().chains_agree() ?
            run.draws(n_population) :
            std::vector<std::vector<double>>(),
          asked ? std::numeric_limits<double>::infinity() :
                  MeshError::share_of_work * run.analysis.get().work);
        error.add_to(checks);
        if (error.is_known())
          run.folder.write("refinement.csv", error.csv());
        return error.text();
      }
    };

    const Registration<StudyRegistry, MeshErrorStudy>
      registration("mesh error",
                   "What the coldest level's mesh and time steps leave");
  } // namespace
} // namespace Tempera
