// SPDX-License-Identifier: LGPL-2.1-or-later

// The gradient by the adjoint is the derivative of the discrete predictions,
// and what is precomputed is the same as what is computed: over random
// sources, all time schemes, elements and dimensions, with data as products
// and at all points.

#include "source_model.h"
#include "tests.h"

#include <tempera/sampler/random.h>

#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  std::ofstream figures("differences.txt");

  template <int dim>
  void
  compare(const unsigned int subdivisions,
          const unsigned int degree,
          const std::string &scheme,
          const bool         diffusivity_is_unknown = false)
  {
    constexpr unsigned int n_sources = 25;

    ModelSetting setting = source_setting(dim);
    // A time between two levels, and one at the beginning.
    setting.sensors.push_back(setting.sensors[0]);
    setting.sensors.back().time = 0.0171;
    setting.sensors.push_back(setting.sensors[1]);
    setting.sensors.back().time = 0.;
    if (diffusivity_is_unknown)
      {
        setting.unknowns.push_back(dim);
        setting.unknowns.push_back(dim + 2);
      }
    SolverParameters solver;
    solver.time_stepping          = scheme;
    const FemLevelParameters here = level(subdivisions, 0.002, degree);

    const auto model =
      std::make_shared<EvolutionModel<dim>>(setting, here, solver);
    const auto pointwise =
      std::make_shared<EvolutionModel<dim>>(setting, here, solver, false);
    const FiniteDifferenceModel differences(
      model,
      FiniteDifferenceParameters(),
      std::vector<ParameterRange>(setting.unknowns.size(), ParameterRange()));
    std::vector<std::shared_ptr<ForwardModel>> precomputed;
    if (!diffusivity_is_unknown)
      for (const auto &one : {model, pointwise})
        precomputed.push_back(std::make_shared<PrecomputedModel<dim>>(one));

    double worst_difference = 0., worst_value = 0., worst_gradient = 0.;
    for (unsigned int i = 0; i < n_sources; ++i)
      {
        std::vector<double> numbers(setting.unknowns.size() +
                                    setting.sensors.size());
        RandomKey           key;
        key.seed = 17 + i;
        fill_uniforms(key, dealii::make_array_view(numbers));
        std::vector<double> state, weights, values, other;
        for (unsigned int j = 0; j < setting.unknowns.size(); ++j)
          state.push_back(j < dim  ? 0.2 + 0.6 * numbers[j] :
                          j == dim ? 0.1 + 0.05 * numbers[j] :
                                     0.7 + 0.6 * numbers[j]);
        for (unsigned int j = setting.unknowns.size(); j < numbers.size(); ++j)
          weights.push_back(numbers[j] - 0.3);

        const auto by_adjoint = gradient(*model, state, weights, values);
        const auto by_points  = gradient(*pointwise, state, weights, other);
        worst_value = std::max(worst_value, relative_difference(other, values));
        worst_gradient =
          std::max(worst_gradient, relative_difference(by_points, by_adjoint));
        const auto by_differences =
          gradient(differences, state, weights, other);
        worst_difference =
          std::max(worst_difference,
                   relative_difference(by_differences, by_adjoint));
        for (const auto &one : precomputed)
          for (const bool at_once : {true, false})
            {
              const auto quick = gradient(*one, state, weights, other, at_once);
              worst_value =
                std::max(worst_value, relative_difference(other, values));
              worst_gradient = std::max(worst_gradient,
                                        relative_difference(quick, by_adjoint));
            }
      }

    const std::string name =
      "dimension " + std::to_string(dim) + ", Q" + std::to_string(degree) +
      ", " + scheme + (diffusivity_is_unknown ? ", unknown operator" : "") +
      (dim == 2 && subdivisions > 50 ? ", fine" : "");
    figures << name << ": gradient " << worst_difference << ", value "
            << worst_value << ", gradient again " << worst_gradient
            << std::endl;
    check("adjoint and central differences, " + name,
          worst_difference < 1e-6,
          std::to_string(worst_difference));
    check("values computed in other ways, " + name,
          worst_value < 1e-12,
          std::to_string(worst_value));
    check("gradients computed in other ways, " + name,
          worst_gradient < 1e-10,
          std::to_string(worst_gradient));
  }
} // namespace

int
main()
{
  for (const std::string scheme : {"backward Euler", "Crank-Nicolson", "BDF2"})
    for (const unsigned int degree : {1u, 2u})
      {
        compare<1>(30, degree, scheme);
        compare<2>(degree == 1 ? 20 : 10, degree, scheme);
        compare<3>(degree == 1 ? 8 : 4, degree, scheme);
      }
  for (const std::string scheme : {"backward Euler", "Crank-Nicolson", "BDF2"})
    {
      compare<1>(20, 2, scheme, true);
      compare<2>(8, 1, scheme, true);
    }
  // Here what is precomputed is a sum of few products.
  compare<2>(60, 1, "backward Euler");
  return result();
}
