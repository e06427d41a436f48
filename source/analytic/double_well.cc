// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/analytic/double_well.h>
#include <tempera/base/patterns.h>

namespace Tempera
{
  namespace
  {
    const AnalyticRegistration<DoubleWell> double_well_registration(
      "double well",
      "Two wells behind a barrier of given height, Gaussian in the other unknowns.");
  } // namespace



  void
  DoubleWell::Parameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter("Dimension",
                      dimension,
                      "Number of unknowns.",
                      Integer(1));
    declare_number_above(prm, "Height", height, 0., "Height h of the barrier.");
    declare_number_above(prm,
                         "Distance",
                         distance,
                         0.,
                         "Distance a of the wells from the origin.");
    prm.add_parameter("Tilt",
                      tilt,
                      "Slope c that makes the wells unequal.",
                      Double());
  }



  DoubleWell::DoubleWell(const Parameters          &parameters,
                         const ReferenceParameters &reference)
    : AnalyticEnergy(parameters.dimension, reference)
    , parameters(parameters)
  {}



  double
  DoubleWell::potential(const dealii::ArrayView<const double> &state,
                        const dealii::ArrayView<double>       &gradient) const
  {
    const double scaled = state[0] / parameters.distance;
    const double well   = scaled * scaled - 1.;
    double value = parameters.height * well * well + parameters.tilt * state[0];
    gradient[0] = 4. * parameters.height * well * scaled / parameters.distance +
                  parameters.tilt;
    for (unsigned int i = 1; i < state.size(); ++i)
      {
        value += 0.5 * state[i] * state[i];
        gradient[i] = state[i];
      }
    return value;
  }
} // namespace Tempera
