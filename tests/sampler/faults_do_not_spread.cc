// SPDX-License-Identifier: LGPL-2.1-or-later

// A solver that throws, or returns what is not a number, at one state of ten:
// the run goes on, counts what happened, never stores such a state, and samples
// the right law at the others.

#include "tests.h"

#include <tempera/base/solve_failed.h>
#include <tempera/base/user_error.h>
#include <tempera/sampler/ensemble.h>
#include <tempera/sampler/guarded_energy.h>

#include <cstring>
#include <limits>
#include <stdexcept>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** A standard normal law in two dimensions with faults. */
  class FaultyEnergy : public Energy
  {
  public:
    explicit FaultyEnergy(const bool separate, const bool hopeless = false)
      : state_space({{"x", -8., 8., true}, {"y", -8., 8., true}})
      , separate(separate)
      , hopeless(hopeless)
    {}

    const StateSpace &
    space() const override
    {
      return state_space;
    }

    bool
    gradients_are_separate() const override
    {
      return separate;
    }

    bool
    is_integrable(const Exponents &) const override
    {
      return true;
    }

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey &,
             const Request request,
             Evaluation   &evaluation) const override
    {
      constexpr double nan = std::numeric_limits<double>::quiet_NaN();

      // A function of the state, as a solver's moods are. The start is good.
      std::uint64_t bits = 0;
      for (const double x : state)
        {
          std::uint64_t word;
          std::memcpy(&word, &x, sizeof(word));
          bits = (bits ^ word) * 0x9e3779b97f4a7c15u;
          bits ^= bits >> 29;
        }
      const bool is_start = state[0] == 0.5 && state[1] == 0.5;
      const auto fault    = is_start ? 99 : hopeless ? 0 : bits % 40;
      if (request != Request::gradients)
        {
          if (fault == 0)
            throw SolveFailed("the solver has given up");
          evaluation.reference = 0.;
          evaluation.potential =
            fault == 1 ? nan :
            fault == 2 ? std::numeric_limits<double>::infinity() :
                         0.5 * (state[0] * state[0] + state[1] * state[1]);
        }
      if (request != Request::values)
        {
          if (fault == 3 && request == Request::gradients)
            throw SolveFailed("no adjoint");
          for (unsigned int i = 0; i < 2; ++i)
            {
              evaluation.reference_gradient[i] = 0.;
              evaluation.potential_gradient[i] = fault == 3 ? nan : state[i];
            }
        }
    }

  private:
    const StateSpace state_space;
    const bool       separate, hopeless;
  };


  /** Has an energy everywhere but for a bug that shows sooner or later. */
  class BuggyEnergy : public FaultyEnergy
  {
  public:
    BuggyEnergy()
      : FaultyEnergy(false)
    {}

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override
    {
      if (state[0] > 1.)
        throw std::out_of_range("index 7");
      FaultyEnergy::evaluate(state, key, request, evaluation);
    }
  };


  struct Outcome
  {
    bool                all_finite = true;
    std::vector<double> draws;
    std::uint64_t       n_non_finite = 0, n_recorded_non_finite = 0;
  };

  Outcome
  run(const std::vector<Level> &levels, const bool adapt_step_size = true)
  {
    LadderParameters ladder_parameters;
    ladder_parameters.n_rungs             = 3;
    ladder_parameters.highest_temperature = 4.;
    ladder_parameters.levels              = {levels[0].name};
    KernelParameters kernel_parameters;
    kernel_parameters.step_sizes      = {0.5};
    kernel_parameters.adapt_step_size = adapt_step_size;
    SwapParameters swap_parameters;
    swap_parameters.rule = "exact";
    RunParameters run_parameters;
    run_parameters.iterations = 60000;
    run_parameters.burn_in    = 2000;
    ReplicaExchange sampler(run_parameters,
                            swap_parameters,
                            Ladder(ladder_parameters,
                                   kernel_parameters,
                                   levels),
                            {{0.5, 0.5}});
    Outcome         outcome;
    sampler.signals.draw.connect([&](const Draw &draw) {
      outcome.all_finite = outcome.all_finite && std::isfinite(draw.energy()) &&
                           std::isfinite(draw.position[0]) &&
                           std::isfinite(draw.position[1]);
      if (!draw.is_burn_in)
        {
          outcome.n_recorded_non_finite += draw.non_finite;
          if (draw.rung == 0)
            outcome.draws.push_back(draw.position[0]);
        }
    });
    sampler.run();
    for (const RungReport &rung : sampler.report().rungs)
      outcome.n_non_finite += rung.non_finite;
    return outcome;
  }
} // namespace


int
main()
{
  for (const bool separate : {false, true})
    {
      const std::string name    = separate ? "late gradients" : "one solve";
      const auto        guarded = std::make_shared<GuardedEnergy>(
        std::make_shared<FaultyEnergy>(separate));
      const Outcome outcome = run({{"fine", guarded}});
      check(name + ": no draw is infinite or not a number",
            outcome.all_finite && outcome.draws.size() == 58000);
      // Three or four proposals of 40 fail.
      check(name + ": faults are counted",
            outcome.n_non_finite > 0.05 * 3 * 58000 &&
              outcome.n_non_finite < 0.13 * 3 * 58000 &&
              outcome.n_recorded_non_finite == outcome.n_non_finite,
            std::to_string(outcome.n_non_finite) + " " +
              std::to_string(outcome.n_recorded_non_finite));
      check(name + ": the first one is told",
            guarded->n_failures() > 100 &&
              (guarded->first_failure() == "the solver has given up" ||
               guarded->first_failure() == "no adjoint"));
      // States with a fault are spread evenly: the law of the others is the
      // same.
      std::vector<double> squares;
      for (const double x : outcome.draws)
        squares.push_back(x * x);
      const auto mean = estimate(outcome.draws), square = estimate(squares);
      check(name + ": the law is right",
            mean.deviation(0.) < 6. && square.deviation(1.) < 6. &&
              square.effective_size > 1000.,
            std::to_string(mean.mean) + " " + std::to_string(square.mean));
    }

  // With a step size of its own: an adapted one would shrink until the state
  // does not move any more.
  std::string message;
  try
    {
      run({{"fine",
            std::make_shared<GuardedEnergy>(
              std::make_shared<FaultyEnergy>(false, true))}},
          false);
    }
  catch (const UserError &error)
    {
      message = error.what();
    }
  check("a solver that always fails ends the run in words",
        message.find("is stuck") != std::string::npos,
        message);

  // What is neither a failed solve nor a mistake of the user is a bug.
  std::string bug;
  try
    {
      run({{"fine",
            std::make_shared<GuardedEnergy>(std::make_shared<BuggyEnergy>())}});
    }
  catch (const std::out_of_range &error)
    {
      bug = error.what();
    }
  check("a bug ends the run and is no rejection", bug == "index 7", bug);
  return result();
}
