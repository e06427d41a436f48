// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/output/json.h>
#include <tempera/output/run_folder.h>
#include <tempera/study/evaluation_progress.h>
#include <tempera/study/posterior_maxima.h>
#include <tempera/study/studies.h>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace Tempera
{
  namespace
  {
    /** Tables leave out what has less of the mass. */
    constexpr double least_share = 1e-3;
    /** 5 and 95 % of a standard normal law. */
    constexpr double outer_quantile = 1.6448536269514722;

    std::string
    short_text(const double number)
    {
      return to_text(number, 4);
    }

    /** Of each unknown, around one maximum. */
    struct Around
    {
      std::vector<double> maximum, deviation, lower, upper;
    };

    Around
    around(const NormalCoordinates &posterior, const PosteriorMaximum &one)
    {
      std::vector<double> variances = posterior.prior_variances();
      one.law.reduce_variances(variances);
      const std::vector<double> slopes = posterior.derivatives(one.place);
      std::vector<double>       low = one.place, high = one.place;
      Around                    result;
      for (std::size_t i = 0; i < variances.size(); ++i)
        {
          const double deviation = std::sqrt(variances[i]);
          result.deviation.push_back(deviation * slopes[i]);
          low[i] -= outer_quantile * deviation;
          high[i] += outer_quantile * deviation;
        }
      result.maximum = posterior.to_state(one.place);
      result.lower   = posterior.to_state(low);
      result.upper   = posterior.to_state(high);
      return result;
    }

    /** What the data tell, in nats: of all directions together. */
    double
    information(const PosteriorMaximum &one)
    {
      double result = 0.;
      for (const double eigenvalue : one.law.get_eigenvalues())
        result += 0.5 * std::log1p(eigenvalue);
      return result;
    }

    /** Directions in which the data say more than the prior. */
    std::size_t
    n_informed(const PosteriorMaximum &one)
    {
      return std::count_if(one.law.get_eigenvalues().begin(),
                           one.law.get_eigenvalues().end(),
                           [](const double value) { return value > 1.; });
    }


    /** The fields of one maximum, and the solution, as files for pictures. */
    void
    write_fields(ForwardTarget      &target,
                 const Around       &numbers,
                 const ForwardModel &model,
                 const RunSettings  &settings,
                 const std::string  &folder)
    {
      std::size_t first = target.first_of_fields();
      for (const JointUnknowns &field : target.fields())
        {
          const std::size_t end     = first + field.marginals.size();
          const auto        part_of = [&](const std::vector<double> &all) {
            return std::vector<double>(all.begin() + first, all.begin() + end);
          };
          std::vector<double> deviations;
          for (const Unknown &number : field.marginals)
            deviations.push_back(number.prior.standard_deviation());
          JointUnknowns::Columns columns{
            {"maximum", part_of(numbers.maximum)},
            {"standard deviation", part_of(numbers.deviation)},
            {"prior standard deviation", deviations}};
          const auto &truths = target.truth();
          if (!truths.empty() && truths[0].size() >= end)
            columns.push_back({"truth", part_of(truths[0])});
          field.write(columns, {folder + "/fields", "map_" + field.name, 1});
          first = end;
        }
      std::vector<double> parameters = numbers.maximum;
      parameters.resize(model.n_parameters());
      model.write_fields({parameters},
                         {folder + "/fields",
                          "map",
                          settings.output.n_field_times});
    }


    Json
    maxima_as_json(const NormalCoordinates &posterior,
                   const PosteriorMaxima   &found)
    {
      return Json(found.maxima, [&](const PosteriorMaximum &one) {
        const Around numbers = around(posterior, one);
        JsonObject   object;
        object.add("share", one.share)
          .add("log_mass", one.log_mass)
          .add("misfit", one.potential)
          .add("searches", one.n_searches)
          .add("information", information(one))
          .add("eigenvalues", one.law.get_eigenvalues())
          .add("maximum", numbers.maximum)
          .add("sd", numbers.deviation)
          .add("q5", numbers.lower)
          .add("q95", numbers.upper)
          .add("predictions", one.predictions);
        return object;
      });
    }
  } // namespace



  bool
  show_map(Target                  &target,
           const RunSettings       &settings,
           const MapOptions        &options,
           std::ostream            &out,
           const bool               is_terminal,
           const std::atomic<bool> &stop)
  {
    ForwardTarget *const forward = target.forward();
    if (forward == nullptr)
      throw UserError("'tempera map' compares predictions with measurements, "
                      "but what this file samples has no forward model. Set "
                      "'Problem/Type' or 'Model/Type'; otherwise use 'tempera "
                      "run'.");
    const std::string      &level = settings.ladder.levels[0];
    const NormalCoordinates posterior(*forward, level);
    if (!posterior.has_sensitivities())
      throw UserError("'tempera map' needs derivatives, which level '" + level +
                      "' does not have.");
    const RunFolder folder(settings.folder, options.overwrite);

    PosteriorMaxima  found;
    ImportanceSample draws;
    try
      {
        found =
          find_maxima(posterior,
                      options.n_searches,
                      options.seed,
                      EvaluationProgress("searches", out, is_terminal, stop));
        draws =
          sample_around(posterior,
                        found,
                        options.n_draws,
                        options.seed,
                        EvaluationProgress("draws", out, is_terminal, stop));
      }
    catch (const EvaluationProgress::Stopped &stopped)
      {
        out << "-- stopped after " << stopped.n_done << " of " << stopped.n_all
            << "; nothing was written\n";
        return false;
      }
    if (found.maxima.empty())
      throw UserError(
        "None of " + std::to_string(options.n_searches) +
        " searches came to an end at a maximum of the posterior. Raise "
        "--searches; or look at the equation with 'tempera "
        "simulate' and 'tempera check-gradient'.");

    const std::vector<Unknown> &unknowns = forward->unknowns();
    const std::size_t first = forward->first_of_fields(), n = unknowns.size();
    std::size_t       end = first;
    for (const JointUnknowns &field : forward->fields())
      end += field.marginals.size();

    out << "-- level '" << level << "': " << found.maxima.size()
        << (found.maxima.size() == 1 ? " maximum" : " maxima")
        << " of the posterior by " << options.n_searches
        << (options.n_searches == 1 ? " search" : " searches")
        << (found.n_failed > 0 ? ", " + std::to_string(found.n_failed) +
                                   " of which came to no end" :
                                 "")
        << "; work of " << to_text(found.work, 6) << " forward solves\n";
    std::vector<std::vector<std::string>> rows = {
      {"maximum", "searches", "share", "misfit", "information", "informed"}};
    for (std::size_t k = 0; k < found.maxima.size(); ++k)
      if (const PosteriorMaximum &one = found.maxima[k];
          k == 0 || one.share >= least_share)
        rows.push_back(
          {std::to_string(k + 1),
           std::to_string(one.n_searches),
           short_text(one.share),
           to_text(one.potential, 6),
           short_text(information(one)) + " nats",
           std::to_string(n_informed(one)) + " of " + std::to_string(n)});
    out << "\n" << aligned_table(rows);
    if (rows.size() <= found.maxima.size())
      out << "-- " << found.maxima.size() + 1 - rows.size()
          << " more with shares below " << short_text(least_share) << "\n";

    if (end - first < n)
      {
        rows = {{"unknown", "maximum", "at", "sd", "5 %", "95 %", "prior sd"}};
        for (std::size_t k = 0; k < found.maxima.size(); ++k)
          if (k == 0 || found.maxima[k].share >= least_share)
            {
              const Around numbers = around(posterior, found.maxima[k]);
              for (std::size_t i = 0; i < n; ++i)
                if (i < first || i >= end)
                  rows.push_back(
                    {unknowns[i].name,
                     std::to_string(k + 1),
                     short_text(numbers.maximum[i]),
                     short_text(numbers.deviation[i]),
                     short_text(numbers.lower[i]),
                     short_text(numbers.upper[i]),
                     short_text(unknowns[i].prior.standard_deviation())});
            }
        out << "\n" << aligned_table(rows);
      }
    const double constant = forward->get_likelihood().log_normaliser();
    const double laplace =
      found.maxima[0].log_mass - std::log(found.maxima[0].share) - constant;
    out << "\n-- log evidence, if the posterior is normal around its maxima: "
        << to_text(laplace, 5) << "\n";
    JsonObject result(",\n");
    result.add("level", level)
      .add("unknowns",
           Json(unknowns, [](const Unknown &one) { return one.name; }))
      .add("maxima", maxima_as_json(posterior, found))
      .add("work", found.work)
      .add("log_evidence_laplace", laplace);
    if (options.n_draws > 0)
      {
        const double evidence = draws.log_evidence.value - constant;
        out << "-- " << counted(options.n_draws, "draw")
            << " of these laws, weighted by the posterior, are worth "
            << to_text(draws.efficiency * options.n_draws, 3) << " (Pareto k "
            << to_text(draws.pareto_k, 2) << "): log evidence "
            << to_text(evidence, 5) << " +- "
            << to_text(draws.log_evidence.error, 2) << "\n";
        if (draws.is_good())
          {
            rows = {{"unknown", "mean", "error", "sd"}};
            for (std::size_t i = 0; i < n; ++i)
              if (i < first || i >= end)
                {
                  const EstimatedValue mean = draws.mean(i);
                  rows.push_back({unknowns[i].name,
                                  short_text(mean.value),
                                  to_text(mean.error, 2),
                                  short_text(draws.standard_deviation(i))});
                }
            if (rows.size() > 1)
              out << "\n" << aligned_table(rows);
          }
        else
          out << "Warning: the posterior is not what normal laws around its "
                 "maxima say. Take none of these numbers for the answer; "
                 "'tempera run' samples it.\n";
        JsonObject importance;
        importance.add("efficiency", draws.efficiency)
          .add("pareto_k", draws.pareto_k)
          .add("good", draws.is_good())
          .add("log_evidence", evidence)
          .add("log_evidence_error", draws.log_evidence.error);
        result.add("importance", importance);

        std::string csv = "weight";
        for (const Unknown &one : unknowns)
          csv += "," + one.name;
        csv += "\n";
        for (std::size_t k = 0; k < draws.states.size(); ++k)
          csv += to_text(draws.weights[k]) + "," + join(draws.states[k]) + "\n";
        folder.write("map_draws.csv", csv);
      }
    folder.write("map.json", result.get_text() + "\n");
    write_fields(*forward,
                 around(posterior, found.maxima[0]),
                 *forward->model(level),
                 settings,
                 folder.get_path());
    out << "-- map.json" << (options.n_draws > 0 ? ", map_draws.csv" : "")
        << (!forward->fields().empty() || forward->model(level)->has_fields() ?
              " and fields/map*" :
              "")
        << " in " << folder.get_path() << "\n";
    return true;
  }
} // namespace Tempera
