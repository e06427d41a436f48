// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_explorer_h
#define tempera_sampler_explorer_h

#include <tempera/sampler/chain_state.h>

namespace Tempera
{
  /** Moves the states of a chain, each at its own rung, by kernel steps. */
  class Explorer
  {
  public:
    explicit Explorer(ChainState &chain);

    /**
     * The kernel steps of a rung in the current round.
     *
     * @param gradients_later The state may be taken away afterwards: of the
     * last step, gradients are not yet wanted.
     */
    void
    advance(const unsigned int rung, const bool gradients_later);

    /** At the end of a round of the burn-in: kernels may learn. */
    void
    observe();

    /** Throw a UserError if a rung has not moved since the last call. */
    void
    check_that_it_moves(const unsigned int rung);

  private:
    ChainState &chain;
  };
} // namespace Tempera

#endif
