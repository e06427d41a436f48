// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_tests_swap_pair_h
#define tempera_tests_swap_pair_h

// A ladder of two rungs whose states are set from outside: for tests of the
// swap move alone, through the sampler's own code.

#include "tests.h"

#include <tempera/sampler/langevin.h>
#include <tempera/sampler/replica_exchange.h>

namespace Tempera
{
  namespace Testing
  {
    inline ReplicaExchange
    make_swap_pair(const std::shared_ptr<const Energy>   &cold_energy,
                   const std::shared_ptr<const Energy>   &hot_energy,
                   const double                           cold_temperature,
                   const double                           hot_temperature,
                   const SwapParameters                  &swap_parameters,
                   const std::shared_ptr<const SwapRule> &rule      = nullptr,
                   const double                           step_size = 0.1)
    {
      const auto        kernel = std::make_shared<SGLD>(KernelParameters());
      std::vector<Rung> rungs(2);
      rungs[0].temperature = cold_temperature;
      rungs[1].temperature = hot_temperature;
      for (Rung &rung : rungs)
        {
          rung.kernel    = kernel;
          rung.step_size = step_size;
        }
      // (In one go, levels would make GCC 12 see a bound that is not there.)
      std::vector<Level> levels;
      levels.reserve(2);
      levels.push_back({"fine", cold_energy});
      if (hot_energy != cold_energy)
        {
          levels.push_back({"coarse", hot_energy});
          rungs[1].level = 1;
        }
      RunParameters run_parameters;
      run_parameters.burn_in    = 0;
      run_parameters.iterations = 1000000000;
      return ReplicaExchange(
        run_parameters, swap_parameters, Ladder(rungs, levels), {{0.}}, rule);
    }
  } // namespace Testing
} // namespace Tempera

#endif
