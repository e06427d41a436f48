// SPDX-License-Identifier: LGPL-2.1-or-later

// With every swap accepted and even-odd pairs, the first sweep pairing (0,1),
// (2,3), ..., N rungs complete max(0, ceil(L/2) - (N-1)) trips from the coldest
// rung to the hottest and back in L sweeps. Two rungs have one pair, which is
// tested in every sweep: a trip takes two sweeps.

#include "tests.h"

#include <tempera/output/round_trips.h>
#include <tempera/sampler/langevin.h>
#include <tempera/sampler/replica_exchange.h>

using namespace Tempera;
using namespace Tempera::Testing;

int
main()
{
  // The same energy everywhere: S = 1.
  const auto flat =
    std::make_shared<FormulaEnergy>([](const double) { return 0.; },
                                    [](const double) { return 0.; });
  const auto kernel = std::make_shared<SGLD>(KernelParameters());

  for (unsigned int n = 2; n <= 8; ++n)
    {
      std::vector<Rung> rungs(n);
      for (unsigned int i = 0; i < n; ++i)
        {
          rungs[i].temperature = 1. + i;
          rungs[i].kernel      = kernel;
        }
      RunParameters run_parameters;
      run_parameters.burn_in = 0;
      ReplicaExchange sampler(run_parameters,
                              SwapParameters(),
                              Ladder(rungs, {{"fine", flat}}),
                              {{0.}});
      RoundTrips      round_trips(n);
      round_trips.connect(sampler.signals);

      bool right = true;
      for (int sweeps = 1; sweeps <= 500; ++sweeps)
        {
          for (unsigned int rung = 0; rung < n; ++rung)
            sampler.advance(rung);
          sampler.finish_round();
          // With two rungs each of the replicas is at the cold rung every
          // other sweep; the first to come back has begun there.
          const int expected =
            n == 2 ? sweeps - 1 :
                     std::max(0, (sweeps + 1) / 2 - static_cast<int>(n - 1));
          right = right &&
                  round_trips.count() == static_cast<std::uint64_t>(expected);
        }
      check(std::to_string(n) + " rungs", right);
    }
  return result();
}
