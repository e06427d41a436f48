// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/analytic/analytic_energy.h>
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>

#include <limits>

namespace Tempera
{
  namespace
  {
    StateSpace
    make_space(const unsigned int         dimension,
               const ReferenceParameters &reference)
    {
      const auto check_size = [&](const std::size_t size, const char *name) {
        if (size != 0 && size != dimension)
          throw UserError("The parameter 'Energy/" + std::string(name) +
                          "' has " + counted(size, "entry") +
                          ", but the energy has " +
                          counted(dimension, "unknown") +
                          ". Give one entry per unknown, or none.");
      };
      check_size(reference.names.size(), "Names");
      check_size(reference.lower_bounds.numbers.size(), "Lower bounds");
      check_size(reference.upper_bounds.numbers.size(), "Upper bounds");

      std::vector<Coordinate> coordinates(dimension);
      for (unsigned int i = 0; i < dimension; ++i)
        {
          coordinates[i].name = !reference.names.empty() ? reference.names[i] :
                                dimension == 1           ? "x" :
                                                 "x" + std::to_string(i + 1);
          if (!reference.lower_bounds.numbers.empty())
            coordinates[i].lower = reference.lower_bounds.numbers[i];
          if (!reference.upper_bounds.numbers.empty())
            coordinates[i].upper = reference.upper_bounds.numbers[i];
        }
      return StateSpace(coordinates);
    }
  } // namespace



  void
  ReferenceParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter(
      "Names",
      names,
      "Names of the unknowns in tables and files; by default x, or x1, x2, ...",
      List(Anything()));
    const double infinity = std::numeric_limits<double>::infinity();
    declare_number_list(
      prm,
      "Lower bounds",
      lower_bounds,
      {"none"},
      -infinity,
      false,
      "Lower bound of each unknown: the prior has no mass below. -inf for an unknown without one.");
    declare_number_list(
      prm,
      "Upper bounds",
      upper_bounds,
      {"none"},
      -infinity,
      false,
      "Upper bound of each unknown: the prior has no mass above. inf for an unknown without one.");
    prm.add_parameter(
      "Prior standard deviation",
      standard_deviation,
      "Standard deviation of a Gaussian prior of mean zero on every unknown; 0 is a flat prior.",
      Double(0.));
  }



  AnalyticEnergy::AnalyticEnergy(const unsigned int         dimension,
                                 const ReferenceParameters &reference)
    : state_space(make_space(dimension, reference))
    , reference_precision(
        reference.standard_deviation > 0. ?
          1. / (reference.standard_deviation * reference.standard_deviation) :
          0.)
  {}



  bool
  AnalyticEnergy::is_integrable(const Exponents &exponents) const
  {
    return state_space.is_bounded() ||
           reference_precision * exponents.reference > 0. ||
           potential_is_integrable(exponents.potential);
  }



  void
  AnalyticEnergy::evaluate(const dealii::ArrayView<const double> &state,
                           const RandomKey &,
                           const Request request,
                           Evaluation   &evaluation) const
  {
    // Value and gradient cost about the same, so both are computed. Values
    // that are there already stay: a decorator may have changed them.
    const double value =
      potential(state, dealii::make_array_view(evaluation.potential_gradient));
    double squared_norm = 0.;
    for (unsigned int i = 0; i < state.size(); ++i)
      {
        evaluation.reference_gradient[i] = reference_precision * state[i];
        squared_norm += state[i] * state[i];
      }
    if (request != Request::gradients)
      {
        evaluation.potential = value;
        evaluation.reference = 0.5 * reference_precision * squared_norm;
      }
  }
} // namespace Tempera
