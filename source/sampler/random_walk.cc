// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/tuned_kernel.h>

#include <deal.II/base/parameter_handler.h>

namespace Tempera
{
  namespace
  {
    /**
     * Metropolis' algorithm: \f$x' = x + \sqrt{2\eta\tau}\,L z\f$ with a
     * standard normal \f$z\f$ and the scales \f$G = LL^T\f$, accepted with
     * the probability \f$\min(1, e^{V(x) - V(x')})\f$. Proposals beyond a wall
     * have no density and are rejected, without an evaluation.
     */
    class RandomWalk : public TunedKernel
    {
    public:
      struct Parameters
      {
        double target_acceptance = 0.3;

        /** Declare the parameters in a section of the kernel's own. */
        void
        declare(dealii::ParameterHandler &prm)
        {
          prm.enter_subsection("Random walk");
          prm.add_parameter(
            "Target acceptance",
            target_acceptance,
            "Acceptance that the adaptation of the random walk aims at.",
            dealii::Patterns::Double(0.01, 0.99));
          prm.leave_subsection();
        }
      };

      explicit RandomWalk(const KernelParameters &all)
        : TunedKernel("'random walk'",
                      all.adapt_step_size,
                      all.of<RandomWalk>().target_acceptance,
                      learning_of(all.preconditioner))
      {}

      KernelNeeds
      needs() const override
      {
        KernelNeeds result;
        result.gradients = false;
        return result;
      }

      std::unique_ptr<KernelState>
      make_state(const Rung        &rung,
                 const unsigned int dimension,
                 const unsigned int n_levels) const override
      {
        return std::make_unique<State>(make_tuning(rung, dimension),
                                       dimension,
                                       n_levels);
      }

      StepOutcome
      step(const StepContext &context,
           Replica           &replica,
           KernelState       &state) const override;

    private:
      struct State : public KernelStateOf<State, TunedState>
      {
        State(const StepTuning  &tuning,
              const unsigned int dimension,
              const unsigned int n_levels)
          : KernelStateOf(tuning, dimension, n_levels)
          , move(dimension)
        {}

        std::vector<double> move;
      };
    };


    const KernelRegistration<RandomWalk> register_random_walk(
      "random walk",
      "Metropolis' random walk; exact, needs no gradients: for models without derivatives and few unknowns.");



    StepOutcome
    RandomWalk::step(const StepContext &context,
                     Replica           &replica,
                     KernelState       &kernel_state) const
    {
      State    &state = static_cast<State &>(kernel_state);
      RandomKey key   = context.key;
      key.purpose     = Purpose::proposal;
      fill_normals(key, dealii::make_array_view(state.move));
      walk(context.rung, state.tuning, state.move);
      const StepOutcome outcome =
        decide(context, state.move, replica, state.proposal);
      if (context.in_burn_in)
        state.tuning.observe_acceptance(outcome.acceptance);
      return outcome;
    }
  } // namespace
} // namespace Tempera
