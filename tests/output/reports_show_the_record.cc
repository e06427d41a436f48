// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The numbers behind the charts of a report are right, and reports of runs of
// all shapes are made, bounded in size. The pages stay in the test's folder:
// check_reports opens them in a browser.

#include "tests.h"

#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/output/analysis.h>
#include <tempera/output/json.h>
#include <tempera/output/record_file.h>
#include <tempera/output/report.h>
#include <tempera/output/report_statistics.h>
#include <tempera/output/run_folder.h>
#include <tempera/output/summary_text.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  const std::vector<std::string> strange = {"<b>x</b>",
                                            "\"; alert(1); //</script>"};

  bool
  is_near(const double value, const double expected)
  {
    return std::abs(value - expected) <= 1e-12 * (1. + std::abs(expected));
  }

  void
  check_statistics()
  {
    using namespace ReportStatistics;

    check("some of many are evenly spaced, with both ends",
          evenly_spaced(9, 3) == std::vector<std::size_t>{0, 4, 8} &&
            evenly_spaced(3, 5) == std::vector<std::size_t>{0, 1, 2} &&
            evenly_spaced(0, 5).empty() && evenly_spaced(7, 1).size() == 1);
    check("quantiles lie between neighbours",
          is_near(quantile({1., 2., 4.}, 0.75), 3.) &&
            is_near(quantile({5.}, 0.2), 5.) && std::isnan(quantile({}, 0.5)));

    // 1,000 numbers 0.5, 1.5, ...: all densities are 1/1000. All but their
    // thousandth parts at the ends are from 1.499 to 998.501, which 2 *
    // cbrt(1000) = 20 bins share. As wide, 21 bins are needed for all.
    std::vector<double> ladder;
    for (unsigned int i = 0; i < 1000; ++i)
      ladder.push_back(i + 0.5);
    ladder.push_back(NAN);
    const auto mass_of = [](const Histogram &one) {
      double mass = 0.;
      for (const double density : one.density)
        mass += density * one.width;
      return mass;
    };
    const Histogram even = histogram(ladder);
    check("a histogram reaches over all draws",
          even.density.size() == 21 && is_near(even.low, 0.5) &&
            is_near(even.width, 999. / 21.) && is_near(mass_of(even), 1.) &&
            even.n_beyond == 0);
    // One draw that is farther away than the bins may reach.
    ladder.push_back(1e6);
    const Histogram far = histogram(ladder);
    check("a draw far away does not hide the others, and is told",
          far.n_beyond == 1 && far.density.size() <= 60 &&
            is_near(far.largest, 1e6) && is_near(far.least, 0.5) &&
            is_near(mass_of(far), 1000. / 1001.));
    check("a histogram of equal numbers has its mass in one place", [] {
      const Histogram one = histogram(std::vector<double>(50, 3.));
      double          sum = 0.;
      for (const double density : one.density)
        sum += density * one.width;
      return is_near(sum, 1.) && one.low < 3. &&
             one.low + one.width * one.density.size() > 3. &&
             one.density.size() == 8;
    }());
    check("without numbers there are no bins",
          histogram({NAN}).density.empty());

    // Along the whole law, and where it is looked at: the area is one.
    for (const std::string text : {"uniform(-1, 2)",
                                   "log-normal(0.5, 2e-1)",
                                   "student-t(3, 0, 1)",
                                   "gamma(2, 3) above 1"})
      {
        const PriorCurve curve =
          prior_curve(*Distribution::if_text(text), 0.9, 1.5);
        double area = 0.;
        for (std::size_t i = 1; i < curve.x.size(); ++i)
          area += 0.5 * (curve.density[i - 1] + curve.density[i]) *
                  (curve.x[i] - curve.x[i - 1]);
        const auto n_close =
          std::count_if(curve.x.begin(), curve.x.end(), [](const double x) {
            return x > 1. && x < 1.5;
          });
        check("the curve of " + text,
              std::abs(area - 1.) < 0.005 && n_close > 100,
              std::to_string(area));
      }
    check("what is no prior is none",
          !Distribution::if_text("uniform(0, 1) and more") &&
            !Distribution::if_text("normal(0)") &&
            !Distribution::if_text("normal(0, -1)") &&
            !Distribution::if_text("uniform(2, 1)") &&
            !Distribution::if_text("log-normal(-1, 1)") &&
            !Distribution::if_text("cauchy(0, 1)") &&
            !Distribution::if_text(""));

    // +1, -1, +1, ...: the correlation at lag k is (-1)^k (n - k) / n. Two
    // chains that stay at -1 and +1: always 1 but for the same factor.
    std::vector<double> alternating;
    for (unsigned int i = 0; i < 400; ++i)
      alternating.push_back(i % 2 == 0 ? 1. : -1.);
    const Autocorrelation found = autocorrelation(
      {{alternating, alternating},
       {std::vector<double>(400, 1.), std::vector<double>(400, -1.)},
       {std::vector<double>(400, 2.), std::vector<double>(400, 2.)}});
    bool is_right = found.lags.size() > 10 && found.values.size() == 3;
    for (std::size_t i = 0; i < found.lags.size(); ++i)
      {
        const double lag = found.lags[i], share = (400. - lag) / 400.;
        is_right = is_right &&
                   is_near(found.values[0][i],
                           (std::size_t(lag) % 2 == 0 ? share : -share)) &&
                   is_near(found.values[1][i], share) &&
                   std::isnan(found.values[2][i]);
      }
    check("autocorrelations, also of chains that disagree", is_right);
    check("slow chains are shown far enough", found.lags.back() >= 50.);

    // The first chain has the lower half of the ranks.
    const auto ranks = rank_histograms({{1., 2.}, {3., 4.}}, 2);
    check("ranks of chains that disagree",
          ranks == std::vector<std::vector<double>>{{1., 0.}, {0., 1.}});
    // All equal: mean rank is in the middle, which belongs to the upper bin.
    const auto ties = rank_histograms({{1., 1.}, {1., 1.}}, 2);
    check("equal draws share their rank", ties[0] == ties[1]);
  }

  void
  check_json()
  {
    check("texts cannot leave the script",
          Json("a\"\\\n</script>&").get_text() ==
            R"("a\"\\\u000a\u003c/script\u003e\u0026")");
    check("what is not finite is null",
          Json::rounded(std::vector<double>{1., NAN, INFINITY}).get_text() ==
            "[1,null,null]");
    // The numbers share six digits; four more are seen.
    check("as many digits as a chart can show",
          Json::rounded(std::vector<double>{1.2345671111, 1.2345691111})
              .get_text() == "[1.234567111,1.234569111]");
  }

  struct Shape
  {
    std::string  name;
    unsigned int n_unknowns, n_derived, n_rungs, n_chains;
    unsigned int n_burn_in, n_draws, n_measurements;
    /** Whether chains stay in one of two answers, and nothing is swapped. */
    bool is_broken   = false;
    bool has_extras  = false;
    bool records_all = true;
    /** Sensors in so many dimensions, at so many times; 0: neither is known. */
    unsigned int n_dimensions = 0, n_times = 0;
  };

  /** A made-up run with two answers in every unknown. */
  void
  write_run(const Shape &shape)
  {
    std::filesystem::create_directories(shape.name);
    RunDescription description;
    description.version = "0.0";
    description.family  = "finite elements";
    description.title   = "A made-up run: " + strange[0] + strange[1];
    description.question =
      shape.has_extras ? "how " + strange[0] + " is it? " + strange[1] : "";
    description.parameters = "set Title = " + strange[1] + "\n# @DATA@ @TITLE@";
    description.seed       = 18446744073709551615u;
    description.n_chains   = shape.n_chains;
    description.n_rounds   = shape.n_burn_in + shape.n_draws;
    description.burn_in    = shape.n_burn_in;
    std::mt19937                     generator(1);
    std::normal_distribution<double> normal;
    for (unsigned int i = 0; i < shape.n_unknowns; ++i)
      {
        description.names.push_back(i < 2 && shape.has_extras ?
                                      strange[i] :
                                      "unknown " + std::to_string(i));
        description.indices.push_back(i);
        description.lower.push_back(0.);
        description.upper.push_back(1.);
        // Every other one without a closed form, which is drawn from draws.
        description.priors.push_back(i % 2 == 1 ?
                                       "uniform(0, 1) " + strange[0] :
                                     i % 4 == 0 ? "normal(0.5, 0.2)" :
                                                  "log-normal(0.5, 0.3)");
        description.prior_draws.emplace_back();
        for (unsigned int k = 0; k < 500; ++k)
          description.prior_draws.back().push_back(k / 500.);
      }
    for (unsigned int i = 0; i < shape.n_derived; ++i)
      description.derived_names.push_back("derived " + std::to_string(i));
    if (shape.has_extras)
      {
        description.truth       = {{0.35, 0.45}, {0.65, 0.45}};
        description.true_circle = {0.5, 0.45, 0.15};
        description.sensors     = {{0.5, 0.2}, {0.5, 0.8}};
      }
    description.levels = {"fine " + strange[0], "coarse"};
    for (unsigned int rung = 0; rung < shape.n_rungs; ++rung)
      {
        description.kernels.push_back("MALA");
        description.rung_levels.push_back(rung == 0 ? 0 : 1);
      }
    description.n_recorded_rungs = shape.records_all ? shape.n_rungs : 1;
    for (unsigned int i = 0; i < shape.n_measurements; ++i)
      {
        RunDescription::Measurement one;
        one.name      = "(" + std::to_string(i) + ") " + strange[1];
        one.value     = std::sin(0.01 * i) + 0.1 * normal(generator);
        one.deviation = 0.1;
        const unsigned int n_times = std::max(1u, shape.n_times);
        for (unsigned int d = 0; d < shape.n_dimensions; ++d)
          one.place.push_back(d == 0 ? 10. + i / n_times : (i / n_times) % 3);
        if (shape.n_times > 0)
          one.time = 0.1 * (1 + i % n_times);
        description.measurements.push_back(one);
      }

    const unsigned int n_columns = shape.n_unknowns + shape.n_derived;
    for (unsigned int chain = 0; chain < shape.n_chains; ++chain)
      {
        RecordFile file(shape.name + "/" + record_name(chain), description);
        std::vector<std::uint32_t> replicas(shape.n_rungs);
        for (unsigned int rung = 0; rung < shape.n_rungs; ++rung)
          replicas[rung] = rung;
        std::vector<std::vector<double>> values(shape.n_rungs,
                                                std::vector<double>(n_columns));
        std::vector<double>              answer(shape.n_rungs, chain % 2);
        RunReport                        report;
        for (unsigned int round = 1; round <= description.n_rounds; ++round)
          {
            RecordedDraw draw;
            draw.round       = round;
            draw.is_burn_in  = round <= shape.n_burn_in;
            draw.round_trips = shape.is_broken ? 0 : round / 20;
            for (unsigned int pair = 0; pair + 1 < shape.n_rungs; ++pair)
              {
                const bool is_accepted =
                  !shape.is_broken && normal(generator) > 0.3;
                if (is_accepted)
                  std::swap(replicas[pair], replicas[pair + 1]);
                draw.swaps.push_back({shape.is_broken ? 0u : 1u, is_accepted});
              }
            for (unsigned int rung = 0; rung < description.n_recorded_rungs;
                 ++rung)
              {
                const double width = 0.01 * (1. + 3. * rung);
                if (!shape.is_broken && normal(generator) > 1.)
                  answer[rung] = 1. - answer[rung];
                double energy = 0.;
                for (unsigned int i = 0; i < n_columns; ++i)
                  {
                    const double z  = normal(generator);
                    values[rung][i] = (i == 0 && answer[rung] > 0. ? 0.65 :
                                       i == 0                      ? 0.35 :
                                                                     0.45) +
                                      width * z + (draw.is_burn_in ? 0.1 : 0.);
                    energy += 0.5 * z * z * (1. + rung);
                  }
                draw.rungs.push_back({1.,
                                      energy,
                                      0.01,
                                      0.6,
                                      0,
                                      replicas[rung],
                                      values[rung].data()});
              }
            file.append(draw);
            report.rounds = round;
            if (round % 50 == 0)
              {
                std::vector<double> predicted;
                for (unsigned int i = 0; i < shape.n_measurements; ++i)
                  predicted.push_back(std::sin(0.01 * i) +
                                      0.05 * normal(generator));
                file.append(
                  RecordedPrediction{round, round / 50, predicted, {}});
              }
          }
        report.n_rounds    = description.n_rounds;
        report.burn_in     = description.burn_in;
        report.level_names = description.levels;
        report.evaluations = {1000, 5000};
        report.work        = 1234.;
        for (unsigned int rung = 0; rung < shape.n_rungs; ++rung)
          {
            report.rungs.emplace_back();
            report.rungs.back().temperature = std::pow(2., rung);
          }
        report.pairs.resize(shape.n_rungs - 1);
        file.append(report);
        file.flush();
      }
    if (shape.n_dimensions == 2)
      {
        std::filesystem::create_directories(shape.name + "/fields");
        std::ofstream map(shape.name + "/fields/posterior_map.csv");
        map << "x,y,mean t=0,mean t=1\n";
        for (unsigned int j = 0; j < 8; ++j)
          for (unsigned int i = 0; i < 20; ++i)
            // A corner is not in the domain.
            map << 9.25 + 0.5 * i << "," << -0.25 + 0.5 * j << ","
                << (i < 5 && j < 3 ? "" : std::to_string(i * j)) << ",1\n";
      }
    if (shape.has_extras)
      {
        std::ofstream(shape.name + "/times.csv")
          << "phase,seconds\nset-up\t,0.5\nsampling " << strange[0]
          << ",12.25\n";
        std::ofstream errors(shape.name + "/errors.csv"),
          curve(shape.name + "/prediction.csv");
        errors << "round,rung 0,rung 1\n";
        curve << "x,exact,mean,sd,5 %,95 %\n";
        for (unsigned int i = 1; i < 100; ++i)
          {
            errors << 10 * i << "," << 1. / i << "," << 2. / i << "\n";
            curve << 0.01 * i << "," << std::sin(0.1 * i) << ","
                  << std::sin(0.1 * i) + 0.02 << ",0.1,"
                  << std::sin(0.1 * i) - 0.1 << "," << std::sin(0.1 * i) + 0.1
                  << "\n";
          }
      }
  }

  void
  check_report(const Shape &shape)
  {
    write_run(shape);
    const std::string page = report_html(RecordedRun(shape.name));
    write_whole_file(shape.name + "/" + report_name, page, "");
    constexpr std::size_t most = 3000000;
    check("a report of " + shape.name,
          page.size() > 1000 && page.size() < most,
          std::to_string(page.size()) + " bytes");
    bool is_escaped = true;
    for (const std::string &text : strange)
      is_escaped = is_escaped && page.find(text) == std::string::npos;
    check("its texts are escaped", is_escaped);
    // The page subtracts the data from what is predicted.
    const RecordedRun run(shape.name);
    bool              has_all_digits = true;
    if (shape.n_measurements <= 400)
      for (const auto &measurement : run.description().measurements)
        has_all_digits =
          has_all_digits &&
          page.find(to_text(measurement.value)) != std::string::npos;
    check("its data have all digits", has_all_digits);
    const Analysis    analysis = analyse(run);
    const ModelFit   &fit      = analysis.fit;
    const std::string text     = summary_text(analysis);
    const bool is_judged = fit.n_draws > 0 && std::isfinite(fit.noise_factor);
    check(
      "it says how well the data fit, as the summary does, if that is known",
      is_judged ?
        page.find("\"chiSquare\": " + Json(fit.chi_square).get_text()) !=
            std::string::npos &&
          text.find("fit: chi-square of the residuals " +
                    to_text(fit.chi_square, 3) + ", expected " +
                    std::to_string(fit.n_tested)) != std::string::npos &&
          (text.find("noise: 0.1 was given, the residuals suggest " +
                     to_text(fit.suggested_deviation, 2)) !=
           std::string::npos) != shape.is_broken &&
          (text.find("of the best draw") != std::string::npos) ==
            shape.is_broken :
        page.find("\"chiSquare\"") == std::string::npos &&
          text.find("chi-square") == std::string::npos,
      text);
    const bool has_residuals =
      shape.n_measurements <= 400 && is_judged && !fit.is_of_best_draw;
    check("its residuals are those that were judged",
          !has_residuals ||
            page.find("\"standardised\": " +
                      Json::rounded(fit.residuals).get_text()) !=
              std::string::npos);
    if (shape.name == "gauges" || shape.name == "broken")
      check("this one is judged",
            is_judged && has_residuals != shape.is_broken);
    check("it shows the mean solution if there is one",
          (page.find("\"map\": null") == std::string::npos) ==
            (shape.n_dimensions == 2));
  }
} // namespace



