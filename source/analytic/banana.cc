// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/analytic/banana.h>
#include <tempera/base/patterns.h>

namespace Tempera
{
  namespace
  {
    const AnalyticRegistration<Banana> banana_registration(
      "banana",
      "A Gaussian bent along a parabola, in two dimensions.");
  } // namespace



  void
  Banana::Parameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    declare_number_above(
      prm, "Length", length, 0., "Standard deviation a of the first unknown.");
    prm.add_parameter("Curvature",
                      curvature,
                      "Curvature b of the parabola.",
                      Double());
    declare_number_above(
      prm, "Width", width, 0., "Standard deviation w across the parabola.");
  }



  Banana::Banana(const Parameters          &parameters,
                 const ReferenceParameters &reference)
    : AnalyticEnergy(2, reference)
    , parameters(parameters)
  {}



  double
  Banana::potential(const dealii::ArrayView<const double> &state,
                    const dealii::ArrayView<double>       &gradient) const
  {
    const double a = parameters.length, b = parameters.curvature,
                 w      = parameters.width;
    const double across = (state[1] - b * (state[0] * state[0] - a * a)) / w;
    gradient[0]         = state[0] / (a * a) - across * 2. * b * state[0] / w;
    gradient[1]         = across / w;
    return 0.5 * (state[0] * state[0] / (a * a) + across * across);
  }
} // namespace Tempera
