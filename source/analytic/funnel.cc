// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/analytic/funnel.h>
#include <tempera/base/patterns.h>

#include <cmath>

namespace Tempera
{
  namespace
  {
    const AnalyticRegistration<Funnel> funnel_registration(
      "funnel",
      "Neal's funnel: one unknown sets the scale of all others.");
  } // namespace



  void
  Funnel::Parameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter("Dimension",
                      dimension,
                      "Number of unknowns.",
                      Integer(2));
    declare_number_above(prm,
                         "Standard deviation",
                         standard_deviation,
                         0.,
                         "Standard deviation s of the first unknown.");
  }



  Funnel::Funnel(const Parameters          &parameters,
                 const ReferenceParameters &reference)
    : AnalyticEnergy(parameters.dimension, reference)
    , parameters(parameters)
  {}



  double
  Funnel::potential(const dealii::ArrayView<const double> &state,
                    const dealii::ArrayView<double>       &gradient) const
  {
    const double s           = parameters.standard_deviation;
    const double n           = state.size() - 1;
    const double precision   = std::exp(-state[0]);
    double       sum_squares = 0.;
    for (unsigned int i = 1; i < state.size(); ++i)
      {
        gradient[i] = precision * state[i];
        sum_squares += state[i] * state[i];
      }
    gradient[0] = state[0] / (s * s) + 0.5 * n - 0.5 * precision * sum_squares;
    return 0.5 * (state[0] * state[0] / (s * s) + n * state[0] +
                  precision * sum_squares);
  }
} // namespace Tempera
