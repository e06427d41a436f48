// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_kernel_sequence_h
#define tempera_sampler_kernel_sequence_h

#include <tempera/sampler/kernel.h>

namespace Tempera
{
  /**
   * Several kernels that take turns at a rung, step by step; each has its own
   * step size and learns on its own. Where every one leaves the target
   * invariant, so do all together.
   */
  class KernelSequence : public Kernel
  {
  public:
    explicit KernelSequence(std::vector<std::shared_ptr<const Kernel>> kernels);

    void
    check(const Energy &energy) const override;

    KernelNeeds
    needs() const override;

    bool
    is_adjusted() const override;

    bool
    adapts_step_size() const override;

    bool
    learns() const override;

    bool
    needs_burn_in() const override;

    /** Of the first kernel, as the step size that is reported. */
    double
    step_factor(const std::uint64_t round) const override;

    std::unique_ptr<KernelState>
    make_state(const Rung        &rung,
               const unsigned int dimension,
               const unsigned int n_levels) const override;

    StepOutcome
    step(const StepContext &context,
         Replica           &replica,
         KernelState       &state) const override;

    void
    observe(const std::vector<double> &position,
            KernelState               &state) const override;

    void
    learn_from_hotter(const KernelState &hotter,
                      KernelState       &state) const override;

    void
    end_window(const bool is_retempered, KernelState &state) const override;

    void
    end_burn_in(KernelState &state) const override;

  private:
    const std::vector<std::shared_ptr<const Kernel>> kernels;
  };
} // namespace Tempera

#endif
