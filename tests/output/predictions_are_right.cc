// SPDX-License-Identifier: LGPL-2.1-or-later

// Curves whose law is known. A curve (1 + a) exact has the relative error |a|,
// so that errors, their moments and the band are known in closed form. A band
// of normal values covers nine tenths of exact values with the same law.
// Whenever a run ends, its files are there, add up, and hold finite numbers
// only.

#include "tests.h"

#include <tempera/inference/csv_table.h>
#include <tempera/output/canvas.h>
#include <tempera/output/prediction_band.h>
#include <tempera/sampler/langevin.h>
#include <tempera/sampler/random.h>
#include <tempera/sampler/replica_exchange.h>

#include <boost/property_tree/xml_parser.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

  const std::vector<std::string> all_files = {"errors.csv",
                                              "errors.svg",
                                              "prediction.csv",
                                              "prediction.svg",
                                              "prediction_summary.csv"};

  /** (1 + a) exact for the state (a). */
  Prediction
  scaled_curve()
  {
    Prediction prediction;
    prediction.coordinate = "x";
    prediction.title      = "u at t = 0.001";
    for (unsigned int i = 0; i <= 100; ++i)
      {
        prediction.places.push_back(0.01 * i);
        prediction.exact.push_back(1. + std::sin(6. * 0.01 * i));
      }
    prediction.evaluate =
      [exact =
         prediction.exact](const dealii::ArrayView<const double> &position,
                           const dealii::ArrayView<double>       &values) {
        for (std::size_t i = 0; i < exact.size(); ++i)
          values[i] = (1. + position[0]) * exact[i];
      };
    return prediction;
  }


  /** A run whose draws are made by hand. */
  class HandMadeRun
  {
  public:
    HandMadeRun(const std::string  &name,
                const Prediction   &prediction,
                const unsigned int  n_rungs,
                const std::uint64_t burn_in)
      : n_rungs(n_rungs)
      , folder(name, true)
      , band(folder, description(prediction, n_rungs))
    {
      report.burn_in = burn_in;
      report.work    = 1234.5;
      band.connect(signals);
      band.write_at_end_of(signals);
    }

    /** One round; @p state gives that of a rung. */
    void
    round(const std::function<std::vector<double>(const unsigned int)> &state)
    {
      ++report.rounds;
      for (unsigned int rung = 0; rung < n_rungs; ++rung)
        {
          const std::vector<double> position = state(rung);
          signals.draw(Draw{rung,
                            rung,
                            report.rounds,
                            report.rounds <= report.burn_in,
                            0.,
                            0.,
                            0.1,
                            1.,
                            0,
                            dealii::make_array_view(position),
                            {}});
        }
    }

    std::string
    end(const bool interrupted = false)
    {
      report.interrupted = interrupted;
      signals.end_of_run(report);
      return band.text();
    }

    bool
    has(const std::string &name) const
    {
      return std::filesystem::exists(folder.file(name));
    }

    std::string
    content(const std::string &name) const
    {
      std::ifstream file(folder.file(name), std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    }

    CsvTable
    table(const std::string &name) const
    {
      return CsvTable(folder.file(name));
    }

    std::map<std::string, double>
    summary() const
    {
      std::ifstream                 file(folder.file("prediction_summary.csv"));
      std::map<std::string, double> result;
      std::string                   line;
      std::getline(file, line);
      while (std::getline(file, line))
        result[line.substr(0, line.rfind(','))] =
          std::stod(line.substr(line.rfind(',') + 1));
      return result;
    }

    bool
    is_finite() const
    {
      for (const std::string &name : all_files)
        if (content(name).find("nan") != std::string::npos ||
            content(name).find("inf") != std::string::npos)
          return false;
      return true;
    }

  private:
    static RunDescription
    description(const Prediction &prediction, const unsigned int n_rungs)
    {
      RunDescription result;
      result.names      = {"a"};
      result.indices    = {0};
      result.kernels    = std::vector<std::string>(n_rungs, "MALA");
      result.n_rounds   = 1000000;
      result.prediction = std::make_shared<Prediction>(prediction);
      return result;
    }

    const unsigned int n_rungs;
    const RunFolder    folder;
    PredictionBand     band;

  public:
    Signals   signals;
    RunReport report;
  };

  bool
  is_near(const double value,
          const double truth,
          const double tolerance = 1e-12)
  {
    return std::abs(value - truth) <= tolerance * std::max(1., std::abs(truth));
  }

  std::string
  text_of(const std::map<std::string, double> &figures)
  {
    std::string text;
    for (const auto &[name, value] : figures)
      text += name + " = " + std::to_string(value) + ", ";
    return text;
  }


  void
  check_errors_in_closed_form()
  {
    // a = +-0.02 in turns after burn-in, and falls by 1 % a round before.
    constexpr std::uint64_t burn_in = 300, n_rounds = 900;
    Prediction              prediction = scaled_curve();
    prediction.linearised_deviation =
      [exact = prediction.exact](const std::vector<double> &position) {
        std::vector<double> result;
        // Half of the sampled one; depends on the draw in a known way.
        for (const double value : exact)
          result.push_back(0.5 * std::abs(position[0]) * value);
        return result;
      };
    HandMadeRun run("closed_form", prediction, 3, burn_in);
    const auto  amplitude = [&](const std::uint64_t round,
                               const unsigned int  rung) {
      return (1. + rung) * (round <= burn_in ? std::pow(0.99, round) :
                             round % 2 == 0   ? 0.02 :
                                                -0.02);
    };
    for (std::uint64_t round = 1; round <= n_rounds; ++round)
      run.round([&](const unsigned int rung) {
        return std::vector<double>{amplitude(round, rung)};
      });
    const std::string text = run.end();

    const CsvTable errors = run.table("errors.csv");
    const auto     rounds = errors.column("round");
    bool           right =
      errors.n_rows() == n_rounds &&
      errors.get_names() ==
        std::vector<std::string>{"round", "rung 0", "rung 1", "rung 2"};
    for (unsigned int rung = 0; rung < 3; ++rung)
      {
        const auto column = errors.column("rung " + std::to_string(rung));
        for (std::size_t i = 0; i < column.size(); ++i)
          right = right && rounds[i] == i + 1 &&
                  is_near(column[i], std::abs(amplitude(i + 1, rung)));
      }
    check("errors of every rung in every round", right);

    // The variance of +-1 in turns, n of them, is n / (n - 1).
    constexpr double n       = n_rounds - burn_in;
    auto             figures = run.summary();
    check("error of a draw: mean and variance",
          is_near(figures["mean relative error"], 0.02) &&
            is_near(figures["variance of relative error"], 0.),
          text_of(figures));
    check("error of the mean curve",
          is_near(figures["relative error of the mean"], 0.),
          text_of(figures));
    check("all of the exact curve is in the band",
          figures["coverage"] == 1.,
          text_of(figures));
    const double factor  = 0.02 * 0.02 * n / (n - 1.);
    double       largest = 0., smallest = 10., mean = 0.;
    for (const double value : prediction.exact)
      {
        largest  = std::max(largest, value * value);
        smallest = std::min(smallest, value * value);
        mean += value * value / prediction.exact.size();
      }
    check("variances over the places",
          is_near(figures["largest variance"], factor * largest) &&
            is_near(figures["smallest variance"], factor * smallest) &&
            is_near(figures["mean variance"], factor * mean),
          text_of(figures));
    check("sampled against linearised deviation",
          is_near(figures["median ratio of sampled to linearised sd"],
                  2. * std::sqrt(n / (n - 1.))),
          text_of(figures));
    check("moments of the unknown",
          is_near(figures["mean of a"], 0.) &&
            is_near(figures["variance of a"], factor),
          text_of(figures));
    check("what the run was",
          figures["rounds"] == n_rounds && figures["burn-in"] == burn_in &&
            figures["work"] == 1234.5 && figures["seconds"] > 0. &&
            figures["seconds"] < 100.,
          text_of(figures));

    const CsvTable table = run.table("prediction.csv");
    check("columns of the curve",
          table.get_names() ==
              std::vector<std::string>{
                "x", "exact", "mean", "sd", "5 %", "95 %", "linearised sd"} &&
            table.column("x") == prediction.places &&
            table.column("exact") == prediction.exact);
    right = true;
    for (std::size_t i = 0; i < prediction.exact.size(); ++i)
      {
        const double exact = prediction.exact[i];
        right              = right && is_near(table.column("mean")[i], exact) &&
                is_near(table.column("sd")[i], std::sqrt(factor) * exact) &&
                is_near(table.column("5 %")[i], 0.98 * exact) &&
                is_near(table.column("95 %")[i], 1.02 * exact) &&
                is_near(table.column("linearised sd")[i], 0.01 * exact);
      }
    check("rows of the curve", right);
    check("the text has the figures",
          text.find("u at t = 0.001, 600 curves") != std::string::npos &&
            text.find("mean relative error") != std::string::npos &&
            text.find("note") == std::string::npos,
          text);
  }


  void
  check_coverage()
  {
    constexpr unsigned int n_places = 2000, n_rounds = 1000;
    Prediction             prediction;
    prediction.coordinate = "x";
    prediction.title      = "noise";
    prediction.exact.resize(n_places);
    RandomKey key;
    fill_normals(key, dealii::make_array_view(prediction.exact));
    for (unsigned int i = 0; i < n_places; ++i)
      prediction.places.push_back(i);
    prediction.evaluate = [](const dealii::ArrayView<const double> &position,
                             const dealii::ArrayView<double>       &values) {
      std::copy(position.begin(), position.end(), values.begin());
    };
    HandMadeRun run("coverage", prediction, 1, 0);
    for (unsigned int round = 1; round <= n_rounds; ++round)
      run.round([&](const unsigned int) {
        std::vector<double> state(n_places);
        key.chain = round;
        fill_normals(key, dealii::make_array_view(state));
        return state;
      });
    run.end();
    auto figures = run.summary();
    // Six standard errors of a share of 2000.
    const double tolerance = 6. * std::sqrt(0.09 / n_places);
    check("a band of 90 % covers 90 %",
          is_near(figures["coverage"], 0.9, tolerance),
          text_of(figures));
    // The difference of two normal curves is sqrt(2) as long as one.
    check("draws that are as far as they are wide",
          is_near(figures["mean relative error"], std::sqrt(2.), 0.1) &&
            is_near(figures["relative error of the mean"], 1., 0.1) &&
            is_near(figures["mean variance"], 1., 0.01),
          text_of(figures));

    // Rows add up to the figures.
    const CsvTable errors = run.table("errors.csv"),
                   table  = run.table("prediction.csv");
    double mean = 0., variance = 0.;
    for (const double error : errors.column("rung 0"))
      mean += error / errors.n_rows();
    unsigned int n_covered = 0;
    const auto   lower = table.column("5 %"), upper = table.column("95 %"),
               deviation = table.column("sd");
    for (unsigned int i = 0; i < n_places; ++i)
      {
        variance += deviation[i] * deviation[i] / n_places;
        n_covered +=
          lower[i] <= prediction.exact[i] && prediction.exact[i] <= upper[i];
      }
    check("rows add up",
          is_near(mean, figures["mean relative error"]) &&
            is_near(variance, figures["mean variance"]) &&
            is_near(double(n_covered) / n_places, figures["coverage"]));
  }


  void
  check_long_runs()
  {
    for (const std::uint64_t n_rounds : {1024, 1025, 5000, 100000, 1000003})
      {
        Prediction                 prediction = scaled_curve();
        std::vector<std::uint64_t> n_evaluations(2, 0);
        prediction.evaluate =
          [&](const dealii::ArrayView<const double> &position,
              const dealii::ArrayView<double>       &values) {
            ++n_evaluations[static_cast<unsigned int>(position[0])];
            for (double &value : values)
              value = 1.;
          };
        HandMadeRun run("long", prediction, 2, n_rounds / 2);
        for (std::uint64_t round = 1; round <= n_rounds; ++round)
          run.round([](const unsigned int rung) {
            return std::vector<double>{double(rung)};
          });
        const std::string text   = run.end();
        const auto        rounds = run.table("errors.csv").column("round");
        const double      step   = rounds[1] - rounds[0];
        bool right = rounds.size() >= 512 && rounds.size() <= 1024 &&
                     rounds[0] == 1. && rounds.back() > n_rounds - step;
        for (std::size_t i = 1; i < rounds.size(); ++i)
          right = right && rounds[i] - rounds[i - 1] == step;
        const double most = 1024. + 512. * (1. + std::log2(n_rounds / 1024.));
        check("a run of " + std::to_string(n_rounds) +
                " rounds keeps 512 to 1024, evenly spaced",
              right && n_evaluations[0] == n_evaluations[1] &&
                n_evaluations[0] <= most,
              std::to_string(rounds.size()) + " kept, " +
                std::to_string(n_evaluations[0]) + " evaluations\n" + text);
      }
  }


  void
  check_runs_that_end_early()
  {
    Prediction   prediction = scaled_curve();
    unsigned int n_calls    = 0;
    prediction.linearised_deviation =
      [&](const std::vector<double> &) -> std::vector<double> {
      ++n_calls;
      throw std::runtime_error("the matrix is singular");
    };
    const auto state = [](const unsigned int) {
      return std::vector<double>{0.1};
    };
    {
      HandMadeRun run("in_burn_in", prediction, 2, 100);
      for (unsigned int round = 0; round < 50; ++round)
        run.round(state);
      const std::string text    = run.end(true);
      const auto        figures = run.summary();
      check("interrupted in burn-in: the errors are there, no band",
            run.table("errors.csv").n_rows() == 50 && run.has("errors.svg") &&
              !run.has("prediction.csv") && !run.has("prediction.svg") &&
              figures.size() == 4 && figures.at("rounds") == 50. &&
              text.find("none after burn-in") != std::string::npos,
            text + text_of(figures));
    }
    {
      HandMadeRun run("after_burn_in", prediction, 2, 100);
      for (unsigned int round = 0; round < 150; ++round)
        run.round(state);
      const std::string text = run.end(true);
      bool              all  = true;
      for (const std::string &name : all_files)
        all = all && run.has(name);
      check("interrupted later: all files, nothing expensive",
            all && n_calls == 0 &&
              text.find("50 curves") != std::string::npos &&
              text.find("interrupted: no linearised sd") != std::string::npos,
            text);
      const std::string again = run.end(false);
      check("a linearisation that fails loses nothing, and is told",
            n_calls == 1 && run.has("prediction.csv") &&
              !run.table("prediction.csv").has_column("linearised sd") &&
              again.find("the matrix is singular") != std::string::npos,
            again);
    }
    {
      HandMadeRun       run("at_once", prediction, 2, 100);
      const std::string text = run.end(true);
      check("interrupted at once",
            !run.has("errors.csv") && !run.has("prediction.csv") &&
              run.has("prediction_summary.csv"),
            text);
    }
    {
      HandMadeRun second("after_burn_in", prediction, 1, 0);
      bool        none = true;
      for (const std::string &name : all_files)
        none = none && !second.has(name);
      check("another run in the folder removes the files", none);
    }
  }


  void
  check_numbers_that_are_none()
  {
    Prediction prediction           = scaled_curve();
    prediction.linearised_deviation = [](const std::vector<double> &) {
      return std::vector<double>(101, not_a_number);
    };
    HandMadeRun run("not_finite", prediction, 2, 0);
    for (unsigned int round = 1; round <= 100; ++round)
      run.round([&](const unsigned int rung) {
        return std::vector<double>{(rung == 0 && round == 7) ||
                                       (rung == 1 && round % 10 == 0) ?
                                     not_a_number :
                                     0.5};
      });
    const std::string text    = run.end();
    auto              figures = run.summary();
    check("what is not finite is in no file",
          run.is_finite() && run.table("errors.csv").n_rows() == 89 &&
            is_near(figures["mean relative error"], 0.5) &&
            !run.table("prediction.csv").has_column("linearised sd"),
          text + text_of(figures));
    check("and is told",
          text.find("11 of 100 rounds") != std::string::npos &&
            text.find("1 of 100 curves") != std::string::npos &&
            text.find("not finite everywhere") != std::string::npos &&
            text.find("mean of a is not finite") != std::string::npos,
          text);

    HandMadeRun diverged("diverged", prediction, 1, 0);
    for (unsigned int round = 1; round <= 10; ++round)
      diverged.round(
        [&](const unsigned int) { return std::vector<double>{not_a_number}; });
    const std::string last = diverged.end();
    check("nothing finite at all",
          diverged.is_finite() && !diverged.has("errors.csv") &&
            !diverged.has("prediction.csv") &&
            last.find("10 of 10 rounds") != std::string::npos,
          last);
  }


  void
  check_exact_curves()
  {
    Prediction   unknown       = scaled_curve();
    unsigned int n_evaluations = 0;
    unknown.evaluate           = [&, evaluate = unknown.evaluate](
                         const dealii::ArrayView<const double> &position,
                         const dealii::ArrayView<double>       &values) {
      ++n_evaluations;
      evaluate(position, values);
    };
    unknown.exact.clear();
    HandMadeRun run("unknown", unknown, 3, 50);
    const auto  state = [](const unsigned int) {
      return std::vector<double>{0.1};
    };
    for (unsigned int round = 1; round <= 100; ++round)
      run.round(state);
    std::string text = run.end();
    check("no exact curve: the band alone, and no other evaluations",
          !run.has("errors.csv") && !run.has("errors.svg") &&
            run.has("prediction.svg") && run.summary().count("coverage") == 0 &&
            !run.table("prediction.csv").has_column("exact") &&
            n_evaluations == 50,
          text);

    Prediction zero = scaled_curve();
    std::fill(zero.exact.begin(), zero.exact.end(), 0.);
    HandMadeRun flat("zero", zero, 2, 0);
    for (unsigned int round = 1; round <= 10; ++round)
      flat.round(state);
    text = flat.end();
    check("nothing can be relative to zero",
          flat.is_finite() && !flat.has("errors.csv") &&
            flat.summary().at("coverage") == 0. &&
            text.find("there are no relative errors") != std::string::npos,
          text);
  }


  void
  check_a_sampler()
  {
    // x is standard normal: the curve (1 + 0.1 x) exact has a mean error of 0.1
    // sqrt(2/pi) and a deviation of 0.1 exact.
    const auto normal =
      std::make_shared<FormulaEnergy>([](const double x) { return x * x / 2.; },
                                      [](const double x) { return x; });
    KernelParameters  kernel_parameters;
    const auto        kernel = std::make_shared<MALA>(kernel_parameters);
    std::vector<Rung> rungs(2);
    for (unsigned int i = 0; i < 2; ++i)
      {
        rungs[i].temperature = 1. + 3. * i;
        rungs[i].kernel      = kernel;
        rungs[i].step_size   = 0.8;
      }
    RunParameters run_parameters;
    run_parameters.iterations = 60000;
    run_parameters.burn_in    = 5000;
    run_parameters.thinning   = 5;
    ReplicaExchange sampler(run_parameters,
                            SwapParameters(),
                            Ladder(rungs, {{"fine", normal}}),
                            {{0.}});

    Prediction prediction = scaled_curve();
    prediction.evaluate =
      [exact =
         prediction.exact](const dealii::ArrayView<const double> &position,
                           const dealii::ArrayView<double>       &values) {
        for (std::size_t i = 0; i < exact.size(); ++i)
          values[i] = (1. + 0.1 * position[0]) * exact[i];
      };
    RunDescription description;
    description.names      = {"x"};
    description.indices    = {0};
    description.kernels    = {"MALA", "MALA"};
    description.n_rounds   = run_parameters.iterations;
    description.prediction = std::make_shared<Prediction>(prediction);
    const RunFolder folder("sampler", true);
    PredictionBand  band(folder, description);
    band.connect(sampler.signals);
    band.write_at_end_of(sampler.signals);
    const std::atomic<bool> never(false);
    sampler.run(never);

    const CsvTable errors(folder.file("errors.csv")),
      table(folder.file("prediction.csv"));
    const auto rounds = errors.column("round");
    check("draws of a sampler, thinned by it",
          errors.n_rows() >= 512 && rounds[1] - rounds[0] >= 50. &&
            rounds.back() > 59000.,
          band.text());
    double     mean[2] = {0., 0.};
    const auto cold = errors.column("rung 0"), hot = errors.column("rung 1");
    for (std::size_t i = 0; i < errors.n_rows(); ++i)
      {
        mean[0] += cold[i] / errors.n_rows();
        mean[1] += hot[i] / errors.n_rows();
      }
    // The deviation of |x| is 0.6: some 500 draws know the mean to 3 %.
    const double truth = 0.1 * std::sqrt(2. / 3.14159265358979);
    check("their errors, cold and twice as wide hot",
          std::abs(mean[0] / truth - 1.) < 0.2 &&
            std::abs(mean[1] / truth / 2. - 1.) < 0.2,
          band.text());
    const auto deviation = table.column("sd");
    bool       right     = true;
    for (std::size_t i = 0; i < deviation.size(); ++i)
      right = right &&
              std::abs(deviation[i] / (0.1 * prediction.exact[i]) - 1.) < 0.2;
    check("their deviation at every place", right, band.text());
  }


  void
  check_pictures()
  {
    const auto ticks = [](const std::vector<double> &values) {
      return Axis::logarithmic({values}).ticks();
    };
    using List = std::vector<double>;
    check("powers and what is between them",
          ticks({0.03, 0.4}) == List{0.02, 0.05, 0.1, 0.2, 0.5} &&
            ticks({0.1, 1.}) == List{0.1, 0.2, 0.5, 1.} &&
            ticks({1e-3, 50.}) == List{1e-3, 1e-2, 1e-1, 1., 10., 100.} &&
            ticks({0.1}) == List{0.1, 0.2});
    check("few marks also over many powers",
          ticks({1e-30, 1e30}).size() < 15 &&
            ticks({1e-30, 1e30}).back() >= 1e30);
    const double largest  = std::numeric_limits<double>::max(),
                 infinity = std::numeric_limits<double>::infinity();
    const auto n_ticks    = [](const double low, const double high) {
      return Axis(low, high).ticks().size();
    };
    check("few marks also between huge numbers",
          n_ticks(0., largest) < 15 && n_ticks(-largest, largest) < 15 &&
            n_ticks(largest, largest) < 15 &&
            n_ticks(0.9 * largest, largest) < 15 &&
            n_ticks(-infinity, infinity) < 15 && n_ticks(0., 1.) > 3);
    check("values without a place on an axis of powers",
          ticks({0., -1., not_a_number, 3.}) == List{2., 5.} &&
            ticks({0.}) == List{0.1, 0.2, 0.5, 1.} &&
            !Axis::logarithmic({{1.}}).has(0.) && Axis(0., 1.).has(0.));
    const Axis axis = Axis::logarithmic({{0.01, 1.}});
    check("an axis of powers is one",
          is_near(axis.at(0.01), 0.) && is_near(axis.at(0.1), 0.5) &&
            is_near(axis.at(1.), 1.));

    check("numbers on an axis of powers are short",
          axis.text(0.01) == "0.01" && axis.text(5.) == "5" &&
            axis.text(0.002) == "2e-3" && axis.text(1e-5) == "1e-5" &&
            axis.text(2e4) == "2e4");

    Canvas canvas(Axis(0., 3.), Axis::logarithmic({{0.1, 1.}}));
    canvas.curve({0., 1., 2., 3.}, {0.1, 0., 1., 0.5}, {"blue", "a < b & c"});
    const std::string svg = canvas.svg();
    check("a curve is broken where it has no place",
          svg.find("M70 616M443.33 56L630 ") != std::string::npos,
          svg);
    check("names in a legend may hold anything",
          svg.find("a &lt; b &amp; c") != std::string::npos,
          svg);

    bool well_formed = true;
    for (const std::string file :
         {"closed_form/errors.svg", "closed_form/prediction.svg"})
      {
        std::ifstream               stream(file);
        boost::property_tree::ptree tree;
        boost::property_tree::read_xml(stream, tree);
        well_formed = well_formed && tree.count("svg") == 1;
      }
    check("pictures are well-formed", well_formed);
  }
} // namespace


int
main()
{
  check_errors_in_closed_form();
  check_coverage();
  check_long_runs();
  check_runs_that_end_early();
  check_numbers_that_are_none();
  check_exact_curves();
  check_a_sampler();
  check_pictures();
  return result();
}
