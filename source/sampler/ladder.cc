// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/sampler/ladder.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  void
  LadderParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter(
      "Number of rungs",
      n_rungs,
      "Number of tempered chains. One is a plain chain without swaps. Ignored if 'Temperatures' is a list.",
      Integer(1, 10000));
    declare_number_list(
      prm,
      "Temperatures",
      temperatures,
      {"geometric", "automatic"},
      0.,
      true,
      "Temperature of each rung, in increasing order. 'geometric': constant ratio from the lowest to the highest. 'automatic': begins so, and is spaced during burn-in for equal rejection of swaps along the ladder.");
    declare_number_above(
      prm,
      "Lowest temperature",
      lowest_temperature,
      0.,
      "Temperature of the coldest rung; 1 is the posterior. Used unless 'Temperatures' is a list.");
    declare_number_above(
      prm,
      "Highest temperature",
      highest_temperature,
      0.,
      "Temperature of the hottest rung. Used unless 'Temperatures' is a list.");
    prm.add_parameter(
      "Levels",
      levels,
      "The level (fidelity) of each rung, by name; one name serves all rungs. Every level has a section 'Levels/NAME'.",
      List(Anything(), 1));
    prm.add_parameter(
      "Temper",
      temper,
      "What the temperature divides: the whole energy ('posterior') or the misfit only ('likelihood'), so that hot rungs keep the prior.",
      one_of({"posterior", "likelihood"}));
  }



  Ladder::Ladder(const LadderParameters             &parameters,
                 const KernelParameters             &kernel_parameters,
                 std::vector<Level>                  the_levels,
                 std::shared_ptr<const PriorMeasure> prior)
    : levels(std::move(the_levels))
    , prior(std::move(prior))
    , temper(parameters.temper == "likelihood" ? Temper::likelihood :
                                                 Temper::posterior)
    , automatic_spacing(parameters.temperatures.keyword == "automatic")
  {
    const bool listed = parameters.temperatures.keyword.empty();
    rungs.resize(listed ? parameters.temperatures.numbers.size() :
                          parameters.n_rungs);
    const unsigned int n = rungs.size();

    if (!listed && n > 1 &&
        parameters.highest_temperature <= parameters.lowest_temperature)
      throw UserError("'Sampler/Ladder/Highest temperature' (" +
                      to_text(parameters.highest_temperature) +
                      ") must exceed 'Lowest temperature' (" +
                      to_text(parameters.lowest_temperature) + ").");

    for (unsigned int i = 0; i < n; ++i)
      {
        const std::string level_name =
          entry_for_rung(parameters.levels, i, n, "Sampler/Ladder/Levels");
        const auto level =
          std::find_if(levels.begin(), levels.end(), [&](const Level &one) {
            return one.name == level_name;
          });
        if (level == levels.end())
          throw UserError("There is no level '" + level_name +
                          "', which 'Sampler/Ladder/Levels' names.");
        rungs[i].level     = level - levels.begin();
        rungs[i].step_size = entry_for_rung(kernel_parameters.step_sizes,
                                            i,
                                            n,
                                            "Sampler/Kernel/Step sizes");
        rungs[i].n_steps   = entry_for_rung(kernel_parameters.steps_per_round,
                                          i,
                                          n,
                                          "Sampler/Kernel/Steps per round");
        rungs[i].kernel    = kernel_parameters.make(
          entry_for_rung(kernel_parameters.types, i, n, "Sampler/Kernel/Type"));
        rungs[i].preconditioner = kernel_parameters.preconditioner.numbers;

        const double share = n > 1 ? double(i) / (n - 1) : 0.;
        set_temperature(i,
                        listed ? parameters.temperatures.numbers[i] :
                                 parameters.lowest_temperature *
                                   std::pow(parameters.highest_temperature /
                                              parameters.lowest_temperature,
                                            share));
      }
    check();
  }



  Ladder::Ladder(std::vector<Rung>                   the_rungs,
                 std::vector<Level>                  the_levels,
                 const Temper                        temper,
                 std::shared_ptr<const PriorMeasure> prior)
    : rungs(std::move(the_rungs))
    , levels(std::move(the_levels))
    , prior(std::move(prior))
    , temper(temper)
  {
    for (unsigned int i = 0; i < rungs.size(); ++i)
      set_temperature(i, rungs[i].temperature);
    check();
  }



  void
  Ladder::set_temperature(const unsigned int rung, const double temperature)
  {
    rungs[rung].temperature = temperature;
    rungs[rung].exponents.reference =
      temper == Temper::posterior ? 1. / temperature : 1.;
    rungs[rung].exponents.potential = 1. / temperature;
  }



  void
  Ladder::set_step_factors(const std::vector<double> &factors)
  {
    if (!factors.empty() && factors.size() != space().dimension())
      throw UserError("There are " + counted(factors.size(), "step factor") +
                      ", but the problem has " +
                      counted(space().dimension(), "unknown") +
                      ". Give one factor per unknown.");
    for (const double factor : factors)
      if (!(factor > 0.) || std::isinf(factor))
        throw UserError("A step factor is " + to_text(factor) +
                        ", but it must be a positive number.");
    for (Rung &rung : rungs)
      rung.step_factors = factors;
  }



  void
  Ladder::check() const
  {
    if (rungs.empty())
      throw UserError("A ladder needs at least one rung.");
    for (unsigned int i = 0; i < size(); ++i)
      {
        if (i > 0 && rungs[i].temperature <= rungs[i - 1].temperature)
          throw UserError(
            "The temperatures of 'Sampler/Ladder/Temperatures' must increase "
            "from rung to rung, but " +
            to_text(rungs[i - 1].temperature) + " is followed by " +
            to_text(rungs[i].temperature) + ".");
        if (energy(i).space().dimension() != space().dimension())
          throw UserError("The levels '" + levels[0].name + "' and '" +
                          levels[rungs[i].level].name +
                          "' have different numbers of unknowns.");
        if (!rungs[i].preconditioner.empty() &&
            rungs[i].preconditioner.size() != space().dimension())
          throw UserError("'Sampler/Kernel/Preconditioner' has " +
                          counted(rungs[i].preconditioner.size(), "entry") +
                          ", but the problem has " +
                          counted(space().dimension(), "unknown") +
                          ". Give one entry per unknown.");
        if (!energy(i).is_integrable(rungs[i].exponents))
          throw UserError(
            "The target of rung " + std::to_string(i) + " at temperature " +
            to_text(rungs[i].temperature) +
            " is improper: its density has no finite integral. Lower "
            "'Sampler/Ladder/Highest temperature' (or the last of "
            "'Temperatures'), give the unknowns a proper prior (bounds or a "
            "standard deviation), or set 'Sampler/Ladder/Temper = likelihood' "
            "with such a prior.");
        rungs[i].kernel->check(energy(i));
        check_prior(i);
      }
  }



  void
  Ladder::check_prior(const unsigned int rung) const
  {
    const KernelNeeds needs = rungs[rung].kernel->needs();
    if ((needs.prior_draws || needs.prior_covariance) &&
        (prior == nullptr || !prior->is_integrable(1.)))
      throw UserError(
        "The kernel of rung " + std::to_string(rung) + " needs " +
        (needs.prior_draws ? "draws from the prior" :
                             "the covariance of the prior") +
        ", but what is sampled has no prior that is a law of its own. Give "
        "all unknowns proper priors, or set 'Sampler/Kernel/Type' to another "
        "kernel.");
  }
} // namespace Tempera
