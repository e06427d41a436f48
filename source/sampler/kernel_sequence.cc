// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/kernel_sequence.h>
#include <tempera/sampler/ladder.h>

#include <algorithm>

namespace Tempera
{
  namespace
  {
    /** The states of all kernels. */
    struct StateOfSequence : public KernelState
    {
      double
      step_size() const override
      {
        return states[0]->step_size();
      }

      void
      save(boost::archive::binary_oarchive &archive) const override
      {
        for (const auto &state : states)
          state->save(archive);
      }

      void
      load(boost::archive::binary_iarchive &archive) override
      {
        for (const auto &state : states)
          state->load(archive);
      }

      std::vector<std::unique_ptr<KernelState>> states;
    };

    template <class Predicate>
    bool
    any_of(const std::vector<std::shared_ptr<const Kernel>> &kernels,
           const Predicate                                  &predicate)
    {
      return std::any_of(kernels.begin(),
                         kernels.end(),
                         [&](const auto &kernel) {
                           return predicate(*kernel);
                         });
    }
  } // namespace



  KernelSequence::KernelSequence(
    std::vector<std::shared_ptr<const Kernel>> kernels)
    : kernels(std::move(kernels))
  {}



  void
  KernelSequence::check(const Energy &energy) const
  {
    for (const auto &kernel : kernels)
      kernel->check(energy);
  }



  KernelNeeds
  KernelSequence::needs() const
  {
    const auto any_needs = [this](bool KernelNeeds::*const what) {
      return any_of(kernels, [what](const Kernel &kernel) {
        return kernel.needs().*what;
      });
    };
    KernelNeeds result;
    for (bool KernelNeeds::*const what : {&KernelNeeds::values,
                                          &KernelNeeds::gradients,
                                          &KernelNeeds::prior_draws,
                                          &KernelNeeds::prior_covariance,
                                          &KernelNeeds::gaussian_prior})
      result.*what = any_needs(what);
    return result;
  }



  bool
  KernelSequence::is_adjusted() const
  {
    return !any_of(kernels,
                   [](const Kernel &kernel) { return !kernel.is_adjusted(); });
  }



  bool
  KernelSequence::adapts_step_size() const
  {
    return any_of(kernels, [](const Kernel &kernel) {
      return kernel.adapts_step_size();
    });
  }



  bool
  KernelSequence::learns() const
  {
    return any_of(kernels,
                  [](const Kernel &kernel) { return kernel.learns(); });
  }



  bool
  KernelSequence::needs_burn_in() const
  {
    return any_of(kernels,
                  [](const Kernel &kernel) { return kernel.needs_burn_in(); });
  }



  double
  KernelSequence::step_factor(const std::uint64_t round) const
  {
    return kernels[0]->step_factor(round);
  }



  std::unique_ptr<KernelState>
  KernelSequence::make_state(const Rung        &rung,
                             const unsigned int dimension,
                             const unsigned int n_levels) const
  {
    auto result = std::make_unique<StateOfSequence>();
    for (const auto &kernel : kernels)
      result->states.push_back(kernel->make_state(rung, dimension, n_levels));
    return result;
  }



  StepOutcome
  KernelSequence::step(const StepContext &context,
                       Replica           &replica,
                       KernelState       &state) const
  {
    // A function of the round and the step alone: the same after a restart.
    const std::size_t turn =
      (context.key.round * context.rung.n_steps + context.key.substep) %
      kernels.size();
    return kernels[turn]->step(
      context, replica, *static_cast<StateOfSequence &>(state).states[turn]);
  }



  void
  KernelSequence::observe(const std::vector<double> &position,
                          KernelState               &state) const
  {
    for (std::size_t i = 0; i < kernels.size(); ++i)
      kernels[i]->observe(position,
                          *static_cast<StateOfSequence &>(state).states[i]);
  }



  void
  KernelSequence::learn_from_hotter(const KernelState &hotter,
                                    KernelState       &state) const
  {
    const auto *others = dynamic_cast<const StateOfSequence *>(&hotter);
    for (std::size_t i = 0; i < kernels.size(); ++i)
      kernels[i]->learn_from_hotter(
        others != nullptr && i < others->states.size() ? *others->states[i] :
                                                         hotter,
        *static_cast<StateOfSequence &>(state).states[i]);
  }



  void
  KernelSequence::end_window(const bool is_retempered, KernelState &state) const
  {
    for (std::size_t i = 0; i < kernels.size(); ++i)
      kernels[i]->end_window(is_retempered,
                             *static_cast<StateOfSequence &>(state).states[i]);
  }



  void
  KernelSequence::end_burn_in(KernelState &state) const
  {
    for (std::size_t i = 0; i < kernels.size(); ++i)
      kernels[i]->end_burn_in(*static_cast<StateOfSequence &>(state).states[i]);
  }
} // namespace Tempera
