// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_state_space_h
#define tempera_sampler_state_space_h

#include <deal.II/base/array_view.h>

#include <limits>
#include <string>
#include <vector>

namespace Tempera
{
  /** One unknown number. */
  struct Coordinate
  {
    /** Name in every table and file. */
    std::string name;
    /** The prior has no mass below. */
    double lower = -std::numeric_limits<double>::infinity();
    /** The prior has no mass above. */
    double upper = std::numeric_limits<double>::infinity();
    /** Nuisance unknowns (network weights) are sampled but not recorded. */
    bool recorded = true;
  };


  /**
   * Where a state lives: the coordinates with their names and the box that
   * supports the prior (unbounded by default).
   */
  class StateSpace
  {
  public:
    explicit StateSpace(std::vector<Coordinate> coordinates);

    unsigned int
    dimension() const
    {
      return coordinates.size();
    }

    const Coordinate &
    operator[](const unsigned int i) const
    {
      return coordinates[i];
    }

    /** Whether any coordinate has a finite bound. */
    bool
    has_bounds() const
    {
      return !bounded_indices.empty();
    }

    /** Whether every coordinate has two finite bounds. */
    bool
    is_bounded() const;

    /** Whether the state lies in the box. */
    bool
    contains(const dealii::ArrayView<const double> &state) const
    {
      for (const unsigned int i : bounded_indices)
        if (!(state[i] >= coordinates[i].lower &&
              state[i] <= coordinates[i].upper))
          return false;
      return true;
    }

    /** Fold a state back into the box by reflection at its walls. */
    void
    reflect(const dealii::ArrayView<double> &state) const;

    /** Indices of the recorded coordinates. */
    const std::vector<unsigned int> &
    recorded() const
    {
      return recorded_indices;
    }

  private:
    std::vector<Coordinate>   coordinates;
    std::vector<unsigned int> recorded_indices;
    /** Of the coordinates with a finite bound; network weights have none. */
    std::vector<unsigned int> bounded_indices;
  };
} // namespace Tempera

#endif
