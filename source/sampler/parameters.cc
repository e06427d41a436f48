// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/sampler/kernel.h>
#include <tempera/sampler/swap_rule.h>

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
      "Step size (eta, or a of a decaying step) of each rung, or one for all. A rung at temperature tau takes steps with drift eta times the gradient of the energy and noise of variance 2 eta tau.");
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
      "Diagonal preconditioner of the steps: one positive number per unknown, proportional to its variance; 'adapt' measures the variances of every rung during burn-in.");
  }



  void
  SwapParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter("Rule",
                      rule,
                      "How a swap is decided. 'tempera list' describes them.",
                      one_of(SwapRuleRegistry::names()));
    prm.add_parameter(
      "Every",
      every,
      "Rounds from one time at which swaps are tested to the next.",
      Integer(1));
    declare_number_list(
      prm,
      "Intensity",
      intensity,
      {"maximal"},
      0.,
      true,
      "Swap intensity r: a tested pair swaps with probability r eta min(1, S), eta the step size of its colder rung; r eta must not exceed 1. 'maximal' is r eta = 1.",
      false);
    prm.add_parameter(
      "Pairs",
      pairs,
      "Which neighbours are tested: 'even-odd' takes turns between the pairs (0,1), (2,3), ... and (1,2), (3,4), ...; 'random' takes one pair at random.",
      one_of({"even-odd", "random"}));
    prm.add_parameter(
      "Weights",
      weights,
      "Weights a1, a2 of the cold and of the hot rung's energy in the rule 'multi-variance'; they sum to 1.",
      List(Double(), 2, 2));
    prm.add_parameter(
      "Correlation",
      correlation,
      "Correlation of the noise of two levels at one state, for given 'Noise'.",
      Double(-1., 1.));
    prm.add_parameter(
      "Two-stage",
      two_stage,
      "Whether the rule 'exact' first screens a swap with the hot rung's energy alone, so that most failing swaps cost no fine evaluation.");
    declare_number_list(
      prm,
      "Noise",
      noise,
      {"estimate"},
      0.,
      false,
      "Standard deviation of the noise of each rung's energy, or one for all. 'estimate' measures it during burn-in where the energy is stochastic; deterministic energies have none.");
  }
} // namespace Tempera
