// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/crank_nicolson.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/prior_measure.h>

#include <deal.II/base/parameter_handler.h>

#include <numeric>

namespace Tempera
{
  namespace
  {
    /**
     * Crank and Nicolson's proposal with the drift \f$d = Cg\f$, where
     * \f$g\f$ is the gradient of the tempered misfit: MALA for functions.
     *
     * With respect to the same proposal without drift, which keeps the prior,
     * its density from \f$x\f$ to \f$x'\f$ has the logarithm (Cameron and
     * Martin)
     * \f[
     *   -\frac{1}{1+\rho}\left(g\cdot\left[x'-m-\rho\,(x-m)\right]
     *      + \frac{1-\rho}{2}\,g\cdot Cg\right),
     * \f]
     * so that nothing but products with \f$C\f$ is needed.
     */
    class CrankNicolsonLangevin : public CrankNicolsonKernel
    {
    public:
      struct Parameters
      {
        double target_acceptance = 0.574;

        /** Declare the parameters in a section of the kernel's own. */
        void
        declare(dealii::ParameterHandler &prm)
        {
          prm.enter_subsection("pCN-Langevin");
          prm.add_parameter(
            "Target acceptance",
            target_acceptance,
            "Acceptance that the adaptation of pCN-Langevin aims at.",
            dealii::Patterns::Double(0.01, 0.99));
          prm.leave_subsection();
        }
      };

      explicit CrankNicolsonLangevin(const KernelParameters &all)
        : CrankNicolsonKernel("pCN-Langevin",
                              all.adapt_step_size,
                              all.of<CrankNicolsonLangevin>().target_acceptance)
      {}

    private:
      Request
      request() const override
      {
        return Request::values_and_gradients;
      }

      void
      find_drift(const StepContext   &context,
                 const Evaluation    &evaluation,
                 std::vector<double> &drift) const override
      {
        drift.resize(evaluation.potential_gradient.size());
        context.prior->apply_covariance(dealii::make_array_view(
                                          evaluation.potential_gradient),
                                        dealii::make_array_view(drift));
        for (double &entry : drift)
          entry *= context.rung.exponents.potential;
      }

      double
      correction(const StepContext         &context,
                 const CrankNicolsonState  &state,
                 const std::vector<double> &drift,
                 const Replica             &replica) const override
      {
        const Rung               &rung        = context.rung;
        const double              rho         = correlation(rung, state);
        const std::vector<double> mean        = context.prior->centre();
        const auto                log_density = [&](const Replica             &from,
                                     const std::vector<double> &drift_there,
                                     const Replica             &to) {
          const std::vector<double> &gradient =
            from.evaluations[rung.level].potential_gradient;
          double sum = 0.;
          for (std::size_t i = 0; i < mean.size(); ++i)
            sum += gradient[i] * (to.position[i] - mean[i] -
                                  rho * (from.position[i] - mean[i]) +
                                  0.5 * (1. - rho) * drift_there[i]);
          return -rung.exponents.potential * sum / (1. + rho);
        };
        std::vector<double> drift_back;
        find_drift(context, state.proposal.evaluations[rung.level], drift_back);
        return log_density(state.proposal, drift_back, replica) -
               log_density(replica, drift, state.proposal);
      }
    };


    const KernelRegistration<CrankNicolsonLangevin> register_pcn_langevin(
      "pCN-Langevin",
      "pCN with the gradient of the misfit, MALA for functions: exact, for fields with any number of unknowns.");
  } // namespace
} // namespace Tempera
