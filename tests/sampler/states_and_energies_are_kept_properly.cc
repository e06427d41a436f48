// SPDX-License-Identifier: LGPL-2.1-or-later

// No deterministic energy is computed twice at one state; states with a
// non-finite energy or gradient are rejected and counted, never stored;
// `multi-variance` and `exact` differ by the formula of the design.

#include "sampler/swap_pair.h"

#include <tempera/analytic/decorators.h>
#include <tempera/analytic/gaussian_mixture.h>
#include <tempera/sampler/langevin.h>
#include <tempera/sampler/replica_exchange.h>

#include <set>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Remembers where it was asked for values and for gradients. */
  class Witness : public Energy
  {
  public:
    explicit Witness(std::shared_ptr<const Energy> inner,
                     const bool                    separate = false)
      : inner(std::move(inner))
      , separate(separate)
    {}

    const StateSpace &
    space() const override
    {
      return inner->space();
    }

    bool
    is_integrable(const Exponents &exponents) const override
    {
      return inner->is_integrable(exponents);
    }

    bool
    gradients_are_separate() const override
    {
      return separate;
    }

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override
    {
      inner->evaluate(state, key, request, evaluation);
      if (request != Request::gradients)
        {
          ++n_values;
          states_of_values.insert(state[0]);
        }
      if (request != Request::values)
        {
          ++n_gradients;
          states_of_gradients.insert(state[0]);
        }
    }

    mutable std::size_t      n_values = 0, n_gradients = 0;
    mutable std::set<double> states_of_values, states_of_gradients;

  private:
    const std::shared_ptr<const Energy> inner;
    const bool                          separate;
  };


  void
  check_that_nothing_is_computed_twice(const std::string &rule,
                                       const bool         two_stage)
  {
    const auto mixture =
      std::make_shared<GaussianMixture>(GaussianMixture::Parameters());
    const auto fine   = std::make_shared<Witness>(mixture);
    const auto coarse = std::make_shared<Witness>(
      std::make_shared<BiasedEnergy>(mixture, .5, 2.));

    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = std::vector<double>{1., 2., 4., 8.};
    ladder_parameters.levels       = {"fine", "fine", "coarse", "coarse"};
    const KernelParameters kernel_parameters;
    SwapParameters         swap_parameters;
    swap_parameters.rule      = rule;
    swap_parameters.two_stage = two_stage;
    RunParameters run_parameters;
    run_parameters.burn_in    = 1000;
    run_parameters.iterations = 20000;
    ReplicaExchange sampler(run_parameters,
                            swap_parameters,
                            Ladder(ladder_parameters,
                                   kernel_parameters,
                                   {{"fine", fine}, {"coarse", coarse}}),
                            {{-4.}, {-3.9}, {3.}, {3.1}});
    // The run has a hundredth that ends with burn-in.
    bool         every_report_counts = true;
    unsigned int n_reports           = 0;
    sampler.signals.hundredth_done.connect([&](const RunReport &report) {
      ++n_reports;
      every_report_counts = every_report_counts && report.rungs[0].steps > 0 &&
                            report.pairs[1].attempts > 0;
    });
    sampler.run();

    const std::string name =
      rule + (two_stage ? " in two stages: " : " in one stage: ");
    check(name + "every hundredth is reported, with its counts",
          every_report_counts && n_reports == 100,
          std::to_string(n_reports));
    check(name + "no value is computed twice",
          fine->n_values == fine->states_of_values.size() &&
            coarse->n_values == coarse->states_of_values.size());
    check(name + "no gradient is computed twice",
          fine->n_gradients == fine->states_of_gradients.size() &&
            coarse->n_gradients == coarse->states_of_gradients.size());
    check(name + "the report counts every evaluation",
          sampler.report().evaluations[0] == fine->n_values &&
            sampler.report().evaluations[1] == coarse->n_values);
    check(name + "there were swaps between the levels",
          sampler.report().pairs[1].accepted > 100);
  }


  /** A state after a run with swaps, and what it has cost. */
  struct Outcome
  {
    std::vector<double> positions;
    std::size_t         n_values, n_gradients;
    double              work;
    std::uint64_t       rounds, accepted;
    bool                interrupted;
  };

  Outcome
  run_pair(const std::string &kernel, const bool separate, const double budget)
  {
    const auto mixture =
      std::make_shared<GaussianMixture>(GaussianMixture::Parameters());
    const auto fine = std::make_shared<Witness>(mixture, separate);
    const auto coarse =
      std::make_shared<Witness>(std::make_shared<BiasedEnergy>(mixture, .5, 2.),
                                separate);
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = std::vector<double>{1., 3.};
    ladder_parameters.levels       = {"fine", "coarse"};
    KernelParameters kernel_parameters;
    kernel_parameters.types = {kernel};
    SwapParameters swap_parameters;
    swap_parameters.rule = "exact";
    RunParameters run_parameters;
    run_parameters.burn_in     = 0;
    run_parameters.iterations  = 5000;
    run_parameters.work_budget = budget;
    ReplicaExchange sampler(run_parameters,
                            swap_parameters,
                            Ladder(ladder_parameters,
                                   kernel_parameters,
                                   {{"fine", fine}, {"coarse", coarse}}),
                            {{-4.}, {3.}});
    sampler.run();
    const RunReport report = sampler.report();
    return {{sampler.replica(0).position[0], sampler.replica(1).position[0]},
            fine->n_values + coarse->n_values,
            fine->n_gradients + coarse->n_gradients,
            report.work,
            report.rounds,
            report.pairs[0].accepted,
            report.interrupted};
  }

  void
  check_that_gradients_can_wait()
  {
    for (const std::string kernel : {"SGLD", "MALA"})
      {
        const Outcome at_once = run_pair(kernel, false, 0.);
        const Outcome late    = run_pair(kernel, true, 0.);
        check(kernel + ": gradients that come late change no state",
              at_once.positions == late.positions &&
                at_once.n_values == late.n_values && late.accepted > 100);
        check(kernel + ": the work counts every value and gradient",
              late.work == double(late.n_values + late.n_gradients) &&
                at_once.work == double(at_once.n_values + at_once.n_gradients));
        // One at each new state; a swap makes two more at other levels.
        check(kernel + ": late gradients are never wasted",
              kernel == "SGLD" ?
                late.n_gradients <= 2 * 5000 + 2 &&
                  at_once.n_gradients > 2 * 5000 + late.accepted :
                late.n_gradients <= at_once.n_gradients,
              std::to_string(late.n_gradients) + " " +
                std::to_string(at_once.n_gradients));
      }

    const Outcome limited = run_pair("MALA", false, 1000.);
    check("a work budget ends the run, and not by an interruption",
          limited.rounds < 5000 && limited.rounds > 100 &&
            !limited.interrupted && limited.work >= 1000. &&
            limited.work < 1010.,
          std::to_string(limited.work));
  }


  void
  check_that_non_finite_states_are_never_stored(const std::string &kernel,
                                                const double       bad_value,
                                                const bool         in_gradient)
  {
    const auto value = [=](const double x) {
      return x > 1. && !in_gradient ? bad_value : 0.5 * x * x;
    };
    const auto derivative = [=](const double x) {
      return x > 1. && in_gradient ? bad_value : x;
    };
    const auto fine = std::make_shared<FormulaEnergy>(value, derivative);
    // The hot rung is fine everywhere, so swaps meet bad states too.
    const auto coarse =
      std::make_shared<FormulaEnergy>([](const double x) { return x * x / 2.; },
                                      [](const double x) { return x; });
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = std::vector<double>{1., 2.};
    ladder_parameters.levels       = {"fine", "coarse"};
    KernelParameters kernel_parameters;
    kernel_parameters.types = {kernel};
    RunParameters run_parameters;
    run_parameters.burn_in    = 100;
    run_parameters.iterations = 20000;
    ReplicaExchange sampler(run_parameters,
                            SwapParameters(),
                            Ladder(ladder_parameters,
                                   kernel_parameters,
                                   {{"fine", fine}, {"coarse", coarse}}),
                            {{0.}});
    bool            clean     = true;
    unsigned int    hot_right = 0;
    sampler.signals.draw.connect([&](const Draw &draw) {
      clean = clean && std::isfinite(draw.energy()) &&
              (draw.rung == 1 || draw.position[0] <= 1.);
      hot_right += draw.rung == 1 && draw.position[0] > 1.;
    });
    sampler.run();
    const std::string name = kernel + ", " + std::to_string(bad_value) +
                             (in_gradient ? " in the gradient: " : ": ");
    check(name + "never stored", clean);
    check(name + "counted",
          sampler.report().rungs[0].non_finite > 100 &&
            sampler.report().pairs[0].non_finite > 100 &&
            sampler.report().rungs[1].non_finite == 0);
    check(name + "the hot rung goes there", hot_right > 100);
  }


  void
  check_difference_of_rules()
  {
    const auto fine   = [](const double x) { return 0.5 * x * x; };
    const auto coarse = [](const double x) {
      return 0.5 * x * x + std::sin(3. * x + 1.);
    };
    const auto     derivative = [](const double) { return 0.; };
    const double   tau1 = 1., tau2 = 3., x1 = 0.3, x2 = -1.1, a2 = 0.25;
    SwapParameters parameters;
    parameters.rule    = "multi-variance";
    parameters.weights = {1. - a2, a2};
    ReplicaExchange sampler =
      make_swap_pair(std::make_shared<FormulaEnergy>(fine, derivative),
                     std::make_shared<FormulaEnergy>(coarse, derivative),
                     tau1,
                     tau2,
                     parameters);
    sampler.set_position(0, {x1});
    sampler.set_position(1, {x2});
    sampler.finish_round();
    const double expected = -(a2 * (1. / tau1 - 1. / tau2) + 1. / tau2) *
                            ((fine(x1) - coarse(x1)) - (fine(x2) - coarse(x2)));
    const Moments difference = sampler.report().pairs[0].rule_difference;
    check("log S of multi-variance less that of exact",
          difference.count() == 1 &&
            std::abs(difference.mean() - expected) < 1e-14,
          std::to_string(difference.mean() - expected));
  }
} // namespace


int
main()
{
  check_that_nothing_is_computed_twice("exact", true);
  check_that_nothing_is_computed_twice("exact", false);
  check_that_nothing_is_computed_twice("multi-variance", true);
  check_that_nothing_is_computed_twice("multi-variance", false);
  for (const std::string kernel : {"MALA", "SGLD"})
    for (const bool in_gradient : {false, true})
      for (const double bad : {std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()})
        check_that_non_finite_states_are_never_stored(kernel, bad, in_gradient);
  check_difference_of_rules();
  check_that_gradients_can_wait();
  return result();
}
