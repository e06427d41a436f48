// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/base/vector_units.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/langevin.h>
#include <tempera/sampler/langevin_kernels.h>

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

    const Registration<KernelRegistry, PreconditionedSGLD> register_psgld(
      "pSGLD",
      "SGLD with the preconditioner of RMSprop, made during burn-in; for many unknowns of different scales, such as the weights of a network; after a warm start raise 'RMSprop offset'.");

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

    bool
    is_long(const std::vector<double> &state)
    {
      return state.size() >= long_array;
    }

    StepCoefficients
    step_coefficients(const Rung &rung, const double h)
    {
      return {h * rung.exponents.reference,
              h * rung.exponents.potential,
              std::sqrt(2. * h)};
    }

    /** For LangevinKernels, which take null for no preconditioner. */
    const double *
    pointer(const std::vector<double> &scales)
    {
      return scales.empty() ? nullptr : scales.data();
    }

    /** Squared length of the way back of a short state. */
    double
    way_back(const Rung    &rung,
             const double   h,
             const Replica &replica,
             const Replica &proposal)
    {
      const std::vector<double> &squares = rung.step_scales.squares;
      const Evaluation          &there   = proposal.evaluations[rung.level];

      double sum = 0.;
      for (unsigned int i = 0; i < proposal.position.size(); ++i)
        {
          const double gradient = tempered_gradient(there, rung.exponents, i);
          const double way      = replica.position[i] - proposal.position[i];
          if (squares.empty())
            sum += (way + h * gradient) * (way + h * gradient);
          else
            {
              const double back = way + h * squares[i] * gradient;
              sum += back * back / squares[i];
            }
        }
      return sum;
    }

    /** As LangevinKernels::propose, for a short state. */
    void
    propose_short(const Rung        &rung,
                  const double       h,
                  const RandomKey   &normals_key,
                  const Replica     &replica,
                  Kernel::Workspace &workspace)
    {
      fill_normals(normals_key, dealii::make_array_view(workspace.normals));

      const double               amplitude  = std::sqrt(2. * h);
      const std::vector<double> &squares    = rung.step_scales.squares;
      const std::vector<double> &roots      = rung.step_scales.roots;
      const Evaluation          &evaluation = replica.evaluations[rung.level];
      std::vector<double>       &position   = workspace.proposal.position;

      workspace.magnitude = workspace.squared_normals = 0.;
      for (unsigned int i = 0; i < position.size(); ++i)
        {
          const double normal = workspace.normals[i];
          const double gradient =
            tempered_gradient(evaluation, rung.exponents, i);
          if (squares.empty())
            position[i] =
              replica.position[i] - h * gradient + amplitude * normal;
          else
            position[i] = replica.position[i] - h * squares[i] * gradient +
                          amplitude * roots[i] * normal;
          workspace.magnitude += std::abs(position[i]);
          workspace.squared_normals += normal * normal;
        }
    }
  } // namespace



  const LangevinKernels &
  langevin_kernels()
  {
    static const LangevinKernels &kernels =
      for_vector_units(langevin_kernels_baseline,
                       langevin_kernels_v3,
                       langevin_kernels_v4);
    return kernels;
  }



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

    const double h        = step_size * rung.temperature;
    Replica     &proposal = workspace.proposal;
    if (is_long(replica.position))
      {
        const Evaluation &evaluation = replica.evaluations[rung.level];
        double            sums[2];
        langevin_kernels().propose(normal_stream(normals_key),
                                   step_coefficients(rung, h),
                                   replica.position.size(),
                                   replica.position.data(),
                                   evaluation.reference_gradient.data(),
                                   evaluation.potential_gradient.data(),
                                   pointer(rung.step_scales.roots),
                                   proposal.position.data(),
                                   workspace.way.data(),
                                   sums);
        workspace.magnitude       = sums[0];
        workspace.squared_normals = sums[1];
      }
    else
      propose_short(rung, h, normals_key, replica, workspace);

    proposal.id = replica.id;
    proposal.invalidate();
    return energy.space().contains(
      dealii::make_array_view(std::as_const(proposal.position)));
  }



  LangevinKernel::Verdict
  LangevinKernel::evaluate_proposal(const Rung    &rung,
                                    const Energy  &energy,
                                    const double   step_size,
                                    const Request  request,
                                    RandomKey      key,
                                    const Replica &replica,
                                    Workspace     &workspace)
  {
    Verdict verdict;
    if (!std::isfinite(workspace.magnitude))
      return verdict;

    const Replica &proposal = workspace.proposal;
    Evaluation    &there    = workspace.proposal.evaluations[rung.level];
    key.purpose             = Purpose::minibatch;
    energy.evaluate(dealii::make_array_view(proposal.position),
                    key,
                    request,
                    there);
    there.has_values    = request != Request::gradients;
    there.has_gradients = request != Request::values;
    verdict.is_finite =
      !there.has_values || std::isfinite(there.reference + there.potential);
    if (!verdict.is_finite || !there.has_gradients)
      return verdict;

    // The way there used known normal numbers; the way back needs its own.
    const double h = step_size * rung.temperature;
    const double back_squared =
      is_long(proposal.position) ?
        workspace.magnitude +
          langevin_kernels().way_back(step_coefficients(rung, h),
                                      proposal.position.size(),
                                      workspace.way.data(),
                                      there.reference_gradient.data(),
                                      there.potential_gradient.data(),
                                      pointer(rung.step_scales.roots)) :
        way_back(rung, h, replica, proposal);
    // All gradients are in this sum: it is finite only if they are, but for
    // overflow, which is as bad. No second look at them is needed.
    verdict.is_finite = std::isfinite(back_squared);
    if (!there.has_values)
      return verdict;

    const double log_ratio =
      replica.evaluations[rung.level].tempered(rung.exponents) -
      there.tempered(rung.exponents) + 0.5 * workspace.squared_normals -
      back_squared / (4. * h);
    // A NaN, from a step size that has underflowed, counts as a rejection.
    verdict.acceptance = log_ratio >= 0. ? 1. :
                         log_ratio < 0.  ? std::exp(log_ratio) :
                                           0.;
    return verdict;
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
    outcome.request       = energy.has_noisy_gradients() ? Request::gradients :
                            gradients_later              ? Request::values :
                                              Request::values_and_gradients;
    const Verdict verdict = evaluate_proposal(
      rung, energy, step_size, outcome.request, key, replica, workspace);
    outcome.evaluated        = true;
    outcome.non_finite       = !verdict.is_finite;
    outcome.moved            = verdict.is_finite;
    outcome.knows_acceptance = outcome.request == Request::values_and_gradients;
    if (outcome.moved)
      {
        if (inside)
          outcome.acceptance = verdict.acceptance;
        std::swap(replica, workspace.proposal);
      }
    return outcome;
  }



  PreconditionedSGLD::PreconditionedSGLD(const KernelParameters &parameters)
    : SGLD(parameters)
    , decay(parameters.rmsprop_decay)
    , offset(parameters.rmsprop_offset)
  {
    if (parameters.preconditioner.keyword != "none")
      throw UserError(
        "The kernel pSGLD makes its own preconditioner, from the gradients "
        "during burn-in, but 'Sampler/Kernel/Preconditioner' asks for another "
        "one. Set it to 'none', or 'Type = SGLD'.");
  }



  void
  PreconditionedSGLD::adapt(Rung          &rung,
                            const Replica &replica,
                            Workspace     &workspace) const
  {
    const Evaluation &evaluation = replica.evaluations[rung.level];
    const std::size_t n          = replica.position.size();
    workspace.squared_gradients.resize(n);
    rung.preconditioner.resize(n);
    workspace.weight_of_averages =
      decay * workspace.weight_of_averages + (1. - decay);
    langevin_kernels().average_squares(n,
                                       decay,
                                       workspace.weight_of_averages,
                                       offset,
                                       rung.temperature *
                                         rung.exponents.reference,
                                       rung.temperature *
                                         rung.exponents.potential,
                                       evaluation.reference_gradient.data(),
                                       evaluation.potential_gradient.data(),
                                       workspace.squared_gradients.data(),
                                       rung.preconditioner.data());
    rung.update_step_scales();
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
    if (energy.is_stochastic() || energy.has_noisy_gradients())
      throw UserError(
        "The kernel MALA needs a deterministic energy, and this one is "
        "stochastic. Set 'Sampler/Kernel/Type = SGLD', or switch the noise or "
        "the minibatches of the level off.");
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
    const Verdict verdict = evaluate_proposal(rung,
                                              energy,
                                              step_size,
                                              Request::values_and_gradients,
                                              key,
                                              replica,
                                              workspace);
    outcome.evaluated     = true;
    outcome.non_finite    = !verdict.is_finite;
    if (outcome.non_finite)
      return outcome;

    outcome.acceptance = verdict.acceptance;
    key.purpose        = Purpose::acceptance;
    outcome.moved =
      outcome.acceptance >= 1. || uniform(key) < outcome.acceptance;
    if (outcome.moved)
      std::swap(replica, workspace.proposal);
    return outcome;
  }
} // namespace Tempera
