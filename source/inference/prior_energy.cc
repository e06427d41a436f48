// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/inference/prior_energy.h>

#include <algorithm>

namespace Tempera
{
  PriorEnergy::PriorEnergy(std::shared_ptr<const PriorMeasure> prior)
    : prior(std::move(prior))
  {}



  void
  PriorEnergy::evaluate(const dealii::ArrayView<const double> &state,
                        const RandomKey &,
                        const Request request,
                        Evaluation   &evaluation) const
  {
    const bool   with_gradients = request != Request::values;
    const double reference =
      prior->energy(state,
                    with_gradients ?
                      dealii::make_array_view(evaluation.reference_gradient) :
                      dealii::ArrayView<double>());
    if (request != Request::gradients)
      {
        evaluation.reference = reference;
        evaluation.potential = 0.;
      }
    if (with_gradients)
      std::fill(evaluation.potential_gradient.begin(),
                evaluation.potential_gradient.end(),
                0.);
  }

} // namespace Tempera
