// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/problems/pollution_source.h>

namespace Tempera
{
  namespace
  {
    const Registration<ProblemRegistry, PollutionSource> register_problem(
      "pollution source",
      "A pollution that spreads by diffusion from an unknown place; parabolic.");

    double
    decay(const double time)
    {
      return std::exp(-time);
    }
  } // namespace



  PollutionSource::PollutionSource(const unsigned int dimension)
    : FormulaProblem<PollutionSource, 2>(dimension)
    , width(dimension)
    , mass(dimension + 1)
    , diffusivity(dimension + 2)
    , solution(dimension)
  {
    for (unsigned int d = 0; d < dimension; ++d)
      my_parameters.push_back({std::string(1, "xyz"[d]),
                               "uniform(0, 1)",
                               "Coordinate of the source.",
                               -std::numeric_limits<double>::infinity()});
    my_parameters.push_back({"width", "0.1", "Width h of the cloud.", 0.});
    my_parameters.push_back({"mass",
                             "1",
                             "Total mass M at the beginning.",
                             -std::numeric_limits<double>::infinity()});
    my_parameters.push_back({"diffusivity", "1", "Diffusivity kappa.", 0.});

    my_factors.resize(2);
    for (FactorDescription &factor : my_factors)
      for (unsigned int d = 0; d < dimension; ++d)
        factor.parameters.push_back(
          d == 0 ? std::vector<unsigned int>{d, width, mass} :
                   std::vector<unsigned int>{d, width});
    for (auto &parameters : my_factors[heated].parameters)
      parameters.push_back(diffusivity);

    std::vector<unsigned int> all;
    for (unsigned int i = 0; i < my_parameters.size(); ++i)
      all.push_back(i);
    for (unsigned int d = 0; d < dimension; ++d)
      {
        FunctionDescription part{"part " + std::to_string(d) + " of the source",
                                 all,
                                 std::vector<unsigned int>(dimension,
                                                           gaussian)};
        part.factors[d] = heated;
        my_functions.push_back(part);
        my_data_terms.push_back({DataKind::source, d, decay, {}});
      }
    my_functions.push_back({"solution",
                            {all.begin(), all.end() - 1},
                            std::vector<unsigned int>(dimension, gaussian)});
    my_data_terms.push_back({DataKind::dirichlet, solution, decay, {}});
    my_data_terms.push_back({DataKind::initial_value, solution, {}, {}});

    my_operator_terms.push_back({OperatorKind::capacity});
    my_functions.push_back({"diffusivity", {diffusivity}, {}});
    my_operator_terms.push_back(
      {OperatorKind::diffusion, no_function, dimension + 1});
  }



  std::vector<unsigned int>
  PollutionSource::place_parameters() const
  {
    std::vector<unsigned int> result;
    for (unsigned int d = 0; d < n_dimensions; ++d)
      result.push_back(d);
    return result;
  }



  double
  PollutionSource::exact_solution(
    const dealii::ArrayView<const double> &point,
    const double                           time,
    const dealii::ArrayView<const double> &theta) const
  {
    double value = 0.;
    evaluate({solution},
             0.,
             point,
             {theta, {}},
             dealii::ArrayView<double>(&value, 1),
             {});
    return value * decay(time);
  }
} // namespace Tempera
