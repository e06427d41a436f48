// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_round_trips_h
#define tempera_output_round_trips_h

#include <tempera/base/archive.h>
#include <tempera/sampler/signals.h>

#include <cstdint>
#include <vector>

namespace Tempera
{
  /**
   * Follows the replicas along the ladder and counts completed trips from the
   * coldest rung to the hottest and back. A replica that begins at the coldest
   * rung has begun its trip there.
   */
  class RoundTrips
  {
  public:
    explicit RoundTrips(const unsigned int n_rungs);

    void
    connect(Signals &signals);

    void
    note(const SwapAttempt &attempt);

    /** Trips of all replicas that were completed after burn-in. */
    std::uint64_t
    count() const
    {
      return n_trips;
    }

    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      serialize_fixed(archive, replicas);
      for (Leg &leg : legs)
        {
          unsigned int number = static_cast<unsigned int>(leg);
          archive     &number;
          leg = static_cast<Leg>(number);
        }
      archive &n_trips;
      for (const unsigned int replica : replicas)
        if (replica >= legs.size())
          throw ArchiveError("a replica does not exist");
    }

  private:
    void
    arrive(const unsigned int rung, const bool is_burn_in);

    /** Where a replica is on its trip. */
    enum class Leg
    {
      none,
      upwards,
      downwards
    };

    /** By rung: the replica there. */
    std::vector<unsigned int> replicas;
    /** By replica. */
    std::vector<Leg> legs;
    std::uint64_t    n_trips = 0;
  };
} // namespace Tempera

#endif
