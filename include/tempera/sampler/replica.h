// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_replica_h
#define tempera_sampler_replica_h

#include <tempera/sampler/energy.h>

#include <utility>
#include <vector>

namespace Tempera
{
  /**
   * A state that travels along the ladder, together with what is known of it:
   * the energies of every level at which it was evaluated. As long as the
   * state does not move, no deterministic energy is computed again.
   */
  struct Replica
  {
    Replica(const unsigned int         id,
            const std::vector<double> &position,
            const unsigned int         n_levels)
      : id(id)
      , position(position)
      , evaluations(n_levels)
    {
      for (Evaluation &evaluation : evaluations)
        {
          evaluation.reference_gradient.resize(position.size());
          evaluation.potential_gradient.resize(position.size());
        }
    }

    /** The position has changed: forget the energies. */
    void
    invalidate()
    {
      for (Evaluation &evaluation : evaluations)
        evaluation.invalidate();
    }

    /** Happens at nearly every step: no third replica is made. */
    friend void
    swap(Replica &one, Replica &other) noexcept
    {
      std::swap(one.id, other.id);
      one.position.swap(other.position);
      one.evaluations.swap(other.evaluations);
    }

    /** Which replica this is: the number of the rung at which it started. */
    unsigned int id;

    std::vector<double> position;

    /** By level. */
    std::vector<Evaluation> evaluations;
  };
} // namespace Tempera

#endif
