// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/inference/prior_energy.h>

#include <algorithm>

namespace Tempera
{
  PriorEnergy::PriorEnergy(std::shared_ptr<const Energy> posterior,
                           Formula                       prior)
    : posterior(std::move(posterior))
    , prior(std::move(prior))
  {}



  bool
  PriorEnergy::is_integrable(const Exponents &exponents) const
  {
    // A likelihood that is left out cannot make up for a prior that is wide.
    return posterior->is_integrable({exponents.reference, 0.});
  }



  void
  PriorEnergy::evaluate(const dealii::ArrayView<const double> &state,
                        const RandomKey &,
                        const Request request,
                        Evaluation   &evaluation) const
  {
    const bool   with_gradients = request != Request::values;
    const double reference =
      prior(state,
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



  PriorEnergy::Formula
  independent_priors(const std::vector<Unknown> &unknowns)
  {
    return [unknowns](const dealii::ArrayView<const double> &state,
                      const dealii::ArrayView<double>       &gradient) {
      double energy = 0.;
      for (std::size_t i = 0; i < unknowns.size(); ++i)
        {
          energy += unknowns[i].prior.energy(state[i]);
          if (gradient.size() > 0)
            gradient[i] = unknowns[i].prior.energy_derivative(state[i]);
        }
      return energy;
    };
  }
} // namespace Tempera
