// SPDX-License-Identifier: LGPL-2.1-or-later

// What a formula says that ladders cost is what they cost: a fine rung that
// lives by swaps with a coarse one at its own pace, against a simulation. And
// the choice is the sensible one where it is plain.

#include "tests.h"

#include <tempera/output/diagnostics.h>
#include <tempera/sampler/random.h>
#include <tempera/study/ladder_options.h>

#include <array>
#include <cmath>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** A rung that forgets by a factor in each round. */
  TriedLadder
  forgets_by(const double memory)
  {
    TriedLadder ladder;
    ladder.temperatures = {1., 2., 4.};
    ladder.kernel       = "some";
    ladder.time         = (1. + memory) / (1. - memory);
    return ladder;
  }

  /** Two levels whose energies differ by a normal number. */
  LadderFindings
  two_levels(const double cost, const double spread)
  {
    LadderFindings found;
    found.levels                        = {"fine", "coarse"};
    found.costs                         = {{"fine", 1.}, {"coarse", cost}};
    found.spreads[{"fine", "fine"}]     = 0.;
    found.spreads[{"coarse", "coarse"}] = 0.;
    found.spreads[{"fine", "coarse"}]   = spread;
    found.spreads[{"coarse", "fine"}]   = spread;
    found.n_chains                      = 4;
    found.effective_draws               = 1000.;
    return found;
  }

  /**
   * The same on normal laws: U_f - U_c = s z. Rounds that are worth one
   * effective draw of the fine rung, for the worst of two numbers and their
   * squares, and the share of accepted swaps.
   */
  std::array<double, 2>
  simulate(const double spread, const double memory, const unsigned int pace)
  {
    constexpr unsigned int n_rounds = 60000;

    const double          rest = std::pow(memory, pace);
    std::array<double, 2> fine = {{0., -spread}}, coarse = {{0., 0.}};
    std::vector<std::vector<double>> series(4);
    double                           n_accepted = 0.;
    RandomKey                        key;
    for (key.round = 0; key.round < n_rounds; ++key.round)
      {
        std::array<double, 2> normals;
        key.purpose = Purpose::proposal;
        fill_normals(key, dealii::ArrayView<double>(normals.data(), 2));
        for (unsigned int i = 0; i < 2; ++i)
          coarse[i] =
            rest * coarse[i] + std::sqrt(1. - rest * rest) * normals[i];
        key.purpose = Purpose::swap_decision;
        if (std::log(uniform(key)) < spread * (fine[1] - coarse[1]))
          {
            std::swap(fine, coarse);
            ++n_accepted;
          }
        series[0].push_back(fine[0]);
        series[1].push_back(fine[1]);
        series[2].push_back(fine[0] * fine[0]);
        series[3].push_back(std::pow(fine[1] + spread, 2));
      }
    double least = n_rounds;
    for (const std::vector<double> &one : series)
      least = std::min(least, effective_size_of_mean({one}));
    return {{n_rounds / least, n_accepted / n_rounds}};
  }

  void
  check_formula()
  {
    bool        is_right = true, is_accepted = true;
    std::string details;
    for (const double spread : {0.05, 0.1, 0.3, 0.6})
      for (const double memory : {0.3, 0.9, 0.98})
        for (const double cost : {0.1, 0.001})
          {
            LadderFindings found = two_levels(cost, spread);
            found.ladders        = {forgets_by(memory)};
            for (const LadderOption &option : ladder_options(found))
              {
                if (option.levels.size() < 2)
                  continue;
                const auto   real  = simulate(spread, memory, option.paces[1]);
                const double ratio = option.autocorrelation_time / real[0];
                details += std::to_string(ratio) + " ";
                is_right    = is_right && ratio > 0.6 && ratio < 1.4;
                is_accepted = is_accepted &&
                              std::abs(option.acceptances[0] - real[1]) < 0.02;
              }
          }
    check("the rounds of an effective draw are those of a simulation",
          is_right,
          details);
    check("and so are accepted swaps", is_accepted, details);
  }

  void
  check_choices()
  {
    LadderFindings found = two_levels(0.01, 0.2);
    found.ladders        = {forgets_by(0.9)};
    LadderOption best    = ladder_options(found)[0];
    check("a cheap level that is close is used",
          best.levels.size() == 2 && best.work < 3. && best.paces[1] >= 10,
          best.text());
    // What a doubled memory costs is less than a factor of two.
    LadderFindings unsure   = found;
    unsure.ladders[0].error = 0.7;
    check("who is not sure waits longer",
          ladder_options(unsure)[0].paces[1] > best.paces[1],
          ladder_options(unsure)[0].text());
    found.spreads[{"fine", "coarse"}] = found.spreads[{"coarse", "fine"}] = 4.;
    best = ladder_options(found)[0];
    check("a level that is far off is not", best.levels.size() == 1);
    found.spreads[{"fine", "coarse"}] = found.spreads[{"coarse", "fine"}] =
      std::numeric_limits<double>::infinity();
    check("nor one that is not known", ladder_options(found).size() == 1);
    found         = two_levels(0.9, 0.01);
    found.ladders = {forgets_by(0.2)};
    check("nor one that is no cheaper",
          ladder_options(found)[0].levels.size() == 1);

    // The coldest rung alone costs a third.
    found.ladders[0].solves = 3.;
    TriedLadder alone       = found.ladders[0];
    alone.temperatures      = {1.};
    alone.is_whole          = false;
    alone.solves            = 1.;
    found.ladders.push_back(alone);
    check("hot rungs that are not needed cost too much",
          ladder_options(found)[0].ladder.temperatures.size() == 1);
    found.ladders[1].solves = 2.5;
    check("unless they cost little",
          ladder_options(found)[0].ladder.temperatures.size() == 3);
  }
} // namespace


int
main()
{
  check_formula();
  check_choices();
  return result();
}
