// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/round_trips.h>

#include <numeric>

namespace Tempera
{
  RoundTrips::RoundTrips(const unsigned int n_rungs)
    : replicas(n_rungs)
    , legs(n_rungs, Leg::none)
  {
    std::iota(replicas.begin(), replicas.end(), 0);
    if (n_rungs > 1)
      legs[0] = Leg::upwards;
  }



  void
  RoundTrips::connect(Signals &signals)
  {
    signals.swap_attempted.connect(
      [this](const SwapAttempt &attempt) { note(attempt); });
  }



  void
  RoundTrips::note(const SwapAttempt &attempt)
  {
    if (!attempt.accepted)
      return;
    std::swap(replicas[attempt.pair], replicas[attempt.pair + 1]);
    arrive(attempt.pair, attempt.is_burn_in);
    arrive(attempt.pair + 1, attempt.is_burn_in);
  }



  void
  RoundTrips::arrive(const unsigned int rung, const bool is_burn_in)
  {
    Leg &leg = legs[replicas[rung]];
    if (rung == 0)
      {
        n_trips += leg == Leg::downwards && !is_burn_in;
        leg = Leg::upwards;
      }
    else if (rung + 1 == replicas.size() && leg == Leg::upwards)
      leg = Leg::downwards;
  }
} // namespace Tempera
