// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/sampler/guarded_energy.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace Tempera
{
  GuardedEnergy::GuardedEnergy(std::shared_ptr<const Energy> energy)
    : energy(std::move(energy))
  {}



  void
  GuardedEnergy::evaluate(const dealii::ArrayView<const double> &state,
                          const RandomKey                       &key,
                          const Request                          request,
                          Evaluation &evaluation) const
  {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    try
      {
        energy->evaluate(state, key, request, evaluation);
      }
    catch (const UserError &)
      {
        throw;
      }
    catch (const std::exception &exception)
      {
        if (failures++ == 0)
          words = exception.what();
        if (request != Request::gradients)
          evaluation.reference = evaluation.potential = nan;
        if (request != Request::values)
          std::fill(evaluation.potential_gradient.begin(),
                    evaluation.potential_gradient.end(),
                    nan);
        evaluation.linearisation.reset();
      }
  }
} // namespace Tempera
