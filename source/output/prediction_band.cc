// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/output/canvas.h>
#include <tempera/output/marginal.h>
#include <tempera/output/prediction_band.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Tempera
{
  namespace
  {

    constexpr double band_begin = 0.05, band_end = 0.95;

    bool
    is_finite(const std::vector<double> &values)
    {
      return std::all_of(values.begin(), values.end(), [](const double value) {
        return std::isfinite(value);
      });
    }

    double
    norm(const std::vector<double> &values)
    {
      return std::sqrt(
        std::inner_product(values.begin(), values.end(), values.begin(), 0.));
    }

    double
    median(std::vector<double> values)
    {
      const auto middle = values.begin() + values.size() / 2;
      std::nth_element(values.begin(), middle, values.end());
      return values.size() % 2 == 1 ?
               *middle :
               0.5 * (*middle + *std::max_element(values.begin(), middle));
    }

    /** A line of a CSV file. */
    std::string
    csv_line(const std::vector<double> &numbers)
    {
      std::vector<std::string> parts;
      for (const double number : numbers)
        parts.push_back(to_text(number));
      return join(parts, ",") + "\n";
    }
  } // namespace



  PredictionBand::PredictionBand(const RunFolder      &folder,
                                 const RunDescription &description)
    : folder(folder)
    , description(description)
    , prediction(*description.prediction)
    , exact_norm(norm(prediction.exact))
    , begin(std::chrono::steady_clock::now())
    , unknowns(description.indices.size())
    , quantities(prediction.quantities.size())
  {
    Assert(!prediction.places.empty(), dealii::ExcInternalError());
    Assert(prediction.exact.empty() ||
             prediction.exact.size() == prediction.places.size(),
           dealii::ExcInternalError());
  }



  void
  PredictionBand::connect(Signals &signals, const unsigned int chain)
  {
    begin = std::chrono::steady_clock::now();
    signals.draw.connect([this, chain](const Draw &draw) { add(draw, chain); });
  }



  void
  PredictionBand::write_at_end_of(Signals &signals)
  {
    signals.end_of_run.connect(
      [this](const RunReport &report) { write(report); });
  }



  PredictionBand::Snapshot
  PredictionBand::new_snapshot() const
  {
    Snapshot result;
    result.round      = 0;
    result.is_burn_in = false;
    result.errors.assign(description.kernels.size(),
                         std::numeric_limits<double>::quiet_NaN());
    result.n_chains.assign(description.kernels.size(), 0);
    return result;
  }



  void
  PredictionBand::add(const Draw &draw, const unsigned int chain)
  {
    const bool is_of_the_band = draw.rung == 0 && !draw.is_burn_in;
    if (is_of_the_band)
      for (std::size_t i = 0; i < unknowns.size(); ++i)
        unknowns[i].add(draw.position[description.indices[i]]);
    // The draws of a round come one after the other, the coldest first.
    if (draw.rung == 0 && chain == 0)
      is_kept = begin_snapshot(draw);
    if (!is_kept || snapshots.back().round != draw.round ||
        !(has_errors() || is_of_the_band))
      return;

    Snapshot           &snapshot = snapshots.back();
    std::vector<double> curve(prediction.places.size());
    prediction.evaluate(draw.position, dealii::make_array_view(curve));
    // A running mean over the chains.
    double            &error    = snapshot.errors[draw.rung];
    const unsigned int n_chains = ++snapshot.n_chains[draw.rung];
    error                       = n_chains == 1 ? error_of(curve) :
                                                  error + (error_of(curve) - error) / n_chains;
    if (is_of_the_band)
      {
        snapshot.curves.push_back(std::move(curve));
        for (std::size_t i = 0; i < quantities.size(); ++i)
          quantities[i].add(prediction.quantities[i].evaluate(draw.position));
        last_state.assign(draw.position.begin(), draw.position.end());
      }
  }



  bool
  PredictionBand::begin_snapshot(const Draw &draw)
  {
    if (n_rounds_seen % stride == 0 && snapshots.size() == most_snapshots)
      {
        for (std::size_t i = 0; i < most_snapshots / 2; ++i)
          std::swap(snapshots[i], snapshots[2 * i]);
        snapshots.resize(most_snapshots / 2);
        stride *= 2;
      }
    const bool is_next = n_rounds_seen % stride == 0;
    if (is_next)
      {
        snapshots.push_back(new_snapshot());
        snapshots.back().round      = draw.round;
        snapshots.back().is_burn_in = draw.is_burn_in;
      }
    ++n_rounds_seen;
    return is_next;
  }



  double
  PredictionBand::error_of(const std::vector<double> &curve) const
  {
    if (!has_errors())
      return std::numeric_limits<double>::quiet_NaN();
    double sum = 0.;
    for (std::size_t i = 0; i < curve.size(); ++i)
      sum += std::pow(curve[i] - prediction.exact[i], 2);
    return std::sqrt(sum) / exact_norm;
  }



  std::vector<const PredictionBand::Snapshot *>
  PredictionBand::finite_snapshots() const
  {
    std::vector<const Snapshot *> result;
    for (const Snapshot &snapshot : snapshots)
      if (is_finite(snapshot.errors))
        result.push_back(&snapshot);
    return result;
  }



  Moments
  PredictionBand::errors_after_burn_in(const unsigned int rung) const
  {
    Moments moments;
    for (const Snapshot &snapshot : snapshots)
      if (!snapshot.is_burn_in && std::isfinite(snapshot.errors[rung]))
        moments.add(snapshot.errors[rung]);
    return moments;
  }



  void
  PredictionBand::write(const RunReport &report)
  {
    notes.clear();
    if (has_errors())
      {
        const std::size_t n_finite = finite_snapshots().size();
        if (n_finite < snapshots.size())
          notes.push_back(std::to_string(snapshots.size() - n_finite) + " of " +
                          counted(snapshots.size(), "round") +
                          " have an error that is not finite; they are not in "
                          "errors.csv");
        if (n_finite > 0)
          {
            folder.write("errors.csv", errors_csv());
            folder.write("errors.svg", errors_svg(report));
          }
      }
    else if (!prediction.exact.empty())
      notes.push_back("the exact curve has no finite norm above 0: there are "
                      "no relative errors");

    make_band();
    if (band.n_curves > 0)
      {
        if (prediction.linearised_deviation)
          {
            if (report.interrupted)
              notes.push_back("the run was interrupted: no linearised sd");
            else
              band.linearised = linearised_deviation();
          }
        folder.write("prediction.csv", prediction_csv());
        folder.write("prediction.svg", prediction_svg());
      }
    make_figures();
    folder.write("prediction_summary.csv", summary_csv(report));
  }



  void
  PredictionBand::make_band()
  {
    band = Band();
    std::vector<const std::vector<double> *> finite;
    std::size_t                              n_curves = 0;
    for (const Snapshot &snapshot : snapshots)
      for (const std::vector<double> &curve : snapshot.curves)
        {
          ++n_curves;
          if (is_finite(curve))
            finite.push_back(&curve);
        }
    if (finite.size() < n_curves)
      notes.push_back(std::to_string(n_curves - finite.size()) + " of " +
                      counted(n_curves, "curve") +
                      " of the coldest rung are not finite; they are left out "
                      "of the band");
    band.n_curves = finite.size();
    if (finite.empty())
      return;
    for (std::size_t i = 0; i < prediction.places.size(); ++i)
      {
        Marginal marginal;
        for (const std::vector<double> *curve : finite)
          marginal.add((*curve)[i]);
        band.mean.push_back(marginal.moments().mean());
        band.variance.push_back(marginal.moments().variance());
        band.lower.push_back(marginal.quantile(band_begin));
        band.upper.push_back(marginal.quantile(band_end));
      }
  }



  std::vector<double>
  PredictionBand::linearised_deviation()
  {
    const std::string what = "the linearised sd is not known: ";
    try
      {
        const std::vector<double> result =
          prediction.linearised_deviation(last_state);
        if (result.size() == prediction.places.size() && is_finite(result))
          return result;
        notes.push_back(what + "it is not finite everywhere");
      }
    catch (const std::exception &error)
      {
        // The draws took longer than this: they are not lost with it.
        notes.push_back(what + error.what());
      }
    return {};
  }



  bool
  PredictionBand::is_worth_writing(const std::string &name, const double value)
  {
    if (!std::isfinite(value))
      notes.push_back(name + " is not finite, and left out");
    return std::isfinite(value);
  }



  void
  PredictionBand::make_figures()
  {
    figures.clear();
    const auto add = [&](const std::string &name, const double value) {
      if (is_worth_writing(name, value))
        figures.emplace_back(name, value);
    };
    const Moments errors = errors_after_burn_in(0);
    if (errors.count() > 0)
      {
        add("mean relative error", errors.mean());
        add("variance of relative error", errors.variance());
      }
    if (band.n_curves == 0)
      return;
    for (std::size_t i = 0; i < quantities.size(); ++i)
      {
        const std::string &name = prediction.quantities[i].name;
        add("mean of " + name, quantities[i].mean());
        add("variance of " + name, quantities[i].variance());
      }
    if (has_errors())
      add("relative error of the mean", error_of(band.mean));
    const std::size_t n_places = prediction.places.size();
    if (!prediction.exact.empty())
      {
        std::size_t n_covered = 0;
        for (std::size_t i = 0; i < n_places; ++i)
          if (band.lower[i] <= prediction.exact[i] &&
              prediction.exact[i] <= band.upper[i])
            ++n_covered;
        add("coverage", double(n_covered) / n_places);
      }
    const auto ends =
      std::minmax_element(band.variance.begin(), band.variance.end());
    add("largest variance", *ends.second);
    add("smallest variance", *ends.first);
    add("mean variance",
        std::accumulate(band.variance.begin(), band.variance.end(), 0.) /
          n_places);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < band.linearised.size(); ++i)
      // Where the curve is prescribed neither varies.
      if (band.linearised[i] > 0.)
        ratios.push_back(std::sqrt(band.variance[i]) / band.linearised[i]);
    if (!ratios.empty())
      add("median ratio of sampled to linearised sd", median(ratios));
  }



  std::string
  PredictionBand::summary_csv(const RunReport &report)
  {
    const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
        .count();
    std::vector<std::pair<std::string, double>> all = {
      {"rounds", report.rounds},
      {"burn-in", report.burn_in},
      {"seconds", seconds},
      {"work", report.work}};
    all.insert(all.end(), figures.begin(), figures.end());
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      if (unknowns[i].count() > 0)
        {
          all.emplace_back("mean of " + description.names[i],
                           unknowns[i].mean());
          all.emplace_back("variance of " + description.names[i],
                           unknowns[i].variance());
        }
    std::string text = "name,value\n";
    for (const auto &[name, value] : all)
      if (is_worth_writing(name, value))
        text += name + "," + to_text(value) + "\n";
    return text;
  }



  std::string
  PredictionBand::errors_csv() const
  {
    std::string text = "round";
    for (std::size_t rung = 0; rung < description.kernels.size(); ++rung)
      text += ",rung " + std::to_string(rung);
    text += "\n";
    for (const Snapshot *snapshot : finite_snapshots())
      text +=
        std::to_string(snapshot->round) + "," + csv_line(snapshot->errors);
    return text;
  }



  std::string
  PredictionBand::errors_svg(const RunReport &report) const
  {
    const std::size_t                n_rungs = description.kernels.size();
    std::vector<double>              rounds;
    std::vector<std::vector<double>> errors(n_rungs);
    for (const Snapshot *snapshot : finite_snapshots())
      {
        rounds.push_back(snapshot->round);
        for (std::size_t rung = 0; rung < n_rungs; ++rung)
          errors[rung].push_back(snapshot->errors[rung]);
      }

    Canvas canvas(Axis(0., rounds.back()), Axis::logarithmic(errors));
    if (report.burn_in > 0)
      canvas.shade(0.,
                   std::min<double>(report.burn_in, rounds.back()),
                   {"#000000", "burn-in"});
    canvas.axes("round", "relative error");
    canvas.begin_clip();
    // The coldest in front.
    for (std::size_t rung = n_rungs; rung-- > 0;)
      canvas.curve(rounds,
                   errors[rung],
                   {curve_colour(rung), "rung " + std::to_string(rung), 1.2});
    canvas.end_clip();
    canvas.label(Canvas::margin,
                 34,
                 "start",
                 "Relative error of " + prediction.title);
    return canvas.svg();
  }



  std::string
  PredictionBand::prediction_csv() const
  {
    const bool has_exact      = !prediction.exact.empty();
    const bool has_linearised = !band.linearised.empty();

    std::string text = prediction.coordinate + (has_exact ? ",exact" : "") +
                       ",mean,sd,5 %,95 %" +
                       (has_linearised ? ",linearised sd" : "") + "\n";
    for (std::size_t i = 0; i < prediction.places.size(); ++i)
      {
        std::vector<double> row = {prediction.places[i]};
        if (has_exact)
          row.push_back(prediction.exact[i]);
        row.insert(row.end(),
                   {band.mean[i],
                    std::sqrt(band.variance[i]),
                    band.lower[i],
                    band.upper[i]});
        if (has_linearised)
          row.push_back(band.linearised[i]);
        text += csv_line(row);
      }
    return text;
  }



  std::string
  PredictionBand::prediction_svg() const
  {
    const std::vector<double> &places = prediction.places;
    double                     low    = std::numeric_limits<double>::max();
    double                     high   = std::numeric_limits<double>::lowest();
    for (const std::vector<double> *curve :
         {&band.lower, &band.upper, &band.mean, &prediction.exact})
      for (const double value : *curve)
        {
          low  = std::min(low, value);
          high = std::max(high, value);
        }

    Canvas canvas(Axis(places.front(), places.back()), Axis(low, high));
    canvas.axes(prediction.coordinate, "");
    canvas.begin_clip();
    const std::string blue = curve_colour(0);
    canvas.band(places, band.lower, band.upper, {blue, "5 % to 95 %"});
    canvas.curve(places, band.mean, {blue, "mean", 2.});
    if (!prediction.exact.empty())
      canvas.curve(places, prediction.exact, {"#c53030", "exact", 2., true});
    canvas.end_clip();
    canvas.label(Canvas::margin,
                 34,
                 "start",
                 prediction.title + ", " + counted(band.n_curves, "curve") +
                   " of the coldest rung");
    return canvas.svg();
  }



  std::string
  PredictionBand::text() const
  {
    constexpr unsigned int digits = 4;

    std::string text = "\nPrediction of " + prediction.title + ", " +
                       counted(band.n_curves, "curve") +
                       " of the cold rung at " +
                       counted(prediction.places.size(), "place") + ":\n";
    std::vector<std::vector<std::string>> rows = {{"curve", "value"}};
    for (const auto &[name, value] : figures)
      rows.push_back({name, to_text(value, digits)});
    text += rows.size() > 1 ? aligned_table(rows) : "   none after burn-in\n";

    rows = {{"rung", "mean relative error", "variance"}};
    for (unsigned int rung = 0; rung < description.kernels.size(); ++rung)
      if (const Moments errors = errors_after_burn_in(rung); errors.count() > 0)
        rows.push_back({std::to_string(rung),
                        to_text(errors.mean(), digits),
                        to_text(errors.variance(), digits)});
    if (rows.size() > 2)
      text += "\n" + aligned_table(rows);
    for (const std::string &note : notes)
      text += "   note: " + note + "\n";
    return text;
  }
} // namespace Tempera
