// SPDX-License-Identifier: LGPL-2.1-or-later

// A kernel brings its own parameters, state and needs, and nothing else must
// know it: a random walk, written here, has its settings in a section of its
// name, learns its width, is saved and loaded, takes turns with MALA; and no
// gradient is computed for it.

#include "sampler/moments_of_kernels.h"

#include <tempera/sampler/kernel_state.h>
#include <tempera/sampler/ladder.h>

#include <deal.II/base/parameter_handler.h>

#include <sstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Metropolis' random walk with steps of Gaussian width. */
  class RandomWalk : public Kernel
  {
  public:
    struct Parameters
    {
      double growth = 1.1;

      void
      declare(dealii::ParameterHandler &prm)
      {
        prm.enter_subsection("wanderer");
        prm.add_parameter("Growth", growth, "Of the width after a success.");
        prm.leave_subsection();
      }
    };

    explicit RandomWalk(const KernelParameters &parameters)
      : growth(parameters.of<RandomWalk>().growth)
    {}

    bool
    is_adjusted() const override
    {
      return true;
    }

    KernelNeeds
    needs() const override
    {
      KernelNeeds result;
      result.gradients = false;
      return result;
    }

    struct State : public KernelStateOf<State>
    {
      State(const double width, const Replica &proposal)
        : width(width)
        , proposal(proposal)
      {}

      double
      step_size() const override
      {
        return width;
      }

      template <typename Archive>
      void
      serialize(Archive &archive)
      {
        archive &width;
      }

      double  width;
      Replica proposal;
    };

    std::unique_ptr<KernelState>
    make_state(const Rung        &rung,
               const unsigned int dimension,
               const unsigned int n_levels) const override
    {
      return std::make_unique<State>(
        rung.step_size, Replica(0, std::vector<double>(dimension), n_levels));
    }

    StepOutcome
    step(const StepContext &context,
         Replica           &replica,
         KernelState       &kernel_state) const override
    {
      State              &state = static_cast<State &>(kernel_state);
      const Rung         &rung  = context.rung;
      std::vector<double> normals(replica.position.size());
      RandomKey           key = context.key;
      fill_normals(key, dealii::make_array_view(normals));
      state.proposal.id = replica.id;
      state.proposal.invalidate();
      for (std::size_t i = 0; i < normals.size(); ++i)
        state.proposal.position[i] =
          replica.position[i] + state.width * normals[i];

      StepOutcome outcome;
      Evaluation &there = state.proposal.evaluations[rung.level];
      if (context.energy.space().contains(
            dealii::make_array_view(std::as_const(state.proposal.position))))
        {
          context.energy.evaluate(dealii::make_array_view(
                                    std::as_const(state.proposal.position)),
                                  key,
                                  Request::values,
                                  there);
          there.has_values = true;
          outcome.count(Request::values);
          outcome.acceptance = std::min(
            1.,
            std::exp(replica.evaluations[rung.level].tempered(rung.exponents) -
                     there.tempered(rung.exponents)));
        }
      key.purpose   = Purpose::acceptance;
      outcome.moved = uniform(key) < outcome.acceptance;
      if (outcome.moved)
        swap(replica, state.proposal);
      if (context.in_burn_in)
        state.width *= outcome.moved ? growth : 1. / growth;
      return outcome;
    }

  private:
    const double growth;
  };

  const KernelRegistration<RandomWalk>
    register_random_walk("wanderer", "Metropolis' random walk, for this test.");


  /** A standard normal law that says what it was asked for. */
  class AskedEnergy : public Energy
  {
  public:
    explicit AskedEnergy(const bool separate)
      : separate(separate)
    {}

    const StateSpace &
    space() const override
    {
      return state_space;
    }

    bool
    is_integrable(const Exponents &) const override
    {
      return true;
    }

    bool
    gradients_are_separate() const override
    {
      return separate;
    }

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey &,
             const Request request,
             Evaluation   &evaluation) const override
    {
      ++asked[static_cast<unsigned int>(request)];
      if (request != Request::gradients)
        {
          evaluation.reference = 0.;
          evaluation.potential = 0.5 * state[0] * state[0];
        }
      if (request != Request::values)
        {
          evaluation.reference_gradient[0] = 0.;
          evaluation.potential_gradient[0] = state[0];
        }
    }

    /** By Request. */
    mutable std::array<std::uint64_t, 3> asked{{0, 0, 0}};

  private:
    const bool       separate;
    const StateSpace state_space{{Coordinate{"x"}}};
  };


  struct Run
  {
    RunReport report;
    double    last;
  };

  Run
  run(const std::shared_ptr<const Energy> &energy,
      const std::string                   &settings,
      const std::uint64_t                  break_after = 0)
  {
    KernelParameters kernel_parameters;
    kernel_parameters.read(settings);
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = std::vector<double>{1., 4.};
    RunParameters run_parameters;
    run_parameters.burn_in    = 100;
    run_parameters.iterations = 1000;
    const auto make           = [&]() {
      return std::make_unique<ReplicaExchange>(
        run_parameters,
        SwapParameters(),
        Ladder(ladder_parameters, kernel_parameters, {{"fine", energy}}),
        std::vector<std::vector<double>>{{0.3}});
    };
    auto sampler = make();
    if (break_after > 0)
      {
        while (sampler->get_round() < break_after)
          sampler->do_round();
        std::stringstream stream;
        {
          boost::archive::binary_oarchive archive(stream);
          sampler->serialize(archive, 0);
        }
        sampler = make();
        boost::archive::binary_iarchive archive(stream);
        sampler->serialize(archive, 0);
      }
    sampler->run();
    return {sampler->report(), sampler->replica(0).position[0]};
  }
} // namespace


