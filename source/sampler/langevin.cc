// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/user_error.h>
#include <tempera/base/vector_units.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/langevin.h>
#include <tempera/sampler/langevin_loops.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Tempera
{
  namespace
  {
    const KernelRegistration<SGLD> register_sgld(
      "SGLD",
      "Stochastic gradient Langevin dynamics; takes noisy energies, biased by the order of the step size.");

    const KernelRegistration<PreconditionedSGLD> register_psgld(
      "pSGLD",
      "SGLD with the preconditioner of RMSprop, made during burn-in; for many unknowns of different scales, such as the weights of a network; after a warm start raise 'RMSprop offset'.");

    const KernelRegistration<MALA> register_mala(
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

    /** For LangevinLoops, which take null for no preconditioner. */
    const double *
    pointer(const std::vector<double> &scales)
    {
      return scales.empty() ? nullptr : scales.data();
    }

    /** Squared length of the way back of a short state. */
    double
    way_back(const Rung          &rung,
             const double         h,
             const Replica       &replica,
             const LangevinState &state)
    {
      const std::vector<double> &squares  = state.tuning.scales().squares;
      const Replica             &proposal = state.proposal;
      const Evaluation          &there    = proposal.evaluations[rung.level];

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

    /** As LangevinLoops::propose, for a short state. */
    void
    propose_short(const Rung      &rung,
                  const double     h,
                  const RandomKey &normals_key,
                  const Replica   &replica,
                  LangevinState   &state)
    {
      fill_normals(normals_key, dealii::make_array_view(state.normals));

      const double               amplitude  = std::sqrt(2. * h);
      const std::vector<double> &squares    = state.tuning.scales().squares;
      const std::vector<double> &roots      = state.tuning.scales().roots;
      const Evaluation          &evaluation = replica.evaluations[rung.level];
      std::vector<double>       &position   = state.proposal.position;

      double magnitude = 0., squared_normals = 0.;
      for (unsigned int i = 0; i < position.size(); ++i)
        {
          const double normal = state.normals[i];
          const double gradient =
            tempered_gradient(evaluation, rung.exponents, i);
          if (squares.empty())
            position[i] =
              replica.position[i] - h * gradient + amplitude * normal;
          else
            position[i] = replica.position[i] - h * squares[i] * gradient +
                          amplitude * roots[i] * normal;
          magnitude += std::abs(position[i]);
          squared_normals += normal * normal;
        }
      state.magnitude       = magnitude;
      state.squared_normals = squared_normals;
    }

    /** The gradient of the tempered energy in units of L. */
    void
    whitened_gradient(const Rung          &rung,
                      const Evaluation    &evaluation,
                      const StepScales    &scales,
                      std::vector<double> &gradient)
    {
      for (unsigned int i = 0; i < gradient.size(); ++i)
        gradient[i] = tempered_gradient(evaluation, rung.exponents, i);
      scales.apply_transposed_root(gradient);
    }

    /** The same with a dense preconditioner, of a state of any length. */
    void
    propose_dense(const Rung      &rung,
                  const double     h,
                  const RandomKey &normals_key,
                  const Replica   &replica,
                  LangevinState   &state)
    {
      fill_normals(normals_key, dealii::make_array_view(state.normals));

      const double         amplitude = std::sqrt(2. * h);
      const StepScales    &scales    = state.tuning.scales();
      std::vector<double> &position  = state.proposal.position;
      std::vector<double> &back      = state.way_back;
      back.resize(position.size());
      whitened_gradient(rung, replica.evaluations[rung.level], scales, back);
      state.magnitude = state.squared_normals = 0.;
      for (unsigned int i = 0; i < position.size(); ++i)
        {
          back[i]     = h * back[i] - amplitude * state.normals[i];
          position[i] = -back[i];
          state.squared_normals += state.normals[i] * state.normals[i];
        }
      scales.apply_root(position);
      for (unsigned int i = 0; i < position.size(); ++i)
        {
          position[i] += replica.position[i];
          state.magnitude += std::abs(position[i]);
        }
    }

    /** Squared length of the way back with a dense preconditioner. */
    double
    way_back_dense(const Rung &rung, const double h, LangevinState &state)
    {
      std::vector<double> &gradient = state.normals;
      whitened_gradient(rung,
                        state.proposal.evaluations[rung.level],
                        state.tuning.scales(),
                        gradient);
      double sum = 0.;
      for (unsigned int i = 0; i < gradient.size(); ++i)
        {
          const double back = state.way_back[i] + h * gradient[i];
          sum += back * back;
        }
      return sum;
    }
  } // namespace



  const LangevinLoops &
  langevin_loops()
  {
    static const LangevinLoops &loops =
      for_vector_units(langevin_loops_baseline,
                       langevin_loops_v3,
                       langevin_loops_v4);
    return loops;
  }



  LangevinState::LangevinState(const StepTuning  &tuning,
                               const unsigned int dimension,
                               const unsigned int n_levels)
    : KernelStateOf(tuning, dimension, n_levels)
    , normals(dimension)
    , way(dimension)
  {}



  std::unique_ptr<KernelState>
  LangevinKernel::make_state(const Rung        &rung,
                             const unsigned int dimension,
                             const unsigned int n_levels) const
  {
    return std::make_unique<LangevinState>(make_tuning(rung, dimension),
                                           dimension,
                                           n_levels);
  }



  bool
  LangevinKernel::propose(const StepContext &context,
                          const double       step_size,
                          const Replica     &replica,
                          LangevinState     &state)
  {
    RandomKey normals_key = context.key;
    normals_key.purpose   = Purpose::proposal;

    const Rung  &rung     = context.rung;
    const double h        = step_size * rung.temperature;
    Replica     &proposal = state.proposal;
    if (state.tuning.scales().is_dense())
      propose_dense(rung, h, normals_key, replica, state);
    else if (is_long(replica.position))
      {
        const Evaluation &evaluation = replica.evaluations[rung.level];
        double            sums[2];
        langevin_loops().propose(normal_stream(normals_key),
                                 step_coefficients(rung, h),
                                 replica.position.size(),
                                 replica.position.data(),
                                 evaluation.reference_gradient.data(),
                                 evaluation.potential_gradient.data(),
                                 pointer(state.tuning.scales().roots),
                                 proposal.position.data(),
                                 state.way.data(),
                                 sums);
        state.magnitude       = sums[0];
        state.squared_normals = sums[1];
      }
    else
      propose_short(rung, h, normals_key, replica, state);

    proposal.id = replica.id;
    proposal.invalidate();
    return context.energy.space().contains(
      dealii::make_array_view(std::as_const(proposal.position)));
  }



  LangevinKernel::Verdict
  LangevinKernel::evaluate_proposal(const StepContext &context,
                                    const double       step_size,
                                    const Request      request,
                                    const Replica     &replica,
                                    LangevinState     &state)
  {
    Verdict verdict;
    if (!std::isfinite(state.magnitude))
      return verdict;

    const Rung    &rung     = context.rung;
    const Replica &proposal = state.proposal;
    Evaluation    &there    = state.proposal.evaluations[rung.level];
    RandomKey      key      = context.key;
    key.purpose             = Purpose::minibatch;
    context.energy.evaluate(dealii::make_array_view(proposal.position),
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
      state.tuning.scales().is_dense() ?
        way_back_dense(rung, h, state) :
      is_long(proposal.position) ?
        state.magnitude +
          langevin_loops().way_back(step_coefficients(rung, h),
                                    proposal.position.size(),
                                    state.way.data(),
                                    there.reference_gradient.data(),
                                    there.potential_gradient.data(),
                                    pointer(state.tuning.scales().roots)) :
        way_back(rung, h, replica, state);
    // All gradients are in this sum: it is finite only if they are, but for
    // overflow, which is as bad. No second look at them is needed.
    verdict.is_finite = std::isfinite(back_squared);
    if (!there.has_values)
      return verdict;

    const double log_ratio =
      replica.evaluations[rung.level].tempered(rung.exponents) -
      there.tempered(rung.exponents) + 0.5 * state.squared_normals -
      back_squared / (4. * h);
    verdict.acceptance = metropolis(log_ratio);
    return verdict;
  }



  void
  SGLD::Parameters::declare(dealii::ParameterHandler &prm)
  {
    declare_number_above(
      prm,
      "Decay offset",
      decay_offset,
      0.,
      "b of SGLD's decaying step size a (b + k)^(-gamma), k the number of rounds done.");
    prm.add_parameter(
      "Decay exponent",
      decay_exponent,
      "gamma of SGLD's decaying step size; 0 is a constant step.",
      dealii::Patterns::Double(0., 1.));
  }



  SGLD::SGLD(const KernelParameters &parameters)
    : LangevinKernel("SGLD", false, 1., learning_of(parameters.preconditioner))
    , decay_offset(parameters.of<SGLD>().decay_offset)
    , decay_exponent(parameters.of<SGLD>().decay_exponent)
  {}



  KernelNeeds
  SGLD::needs() const
  {
    // By noisy gradients it moves without knowing the energy.
    KernelNeeds result;
    result.values = false;
    return result;
  }



  double
  SGLD::step_factor(const std::uint64_t round) const
  {
    return decay_exponent == 0. ?
             1. :
             std::pow(decay_offset + static_cast<double>(round),
                      -decay_exponent);
  }



  StepOutcome
  SGLD::step(const StepContext &context,
             Replica           &replica,
             KernelState       &kernel_state) const
  {
    LangevinState &state  = static_cast<LangevinState &>(kernel_state);
    const Energy  &energy = context.energy;
    const double   step_size =
      state.tuning.step_size() * SGLD::step_factor(context.key.round);
    const bool inside = propose(context, step_size, replica, state);
    if (!inside)
      energy.space().reflect(dealii::make_array_view(state.proposal.position));

    const Request request =
      energy.has_noisy_gradients() ? Request::gradients :
      context.gradients_later      ? Request::values :
                                     Request::values_and_gradients;
    const Verdict verdict =
      evaluate_proposal(context, step_size, request, replica, state);
    StepOutcome outcome;
    outcome.count(request);
    outcome.non_finite       = !verdict.is_finite;
    outcome.moved            = verdict.is_finite;
    outcome.knows_acceptance = request == Request::values_and_gradients;
    if (outcome.moved)
      {
        if (inside)
          outcome.acceptance = verdict.acceptance;
        swap(replica, state.proposal);
      }
    return outcome;
  }



  void
  PreconditionedSGLD::Parameters::declare(dealii::ParameterHandler &prm)
  {
    prm.add_parameter(
      "RMSprop decay",
      rmsprop_decay,
      "For pSGLD: how much of the average V of squared gradients is kept from one step of the burn-in to the next.",
      dealii::Patterns::Double(0., 0.999999));
    declare_number_above(
      prm,
      "RMSprop offset",
      rmsprop_offset,
      0.,
      "For pSGLD: lambda of its preconditioner 1/(lambda + sqrt(V)); it bounds the steps of unknowns that have no gradient.");
  }



  PreconditionedSGLD::PreconditionedSGLD(const KernelParameters &parameters)
    : SGLD(parameters)
    , decay(parameters.of<PreconditionedSGLD>().rmsprop_decay)
    , offset(parameters.of<PreconditionedSGLD>().rmsprop_offset)
  {
    if (parameters.preconditioner.keyword != "none")
      throw UserError(
        "The kernel pSGLD makes its own preconditioner, from the gradients "
        "during burn-in, but 'Sampler/Kernel/Preconditioner' asks for another "
        "one. Set it to 'none', or 'Type = SGLD'.");
  }



  StepOutcome
  PreconditionedSGLD::step(const StepContext &context,
                           Replica           &replica,
                           KernelState       &state) const
  {
    if (context.in_burn_in)
      adapt(context.rung, replica, static_cast<LangevinState &>(state));
    return SGLD::step(context, replica, state);
  }



  void
  PreconditionedSGLD::adapt(const Rung    &rung,
                            const Replica &replica,
                            LangevinState &state) const
  {
    const Evaluation &evaluation = replica.evaluations[rung.level];
    const std::size_t n          = replica.position.size();
    StepScales       &scales     = state.tuning.scales();
    state.squared_gradients.resize(n);
    scales.preconditioner.resize(n);
    state.weight_of_averages = decay * state.weight_of_averages + (1. - decay);
    langevin_loops().average_squares(n,
                                     decay,
                                     state.weight_of_averages,
                                     offset,
                                     rung.temperature *
                                       rung.exponents.reference,
                                     rung.temperature *
                                       rung.exponents.potential,
                                     evaluation.reference_gradient.data(),
                                     evaluation.potential_gradient.data(),
                                     state.squared_gradients.data(),
                                     scales.preconditioner.data());
    scales.update();
  }



  void
  MALA::Parameters::declare(dealii::ParameterHandler &prm)
  {
    prm.add_parameter("Target acceptance",
                      target_acceptance,
                      "Acceptance that the adaptation of MALA aims at.",
                      dealii::Patterns::Double(0.01, 0.99));
  }



  MALA::MALA(const KernelParameters &parameters)
    : LangevinKernel("MALA",
                     parameters.adapt_step_size,
                     parameters.of<MALA>().target_acceptance,
                     learning_of(parameters.preconditioner))
  {
    if (parameters.of<SGLD>().decay_exponent != 0.)
      throw UserError(
        "'Sampler/Kernel/Decay exponent' is for SGLD; MALA has no bias that a "
        "smaller step would remove. Set it to 0, or 'Type = SGLD'.");
  }



  StepOutcome
  MALA::step(const StepContext &context,
             Replica           &replica,
             KernelState       &kernel_state) const
  {
    LangevinState &state     = static_cast<LangevinState &>(kernel_state);
    const double   step_size = state.tuning.step_size();
    StepOutcome    outcome;
    if (propose(context, step_size, replica, state))
      {
        const Verdict verdict = evaluate_proposal(
          context, step_size, Request::values_and_gradients, replica, state);
        outcome.count(Request::values_and_gradients);
        outcome.non_finite = !verdict.is_finite;
        if (verdict.is_finite)
          {
            outcome.acceptance = verdict.acceptance;
            RandomKey key      = context.key;
            key.purpose        = Purpose::acceptance;
            outcome.moved =
              outcome.acceptance >= 1. || uniform(key) < outcome.acceptance;
            if (outcome.moved)
              swap(replica, state.proposal);
          }
      }
    if (context.in_burn_in)
      state.tuning.observe_acceptance(outcome.acceptance);
    return outcome;
  }
} // namespace Tempera
