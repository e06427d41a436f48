// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_analytic_ring_h
#define tempera_analytic_ring_h

#include <tempera/analytic/analytic_energy.h>

namespace Tempera
{
  /**
   * \f$P = (|x| - R)^2/(2w^2)\f$: a ring in two dimensions, a shell in more.
   */
  class Ring : public AnalyticEnergy
  {
  public:
    struct Parameters
    {
      unsigned int dimension = 2;
      double       radius    = 1.;
      double       width     = 0.1;

      /** Declare the parameters in the current section. */
      void
      declare(dealii::ParameterHandler &prm);
    };

    explicit Ring(const Parameters          &parameters,
                  const ReferenceParameters &reference = ReferenceParameters());

    double
    potential(const dealii::ArrayView<const double> &state,
              const dealii::ArrayView<double>       &gradient) const override;

  private:
    const Parameters parameters;
  };
} // namespace Tempera

#endif
