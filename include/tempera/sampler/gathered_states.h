// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_gathered_states_h
#define tempera_sampler_gathered_states_h

#include <tempera/base/archive.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace Tempera
{
  /** Evenly spaced states of a window of the burn-in. */
  struct GatheredStates
  {
    void
    add(const std::vector<double> &position)
    {
      if (n_seen++ % stride != 0)
        return;
      states.insert(states.end(), position.begin(), position.end());
      const std::size_t d = position.size();
      if (states.size() < most * d)
        return;
      for (std::size_t i = 0; i < most / 2; ++i)
        std::copy_n(&states[2 * i * d], d, &states[i * d]);
      states.resize(most / 2 * d);
      stride *= 2;
    }

    template <typename Archive>
    void
    serialize(Archive &archive, const std::uint64_t dimension)
    {
      archive &n_seen &stride;
      serialize_vector(archive, states, most * dimension);
      if (stride == 0 || states.size() % dimension != 0)
        throw ArchiveError("an archive of states is cut off");
    }

    static constexpr std::size_t most = 1000;

    std::uint64_t n_seen = 0, stride = 1;
    /** One after the other. */
    std::vector<double> states;
  };
} // namespace Tempera

#endif
