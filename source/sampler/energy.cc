// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/energy.h>
#include <tempera/sampler/langevin_loops.h>

#include <cmath>
#include <functional>

namespace Tempera
{
  bool
  Evaluation::is_finite() const
  {
    // A sum is finite only if its terms are, but for overflow, which is as
    // bad; one test at the end keeps the loop free of branches.
    double sum = has_values ? std::abs(reference) + std::abs(potential) : 0.;
    if (has_gradients)
      for (const std::vector<double> &gradient :
           {std::cref(reference_gradient), std::cref(potential_gradient)})
        sum += langevin_loops().sum_of_absolute_values(gradient.size(),
                                                       gradient.data());
    return std::isfinite(sum);
  }



  std::vector<EnergyValues>
  Energy::values_at(const std::vector<std::vector<double>> &states) const
  {
    std::vector<EnergyValues> result;
    Evaluation                evaluation;
    evaluation.reference_gradient.resize(space().dimension());
    evaluation.potential_gradient.resize(space().dimension());
    for (const std::vector<double> &state : states)
      {
        evaluation.invalidate();
        evaluate(dealii::make_array_view(state),
                 RandomKey(),
                 Request::values,
                 evaluation);
        result.push_back({evaluation.reference, evaluation.potential});
      }
    return result;
  }
} // namespace Tempera
