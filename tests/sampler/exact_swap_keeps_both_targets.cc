// SPDX-License-Identifier: LGPL-2.1-or-later

// Two rungs with different energies: N(0,1) at temperature 1, and N(1,3) at
// temperature 3, whose target is N(1,9). From 10^5 independent exact draws of
// the pair, one swap move must lead to exact draws again: a test of Kolmogorov
// and Smirnov tells. Rules that are wrong must fail it.

#include "swap_pair.h"

#include <tempera/analytic/decorators.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  constexpr unsigned int n_draws = 100000;

  /** The exact rule with its log-ratio changed: wrong on purpose. */
  class ChangedSwap : public ExactSwap
  {
  public:
    ChangedSwap(const SwapParameters                      &parameters,
                const std::function<double(const double)> &change)
      : ExactSwap(parameters)
      , change(change)
    {}

    double
    log_ratio(const unsigned int stage,
              const Rung        &cold_rung,
              const Rung        &hot_rung,
              PairEnergies      &energies) const override
    {
      return change(ExactSwap::log_ratio(stage, cold_rung, hot_rung, energies));
    }

  private:
    const std::function<double(const double)> change;
  };

  /** A normal law of the cold rung. */
  struct ColdLaw
  {
    double mean = 0., deviation = 1.;
  };

  struct Outcome
  {
    /** The smaller of the two rungs' p-values. */
    double     p;
    PairReport report;
  };

  Outcome
  swap_once(const std::shared_ptr<const Energy>   &cold_energy,
            const std::shared_ptr<const Energy>   &hot_energy,
            const SwapParameters                  &parameters,
            const std::shared_ptr<const SwapRule> &rule             = nullptr,
            const double                           cold_temperature = 1.,
            const ColdLaw                         &cold_law         = ColdLaw())
  {
    ReplicaExchange sampler = make_swap_pair(cold_energy,
                                             hot_energy,
                                             cold_temperature,
                                             3. * cold_temperature,
                                             parameters,
                                             rule);
    RandomKey       key;
    key.seed = 77;
    std::vector<double> normals(2), cold_states, hot_states;
    for (key.round = 0; key.round < n_draws; ++key.round)
      {
        fill_normals(key, dealii::make_array_view(normals));
        sampler.set_position(0,
                             {cold_law.mean + cold_law.deviation * normals[0]});
        sampler.set_position(1, {1. + 3. * normals[1]});
        sampler.finish_round();
        cold_states.push_back(sampler.replica(0).position[0]);
        hot_states.push_back(sampler.replica(1).position[0]);
      }
    return {std::min(kolmogorov_smirnov(cold_states,
                                        [&](const double x) {
                                          return normal_cdf(
                                            (x - cold_law.mean) /
                                            cold_law.deviation);
                                        }),
                     kolmogorov_smirnov(hot_states,
                                        [](const double x) {
                                          return normal_cdf((x - 1.) / 3.);
                                        })),
            sampler.report().pairs[0]};
  }
} // namespace


