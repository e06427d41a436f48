// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/sampler/guarded_energy.h>

#include <algorithm>
#include <cmath>
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
        if (request != Request::gradients &&
            !std::isfinite(evaluation.potential))
          count_failure(failure_reason_of(energy.get()));
      }
    catch (const UserError &)
      {
        throw;
      }
    catch (const std::exception &exception)
      {
        count_failure(exception.what());
        if (request != Request::gradients)
          evaluation.reference = evaluation.potential = nan;
        if (request != Request::values)
          std::fill(evaluation.potential_gradient.begin(),
                    evaluation.potential_gradient.end(),
                    nan);
        evaluation.linearisation.reset();
      }
  }



  void
  GuardedEnergy::count_failure(const std::string &reason) const
  {
    last_words = reason;
    if (!reason.empty() && failures++ == 0)
      words = reason;
  }
} // namespace Tempera
