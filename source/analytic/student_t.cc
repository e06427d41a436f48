// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/analytic/student_t.h>
#include <tempera/base/patterns.h>

#include <cmath>

namespace Tempera
{
  namespace
  {
    const AnalyticRegistration<StudentT> student_t_registration(
      "student t",
      "A heavy-tailed Student distribution; improper when tempered too much.");
  } // namespace



  void
  StudentT::Parameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter("Dimension",
                      dimension,
                      "Number of unknowns.",
                      Integer(1));
    declare_number_above(prm,
                         "Degrees of freedom",
                         degrees_of_freedom,
                         0.,
                         "Degrees of freedom nu.");
  }



  StudentT::StudentT(const Parameters          &parameters,
                     const ReferenceParameters &reference)
    : AnalyticEnergy(parameters.dimension, reference)
    , parameters(parameters)
  {}



  double
  StudentT::potential(const dealii::ArrayView<const double> &state,
                      const dealii::ArrayView<double>       &gradient) const
  {
    double squared_radius = 0.;
    for (const double x : state)
      squared_radius += x * x;
    const double nu = parameters.degrees_of_freedom;
    const double n  = nu + state.size();
    for (unsigned int i = 0; i < state.size(); ++i)
      gradient[i] = n * state[i] / (nu + squared_radius);
    return 0.5 * n * std::log1p(squared_radius / nu);
  }



  bool
  StudentT::potential_is_integrable(const double weight) const
  {
    return weight * (parameters.degrees_of_freedom + parameters.dimension) >
           parameters.dimension;
  }
} // namespace Tempera