int
main()
{
  const auto fine =
    std::make_shared<FormulaEnergy>([](const double x) { return x * x / 2.; },
                                    [](const double x) { return x; });
  const auto coarse = std::make_shared<FormulaEnergy>(
    [](const double x) { return (x - 1.) * (x - 1.) / 6.; },
    [](const double x) { return (x - 1.) / 3.; });

  const auto check_right = [](const std::string &name, const Outcome &outcome) {
    check(name + " keeps the targets",
          outcome.p > 1e-6,
          "p = " + std::to_string(outcome.p));
    check(name + " swaps often enough to tell",
          outcome.report.accepted > n_draws / 50,
          std::to_string(outcome.report.accepted));
  };
  const auto check_wrong = [](const std::string &name, const Outcome &outcome) {
    check(name + " is caught",
          outcome.p < 1e-12,
          "p = " + std::to_string(outcome.p));
  };

  SwapParameters one_stage;
  one_stage.two_stage = false;
  SwapParameters two_stage;

  const Outcome one = swap_once(fine, coarse, one_stage);
  const Outcome two = swap_once(fine, coarse, two_stage);
  check_right("exact in one stage", one);
  check_right("exact in two stages", two);
  check("two stages accept less",
        two.report.accepted < one.report.accepted,
        std::to_string(two.report.accepted));
  check("two stages need fewer fine evaluations",
        two.report.cross_evaluations[0] < one.report.cross_evaluations[0] &&
          one.report.cross_evaluations[0] == n_draws,
        std::to_string(two.report.cross_evaluations[0]));
  check("each state costs one coarse evaluation",
        two.report.cross_evaluations[1] == n_draws &&
          one.report.cross_evaluations[1] == n_draws);

  SwapParameters gentle = two_stage;
  gentle.intensity      = std::vector<double>{3.}; // times the step size 0.1
  const Outcome slow    = swap_once(fine, coarse, gentle);
  check_right("exact at intensity 0.3", slow);
  check("intensity 0.3 tests 0.3 of the pairs",
        std::abs(slow.report.attempts / double(n_draws) - 0.3) < 0.01);

  for (const bool stages : {false, true})
    {
      SwapParameters noisy = two_stage;
      noisy.two_stage      = stages;
      noisy.correlation    = 0.;
      noisy.noise          = std::vector<double>{0.5, 1.};
      check_right(
        std::string("exact with noise in ") +
          (stages ? "two stages" : "one stage"),
        swap_once(std::make_shared<NoisyEnergy>(fine, 0.5, 0., 0., 0),
                  std::make_shared<NoisyEnergy>(coarse, 1., 0., 0., 1),
                  noisy));
    }
  // The same laws and the same noise in units of the temperature, with both
  // rungs at a quarter of it: the penalty of each stage must scale as they do.
  {
    constexpr double quarter = 0.25;

    SwapParameters noisy = two_stage;
    noisy.correlation    = 0.;
    noisy.noise          = std::vector<double>{quarter, quarter};
    const auto cold_fine = std::make_shared<FormulaEnergy>(
      [](const double x) { return quarter * x * x / 2.; },
      [](const double x) { return quarter * x; });
    const auto cold_coarse = std::make_shared<FormulaEnergy>(
      [](const double x) { return quarter * (x - 1.) * (x - 1.) / 6.; },
      [](const double x) { return quarter * (x - 1.) / 3.; });
    const auto with_noise = [&](const auto &energy, const unsigned int stream) {
      return std::make_shared<NoisyEnergy>(energy, quarter, 0., 0., stream);
    };
    check_right("exact with noise in two stages, below temperature 1",
                swap_once(with_noise(cold_fine, 0),
                          with_noise(cold_coarse, 1),
                          noisy,
                          nullptr,
                          quarter));
  }
  // Without the penalty the noise heats the cold rung.
  SwapParameters unpenalised = one_stage;
  unpenalised.noise          = std::vector<double>{0.};
  check_wrong("noise without its penalty",
              swap_once(std::make_shared<NoisyEnergy>(fine, 2., 0., 0., 0),
                        std::make_shared<NoisyEnergy>(coarse, 2., 0., 0., 1),
                        unpenalised));

  SwapParameters multi_variance;
  multi_variance.rule = "multi-variance";
  check_wrong("multi-variance", swap_once(fine, coarse, multi_variance));
  // What it keeps instead has (x - 1)^2 / 9 + x^2 / 6 in the cold rung.
  SwapParameters in_one_stage = multi_variance;
  in_one_stage.two_stage      = false;
  const ColdLaw kept{0.4, std::sqrt(1.8)};
  const Outcome whole =
    swap_once(fine, coarse, in_one_stage, nullptr, 1., kept);
  const Outcome screened =
    swap_once(fine, coarse, multi_variance, nullptr, 1., kept);
  check_right("multi-variance in one stage, of its own law", whole);
  check_right("multi-variance in two stages, of its own law", screened);
  check("its two stages need fewer fine evaluations",
        screened.report.cross_evaluations[0] < 0.9 * n_draws &&
          whole.report.cross_evaluations[0] == n_draws,
        std::to_string(screened.report.cross_evaluations[0]));
  // A number may be a solver's error, for which stages would be something else.
  SwapParameters given = multi_variance;
  given.noise          = std::vector<double>{0.1};
  check("noise that is given leaves it in one stage",
        swap_once(fine, coarse, given).report.cross_evaluations[0] == n_draws);
  const auto changed = [&](const std::function<double(const double)> &change) {
    return swap_once(fine,
                     coarse,
                     one_stage,
                     std::make_shared<ChangedSwap>(one_stage, change));
  };
  check_right("the same rule through the same class",
              changed([](const double log_ratio) { return log_ratio; }));
  check_wrong("an inverted swap",
              changed([](const double log_ratio) { return -log_ratio; }));
  // r eta S without the min(1, S), for r eta = 0.1.
  check_wrong("the paper's uncapped rate", changed([](const double log_ratio) {
                return log_ratio + std::log(0.1);
              }));
  return result();
}
