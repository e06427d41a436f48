// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/crank_nicolson.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/prior_measure.h>

#include <cmath>

namespace Tempera
{
  CrankNicolsonKernel::CrankNicolsonKernel(const std::string &name,
                                           const bool         adapt_step_size,
                                           const double       target_acceptance)
    : TunedKernel(name,
                  adapt_step_size,
                  target_acceptance,
                  Learning::nothing,
                  StepRule::robbins_monro)
  {}



  KernelNeeds
  CrankNicolsonKernel::needs() const
  {
    KernelNeeds result;
    result.gradients        = request() != Request::values;
    result.prior_covariance = result.gaussian_prior = true;
    return result;
  }



  std::unique_ptr<KernelState>
  CrankNicolsonKernel::make_state(const Rung        &rung,
                                  const unsigned int dimension,
                                  const unsigned int n_levels) const
  {
    return std::make_unique<CrankNicolsonState>(make_tuning(rung, dimension),
                                                dimension,
                                                n_levels);
  }



  double
  CrankNicolsonKernel::correlation(const Rung &rung, const TunedState &state)
  {
    return std::exp(-state.tuning.step_size() * rung.temperature);
  }



  StepOutcome
  CrankNicolsonKernel::step(const StepContext &context,
                            Replica           &replica,
                            KernelState       &kernel_state) const
  {
    CrankNicolsonState &state = static_cast<CrankNicolsonState &>(kernel_state);
    Replica            &proposal = state.proposal;
    const Rung         &rung     = context.rung;
    const Evaluation   &here     = replica.evaluations[rung.level];
    const double        rho      = correlation(rung, state);

    state.noise.resize(context.prior->root_size());
    state.move.resize(replica.position.size());
    RandomKey key = context.key;
    key.purpose   = Purpose::proposal;
    fill_normals(key, dealii::make_array_view(state.noise));
    context.prior->apply_covariance_root(dealii::make_array_view(
                                           std::as_const(state.noise)),
                                         dealii::make_array_view(state.move));
    std::vector<double> drift, mean = context.prior->centre();
    shape_law(state, mean, state.move);
    find_drift(context, here, drift);
    const double length = std::sqrt(1. - rho * rho);
    proposal.id         = replica.id;
    for (std::size_t i = 0; i < mean.size(); ++i)
      proposal.position[i] = mean[i] + rho * (replica.position[i] - mean[i]) +
                             length * state.move[i];
    for (std::size_t i = 0; i < drift.size(); ++i)
      proposal.position[i] -= (1. - rho) * drift[i];
    proposal.invalidate();

    Evaluation &there = proposal.evaluations[rung.level];
    key.purpose       = Purpose::minibatch;
    context.energy.evaluate(dealii::make_array_view(
                              std::as_const(proposal.position)),
                            key,
                            request(),
                            there);
    there.has_values    = true;
    there.has_gradients = request() != Request::values;
    StepOutcome outcome;
    outcome.count(request());
    outcome.non_finite = !there.is_finite();
    if (!outcome.non_finite)
      {
        outcome.acceptance = metropolis(
          rung.exponents.potential * (here.potential - there.potential) +
          correction(context, state, drift, replica));
        key.purpose   = Purpose::acceptance;
        outcome.moved = uniform(key) < outcome.acceptance;
      }
    if (outcome.moved)
      swap(replica, proposal);
    if (context.in_burn_in)
      state.tuning.observe_acceptance(outcome.acceptance);
    return outcome;
  }
} // namespace Tempera
