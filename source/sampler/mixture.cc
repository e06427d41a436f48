// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/fitted_mixture.h>
#include <tempera/sampler/gathered_states.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/normal_law.h>
#include <tempera/sampler/tuned_kernel.h>

#include <deal.II/base/parameter_handler.h>

namespace Tempera
{
  namespace
  {
    /**
     * Independent proposals, from a FittedMixture of the states of the burn-in,
     * which is then frozen. Where it fits, nearly every step is a new draw,
     * whatever the shape of the law; where it does not, few steps are
     * accepted: another kernel takes turns with it, and also finds what it is
     * fitted to. Until there are enough states, a random walk takes its place.
     */
    class MixtureKernel : public TunedKernel
    {
    public:
      /** There are none. */
      struct Parameters
      {
        void
        declare(dealii::ParameterHandler &)
        {}
      };

      explicit MixtureKernel(const KernelParameters &)
        : MixtureKernel("'mixture'", false)
      {}

      KernelNeeds
      needs() const override
      {
        KernelNeeds result;
        result.gradients = false;
        return result;
      }

      bool
      needs_burn_in() const override
      {
        return true;
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

      void
      observe(const std::vector<double> &position,
              KernelState               &state) const override
      {
        TunedKernel::observe(position, state);
        static_cast<State &>(state).gathered.add(position);
      }

      void
      end_window(const bool is_retempered, KernelState &state) const override
      {
        TunedKernel::end_window(is_retempered, state);
        static_cast<State &>(state).renew_law();
        // At another temperature the maximum is elsewhere.
        if (is_retempered)
          static_cast<State &>(state).is_sought = false;
      }

      void
      end_burn_in(KernelState &state) const override
      {
        TunedKernel::end_burn_in(state);
        static_cast<State &>(state).renew_law();
        static_cast<State &>(state).last_window = {};
      }

    protected:
      /** @param begins_at_maximum With the normal law there. */
      MixtureKernel(const std::string &name, const bool begins_at_maximum)
        : TunedKernel(name, true, 0.3, Learning::diagonal)
        , begins_at_maximum(begins_at_maximum)
      {}

    private:
      struct State : public KernelStateOf<State, TunedState>
      {
        State(const StepTuning  &tuning,
              const unsigned int dimension,
              const unsigned int n_levels)
          : KernelStateOf(tuning, dimension, n_levels)
          , move(dimension)
        {}

        /** Fit it to the last two windows, if they are enough. */
        void
        renew_law()
        {
          std::vector<double> states = last_window;
          states.insert(states.end(),
                        gathered.states.begin(),
                        gathered.states.end());
          FittedMixture fitted(states, move.size());
          // What is known of the maximum may be more than few states tell.
          if (!fitted.is_empty() &&
              (!is_of_maximum ||
               fitted.expected_log_density() > law.mean_log_density(states)))
            {
              law           = std::move(fitted);
              is_of_maximum = false;
            }
          last_window = std::move(gathered.states);
          gathered    = GatheredStates();
        }

        template <typename Archive>
        void
        serialize(Archive &file)
        {
          TunedState::serialize(file);
          gathered.serialize(file, move.size());
          serialize_vector(file,
                           last_window,
                           GatheredStates::most * move.size());
          if (last_window.size() % move.size() != 0)
            throw ArchiveError("a window of states is cut off");
          law.serialize(file, move.size());
          serialize_flag(file, is_sought);
          serialize_flag(file, is_of_maximum);
          if (is_of_maximum && law.is_empty())
            throw ArchiveError("the law around a maximum is missing");
        }

        GatheredStates      gathered;
        std::vector<double> last_window;
        FittedMixture       law;
        /** Whether the maximum was looked for, and the law is that there. */
        bool is_sought = false, is_of_maximum = false;
        /** Memory of a step. */
        std::vector<double> move;
      };

      const bool begins_at_maximum;
    };


    /** The same, which begins with the normal law around the maximum. */
    class LaplaceKernel : public MixtureKernel
    {
    public:
      explicit LaplaceKernel(const KernelParameters &)
        : MixtureKernel("'Laplace'", true)
      {}
    };


    const KernelRegistration<MixtureKernel> register_mixture(
      "mixture",
      "Independent draws from a mixture of normal laws that is fitted to the burn-in's states; exact, needs no gradients; for some ten unknowns at most, in turns with another kernel: 'differences + mixture'.");

    const KernelRegistration<LaplaceKernel> register_laplace(
      "Laplace",
      "As 'mixture', but burn-in begins at the maximum, with the normal law that the second derivatives make there: a short burn-in, also for scales that differ by decades; 'Laplace + differences'.");



    StepOutcome
    MixtureKernel::step(const StepContext &context,
                        Replica           &replica,
                        KernelState       &kernel_state) const
    {
      State      &state = static_cast<State &>(kernel_state);
      StepOutcome search;
      if (begins_at_maximum && context.in_burn_in && !state.is_sought)
        {
          state.is_sought = search.moved = true;
          FittedMixture found =
            find_normal_law(context, replica, state.proposal, search);
          if (!found.is_empty())
            {
              state.law           = std::move(found);
              state.is_of_maximum = true;
            }
        }
      const bool has_law = !state.law.is_empty();

      RandomKey key    = context.key;
      key.purpose      = Purpose::proposal;
      double log_ratio = 0.;
      if (has_law)
        {
          state.law.draw(key, state.move);
          log_ratio = state.law.log_density(replica.position) -
                      state.law.log_density(state.move);
          for (std::size_t i = 0; i < state.move.size(); ++i)
            state.move[i] -= replica.position[i];
        }
      else
        {
          fill_normals(key, dealii::make_array_view(state.move));
          walk(context.rung, state.tuning, state.move);
        }
      StepOutcome outcome =
        decide(context, state.move, replica, state.proposal, log_ratio);
      outcome.moved = outcome.moved || search.moved;
      for (std::size_t i = 0; i < outcome.evaluations.size(); ++i)
        outcome.evaluations[i] += search.evaluations[i];
      if (context.in_burn_in && !has_law)
        state.tuning.observe_acceptance(outcome.acceptance);
      return outcome;
    }
  } // namespace
} // namespace Tempera
