// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/crank_nicolson.h>

#include <deal.II/base/parameter_handler.h>

namespace Tempera
{
  namespace
  {
    /**
     * Preconditioned Crank-Nicolson: the proposal keeps the prior, so that the
     * likelihoods alone decide.
     */
    class CrankNicolson : public CrankNicolsonKernel
    {
    public:
      struct Parameters
      {
        double target_acceptance = 0.25;

        /** Declare the parameters in a section of the kernel's own. */
        void
        declare(dealii::ParameterHandler &prm)
        {
          prm.enter_subsection("pCN");
          prm.add_parameter("Target acceptance",
                            target_acceptance,
                            "Acceptance that the adaptation of pCN aims at.",
                            dealii::Patterns::Double(0.01, 0.99));
          prm.leave_subsection();
        }
      };

      explicit CrankNicolson(const KernelParameters &all)
        : CrankNicolsonKernel("pCN",
                              all.adapt_step_size,
                              all.of<CrankNicolson>().target_acceptance)
      {}

    private:
      Request
      request() const override
      {
        return Request::values;
      }
    };


    const KernelRegistration<CrankNicolson> register_pcn(
      "pCN",
      "Crank and Nicolson's random walk in the metric of a Gaussian prior; exact, needs no gradients, and does not mind how many unknowns a field has.");
  } // namespace
} // namespace Tempera
