// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/sampler/kernel.h>

namespace Tempera
{
  void
  KernelParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter(
      "Type",
      types,
      "The kernel that moves the state of a rung; one name for all rungs or one per rung. 'tempera list' describes them.",
      some_of(KernelRegistry::names()));
    declare_numbers_above(
      prm,
      "Step sizes",
      step_sizes,
      0.,
      "Step size (eta, or a of a decaying step) of each rung, or one for all. A rung at temperature tau takes steps with drift eta times the gradient of the energy (of tau times the prior part plus the misfit, if the likelihood is tempered) and noise of variance 2 eta tau.");
    prm.add_parameter(
      "Steps per round",
      steps_per_round,
      "Kernel steps of each rung between two times at which swaps may happen, or one number for all. Cheap hot rungs can take more.",
      List(Integer(1), 1));
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
      Double(0., 1.));
    prm.add_parameter(
      "Adapt step size",
      adapt_step_size,
      "Whether MALA adapts each rung's step size to the target acceptance during burn-in.");
    prm.add_parameter("Target acceptance",
                      target_acceptance,
                      "Acceptance that the adaptation of MALA aims at.",
                      Double(0.01, 0.99));
    declare_number_list(
      prm,
      "Preconditioner",
      preconditioner,
      {"none", "adapt"},
      0.,
      true,
      "Diagonal preconditioner of the steps: one positive number per unknown, proportional to its variance; 'adapt' measures the variances of every rung during burn-in. pSGLD makes its own.");
    prm.add_parameter(
      "RMSprop decay",
      rmsprop_decay,
      "For pSGLD: how much of the average V of squared gradients is kept from one step of the burn-in to the next.",
      Double(0., 0.999999));
    declare_number_above(
      prm,
      "RMSprop offset",
      rmsprop_offset,
      0.,
      "For pSGLD: lambda of its preconditioner 1/(lambda + sqrt(V)); it bounds the steps of unknowns that have no gradient.");
  }



  Kernel::Workspace::Workspace(const unsigned int dimension,
                               const unsigned int n_levels)
    : proposal(0, std::vector<double>(dimension), n_levels)
    , normals(dimension)
    , way(dimension)
  {}
} // namespace Tempera
