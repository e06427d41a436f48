// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/text.h>
#include <tempera/sampler/kernel.h>
#include <tempera/sampler/kernel_sequence.h>

#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/utilities.h>

#include <algorithm>

namespace Tempera
{
  namespace
  {
    /** Names of kernels with + between them; a comma between two rungs. */
    class KernelTypesPattern : public dealii::Patterns::PatternBase
    {
    public:
      bool
      match(const std::string &text) const override
      {
        const std::vector<std::string> known = KernelRegistry::names();
        for (const std::string &rung :
             dealii::Utilities::split_string_list(text, ','))
          for (const std::string &name :
               dealii::Utilities::split_string_list(rung, '+'))
            if (std::find(known.begin(), known.end(), name) == known.end())
              return false;
        return !dealii::Utilities::split_string_list(text, ',').empty();
      }

      /** As of a list of choices, which the words for users begin with. */
      std::string
      description(const OutputStyle style) const override
      {
        return some_of(KernelRegistry::names()).description(style);
      }

      std::unique_ptr<PatternBase>
      clone() const override
      {
        return std::make_unique<KernelTypesPattern>();
      }
    };
  } // namespace



  KernelParameters::KernelParameters()
  {
    take_registered();
  }



  KernelParameters::KernelParameters(const KernelParameters &other)
  {
    *this = other;
  }



  KernelParameters &
  KernelParameters::operator=(const KernelParameters &other)
  {
    types           = other.types;
    step_sizes      = other.step_sizes;
    steps_per_round = other.steps_per_round;
    adapt_step_size = other.adapt_step_size;
    preconditioner  = other.preconditioner;
    for (const auto &kind : other.kinds)
      kinds[kind.first] = kind.second->clone();
    return *this;
  }



  void
  KernelParameters::take_registered()
  {
    for (const std::string &name : KernelRegistry::names())
      if (kinds.count(name) == 0)
        kinds[name] = KernelRegistry::create(name);
  }



  void
  KernelParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    // A plugin may have been loaded meanwhile.
    take_registered();
    prm.declare_entry(
      "Type",
      join(types, ", "),
      KernelTypesPattern(),
      "The kernel that moves the state of a rung; one name for all rungs or one per rung. Several kernels with + between them take turns at a rung, step by step: 'MALA + HMC'. 'tempera list' describes them.");
    prm.add_action("Type", [this](const std::string &text) {
      types = dealii::Utilities::split_string_list(text, ',');
    });
    declare_numbers_above(
      prm,
      "Step sizes",
      step_sizes,
      0.,
      "Step size (eta, or a of a decaying step) of each rung, or one for all. A rung at temperature tau takes steps with drift eta times the gradient of the energy (of tau times the prior part plus the misfit, if the likelihood is tempered) and noise of variance 2 eta tau.");
    prm.add_parameter(
      "Steps per round",
      steps_per_round,
      "Kernel steps of each rung between two times at which swaps may happen, or one number for all. Cheap hot rungs can take more; a rung with 0 lives by swaps with its neighbours alone, which costs no gradients.",
      List(Integer(0), 1));
    prm.add_parameter(
      "Adapt step size",
      adapt_step_size,
      "Whether MALA and HMC adapt each rung's step size to their target acceptance during burn-in.");
    declare_number_list(
      prm,
      "Preconditioner",
      preconditioner,
      {"none", "adapt", "adapt dense"},
      0.,
      true,
      "Preconditioner of the steps: one positive number per unknown, proportional to its variance; 'adapt' measures the variances of every rung during burn-in, 'adapt dense' the correlations, too, for posteriors shaped like needles. pSGLD makes its own; 'Sampler/Kernel/HMC/Mass' says what HMC makes of it.");
    for (const auto &kind : kinds)
      kind.second->declare(prm);
  }



  void
  KernelParameters::read(const std::string &text)
  {
    dealii::ParameterHandler prm;
    declare(prm);
    try
      {
        prm.parse_input_from_string(text);
      }
    catch (const dealii::ExceptionBase &error)
      {
        throw UserError("Parameters of kernels are wrong: " +
                        std::string(error.what()));
      }
  }



  std::shared_ptr<const Kernel>
  KernelParameters::make(const std::string &names) const
  {
    std::vector<std::shared_ptr<const Kernel>> kernels;
    for (const std::string &name :
         dealii::Utilities::split_string_list(names, '+'))
      {
        const auto kind = kinds.find(name);
        // A name that is not known is an error there.
        kernels.push_back(kind != kinds.end() ?
                            kind->second->make(*this) :
                            KernelRegistry::create(name)->make(*this));
      }
    if (kernels.empty())
      throw UserError("'Sampler/Kernel/Type' has an entry without a name.");
    return kernels.size() == 1 ? kernels[0] :
                                 std::make_shared<KernelSequence>(kernels);
  }
} // namespace Tempera
