// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/absent_energy.h>

namespace Tempera
{
  EnergyTraits
  traits_of(const Energy &energy)
  {
    EnergyTraits result;
    result.is_stochastic          = energy.is_stochastic();
    result.has_noisy_gradients    = energy.has_noisy_gradients();
    result.gradients_are_separate = energy.gradients_are_separate();
    result.has_sensitivities      = energy.has_sensitivities();
    for (const Request request :
         {Request::values, Request::gradients, Request::values_and_gradients})
      result.work[static_cast<int>(request)] = energy.work(request);
    result.set_up_work = energy.set_up_work();
    return result;
  }



  AbsentEnergy::AbsentEnergy(const StateSpace   &space,
                             const EnergyTraits &traits)
    : state_space(space)
    , traits(traits)
  {}



  void
  AbsentEnergy::evaluate(const dealii::ArrayView<const double> &,
                         const RandomKey &,
                         const Request,
                         Evaluation &) const
  {
    AssertThrow(false, dealii::ExcInternalError());
  }
} // namespace Tempera
