// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/driver/commands.h>
#include <tempera/inference/csv_table.h>
#include <tempera/inference/prior.h>
#include <tempera/output/analysis.h>
#include <tempera/output/canvas.h>
#include <tempera/output/comparison.h>
#include <tempera/output/record_file.h>
#include <tempera/output/run_folder.h>

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <set>

namespace Tempera
{
  namespace
  {
    namespace fs = std::filesystem;

    /** Names and values of a file, in their order. */
    using Figures = std::vector<std::pair<std::string, double>>;

    struct Run
    {
      Figures             figures;
      std::vector<double> rounds, errors;

      /** As text for a table; "-" if there is none. */
      std::string
      figure(const std::string &name) const
      {
        for (const auto &[here, value] : figures)
          if (here == name)
            return to_text(value, 4);
        return "-";
      }
    };

    Figures
    read_figures(const std::string &path)
    {
      std::ifstream file(path);
      Figures       figures;
      std::string   line;
      for (unsigned int number = 1; std::getline(file, line); ++number)
        {
          // A name may hold a comma, a number does not.
          const std::size_t comma = line.rfind(',');
          if (line.empty() || (number == 1 && line == "name,value"))
            continue;
          const auto value = comma == std::string::npos ?
                               std::optional<double>() :
                               Prior::number_from_text(dealii::Utilities::trim(
                                 line.substr(comma + 1)));
          if (!value)
            throw UserError(path + ":" + std::to_string(number) + ": '" + line +
                            "' is not a name, a comma and a finite number. Run "
                            "again what wrote the file.");
          figures.emplace_back(line.substr(0, comma), *value);
        }
      return figures;
    }

    Run
    read_run(const std::string &folder)
    {
      const std::string summary = folder + "/prediction_summary.csv",
                        errors  = folder + "/errors.csv";
      if (!fs::is_directory(folder))
        throw UserError("tempera compare: there is no folder '" + folder +
                        "'. Give the folders that 'tempera run' has written.");
      if (!fs::is_regular_file(summary))
        throw UserError(
          "tempera compare: the folder '" + folder +
          "' has no file 'prediction_summary.csv'. Runs that predict a "
          "curve, those of networks, leave one; runs of other kinds are "
          "compared if every folder has a record, 'chain.0.record'.");
      if (!fs::is_regular_file(errors))
        throw UserError("tempera compare: the folder '" + folder +
                        "' has no file 'errors.csv'. A run leaves one if the "
                        "exact curve is known and its errors are finite; its "
                        "'log.txt' says more.");
      const CsvTable table(errors);
      return {read_figures(summary),
              table.column("round"),
              table.column("rung 0")};
    }

    /** What the runs are called: as much of the end of a path as tells them
     * apart. */
    std::vector<std::string>
    labels_of(const std::vector<std::string> &folders)
    {
      std::vector<std::vector<std::string>> parts;
      std::size_t                           longest = 1;
      for (const std::string &folder : folders)
        {
          parts.emplace_back();
          for (const fs::path &part :
               fs::weakly_canonical(fs::absolute(folder)))
            if (!part.empty() && part != "/")
              parts.back().push_back(part.string());
          longest = std::max(longest, parts.back().size());
        }
      std::vector<std::string> labels(folders.size());
      for (std::size_t length = 1; length <= longest; ++length)
        {
          for (std::size_t i = 0; i < parts.size(); ++i)
            {
              const std::size_t here = std::min(length, parts[i].size());
              labels[i] = join(std::vector<std::string>(parts[i].end() - here,
                                                        parts[i].end()),
                               "/");
            }
          if (std::set<std::string>(labels.begin(), labels.end()).size() ==
              labels.size())
            return labels;
        }
      for (std::size_t i = 0; i < labels.size(); ++i)
        if (std::count(labels.begin(), labels.end(), labels[i]) > 1)
          throw UserError("tempera compare: the folder '" + folders[i] +
                          "' is given twice. Leave one out.");
      return labels;
    }

    /** Whether all folders have a file. */
    bool
    all_have(const std::vector<std::string> &folders, const std::string &name)
    {
      return std::all_of(folders.begin(),
                         folders.end(),
                         [&](const std::string &folder) {
                           return fs::is_regular_file(fs::path(folder) / name);
                         });
    }


    /** Whether two runs explain the same measurements. */
    bool
    has_same_data(const RunDescription &one, const RunDescription &other)
    {
      return std::equal(one.measurements.begin(),
                        one.measurements.end(),
                        other.measurements.begin(),
                        other.measurements.end(),
                        [](const RunDescription::Measurement &a,
                           const RunDescription::Measurement &b) {
                          return a.value == b.value;
                        });
    }


