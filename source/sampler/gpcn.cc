// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/sampler/crank_nicolson.h>
#include <tempera/sampler/laplace.h>
#include <tempera/sampler/prior_measure.h>

#include <deal.II/base/parameter_handler.h>

namespace Tempera
{
  namespace
  {
    /** What GeneralisedCrankNicolson keeps at a rung. */
    class GeneralisedState
      : public KernelStateOf<GeneralisedState, CrankNicolsonState>
    {
    public:
      using KernelStateOf::KernelStateOf;

      template <typename Archive>
      void
      serialize(Archive &archive)
      {
        CrankNicolsonState::serialize(archive);
        serialize_flag(archive, is_learned);
        law.serialize(archive, proposal.position.size());
      }

      LaplaceApproximation law;
      bool                 is_learned = false;
    };


    /**
     * Crank and Nicolson's walk around the maximum of the posterior: the
     * proposal keeps its LaplaceApproximation, not the prior, so that it makes
     * small moves only where the data want them small. The ratio of both
     * densities makes it exact, whatever the approximation is worth, and does
     * not depend on the number of unknowns.
     */
    class GeneralisedCrankNicolson : public CrankNicolsonKernel
    {
    public:
      struct Parameters
      {
        double target_acceptance = 0.25;

        /** Declare the parameters in a section of the kernel's own. */
        void
        declare(dealii::ParameterHandler &prm)
        {
          prm.enter_subsection("gpCN");
          prm.add_parameter(
            "Target acceptance",
            target_acceptance,
            "Acceptance that the adaptation of gpCN aims at. Where even independent proposals are accepted more often, they are made.",
            dealii::Patterns::Double(0.01, 0.99));
          prm.leave_subsection();
        }
      };

      explicit GeneralisedCrankNicolson(const KernelParameters &all)
        : CrankNicolsonKernel(
            "gpCN",
            all.adapt_step_size,
            all.of<GeneralisedCrankNicolson>().target_acceptance)
      {}

      void
      check(const Energy &energy) const override
      {
        TunedKernel::check(energy);
        if (!energy.has_sensitivities())
          throw UserError(
            "The kernel gpCN needs the derivative of what is measured in the "
            "unknowns, and there is none: it is for forward models with a "
            "derivative and measurements with Gaussian errors. Set "
            "'Sampler/Kernel/Type' to another kernel, for instance pCN.");
      }

      bool
      learns() const override
      {
        return true;
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
        return std::make_unique<GeneralisedState>(make_tuning(rung, dimension),
                                                  dimension,
                                                  n_levels);
      }

      /** The first one of the burn-in goes to the maximum. */
      StepOutcome
      step(const StepContext &context,
           Replica           &replica,
           KernelState       &kernel_state) const override
      {
        GeneralisedState &state = static_cast<GeneralisedState &>(kernel_state);
        StepOutcome       search;
        if (context.in_burn_in && !state.is_learned)
          {
            state.law =
              LaplaceApproximation(context, replica, state.proposal, search);
            state.is_learned = search.moved = true;
          }
        StepOutcome outcome =
          CrankNicolsonKernel::step(context, replica, state);
        outcome.moved = outcome.moved || search.moved;
        for (std::size_t i = 0; i < outcome.evaluations.size(); ++i)
          outcome.evaluations[i] += search.evaluations[i];
        return outcome;
      }

      /** At another temperature the maximum is elsewhere. */
      void
      end_window(const bool is_retempered, KernelState &state) const override
      {
        TunedKernel::end_window(is_retempered, state);
        if (is_retempered)
          static_cast<GeneralisedState &>(state).is_learned = false;
      }

    private:
      Request
      request() const override
      {
        return Request::values;
      }

      void
      shape_law(const CrankNicolsonState &state,
                std::vector<double>      &mean,
                std::vector<double>      &move) const override
      {
        const LaplaceApproximation &law =
          static_cast<const GeneralisedState &>(state).law;
        law.move_centre(mean);
        law.shape(move);
      }

      double
      correction(const StepContext        &context,
                 const CrankNicolsonState &state,
                 const std::vector<double> &,
                 const Replica &replica) const override
      {
        const LaplaceApproximation &law =
          static_cast<const GeneralisedState &>(state).law;
        const std::vector<double> mean = context.prior->centre();
        return law.log_density_of_prior(mean, state.proposal.position) -
               law.log_density_of_prior(mean, replica.position);
      }
    };


    const KernelRegistration<GeneralisedCrankNicolson> register_gpcn(
      "gpCN",
      "pCN around the maximum of the posterior, with the covariance that the data leave there (Laplace): exact, for fields with any number of unknowns and data with small errors.");
  } // namespace
} // namespace Tempera
