// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_noise_probe_h
#define tempera_sampler_noise_probe_h

#include <tempera/base/archive.h>
#include <tempera/base/moments.h>
#include <tempera/sampler/swap_rule.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace Tempera
{
  /**
   * Measures the noise of stochastic energies at one pair during burn-in: at
   * the states of the moment everything is evaluated several times.
   */
  class NoiseProbe
  {
  public:
    static constexpr unsigned int n_repeats = 8;

    /** @param n_times At which swaps are tested in burn-in. */
    void
    activate(const std::uint64_t n_times)
    {
      // About how often the noise is measured.
      constexpr unsigned int n_probes = 1000;

      active = true;
      stride = n_times / n_probes + 1;
    }

    /** Whether the noise of this pair is measured. */
    bool
    is_active() const
    {
      return active;
    }

    /** Whether to measure now, at a time at which swaps are tested. */
    bool
    is_due()
    {
      return times++ % stride == 0;
    }

    /**
     * @param is_second_half Of the burn-in; the first may be far from where the
     * run will be.
     * @param energies_of Gives fresh PairEnergies for a repeat and a stage.
     */
    template <class EnergiesOf>
    void
    measure(const bool        is_second_half,
            const SwapRule   &rule,
            const Rung       &cold_rung,
            const Rung       &hot_rung,
            const EnergiesOf &energies_of)
    {
      if (!in_second_half && is_second_half)
        {
          in_second_half = true;
          forget();
        }
      const unsigned int     n_stages = rule.n_stages(cold_rung, hot_rung);
      std::array<Moments, 2> log_ratios, energies_of_rungs;
      for (unsigned int repeat = 0; repeat < n_repeats; ++repeat)
        for (unsigned int stage = 0; stage < n_stages; ++stage)
          {
            auto energies = energies_of(repeat, stage);
            log_ratios[stage].add(
              rule.log_ratio(stage, cold_rung, hot_rung, energies));
            if (stage + 1 == n_stages)
              for (const Side side : {cold, hot})
                energies_of_rungs[side].add(energies(side, side).energy());
          }
      for (unsigned int stage = 0; stage < n_stages; ++stage)
        if (std::isfinite(log_ratios[stage].variance()))
          log_ratio_variance[stage].add(log_ratios[stage].variance());
      for (const Side side : {cold, hot})
        if (std::isfinite(energies_of_rungs[side].variance()))
          energy_variance[side].add(energies_of_rungs[side].variance());
    }

    /** Half the variance of log S given the states. */
    double
    penalty(const unsigned int stage) const
    {
      return 0.5 * log_ratio_variance[stage].mean();
    }

    /** Standard deviation of a rung's own energy given its state. */
    double
    noise(const Side side) const
    {
      return std::sqrt(energy_variance[side].mean());
    }

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

  private:
    bool active = false;
    /** Times at which swaps are tested between two probes. */
    std::uint64_t stride = 1;
    /** Such times so far. */
    std::uint64_t times = 0;
    /** Whether the measurements of the first half are forgotten. */
    bool in_second_half = false;
    /** By stage. */
    std::array<Moments, 2> log_ratio_variance;
    /** By side. */
    std::array<Moments, 2> energy_variance;
  };
} // namespace Tempera

#endif