int
main()
{
  check_statistics();
  check_json();

  Shape two_answers{"two_answers", 2, 0, 5, 4, 200, 2000, 2};
  two_answers.has_extras = true;
  check_report(two_answers);
  Shape broken{"broken", 3, 1, 3, 2, 100, 500, 60};
  broken.is_broken = true;
  check_report(broken);
  Shape gauges{"gauges", 4, 0, 2, 2, 100, 400, 40};
  gauges.n_dimensions = 1;
  gauges.n_times      = 8;
  check_report(gauges);
  Shape plane{"plane", 8, 0, 2, 2, 100, 400, 60};
  plane.n_dimensions = 2;
  plane.n_times      = 4;
  check_report(plane);
  Shape along{"along_a_line", 3, 0, 1, 1, 0, 300, 50};
  along.n_dimensions = 1;
  check_report(along);
  check_report({"one_chain_many_unknowns", 20, 10, 1, 1, 0, 500, 2000});
  Shape large{"large", 30, 0, 14, 9, 100, 400, 10};
  check_report(large);
  check_report({"no_unknowns", 0, 0, 3, 1, 10, 200, 0});
  check_report({"no_draws_yet", 2, 0, 3, 2, 1000, 0, 3});
  Shape coldest{"coldest_only", 1, 0, 4, 2, 50, 300, 0};
  coldest.records_all = false;
  check_report(coldest);

  setenv("TEMPERA_CHART_JS", "/nowhere/chart.js", 1);
  std::string message;
  try
    {
      report_html(RecordedRun("two_answers"));
    }
  catch (const UserError &error)
    {
      message = error.what();
    }
  check("without Chart.js the message names the remedy",
        message.find("TEMPERA_CHART_JS") != std::string::npos &&
          message.find("/nowhere/chart.js") != std::string::npos,
        message);
  return result();
}