int
main()
{
  for (const bool separate : {false, true})
    {
      const std::string name =
        separate ? " that are separate" : " that come with values";
      const auto energy = std::make_shared<AskedEnergy>(separate);
      const Run  walk   = run(energy, "set Type = wanderer");
      check("no gradients" + name + " for a kernel that needs none",
            energy->asked[1] == 0 && energy->asked[2] == 0 &&
              energy->asked[0] > 1900,
            std::to_string(energy->asked[1]) + ", " +
              std::to_string(energy->asked[2]));
      check("work is that of values" + name,
            walk.report.work == energy->asked[0] &&
              walk.report.evaluations[0] == energy->asked[0]);

      const auto shared = std::make_shared<AskedEnergy>(separate);
      const Run  turns  = run(shared, "set Type = MALA + wanderer");
      check("gradients" + name + " for MALA in its turns",
            shared->asked[0] > 900 &&
              shared->asked[1] + shared->asked[2] > 900 &&
              shared->asked[1] + shared->asked[2] < 2010 &&
              turns.report.work ==
                shared->asked[0] + shared->asked[1] + 2. * shared->asked[2],
            std::to_string(shared->asked[0]) + ", " +
              std::to_string(shared->asked[1]) + ", " +
              std::to_string(shared->asked[2]));
    }
  {
    const auto        energy = std::make_shared<AskedEnergy>(false);
    const std::string type   = "set Type = wanderer\n";
    const Run         plain  = run(energy, type);
    check("a state of its own is saved and loaded",
          run(energy, type, 50).last == plain.last &&
            run(energy, type, 500).last == plain.last);
    const Run slow =
      run(energy, type + "subsection wanderer\nset Growth = 1\nend");
    check("a parameter of its own is read",
          slow.report.rungs[0].step_size == 0.1 &&
            plain.report.rungs[0].step_size > 0.3,
          std::to_string(plain.report.rungs[0].step_size));

    KernelParameters first;
    first.of<RandomWalk>().growth  = 2.;
    KernelParameters second        = first;
    second.of<RandomWalk>().growth = 3.;
    check("a copy of parameters has its own values",
          first.of<RandomWalk>().growth == 2. &&
            second.of<RandomWalk>().growth == 3.);
  }
  {
    Setting setting;
    setting.kernel = "wanderer";
    check_moments("random walk",
                  std::make_shared<AskedEnergy>(false),
                  setting,
                  {{"mean", power(0, 1), 0.}, {"square", power(0, 2), 1.}});
    setting.kernel = "MALA + wanderer";
    check_moments("MALA and random walk",
                  std::make_shared<AskedEnergy>(true),
                  setting,
                  {{"mean", power(0, 1), 0.}, {"square", power(0, 2), 1.}});
  }
  return result();
}
