// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/output/posterior_shift.h>
#include <tempera/study/refinement_check.h>
#include <tempera/study/study.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /** Predictions at a state; empty where the equation has no solution. */
    std::vector<double>
    predictions_at(const ForwardModel &model, const std::vector<double> &state)
    {
      std::vector<double> result(model.n_predictions());
      model.evaluate(dealii::ArrayView<const double>(state.data(),
                                                     model.n_parameters()),
                     dealii::make_array_view(result),
                     false);
      const bool is_finite =
        std::all_of(result.begin(), result.end(), [](const double value) {
          return std::isfinite(value);
        });
      return is_finite ? result : std::vector<double>();
    }
  } // namespace



  RefinementCheck::RefinementCheck(
    ForwardTarget                          &target,
    const std::string                      &level,
    const std::vector<std::vector<double>> &states,
    const std::function<bool()>            &is_stopped,
    const std::vector<std::vector<double>> &population)
    : level(level)
    , advice(target.get_family().refinement_advice(level))
    , is_interrupted(is_stopped())
  {
    if (states.empty() || is_interrupted)
      return;
    std::shared_ptr<const ForwardModel> refined;
    try
      {
        refined = target.get_family().make_refined(level);
      }
    catch (const UserError &error)
      {
        // Too large, for instance; the run itself is in order.
        obstacle = error.what();
        return;
      }

    if (!refined)
      return;
    const auto          its_model = target.model(level);
    const ForwardModel &model     = *its_model;
    compare_integrals(target, states);
    double                           sum = 0.;
    std::vector<std::vector<double>> used;
    std::vector<double>              log_weights;
    const auto misfit = [&](const std::vector<double> &predictions,
                            const std::vector<double> &state) {
      return target.get_likelihood().misfit(
        dealii::make_array_view(predictions), state.back());
    };
    for (const std::vector<double> &state : states)
      {
        is_interrupted = is_stopped();
        if (is_interrupted)
          break;
        const std::vector<double> now    = predictions_at(model, state),
                                  better = predictions_at(*refined, state);
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
              target.get_likelihood().standard_deviation(k, state.back());
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
    if (!population.empty())
      {
        std::vector<std::string> names;
        for (const Unknown &unknown : target.unknowns())
          names.push_back(unknown.name);
        shifts = shifts_by_weights(used, log_weights, population, names);
      }
    measurement_name = target.name_of_measurement(measurement);
  }



  void
  RefinementCheck::compare_integrals(
    ForwardTarget                          &target,
    const std::vector<std::vector<double>> &states)
  {
    const auto model = target.model(level);
    const auto other = target.get_family().make_reintegrated(level);
    if (!other)
      return;
    for (const std::size_t place : {std::size_t(0), states.size() - 1})
      {
        const std::vector<double> &state = states[place];
        const std::vector<double>  now   = predictions_at(*model, state),
                                  better = predictions_at(*other, state);
        for (std::size_t k = 0; k < std::min(now.size(), better.size()); ++k)
          integration_change = std::max(
            integration_change,
            std::abs(now[k] - better[k]) /
              target.get_likelihood().standard_deviation(k, state.back()));
      }
  }



  double
  RefinementCheck::largest_shift() const
  {
    double result = 0.;
    for (const Checks::Shift &one : shifts)
      result = std::max({result, std::abs(one.mean), std::abs(one.width)});
    return result;
  }



  std::string
  RefinementCheck::text() const
  {
    if (!obstacle.empty())
      return "Whether level '" + level +
             "' is fine enough is not known: it cannot be refined. " +
             obstacle + "\n";
    if (!is_known())
      return n_skipped > 0 ? "Whether level '" + level +
                               "' is fine enough is not known: at no draw "
                               "could the refined equation be solved.\n" :
                             "";
    const std::string end =
      " sigma (" + counted(n_draws, "draw") +
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
           (shifts.empty() ? "Above " + to_text(largest_difference) +
                               " the posterior is in part that of the mesh. " :
                             "The posterior is in part that of the mesh. ") +
           advice + "\n";
  }



  void
  RefinementCheck::add_to(Checks &checks) const
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
  }



  std::string
  RefinementCheck::csv() const
  {
    if (!is_known())
      return "quantity,value\nn_draws,0\n";
    return "quantity,value\nlargest," + to_text(largest, 8) + "\nmean," +
           to_text(mean, 8) + "\nn_draws," + std::to_string(n_draws) +
           "\nmeasurement," + std::to_string(measurement + 1) + "\n";
  }



  namespace
  {
    class RefinementStudy : public Study
    {
    public:
      std::string
      phase() const override
      {
        return "refinement";
      }

      std::string
      make(const FinishedRun &run, Checks &checks) const override
      {
        ForwardTarget *const forward = run.target.forward();
        const unsigned int   n       = run.settings.output.n_refinement_draws;
        if (!run.has_prior() || forward == nullptr || n == 0)
          return "";
        const RefinementCheck check(
          *forward,
          run.cold_level(),
          run.draws(n),
          run.is_stopped,
          // At another temperature, or where chains disagree, it is not the
          // posterior that would shift.
          run.samples_posterior() && run.analysis.get().chains_agree() ?
            run.draws(n_population) :
            std::vector<std::vector<double>>());
        check.add_to(checks);
        if (check.is_known())
          run.folder.write("refinement.csv", check.csv());
        return check.text();
      }
    };

    const Registration<StudyRegistry, RefinementStudy>
      registration("refinement",
                   "Whether the coldest level is fine enough, by a finer one");
  } // namespace
} // namespace Tempera
