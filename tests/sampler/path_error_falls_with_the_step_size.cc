// SPDX-License-Identifier: LGPL-2.1-or-later

// The mean-square error at T = 1 of SGLD's path, against a reference with a 64
// times finer step on the same Brownian path: slope 2 in the step size without
// swaps (additive noise). With swaps of two rungs at the times of one shared
// Poisson clock the error falls too; its slope is written to slopes.txt.
//
// The path is that of the library's own kernel. Its normals are known from
// their key, so a Brownian bridge gives the finer increments between.

#include "tests.h"

#include <tempera/sampler/ladder.h>
#include <tempera/sampler/langevin.h>
#include <tempera/sampler/swap_rule.h>

#include <array>
#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  constexpr unsigned int n_fine = 64;

  double
  energy_value(const double x)
  {
    return 0.5 * x * x + 2. * std::sin(x);
  }

  double
  energy_derivative(const double x)
  {
    return x + 2. * std::cos(x);
  }

  /** The energies of the two rungs' states. */
  class SharedPair : public PairEnergies
  {
  public:
    const Evaluation &
    operator()(const Side, const Side state_of) override
    {
      return evaluations[state_of];
    }

    void
    set(const double cold_state, const double hot_state)
    {
      evaluations[cold].potential = energy_value(cold_state);
      evaluations[hot].potential  = energy_value(hot_state);
    }

    Evaluation evaluations[2];
  };

  /** Times and marks of the swaps in the unit interval. */
  struct Clock
  {
    std::vector<double> times, marks;
  };

  Clock
  poisson_clock(const std::uint64_t seed, const double intensity)
  {
    RandomKey key;
    key.seed    = seed;
    key.purpose = Purpose::swap_decision;
    Clock  clock;
    double time = 0.;
    for (key.round = 0;; ++key.round)
      {
        std::array<double, 2> numbers;
        fill_uniforms(key, dealii::ArrayView<double>(numbers.data(), 2));
        time -= std::log(numbers[0]) / intensity;
        if (time >= 1.)
          return clock;
        clock.times.push_back(time);
        clock.marks.push_back(numbers[1]);
      }
  }

  double
  mean_square_error(const unsigned int n_steps, const double intensity)
  {
    constexpr unsigned int n_paths = 2000;

    const FormulaEnergy energy(energy_value, energy_derivative);
    const SGLD          kernel{KernelParameters()};
    const ExactSwap     rule{SwapParameters()};
    const double        step = 1. / n_steps;
    std::vector<Rung>   rungs(2);
    const double        temperatures[2] = {0.5, 2.};
    std::vector<double> bridge(n_fine);
    std::vector<std::unique_ptr<KernelState>> states;
    SharedPair                                pair;
    for (unsigned int r = 0; r < 2; ++r)
      {
        rungs[r].temperature         = temperatures[r];
        rungs[r].exponents.reference = rungs[r].exponents.potential =
          1. / temperatures[r];
        rungs[r].step_size = step;
        states.push_back(kernel.make_state(rungs[r], 1, 1));
      }

    double sum = 0.;
    for (unsigned int path = 0; path < n_paths; ++path)
      {
        const Clock clock =
          intensity > 0. ? poisson_clock(path, intensity) : Clock();
        std::vector<Replica> replicas;
        double               reference[2] = {0.3, -0.3};
        for (unsigned int r = 0; r < 2; ++r)
          {
            replicas.emplace_back(r, std::vector<double>{reference[r]}, 1);
            energy.evaluate(dealii::make_array_view(
                              std::as_const(replicas[r].position)),
                            RandomKey(),
                            Request::values_and_gradients,
                            replicas[r].evaluations[0]);
          }

        std::size_t next = 0, next_of_reference = 0;
        for (unsigned int k = 0; k < n_steps; ++k)
          {
            RandomKey key;
            key.seed  = 1000 + path;
            key.round = k;
            std::array<std::vector<double>, 2> increments;
            for (unsigned int r = 0; r < 2; ++r)
              {
                key.rung = r;
                kernel.step({rungs[r], energy, key}, replicas[r], *states[r]);

                // Fine increments that add up to the kernel's normal.
                const double normal =
                  dynamic_cast<LangevinState &>(*states[r]).normals[0];
                double    mean       = 0.;
                RandomKey bridge_key = key;
                bridge_key.purpose   = Purpose::data;
                fill_normals(bridge_key, dealii::make_array_view(bridge));
                for (const double w : bridge)
                  mean += w / n_fine;
                for (const double w : bridge)
                  increments[r].push_back(
                    std::sqrt(2. * step * temperatures[r] / n_fine) *
                    (w - mean + normal / std::sqrt(double(n_fine))));
              }

            for (unsigned int i = 0; i < n_fine; ++i)
              {
                for (unsigned int r = 0; r < 2; ++r)
                  reference[r] +=
                    -step / n_fine * energy_derivative(reference[r]) +
                    increments[r][i];
                const double time = (k + (i + 1.) / n_fine) * step;
                for (; next_of_reference < clock.times.size() &&
                       clock.times[next_of_reference] <= time;
                     ++next_of_reference)
                  {
                    pair.set(reference[0], reference[1]);
                    if (std::log(clock.marks[next_of_reference]) <
                        rule.log_ratio(0, rungs[0], rungs[1], pair))
                      std::swap(reference[0], reference[1]);
                  }
              }
            for (; next < clock.times.size() &&
                   clock.times[next] <= (k + 1) * step;
                 ++next)
              {
                pair.set(replicas[0].position[0], replicas[1].position[0]);
                if (std::log(clock.marks[next]) <
                    rule.log_ratio(0, rungs[0], rungs[1], pair))
                  std::swap(replicas[0], replicas[1]);
              }
          }
        for (unsigned int r = 0; r < 2; ++r)
          sum += std::pow(replicas[r].position[0] - reference[r], 2);
      }
    return sum / n_paths;
  }
} // namespace


int
main()
{
  std::ofstream file("slopes.txt");
  for (const double intensity : {0., 2.})
    {
      std::vector<double> log_step, log_error;
      for (const unsigned int n_steps : {8, 16, 32, 64, 128})
        {
          log_step.push_back(-std::log(n_steps));
          log_error.push_back(std::log(mean_square_error(n_steps, intensity)));
        }
      const double order = slope(log_step, log_error);
      file << "swap intensity " << intensity << ": mean-square slope " << order
           << std::endl;
      if (intensity == 0.)
        check("slope 2 without swaps",
              std::abs(order - 2.) < 0.2,
              std::to_string(order));
      else
        check("falls with swaps from one shared clock",
              log_error.back() < log_error.front() - 0.5,
              std::to_string(order));
    }
  return result();
}