    /** Errors of runs that predict a curve, as a table and as a picture. */
    void
    compare_curves(const std::vector<std::string> &folders,
                   const std::vector<std::string> &labels,
                   const std::string              &picture,
                   std::ostream                   &out)
    {
      std::vector<Run> runs;
      for (const std::string &folder : folders)
        runs.push_back(read_run(folder));

      // First what all runs have, then the unknowns of any.
      std::vector<std::pair<std::string, std::string>> columns = {
        {"mean relative error", "mean relative error"},
        {"variance of relative error", "its variance"},
        {"relative error of the mean", "error of mean curve"}};
      for (const Run &run : runs)
        for (const auto &figure : run.figures)
          {
            const std::pair<std::string, std::string> column(figure.first,
                                                             figure.first);
            const bool                                is_of_an_unknown =
              figure.first.compare(0, 8, "mean of ") == 0 ||
              figure.first.compare(0, 12, "variance of ") == 0;
            const bool is_new =
              std::none_of(columns.begin(),
                           columns.end(),
                           [&](const auto &other) {
                             return other.first == column.first;
                           });
            if (is_of_an_unknown && is_new)
              columns.push_back(column);
          }
      columns.emplace_back("work", "work");
      columns.emplace_back("seconds", "seconds");

      std::vector<std::vector<std::string>> rows = {{"run"}};
      for (const auto &column : columns)
        rows[0].push_back(column.second);
      for (std::size_t i = 0; i < runs.size(); ++i)
        {
          rows.push_back({labels[i]});
          for (const auto &column : columns)
            rows.back().push_back(runs[i].figure(column.first));
        }
      out << aligned_table(rows);

      double                           last_round = 0.;
      std::vector<std::vector<double>> errors;
      for (const Run &run : runs)
        {
          last_round = std::max(last_round, run.rounds.back());
          errors.push_back(run.errors);
        }
      Canvas canvas(Axis(0., last_round), Axis::logarithmic(errors));
      canvas.axes("round", "relative error");
      canvas.begin_clip();
      for (std::size_t i = 0; i < runs.size(); ++i)
        canvas.curve(
          runs[i].rounds,
          runs[i].errors,
          {curve_colour(i), labels[i], 1.2, i / n_curve_colours % 2 == 1});
      canvas.end_clip();
      canvas.label(Canvas::margin,
                   34,
                   "start",
                   "Relative error of the coldest rung");
      write_whole_file(picture, canvas.svg(), "--write");
      out << "-- picture in " << picture << "\n";
    }
  } // namespace



  void
  compare_runs(const std::vector<std::string> &folders,
               const std::string              &picture,
               const std::vector<double>      &weights,
               std::ostream                   &out)
  {
    if (!weights.empty() && weights.size() != folders.size())
      throw UserError("tempera compare: --weights has " +
                      counted(weights.size(), "number") + ", but there are " +
                      counted(folders.size(), "run") + ". Give one for each.");
    for (const double weight : weights)
      if (!(weight > 0.) || !std::isfinite(weight))
        throw UserError("tempera compare: --weights names " + to_text(weight) +
                        ", but a model's weight is a positive number.");
    const std::vector<std::string> labels = labels_of(folders);
    const bool are_recorded               = all_have(folders, record_name(0));
    const bool have_curves = all_have(folders, "prediction_summary.csv") &&
                             all_have(folders, "errors.csv");
    if (are_recorded)
      {
        // One after the other: a run may have many draws.
        std::vector<Analysis> runs;
        std::string           difference;
        RunDescription        first;
        for (const std::string &folder : folders)
          {
            const RecordedRun run(folder);
            runs.push_back(analyse(run));
            if (runs.size() == 1)
              first = run.description();
            else if (difference.empty() &&
                     !has_same_data(first, run.description()))
              difference = "'" + labels[runs.size() - 1] + "' and '" +
                           labels[0] +
                           "' have other measurements, and an evidence is "
                           "the probability of measurements.";
          }
        out << comparison_text(labels, runs)
            << model_choice_text(labels, runs, weights, difference)
            << (have_curves ? "\n" : "");
      }
    // Folders without a record, of networks in former versions, have curves
    // or are a mistake.
    if (have_curves || !are_recorded)
      compare_curves(folders, labels, picture, out);
  }
} // namespace Tempera
