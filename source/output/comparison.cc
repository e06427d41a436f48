// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/analysis.h>
#include <tempera/output/comparison.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace Tempera
{
  namespace
  {
    constexpr unsigned int digits = 4;

    std::string
    entry(const double number, const unsigned int n_digits = digits)
    {
      return std::isnan(number) ? "-" : to_text(number, n_digits);
    }

    /** Each name once, in the order in which they are met. */
    std::string
    different(const std::vector<std::string> &names)
    {
      std::vector<std::string> result;
      for (const std::string &name : names)
        if (std::find(result.begin(), result.end(), name) == result.end())
          result.push_back(name);
      return join(result, "/");
    }

    /** "-" if the run has no such column. */
    std::string
    of_column(const Analysis                                        &run,
              const std::string                                     &name,
              const std::function<double(const Analysis::Column &)> &figure,
              const unsigned int n_digits = digits)
    {
      if (name == run.energy.name)
        return entry(figure(run.energy), n_digits);
      for (const Analysis::Column &column : run.columns)
        if (column.name == name)
          return entry(figure(column), n_digits);
      return "-";
    }
  } // namespace



  std::string
  comparison_text(const std::vector<std::string> &labels,
                  const std::vector<Analysis>    &runs)
  {
    std::vector<std::vector<std::string>> rows = {{"run"}};
    rows[0].insert(rows[0].end(), labels.begin(), labels.end());
    const auto add =
      [&](const std::string                                  &name,
          const std::function<std::string(const Analysis &)> &figure) {
        std::vector<std::string> row = {name};
        for (const Analysis &run : runs)
          row.push_back(figure(run));
        // A figure that no run has is not worth a line.
        if (std::any_of(row.begin() + 1, row.end(), [](const std::string &one) {
              return one != "-";
            }))
          rows.push_back(row);
      };

    add("kernel", [](const Analysis &run) {
      std::vector<std::string> kernels;
      for (const Analysis::Rung &rung : run.rungs)
        kernels.push_back(rung.kernel);
      return different(kernels);
    });
    add("levels", [](const Analysis &run) {
      std::vector<std::string> levels;
      for (const Analysis::Rung &rung : run.rungs)
        levels.push_back(rung.level);
      return different(levels);
    });
    add("chains x rungs", [](const Analysis &run) {
      return std::to_string(run.n_chains) + " x " + std::to_string(run.n_rungs);
    });
    add("rounds", [](const Analysis &run) {
      return std::to_string(run.rounds) +
             (run.state == "complete" ? "" :
                                        " of " + std::to_string(run.n_rounds));
    });
    add("draws",
        [](const Analysis &run) { return std::to_string(run.n_draws); });
    add("work", [](const Analysis &run) { return to_text(run.work, 6); });
    add("seconds", [](const Analysis &run) { return entry(run.seconds); });
    add("swaps accepted", [](const Analysis &run) {
      std::vector<std::string> acceptances;
      for (const Analysis::Pair &pair : run.pairs)
        acceptances.push_back(entry(pair.acceptance, 2));
      // A long ladder has no room.
      constexpr std::size_t most = 4;
      return !run.has_swaps ?
               std::string("-") :
             acceptances.size() > most ?
               acceptances.front() + " ... " + acceptances.back() :
               join(acceptances, " ");
    });
    add("barrier", [](const Analysis &run) { return entry(run.barrier, 3); });
    add("round trips", [](const Analysis &run) {
      return run.has_swaps ? std::to_string(run.round_trips) : std::string("-");
    });

    std::vector<std::string> names;
    const auto               add_name = [&](const std::string &name) {
      if (!name.empty() &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    };
    for (const Analysis &run : runs)
      for (const Analysis::Column &column : run.columns)
        add_name(column.name);
    for (const Analysis &run : runs)
      add_name(run.energy.name);
    for (const std::string &name : names)
      {
        using Column = Analysis::Column;
        const auto add_figure =
          [&](const std::string                           &what,
              const unsigned int                           n_digits,
              const std::function<double(const Column &)> &figure) {
            add(what, [&](const Analysis &run) {
              return of_column(run, name, figure, n_digits);
            });
          };
        add_figure(name + ": mean", digits, [](const Column &column) {
          return column.diagnostics.mean.value;
        });
        add_figure(name + ": its MCSE", 2, [](const Column &column) {
          return column.diagnostics.mean.error;
        });
        add_figure(name + ": sd", digits, [](const Column &column) {
          return column.diagnostics.standard_deviation.value;
        });
        add_figure(name + ": R-hat", digits, [](const Column &column) {
          return column.diagnostics.r_hat;
        });
        add_figure(name + ": bulk ESS", digits, [](const Column &column) {
          return column.diagnostics.bulk_size;
        });
        add_figure(name + ": ESS per work", 3, [](const Column &column) {
          return column.size_per_work;
        });
        add_figure(name + ": ESS per second", 3, [](const Column &column) {
          return column.size_per_second;
        });
      }

    add("modes", [](const Analysis &run) {
      return run.modes.modes.empty() ? std::string("-") :
                                       std::to_string(run.modes.modes.size());
    });
    std::size_t most_modes = 0;
    for (const Analysis &run : runs)
      most_modes = std::max(most_modes, run.modes.modes.size());
    for (std::size_t i = 0; most_modes > 1 && i < most_modes; ++i)
      {
        const std::string name = "mode " + std::to_string(i + 1);
        add(name + ": share", [&](const Analysis &run) {
          return i < run.modes.modes.size() ?
                   entry(run.modes.modes[i].share) + " +- " +
                     entry(run.modes.modes[i].error, 2) :
                   "-";
        });
        add(name + ": centre", [&](const Analysis &run) {
          if (i >= run.modes.modes.size())
            return std::string("-");
          constexpr std::size_t    most = 3;
          std::vector<std::string> place;
          for (const double one : run.modes.modes[i].centre)
            if (place.size() < most)
              place.push_back(entry(one, 3));
          return "(" + join(place, ", ") +
                 (run.modes.modes[i].centre.size() > most ? ", ..." : "") + ")";
        });
      }
    add("log evidence", [](const Analysis &run) {
      return run.evidence.is_known() ?
               entry(run.evidence.log_evidence().value, 6) + " +- " +
                 entry(run.evidence.log_evidence().error, 2) :
               std::string("-");
    });
    const auto add_warnings = [&](const std::string      &name,
                                  const Warning::Severity severity) {
      add(name, [&](const Analysis &run) {
        return std::to_string(std::count_if(run.warnings.begin(),
                                            run.warnings.end(),
                                            [&](const Warning &warning) {
                                              return warning.severity ==
                                                     severity;
                                            }));
      });
    };
    add_warnings("warnings: wrong", Warning::Severity::wrong);
    add_warnings("warnings: doubtful", Warning::Severity::doubtful);
    return aligned_table(rows);
  }



  std::string
  model_choice_text(const std::vector<std::string> &labels,
                    const std::vector<Analysis>    &runs,
                    const std::vector<double>      &weights,
                    const std::string              &objection)
  {
    std::vector<EstimatedValue> log_evidences;
    std::vector<double>         known_weights;
    std::vector<std::string>    known_labels;
    unsigned int                n_constants = 0;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (runs[i].evidence.is_known())
        {
          log_evidences.push_back(runs[i].evidence.log_evidence());
          known_weights.push_back(weights.empty() ? 1. : weights[i]);
          known_labels.push_back(labels[i]);
          n_constants += runs[i].evidence.has_constant();
        }
    if (log_evidences.size() < 2)
      return "";
    if (!objection.empty())
      return "\nThe evidences of the models are not compared: " + objection +
             "\n";
    if (n_constants > 0 && n_constants < log_evidences.size())
      return "\nThe evidences of the models are not compared: of some the "
             "likelihood's constant is not known.\n";

    const std::vector<ModelProbability> found =
      model_probabilities(log_evidences, known_weights);
    std::vector<std::vector<std::string>> rows = {{"model",
                                                   "log evidence",
                                                   "error",
                                                   "log Bayes factor",
                                                   "error",
                                                   "prior weight",
                                                   "probability",
                                                   "error"}};
    double                                sum  = 0.;
    for (const double weight : known_weights)
      sum += weight;
    for (std::size_t i = 0; i < found.size(); ++i)
      rows.push_back({known_labels[i],
                      entry(log_evidences[i].value, 6),
                      entry(log_evidences[i].error, 2),
                      entry(found[i].log_bayes_factor.value, 5),
                      entry(found[i].log_bayes_factor.error, 2),
                      entry(known_weights[i] / sum, 3),
                      entry(found[i].probability.value, 4),
                      entry(found[i].probability.error, 2)});
    return "\nModels, by their evidence; Bayes factors against the best one\n" +
           aligned_table(rows) +
           (n_constants == 0 ?
              "   with the energies as they are: they must leave out the same "
              "constants\n" :
              "");
  }
} // namespace Tempera
