// SPDX-License-Identifier: LGPL-2.1-or-later

// Records made by hand, whose figures are known: normal draws with known
// moments, a ladder with known acceptances, a cold rung that misses a mode.
// Whatever a run is like (no draws, no unknowns, one rung, broken off), there
// is an answer in words and as valid JSON.

#include "tests.h"

#include <tempera/base/text.h>
#include <tempera/output/analysis.h>
#include <tempera/output/record_file.h>
#include <tempera/output/summary_text.h>

#include <boost/property_tree/json_parser.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  namespace fs = std::filesystem;

  /** What a synthetic run is like. */
  struct Plan
  {
    std::string   name;
    unsigned int  n_chains = 4, n_rungs = 3;
    unsigned int  n_draws = 2000, n_burn_in_draws = 100;
    unsigned int  n_recorded_rungs = 3;
    bool          has_unknowns = true, has_swaps = true, is_adjusted = true;
    bool          misses_a_mode = false, chains_disagree = false;
    bool          replicas_stay = false, interrupted = false;
    double        acceptance  = 0.8;
    std::uint64_t round_trips = 50, non_finite = 0;
    bool          tempers_likelihood = false, is_one_level = false;
    /** Of steps to x < -2. */
    double neck_acceptance = 0.6;
  };

  const std::vector<double> temperatures = {1., 2., 4.};


  /**
   * Energies R = x^2 / 2 and P = y^2 / 2 have normal laws at every rung, of
   * variance tau. With a missed mode the law of x is half at 0 and half at 8,
   * but the coldest rung is at 0 only.
   */
  Analysis
  analyse_plan(const Plan &plan)
  {
    fs::remove_all(plan.name);
    fs::create_directories(plan.name);
    RunDescription description;
    description.version  = "1";
    description.family   = "analytic";
    description.title    = "a \"normal\" law\n";
    description.n_chains = plan.n_chains;
    description.n_rounds = plan.n_draws + plan.n_burn_in_draws;
    description.burn_in  = plan.n_burn_in_draws;
    if (plan.has_unknowns)
      {
        description.names         = {"x", "y"};
        description.indices       = {0, 1};
        description.lower         = {-1e300, -1e300};
        description.upper         = {1e300, 1e300};
        description.derived_names = {"x + y"};
      }
    description.kernels.assign(plan.n_rungs, "MALA");
    description.levels = {"fine", "coarse"};
    description.rung_levels.assign(plan.n_rungs, 1);
    description.rung_levels[0]     = plan.is_one_level ? 1 : 0;
    description.n_recorded_rungs   = plan.n_recorded_rungs;
    description.tempers_likelihood = plan.tempers_likelihood;

    for (unsigned int chain = 0; chain < plan.n_chains; ++chain)
      {
        std::mt19937_64            random(17 + chain);
        std::normal_distribution<> normal;
        RecordFile file((fs::path(plan.name) / record_name(chain)).string(),
                        description);
        std::vector<std::vector<double>> values(
          plan.n_recorded_rungs,
          std::vector<double>(description.columns().size()));
        for (unsigned int i = 0; i < plan.n_burn_in_draws + plan.n_draws; ++i)
          {
            RecordedDraw draw;
            draw.round       = i + 1;
            draw.is_burn_in  = i < plan.n_burn_in_draws;
            draw.round_trips = i + 1 == plan.n_burn_in_draws + plan.n_draws ?
                                 plan.round_trips :
                                 0;
            draw.swaps.resize(plan.n_rungs - 1);
            for (unsigned int rung = 0; rung < plan.n_recorded_rungs; ++rung)
              {
                // Tempered likelihood: the prior part keeps temperature 1.
                const double tau = temperatures[rung];
                double       x   = normal(random) *
                           std::sqrt(plan.tempers_likelihood ? 1. : tau);
                const double y = normal(random) * std::sqrt(tau);
                RecordedRung one;
                one.replica    = (i / 4 + rung) % plan.n_rungs;
                one.reference  = 0.5 * x * x;
                one.potential  = 0.5 * y * y;
                one.step_size  = 0.1;
                one.acceptance = x < -2. ? plan.neck_acceptance : 0.6;
                if (plan.misses_a_mode && rung > 0 && random() % 2 == 0)
                  x += 8.;
                if (plan.chains_disagree && chain == 0)
                  x += 3.;
                if (plan.replicas_stay)
                  x += 5. * one.replica;
                if (draw.is_burn_in)
                  x += 1e6;
                if (plan.has_unknowns)
                  values[rung] = {x, y, x + y};
                one.values = values[rung].data();
                draw.rungs.push_back(one);
              }
            file.append(draw);
          }

        RunReport report;
        report.rounds      = plan.n_burn_in_draws + plan.n_draws;
        report.n_rounds    = description.n_rounds;
        report.burn_in     = plan.n_burn_in_draws;
        report.interrupted = plan.interrupted;
        report.evaluations = {1000, 3000};
        report.work        = 500.;
        report.set_up_work = 5.;
        for (unsigned int rung = 0; rung < plan.n_rungs; ++rung)
          {
            RungReport one;
            one.temperature      = temperatures[rung];
            one.step_size        = 0.1;
            one.level            = description.rung_levels[rung];
            one.is_adjusted      = plan.is_adjusted;
            one.steps            = 2000;
            one.non_finite       = plan.non_finite;
            one.acceptance_sum   = 0.3 * 2000;
            one.acceptance_count = 2000;
            report.rungs.push_back(one);
          }
        for (unsigned int pair = 0; pair + 1 < plan.n_rungs; ++pair)
          {
            PairReport one;
            one.cross_evaluations = {3, 4};
            if (plan.has_swaps)
              {
                one.attempts  = 1000;
                one.accepted  = 1000 * plan.acceptance;
                one.penalties = {0.};
                // Two chains' worth must pool to mean 1.5, variance 5 / 3
                // (chain 0 gives 0 and 1, chain 1 gives 2 and 3).
                if (chain < 2)
                  {
                    one.rule_difference.add(2. * chain);
                    one.rule_difference.add(2. * chain + 1.);
                  }
              }
            report.pairs.push_back(one);
          }
        if (plan.n_draws > 0)
          file.append(report);
        file.flush();
      }
    return analyse(RecordedRun(plan.name));
  }


  bool
  warns(const Analysis &analysis, const std::string &words)
  {
    for (const Warning &warning : analysis.warnings)
      if (warning.what.find(words) != std::string::npos)
        return true;
    return false;
  }

  std::string
  all_warnings(const Analysis &analysis)
  {
    std::string text;
    for (const Warning &warning : analysis.warnings)
      text += to_text(warning.severity) + ": " + warning.what + " ";
    return text;
  }

  /** Whether text and JSON can be made, and the JSON is valid. */
  bool
  is_told(const Analysis &analysis)
  {
    std::istringstream          stream(summary_json(analysis));
    boost::property_tree::ptree tree;
    try
      {
        boost::property_tree::read_json(stream, tree);
      }
    catch (const std::exception &)
      {
        return false;
      }
    return tree.get<std::string>("title") == analysis.title &&
           tree.get_child("warnings").size() == analysis.warnings.size() &&
           tree.get_child("unknowns").size() == analysis.columns.size() &&
           // Words may have these letters, numbers may not.
           summary_json(analysis).find(": nan") == std::string::npos &&
           summary_json(analysis).find(": inf") == std::string::npos &&
           summary_json(analysis).find(": -inf") == std::string::npos &&
           summary_text(analysis).find("nan") == std::string::npos;
  }


  /** Of checks.json, which the first version had not. */
  constexpr const char *later_fields[] = {"prior_sd",
                                          "posterior_sd",
                                          "ks_distance",
                                          "information",
                                          "mean_prediction_change",
                                          "refinement_draws",
                                          "worst_measurement",
                                          "energy_spread",
                                          "mesh_objection",
                                          "refinement_work",
                                          "mean_error",
                                          "width_error",
                                          "level_solve"};


  void
  write_checks(const Checks &checks)
  {
    std::ofstream(fs::path("good") / checks_file) << checks_to_json(checks);
  }


  void
  check_good_run()
  {
    Plan plan;
    plan.name = "good";
    analyse_plan(plan);
    {
      std::ofstream(fs::path("good") / "times.csv")
        << "phase,seconds\nset-up,1\nsampling,4\noutput,2\n";
      Checks checks;
      checks.rounds            = 2100;
      checks.prediction_change = 0.2;
      checks.refinement_shifts = {{"x", 0.1, -0.1}};
      checks.swap_shifts       = {{"x", 0.1, -0.1}};
      write_checks(checks);
    }
    const Analysis analysis = analyse(RecordedRun("good"));
    check("a good run has nothing to warn about",
          analysis.warnings.empty(),
          all_warnings(analysis));
    check("how it stands",
          analysis.state == "complete" && analysis.n_draws == 8000 &&
            analysis.n_used == 8000 && analysis.stride == 1 &&
            analysis.n_burn_in_draws == 400 && analysis.rounds == 2100);

    // Independent standard normal draws, 8000 of them; x + y has variance 2.
    bool right = analysis.columns.size() == 3;
    for (unsigned int i = 0; right && i < 3; ++i)
      {
        const Diagnostics &found = analysis.columns[i].diagnostics;
        const double       sd    = i == 2 ? std::sqrt(2.) : 1.;
        right = std::abs(found.mean.value) < 4.5 * sd / std::sqrt(8000.) &&
                std::abs(found.standard_deviation.value / sd - 1.) < 0.04 &&
                std::abs(found.quantile_95.value / sd - 1.645) < 0.12 &&
                found.bulk_size > 6500. && found.bulk_size < 9500. &&
                found.r_hat < 1.01 &&
                std::abs(found.mean.error * std::sqrt(8000.) / sd - 1.) < 0.15;
      }
    check("unknowns and derived numbers, without burn-in", right);
    check("what is derived",
          right && !analysis.columns[1].is_derived &&
            analysis.columns[2].is_derived);
    // R + P has the law of half a chi-square with two degrees of freedom:
    // mean 1, variance 1.
    check("the energy",
          std::abs(analysis.energy.diagnostics.mean.value - 1.) < 0.05 &&
            std::abs(analysis.energy.diagnostics.standard_deviation.value -
                     1.) < 0.06);
    // Exponential laws of mean 1 and 2: the densities meet at 2 log 2, where
    // the integral of the smaller is 1/4 + 1 - 1/2 = 3/4. So for 2 and 4.
    check("overlap of energies",
          std::abs(analysis.pairs[0].overlap - 0.75) < 0.04 &&
            std::abs(analysis.pairs[1].overlap - 0.75) < 0.04,
          std::to_string(analysis.pairs[0].overlap));
    check("one mode", analysis.modes.modes.size() == 1);

    // Each pair 4 x 1000 attempts, 0.8 accepted; 2 x 4000 swap times; r / (1 -
    // r) = 1/4 twice.
    check("swaps and trips",
          analysis.pairs[0].attempts == 4000 &&
            analysis.pairs[1].accepted == 3200 &&
            std::abs(analysis.barrier - 0.4) < 1e-12 &&
            analysis.round_trips == 200 && analysis.swap_times == 8000. &&
            analysis.round_trip_rate == 200. / 8000. &&
            std::abs(analysis.best_round_trip_rate - 1. / 3.) < 1e-12);
    const Analysis::Pair &pair = analysis.pairs[0];
    check("differences of rules are pooled",
          pair.n_differences == 4 &&
            std::abs(pair.difference_mean - 1.5) < 1e-12 &&
            std::abs(pair.difference_deviation - std::sqrt(5. / 3.)) < 1e-12 &&
            pair.difference_largest == 3. &&
            pair.cross_evaluations == std::vector<std::uint64_t>{12, 16});
    const Analysis::Column &column = analysis.columns[0];
    check("costs",
          analysis.work == 2000. && analysis.set_up_work == 20. &&
            analysis.levels[1].evaluations == 12000 && analysis.seconds == 4. &&
            analysis.times.size() == 3 &&
            column.size_per_work == column.diagnostics.bulk_size / 2000. &&
            column.size_per_second == column.diagnostics.bulk_size / 4.);
    check("the rungs",
          analysis.rungs[2].temperature == 4. &&
            analysis.rungs[1].level == "coarse" &&
            std::abs(analysis.rungs[0].acceptance - 0.3) < 1e-12);
    // Weights exp(-U / 2) of a law exp(-U / 2): U is exponential of mean 2, the
    // effective part is E[w]^2 / E[w^2] = (1/2)^2 / (1/3) = 3/4.
    check("effective size of weights",
          std::abs(analysis.missed_modes.kish_sizes[1] / 8000. - 0.75) < 0.03);
    check("said in words and for machines", is_told(analysis));

    Checks checks;
    checks.rounds            = 2100;
    checks.refined_level     = "fine";
    checks.prediction_change = 0.4;
    write_checks(checks);
    check("a prediction that a finer level changes",
          warns(analyse(RecordedRun("good")), "not fine enough"));
    checks.refinement_shifts = {{"x", 0.1, 0.}};
    write_checks(checks);
    check("is no reason to warn if the posterior stays",
          analyse(RecordedRun("good")).warnings.empty());
    checks.integration_change = 0.5;
    write_checks(checks);
    check("but what more integration points change is one",
          warns(analyse(RecordedRun("good")), "more integration points"),
          all_warnings(analyse(RecordedRun("good"))));
    checks.refinement_shifts = {{"x", 0.1, 0.}, {"y", -0.5, 0.1}};
    checks.swap_shifts       = {{"x", 0.7, -0.4}};
    checks.places.push_back({{1., 2.}, 1.25, 0.25, 7.});
    checks.findings = {{"x", "nothing", "the data say nothing about x", true}};
    checks.open_combination = "0.7 x - 0.7 y";
    write_checks(checks);
    const Analysis checked = analyse(RecordedRun("good"));
    check("what was found out with solves is told",
          warns(checked, "the mean of y by -0.5 standard deviations") &&
            warns(checked, "the mean of x by 0.7") &&
            warns(checked, "the width of x by -40 %") &&
            warns(checked, "an energy only 1.2 higher") &&
            warns(checked, "x = 1, y = 2") &&
            warns(checked, "The data say nothing about x.") &&
            warns(checked, "0.7 x - 0.7 y") && checked.warnings.size() == 5 &&
            is_told(checked),
          all_warnings(checked));
    {
      // Fields that came later, each on a line that others follow.
      std::istringstream lines(checks_to_json(checks));
      std::string        old;
      for (std::string line; std::getline(lines, line);)
        if (std::none_of(std::begin(later_fields),
                         std::end(later_fields),
                         [&](const char *const field) {
                           return line.find(field) != std::string::npos;
                         }))
          old += line + "\n";
      old.replace(old.find("\"open\": \"1\","), 12, "\"open\": \"1\"");
      std::ofstream(fs::path("good") / checks_file) << old;
      check("and of what an older version has found out",
            analyse(RecordedRun("good")).warnings.size() == 5,
            old);
    }
    checks.rounds = 2000;
    write_checks(checks);
    check("but not of a run that has gone on since",
          analyse(RecordedRun("good")).warnings.empty());

    // P alone is tempered: weights exp(-P / 2), P half a chi-square with one
    // degree of freedom times 2: E[w] = 2^-1/2, E[w^2] = 3^-1/2.
    plan.name               = "likelihood";
    plan.tempers_likelihood = true;
    const Analysis tempered = analyse_plan(plan);
    check("a tempered likelihood is weighted alone",
          std::abs(tempered.missed_modes.kish_sizes[1] / 8000. -
                   0.5 * std::sqrt(3.)) < 0.03 &&
            tempered.warnings.empty(),
          std::to_string(tempered.missed_modes.kish_sizes[1] / 8000.) + " " +
            all_warnings(tempered));
  }


  /** A plan that differs from a good one gets the warning. */
  void
  check_warning(const std::string                     &name,
                const std::function<void(Plan &plan)> &change,
                const std::vector<std::string>        &words)
  {
    Plan plan;
    plan.name = "warned";
    change(plan);
    const Analysis analysis = analyse_plan(plan);
    bool           right    = is_told(analysis);
    for (const std::string &one : words)
      right = right && warns(analysis, one);
    check(name, right, all_warnings(analysis));
  }


  void
  check_warnings()
  {
    check_warning("a missed mode",
                  [](Plan &plan) {
                    plan.misses_a_mode = true;
                    plan.is_one_level  = true;
                  },
                  {"misses a part of the posterior"});
    check_warning("chains that disagree",
                  [](Plan &plan) { plan.chains_disagree = true; },
                  {"The chains disagree: R-hat is above 1.01 for x"});
    check_warning("replicas that stay where they are",
                  [](Plan &plan) { plan.replicas_stay = true; },
                  {"never change"});
    check_warning("no round trips",
                  [](Plan &plan) { plan.round_trips = 0; },
                  {"2.67e+03 trips would be expected"});
    check_warning("swaps that are hardly ever accepted",
                  [](Plan &plan) { plan.acceptance = 0.005; },
                  {"between the rungs 0 and 1", "between the rungs 1 and 2"});
    check_warning("no swaps",
                  [](Plan &plan) { plan.has_swaps = false; },
                  {"do not swap"});
    check_warning("an unadjusted kernel with large steps",
                  [](Plan &plan) { plan.is_adjusted = false; },
                  {"rung 0 does not correct"});
    check_warning("a neck that the kernel cannot enter",
                  [](Plan &plan) { plan.neck_acceptance = 0.03; },
                  {"cannot enter a part of the posterior: where x < -2",
                   "it accepts 3 % of its steps"});
    Plan curved;
    curved.name            = "curved";
    curved.neck_acceptance = 0.2;
    check("a place where steps are accepted three times more seldom is none",
          analyse_plan(curved).warnings.empty(),
          all_warnings(analyse_plan(curved)));
    check_warning("energies that are not finite",
                  [](Plan &plan) { plan.non_finite = 100; },
                  {"5 % of the proposals of rung 2"});
    check_warning("a single chain, one rung",
                  [](Plan &plan) {
                    plan.n_chains = plan.n_rungs = plan.n_recorded_rungs = 1;
                  },
                  {"R-hat of a single ladder cannot see a missed mode"});
    check_warning("few draws",
                  [](Plan &plan) { plan.n_draws = 50; },
                  {"Few independent draws"});
    check_warning("very few draws",
                  [](Plan &plan) { plan.n_draws = 3; },
                  {"No R-hat of x, y, x + y, energy"});
    check_warning("one draw",
                  [](Plan &plan) { plan.n_draws = 1; },
                  {"No R-hat"});
    check_warning("no draws yet",
                  [](Plan &plan) { plan.n_draws = 0; },
                  {"no draws after burn-in yet"});
    check_warning("nothing at all yet",
                  [](Plan &plan) { plan.n_draws = plan.n_burn_in_draws = 0; },
                  {"no draws after burn-in yet"});
    check_warning("no unknowns",
                  [](Plan &plan) { plan.has_unknowns = false; },
                  {"No unknown is recorded"});
    check_warning("the coldest rung alone is recorded",
                  [](Plan &plan) { plan.n_recorded_rungs = 1; },
                  {"no draws of hotter rungs are recorded"});

    Plan plan;
    plan.name        = "interrupted";
    plan.interrupted = true;
    check("an interrupted run", analyse_plan(plan).state == "interrupted");
    const fs::path file = fs::path(plan.name) / record_name(2);
    fs::resize_file(file, fs::file_size(file) / 2);
    const Analysis damaged = analyse(RecordedRun(plan.name));
    check("a damaged record is used as far as it is sound",
          warns(damaged, "bytes of") && damaged.n_used > 0 && is_told(damaged));
  }


  void
  check_subset()
  {
    // 4 x 70000 draws are more than are looked at; their mean is exact.
    Plan plan;
    plan.name     = "long";
    plan.n_chains = 4;
    plan.n_rungs = plan.n_recorded_rungs = 1;
    plan.n_draws                         = 70000;
    const Analysis    analysis           = analyse_plan(plan);
    const std::string text               = summary_text(analysis);
    check("of many draws a subset is looked at",
          analysis.n_draws == 280000 && analysis.stride == 2 &&
            analysis.n_used == 140000 &&
            text.find("280000 draws of 4 chains, all but mean and sd from "
                      "140000 of them") != std::string::npos &&
            std::abs(analysis.columns[0].diagnostics.mean.value) <
              4.5 / std::sqrt(280000.),
          text.substr(0, 200));
  }
} // namespace

int
main()
{
  check_good_run();
  check_warnings();
  check_subset();
  return result();
}
