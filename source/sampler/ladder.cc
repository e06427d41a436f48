// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/base/words.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/prior_draws.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    /** Where a temperature begins that has so large a share of the way. */
    double
    first_temperature(const double lowest,
                      const double highest,
                      const double share)
    {
      // To the prior, the larger steps are near it.
      return std::isinf(highest) ? lowest / std::pow(1. - share, 3) :
                                   lowest * std::pow(highest / lowest, share);
    }

    bool
    is_proper(const PriorMeasure *prior)
    {
      return prior != nullptr && prior->is_integrable(1.);
    }

    Temper
    chosen(const Temper temper, const PriorMeasure *prior)
    {
      return temper != Temper::automatic ? temper :
             is_proper(prior)            ? Temper::likelihood :
                                           Temper::posterior;
    }
  } // namespace



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
      "Temperature of each rung, in increasing order; equal ones may follow each other where the level changes. 'infinity' for the last rung: independent draws from the prior, with 'Temper = likelihood'. 'geometric': constant ratio from the lowest to the highest. 'automatic': begins so, and is spaced during burn-in for equal rejection of swaps along the ladder.",
      true,
      true);
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
      "Temperature of the hottest rung; 'infinity' for the prior itself, with 'Temper = likelihood'. Used unless 'Temperatures' is a list.",
      true);
    prm.add_parameter(
      "Levels",
      levels,
      "The level (fidelity) of each rung, by name; one name serves all rungs. Every level has a section 'Levels/NAME'.",
      List(Anything(), 1));
    prm.add_parameter(
      "Pace",
      paces,
      "Rounds of each rung, with swaps among themselves, in a round of the coldest rung; one number for all rungs or one per rung. Begins with 1 and does not decrease; each is a multiple of the one before. Cheap rungs can be faster: two neighbours are tested at the pace of the colder one.",
      List(Integer(1), 1));
    declare_choice<Temper>(
      prm,
      "Temper",
      temper,
      {{"automatic", Temper::automatic},
       {"posterior", Temper::posterior},
       {"likelihood", Temper::likelihood}},
      "What the temperature divides: the whole energy ('posterior') or the misfit only ('likelihood'), so that hot rungs keep the prior. 'automatic': 'likelihood' where all unknowns have proper priors, otherwise 'posterior'.");
  }



  Ladder::Ladder(const LadderParameters             &parameters,
                 const KernelParameters             &kernel_parameters,
                 std::vector<Level>                  the_levels,
                 std::shared_ptr<const PriorMeasure> prior)
    : levels(std::move(the_levels))
    , prior(std::move(prior))
    , temper(chosen(parameters.temper, this->prior.get()))
    , automatic_spacing(parameters.temperatures.keyword == "automatic")
  {
    const bool listed = parameters.temperatures.keyword.empty();
    rungs.resize(listed ? parameters.temperatures.numbers.size() :
                          parameters.n_rungs);
    const unsigned int n = rungs.size();

    if (!listed && n > 1 &&
        !(parameters.highest_temperature > parameters.lowest_temperature))
      throw UserError("'Sampler/Ladder/Highest temperature' (" +
                      to_text(parameters.highest_temperature) +
                      ") must exceed 'Lowest temperature' (" +
                      to_text(parameters.lowest_temperature) + ").");

    if (std::isinf(parameters.highest_temperature) &&
        parameters.temperatures.keyword == "geometric")
      throw UserError(
        "'Sampler/Ladder/Highest temperature' is infinity, which no constant "
        "ratio leads to. Set 'Temperatures = automatic', or list them.");

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
        rungs[i].pace =
          entry_for_rung(parameters.paces, i, n, "Sampler/Ladder/Pace");
        rungs[i].preconditioner = kernel_parameters.preconditioner.numbers;

        const double share = n > 1 ? double(i) / (n - 1) : 0.;
        set_temperature(i,
                        listed ?
                          parameters.temperatures.numbers[i] :
                          first_temperature(parameters.lowest_temperature,
                                            parameters.highest_temperature,
                                            share));
        rungs[i].kernel = kernel_parameters.make(
          entry_for_rung(kernel_parameters.types, i, n, "Sampler/Kernel/Type"));
      }
    draw_from_prior();
    check();
  }



  Ladder::Ladder(std::vector<Rung>                   the_rungs,
                 std::vector<Level>                  the_levels,
                 const Temper                        temper,
                 std::shared_ptr<const PriorMeasure> prior)
    : rungs(std::move(the_rungs))
    , levels(std::move(the_levels))
    , prior(std::move(prior))
    , temper(chosen(temper, this->prior.get()))
  {
    for (unsigned int i = 0; i < rungs.size(); ++i)
      set_temperature(i, rungs[i].temperature);
    draw_from_prior();
    check();
  }



  void
  Ladder::draw_from_prior()
  {
    for (Rung &rung : rungs)
      if (rung.is_prior())
        {
          rung.kernel  = std::make_shared<PriorDraws>();
          rung.n_steps = 1;
        }
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
        check_order(i);
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
        if (rungs[i].n_steps > 0)
          rungs[i].kernel->check(energy(i));
        check_prior(i);
      }
    if (std::all_of(rungs.begin(), rungs.end(), [](const Rung &rung) {
          return rung.n_steps == 0;
        }))
      throw UserError(
        "'Sampler/Kernel/Steps per round' is 0 for every rung, so that nothing "
        "ever moves: a rung without steps lives by swaps with others that have "
        "some. Give at least one rung a positive number.");
  }



  void
  Ladder::check_order(const unsigned int rung) const
  {
    const Rung &one = rungs[rung];
    if (rung == 0)
      {
        if (one.pace != 1)
          throw UserError(
            "'Sampler/Ladder/Pace' begins with " + std::to_string(one.pace) +
            ", but rounds are those of the coldest rung. Begin with 1, and let "
            "hotter or cheaper rungs be faster.");
        if (one.is_prior())
          throw UserError(
            "The coldest rung has the temperature infinity, so that data would "
            "have no part in the answer. Lower 'Sampler/Ladder/Temperatures'.");
        return;
      }
    const Rung &colder = rungs[rung - 1];
    if (one.temperature < colder.temperature ||
        (one.temperature == colder.temperature && one.level == colder.level))
      throw UserError(
        "The temperatures of 'Sampler/Ladder/Temperatures' must increase "
        "from rung to rung, but " +
        to_text(colder.temperature) + " is followed by " +
        to_text(one.temperature) +
        (one.temperature == colder.temperature ?
           " at the same level. Equal temperatures need two levels." :
           "."));
    if (one.pace % colder.pace != 0)
      throw UserError(
        "'Sampler/Ladder/Pace' has " + std::to_string(colder.pace) +
        " for rung " + std::to_string(rung - 1) + " and " +
        std::to_string(one.pace) + " for rung " + std::to_string(rung) +
        ", but each must be a multiple of the one before, so "
        "that rounds of fast rungs fill those of slow ones.");
    if (one.is_prior() && temper == Temper::posterior && is_proper(prior.get()))
      throw UserError(
        "The temperature infinity is the prior, if only the likelihood is "
        "tempered. Set 'Sampler/Ladder/Temper = likelihood'.");
  }



  bool
  Ladder::is_change_of_level(const unsigned int rung) const
  {
    return rung > 0 && rungs[rung].level != rungs[rung - 1].level &&
           rungs[rung].temperature == rungs[rung - 1].temperature &&
           !energy(rung).is_stochastic() && !energy(rung - 1).is_stochastic();
  }



  void
  Ladder::check_prior(const unsigned int rung) const
  {
    const KernelNeeds needs = rungs[rung].kernel->needs();
    if (rungs[rung].is_prior() && !is_proper(prior.get()))
      throw UserError(
        "Rung " + std::to_string(rung) +
        " has the temperature infinity: its states are draws from the prior, "
        "but what is sampled has no prior that is a law of its own. Give all "
        "unknowns proper priors, or lower 'Sampler/Ladder/Highest temperature' "
        "or the last of 'Temperatures'.");
    if ((needs.prior_draws || needs.prior_covariance) &&
        !is_proper(prior.get()))
      throw UserError(
        "The kernel of rung " + std::to_string(rung) + " needs " +
        (needs.prior_draws ? "draws from the prior" :
                             "the covariance of the prior") +
        ", but what is sampled has no prior that is a law of its own. Give "
        "all unknowns proper priors, or set 'Sampler/Kernel/Type' to another "
        "kernel.");
    if (needs.gaussian_prior && !prior->is_gaussian())
      throw UserError(
        "The kernel of rung " + std::to_string(rung) +
        " moves along a Gaussian prior, but not all priors are normal. Give "
        "unknowns normal(mean, deviation), where they must be positive of "
        "their logarithm, or set 'Sampler/Kernel/Type' to another kernel, for "
        "instance MALA.");
    if (needs.gaussian_prior && rungs[rung].exponents.reference != 1.)
      throw UserError(
        "The kernel of rung " + std::to_string(rung) +
        " keeps the prior as it is, but 'Sampler/Ladder/Temper = posterior' "
        "tempers it, too. Set 'Sampler/Ladder/Temper = likelihood', or "
        "'Sampler/Kernel/Type' to another kernel, for instance MALA.");
  }
} // namespace Tempera
