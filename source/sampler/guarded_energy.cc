// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/solve_failed.h>
#include <tempera/sampler/guarded_energy.h>

#include <deal.II/lac/solver_control.h>

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
  GuardedEnergy::guard(const std::function<void()> &call,
                       const std::function<void()> &fail) const
  {
    try
      {
        call();
      }
    catch (const SolveFailed &failure)
      {
        count_failure(failure.what());
        fail();
      }
    // What deal.II's own solvers throw: a user's solver need not translate it.
    catch (const dealii::SolverControl::NoConvergence &failure)
      {
        count_failure("An iterative solver has not converged after " +
                      std::to_string(failure.last_step) + " steps.");
        fail();
      }
  }



  void
  GuardedEnergy::evaluate(const dealii::ArrayView<const double> &state,
                          const RandomKey                       &key,
                          const Request                          request,
                          Evaluation &evaluation) const
  {
    guard(
      [&]() {
        energy->evaluate(state, key, request, evaluation);
        if (request != Request::gradients &&
            !std::isfinite(evaluation.potential))
          count_failure(failure_reason_of(energy.get()));
      },
      [&]() {
        // A likelihood of zero; of the prior nothing is wrong.
        if (request != Request::gradients)
          {
            evaluation.potential = std::numeric_limits<double>::infinity();
            if (!std::isfinite(evaluation.reference))
              evaluation.reference = 0.;
          }
        if (request != Request::values)
          std::fill(evaluation.potential_gradient.begin(),
                    evaluation.potential_gradient.end(),
                    std::numeric_limits<double>::quiet_NaN());
        evaluation.linearisation.reset();
      });
  }



  std::vector<EnergyValues>
  GuardedEnergy::values_at(const std::vector<std::vector<double>> &states) const
  {
    std::vector<EnergyValues> result;
    if (n_together() > 1)
      try
        {
          result = energy->values_at(states);
        }
      catch (const SolveFailed &)
        {}
      catch (const dealii::SolverControl::NoConvergence &)
        {}
    return result.empty() ? Energy::values_at(states) : result;
  }



  std::vector<std::vector<double>>
  GuardedEnergy::sensitivities(
    const dealii::ArrayView<const double> &state) const
  {
    std::vector<std::vector<double>> result;
    guard([&]() { result = energy->sensitivities(state); },
          [&]() { result.clear(); });
    return result;
  }



  void
  GuardedEnergy::count_failure(const std::string &reason) const
  {
    last_words = reason;
    if (!reason.empty() && failures++ == 0)
      words = reason;
  }
} // namespace Tempera
