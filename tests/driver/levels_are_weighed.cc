// SPDX-License-Identifier: LGPL-2.1-or-later

// What a biased coarse level does to a run, where it is known in closed form.
// Under 'multi-variance' the coldest rung has, instead of the fine law, that
// law times exp(-c D): with energies x^2 / 2 and (x - b)^2 / 2 a normal law
// moved by c b. And what a coarse rung expects of a mode counts only as far as
// the fine energy agrees.

#include "tests.h"

#include <tempera/output/record_file.h>
#include <tempera/sampler/kernel.h>
#include <tempera/study/level_checks.h>

#include <filesystem>
#include <random>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  namespace fs  = std::filesystem;
  using Numbers = std::vector<double>;

  const auto never = []() { return false; };

  std::shared_ptr<const Energy>
  energy(const FormulaEnergy::Formula &value)
  {
    return std::make_shared<FormulaEnergy>(value,
                                           [](const double) { return 0.; });
  }

  /** Temperatures 1 and 2, on two levels. */
  Ladder
  two_levels(const FormulaEnergy::Formula &fine,
             const FormulaEnergy::Formula &coarse,
             const std::string            &hot_level = "coarse")
  {
    LadderParameters parameters;
    parameters.temperatures = Numbers{1., 2.};
    parameters.levels       = {"fine", hot_level};
    return Ladder(parameters,
                  KernelParameters(),
                  {{"fine", energy(fine)}, {"coarse", energy(coarse)}});
  }

  double
  parabola(const double x)
  {
    return 0.5 * x * x;
  }


  /** Part of the draws whose law is that of the swaps; mean of that law. */
  std::vector<Checks::Shift>
  shifts(const double       part,
         const double       moved_to,
         const std::string &rule      = "multi-variance",
         const std::string &hot_level = "coarse")
  {
    constexpr double b      = 0.8;
    const Ladder     ladder = two_levels(
      parabola, [](const double x) { return parabola(x - b); }, hot_level);
    std::mt19937_64            random(1);
    std::normal_distribution<> normal;
    std::vector<Numbers>       population;
    for (unsigned int i = 0; i < 20000; ++i)
      population.push_back(
        {normal(random) + (i % 1000 < 1000. * part ? moved_to : 0.)});
    std::vector<Numbers> states;
    for (unsigned int i = 0; i < 2000; ++i)
      states.push_back(population[i * 10 + i % 10]);

    Analysis analysis;
    analysis.n_chains = 1;
    analysis.rounds   = 100000;
    analysis.thinning = 1;
    analysis.n_used   = 100000;
    analysis.stride   = 1;
    analysis.columns.resize(1);
    // Both rates so small that logarithms are their arguments: the part is
    // swaps a draw over twice the efficiency.
    analysis.columns[0].diagnostics.bulk_size = 100.;
    analysis.pairs.resize(1);
    analysis.pairs[0].accepted = std::lround(200. * part);
    RunDescription description;
    description.names   = {"x"};
    description.indices = {0};
    SwapParameters swaps;
    swaps.rule    = rule;
    swaps.weights = {0.25, 0.75};
    return swap_shifts(
      analysis, description, ladder, swaps, states, population, never);
  }

  std::string
  text(const std::vector<Checks::Shift> &found)
  {
    return found.empty() ? "none" :
                           std::to_string(found[0].mean) + " " +
                             std::to_string(found[0].width);
  }

  void
  check_shifts()
  {
    // c = a_2 (1 - 1/2) + 1/2 with a_2 = 3/4.
    constexpr double moved = 0.875 * 0.8;
    const auto       all   = shifts(1., moved);
    check("'multi-variance' moves by c b, 'exact' would move back",
          all.size() == 1 && all[0].column == "x" &&
            std::abs(all[0].mean + moved) < 0.05 &&
            std::abs(all[0].width) < 0.05,
          text(all));
    // A mixture of both laws: mean p c b, variance 1 + p (1 - p) (c b)^2.
    const auto   half  = shifts(0.5, moved);
    const double width = std::sqrt(1. + 0.25 * moved * moved);
    check("half of the way if swaps are as rare as the draws are slow",
          half.size() == 1 &&
            std::abs(half[0].mean + 0.5 * moved / width) < 0.05 &&
            std::abs(half[0].width - (1. / width - 1.)) < 0.05,
          text(half));
    const auto none = shifts(0., moved);
    check("not at all without swaps",
          none.size() == 1 && std::abs(none[0].mean) < 0.05,
          text(none));
    check("nothing is said of other rules, nor of a single level",
          shifts(1., moved, "exact").empty() &&
            shifts(1., moved, "multi-variance", "fine").empty());
  }


  /** -log of two normal laws of deviation 1, at 0 and 8; the second is as high
   * as the first times a factor. */
  double
  two_modes(const double x, const double factor)
  {
    return -std::log(std::exp(-parabola(x)) +
                     factor * std::exp(-parabola(x - 8.)));
  }

  /**
   * What a mode at 8 is worth that the hot rung, on the coarse level, has as
   * often as that at 0, while the coldest has not been there.
   *
   * @param factor Of the mode on the fine level.
   */
  std::string
  expected_share(const double factor, double &share)
  {
    fs::remove_all("modes");
    fs::create_directories("modes");
    RunDescription description;
    description.version          = "1";
    description.family           = "analytic";
    description.n_chains         = 1;
    description.n_rounds         = 4000;
    description.names            = {"x"};
    description.indices          = {0};
    description.lower            = {-1e300};
    description.upper            = {1e300};
    description.kernels          = {"MALA", "MALA"};
    description.levels           = {"fine", "coarse"};
    description.rung_levels      = {0, 1};
    description.n_recorded_rungs = 2;
    std::mt19937_64            random(1);
    std::normal_distribution<> normal;
    {
      RecordFile file("modes/" + record_name(0), description);
      for (unsigned int i = 0; i < 4000; ++i)
        {
          RecordedDraw draw;
          draw.round = i + 1;
          draw.swaps.resize(1);
          const Numbers values = {normal(random),
                                  std::sqrt(2.) * normal(random) +
                                    (i % 2 == 0 ? 8. : 0.)};
          for (unsigned int rung = 0; rung < 2; ++rung)
            {
              RecordedRung one;
              one.replica    = rung;
              one.reference  = 0.;
              one.potential  = two_modes(values[rung], rung == 0 ? factor : 1.);
              one.acceptance = 0.6;
              one.values     = values.data() + rung;
              draw.rungs.push_back(one);
            }
          file.append(draw);
        }
      RunReport report;
      report.rounds = report.n_rounds = 4000;
      report.evaluations              = {1, 1};
      for (unsigned int rung = 0; rung < 2; ++rung)
        {
          RungReport one;
          one.temperature = rung + 1.;
          one.level       = rung;
          one.is_adjusted = true;
          report.rungs.push_back(one);
        }
      report.pairs.resize(1);
      file.append(report);
      file.flush();
    }
    const RecordedRun run("modes");
    const Analysis    analysis = analyse(run);
    const auto        shares   = fine_shares(
      analysis,
      run,
      two_levels([&](const double x) { return two_modes(x, factor); },
                 [](const double x) { return two_modes(x, 1.); }),
      never);
    share = shares.empty() ? -1. : shares[0];
    for (const double one : shares)
      if (std::isnan(share) || one > share)
        share = one;
    return std::to_string(shares.size()) + " " + std::to_string(share);
  }

  void
  check_modes()
  {
    double      share = 0.;
    std::string found = expected_share(1., share);
    // Weighted, draws at temperature 2 are those at temperature 1.
    check("a mode that both levels have keeps its share",
          share > 0.4 && share < 0.65,
          found);
    found = expected_share(1e-4, share);
    check("one that the fine level does not have loses it",
          share >= 0. && share < 0.01,
          found);
    found = expected_share(0.25, share);
    check("one that is smaller there is smaller",
          share > 0.1 && share < 0.3,
          found);
  }
} // namespace

int
main()
{
  check_shifts();
  check_modes();
  return result();
}
