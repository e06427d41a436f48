// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/langevin.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Tempera
{
  namespace
  {
    const Registration<KernelRegistry, SGLD> register_sgld(
      "SGLD",
      "Stochastic gradient Langevin dynamics; takes noisy energies, biased by the order of the step size.");

    const Registration<KernelRegistry, MALA> register_mala(
      "MALA",
      "Metropolis-adjusted Langevin algorithm; exact, for deterministic energies.");

    /** Component of the gradient of the tempered energy. */
    inline double
    tempered_gradient(const Evaluation  &evaluation,
                      const Exponents   &exponents,
                      const unsigned int i)
    {
      return exponents.reference * evaluation.reference_gradient[i] +
             exponents.potential * evaluation.potential_gradient[i];
    }
  } // namespace



  bool
  LangevinKernel::propose(const Rung      &rung,
                          const Energy    &energy,
                          const double     step_size,
                          const RandomKey &key,
                          const Replica   &replica,
                          Workspace       &workspace)
  {
    RandomKey normals_key = key;
    normals_key.purpose   = Purpose::proposal;
    fill_normals(normals_key, dealii::make_array_view(workspace.normals));

    const double         h          = step_size * rung.temperature;
    const double         amplitude  = std::sqrt(2. * h);
    const Evaluation    &evaluation = replica.evaluations[rung.level];
    Replica             &proposal   = workspace.proposal;
    std::vector<double> &position   = proposal.position;
    for (unsigned int i = 0; i < position.size(); ++i)
      {
        const double gradient =
          tempered_gradient(evaluation, rung.exponents, i);
        if (rung.preconditioner.empty())
          position[i] = replica.position[i] - h * gradient +
                        amplitude * workspace.normals[i];
        else
          position[i] = replica.position[i] -
                        h * rung.preconditioner[i] * gradient +
                        amplitude * std::sqrt(rung.preconditioner[i]) *
                          workspace.normals[i];
      }
    proposal.id = replica.id;
    proposal.invalidate();
    return energy.space().contains(
      dealii::make_array_view(std::as_const(position)));
  }



  bool
  LangevinKernel::evaluate_proposal(const Rung   &rung,
                                    const Energy &energy,
                                    const Request request,
                                    RandomKey     key,
                                    Workspace    &workspace)
  {
    const std::vector<double> &position = workspace.proposal.position;
    double                     sum      = 0.;
    for (const double x : position)
      sum += std::abs(x);
    if (!std::isfinite(sum))
      return false;

    Evaluation &evaluation = workspace.proposal.evaluations[rung.level];
    key.purpose            = Purpose::minibatch;
    energy.evaluate(dealii::make_array_view(position),
                    key,
                    request,
                    evaluation);
    evaluation.has_values    = true;
    evaluation.has_gradients = request == Request::values_and_gradients;
    return evaluation.is_finite();
  }



  double
  LangevinKernel::acceptance(const Rung      &rung,
                             const double     step_size,
                             const Replica   &replica,
                             const Workspace &workspace)
  {
    const double      h        = step_size * rung.temperature;
    const Replica    &proposal = workspace.proposal;
    const Evaluation &here     = replica.evaluations[rung.level];
    const Evaluation &there    = proposal.evaluations[rung.level];

    // The way there used exactly these normals; the way back needs its own.
    double there_squared = 0., back_squared = 0.;
    for (unsigned int i = 0; i < proposal.position.size(); ++i)
      {
        const double gradient = tempered_gradient(there, rung.exponents, i);
        const double way      = replica.position[i] - proposal.position[i];
        there_squared += workspace.normals[i] * workspace.normals[i];
        if (rung.preconditioner.empty())
          back_squared += (way + h * gradient) * (way + h * gradient);
        else
          {
            const double back = way + h * rung.preconditioner[i] * gradient;
            back_squared += back * back / rung.preconditioner[i];
          }
      }
    const double log_ratio = here.tempered(rung.exponents) -
                             there.tempered(rung.exponents) +
                             0.5 * there_squared - back_squared / (4. * h);
    // A NaN, from a step size that has underflowed, counts as a rejection.
    return log_ratio >= 0. ? 1. : log_ratio < 0. ? std::exp(log_ratio) : 0.;
  }



  SGLD::SGLD(const KernelParameters &parameters)
    : decay_offset(parameters.decay_offset)
    , decay_exponent(parameters.decay_exponent)
  {}



  double
  SGLD::step_factor(const std::uint64_t round) const
  {
    return decay_exponent == 0. ?
             1. :
             std::pow(decay_offset + static_cast<double>(round),
                      -decay_exponent);
  }



  StepOutcome
  SGLD::step(const Rung   &rung,
             const Energy &energy,
             const double  step_size,
             const bool    gradients_later,
             RandomKey     key,
             Replica      &replica,
             Workspace    &workspace) const
  {
    const bool inside =
      propose(rung, energy, step_size, key, replica, workspace);
    if (!inside)
      energy.space().reflect(
        dealii::make_array_view(workspace.proposal.position));

    StepOutcome outcome;
    outcome.evaluated = true;
    outcome.non_finite =
      !evaluate_proposal(rung,
                         energy,
                         gradients_later ? Request::values :
                                           Request::values_and_gradients,
                         key,
                         workspace);
    outcome.moved            = !outcome.non_finite;
    outcome.knows_acceptance = !gradients_later;
    if (outcome.moved)
      {
        if (inside && !gradients_later)
          outcome.acceptance = acceptance(rung, step_size, replica, workspace);
        std::swap(replica, workspace.proposal);
      }
    return outcome;
  }



  MALA::MALA(const KernelParameters &parameters)
    : adapt(parameters.adapt_step_size)
  {
    if (parameters.decay_exponent != 0.)
      throw UserError(
        "'Sampler/Kernel/Decay exponent' is for SGLD; MALA has no bias that a "
        "smaller step would remove. Set it to 0, or 'Type = SGLD'.");
  }



  void
  MALA::check(const Energy &energy) const
  {
    if (energy.is_stochastic())
      throw UserError(
        "The kernel MALA needs a deterministic energy, and this one is "
        "stochastic. Set 'Sampler/Kernel/Type = SGLD', or switch the noise of "
        "the level off.");
  }



  bool
  MALA::adapts_step_size() const
  {
    return adapt;
  }



  StepOutcome
  MALA::step(const Rung   &rung,
             const Energy &energy,
             const double  step_size,
             const bool /*gradients_later*/,
             RandomKey  key,
             Replica   &replica,
             Workspace &workspace) const
  {
    StepOutcome outcome;
    if (!propose(rung, energy, step_size, key, replica, workspace))
      return outcome;
    outcome.evaluated  = true;
    outcome.non_finite = !evaluate_proposal(
      rung, energy, Request::values_and_gradients, key, workspace);
    if (outcome.non_finite)
      return outcome;

    outcome.acceptance = acceptance(rung, step_size, replica, workspace);
    key.purpose        = Purpose::acceptance;
    outcome.moved =
      outcome.acceptance >= 1. || uniform(key) < outcome.acceptance;
    if (outcome.moved)
      std::swap(replica, workspace.proposal);
    return outcome;
  }
} // namespace Tempera
