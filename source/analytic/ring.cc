// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/analytic/ring.h>
#include <tempera/base/patterns.h>

#include <cmath>

namespace Tempera
{
  namespace
  {
    const AnalyticRegistration<Ring> ring_registration(
      "ring",
      "A ring (in two dimensions) or a shell around the origin: infinitely many answers.");
  } // namespace



  void
  Ring::Parameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter("Dimension",
                      dimension,
                      "Number of unknowns.",
                      Integer(2));
    declare_number_above(prm, "Radius", radius, 0., "Radius of the ring.");
    declare_number_above(
      prm, "Width", width, 0., "Standard deviation across the ring.");
  }



  Ring::Ring(const Parameters &parameters, const ReferenceParameters &reference)
    : AnalyticEnergy(parameters.dimension, reference)
    , parameters(parameters)
  {}



  double
  Ring::potential(const dealii::ArrayView<const double> &state,
                  const dealii::ArrayView<double>       &gradient) const
  {
    double squared_radius = 0.;
    for (const double x : state)
      squared_radius += x * x;
    const double radius = std::sqrt(squared_radius);
    const double across = (radius - parameters.radius) / parameters.width;
    // At the centre every direction is as good; stand still there.
    const double slope =
      radius > 0. ? across / (parameters.width * radius) : 0.;
    for (unsigned int i = 0; i < state.size(); ++i)
      gradient[i] = slope * state[i];
    return 0.5 * across * across;
  }
} // namespace Tempera
