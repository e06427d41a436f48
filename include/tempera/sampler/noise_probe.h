// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_noise_probe_h
#define tempera_sampler_noise_probe_h

#include <tempera/base/archive.h>
#include <tempera/sampler/replica_exchange.h>

#include <array>

namespace Tempera
{
  /** Measured variances of the noise at one pair; see measure_noise(). */
  struct ReplicaExchange::NoiseProbe
  {
    /** Whether the noise of this pair is measured. */
    bool active = false;
    /** Times at which swaps are tested between two probes. */
    std::uint64_t stride = 1;
    /** Such times so far. */
    std::uint64_t times = 0;
    /** Whether the measurements of the first half are forgotten. */
    bool in_second_half = false;
    /** Variance of log S given the states, by stage. */
    std::array<Moments, 2> log_ratio_variance;
    /** Variance of each rung's own energy given its state. */
    std::array<Moments, 2> energy_variance;

    void
    forget()
    {
      log_ratio_variance = {};
      energy_variance    = {};
    }

    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      archive &times;
      serialize_flag(archive, in_second_half);
      for (std::array<Moments, 2> *variances :
           {&log_ratio_variance, &energy_variance})
        for (Moments &moments : *variances)
          archive &moments;
    }
  };
} // namespace Tempera

#endif
