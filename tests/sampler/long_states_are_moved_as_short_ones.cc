// SPDX-License-Identifier: LGPL-2.1-or-later

// Long states are moved by vector units. For each kind that the processor has,
// every loop gives what a plain one gives, to rounding; a number that is not
// finite shows in its sum; and MALA, whose acceptance uses all of them, samples
// the right law.

#include "sampler/diagonal_gaussian.h"

#include <tempera/base/vector_units.h>
#include <tempera/sampler/langevin_loops.h>
#include <tempera/sampler/replica_exchange.h>

#include <numeric>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** The largest difference, relative to the larger of one and the number. */
  double
  difference(const std::vector<double> &a, const std::vector<double> &b)
  {
    double result = 0.;
    for (std::size_t i = 0; i < a.size(); ++i)
      result =
        std::max(result, std::abs(a[i] - b[i]) / std::max(1., std::abs(b[i])));
    return result;
  }

  std::vector<double>
  numbers(const std::size_t n, const std::uint64_t stream)
  {
    RandomKey key;
    key.stream = stream;
    std::vector<double> result(n);
    fill_uniforms(key, dealii::make_array_view(result));
    return result;
  }

  /** The largest difference to plain loops. */
  double
  difference_to_plain_loops(const LangevinLoops &loops,
                            const std::size_t    n,
                            const bool           preconditioned)
  {
    const auto position = numbers(n, 1), reference = numbers(n, 2),
               potential = numbers(n, 3), preconditioner = numbers(n, 4),
               factors = numbers(n, 5);
    RandomKey key;
    key.stream                    = 6;
    const NormalStream     stream = normal_stream(key);
    const StepCoefficients step   = {0.3, 0.1, 0.7};

    std::vector<double> products(n, 1.), roots(n, 1.), normals(n), proposal(n),
      plain(n);
    std::vector<float> way(n);
    double             largest = 0.;

    if (preconditioned)
      {
        loops.step_scales(n,
                          preconditioner.data(),
                          factors.data(),
                          products.data(),
                          roots.data());
        std::vector<double> plain_roots(n);
        for (std::size_t i = 0; i < n; ++i)
          {
            plain[i]       = preconditioner[i] * factors[i];
            plain_roots[i] = std::sqrt(plain[i]);
          }
        largest = std::max({largest,
                            difference(products, plain),
                            difference(roots, plain_roots)});
      }

    loops.normals(stream, n, normals.data());
    double sums[2];
    loops.propose(stream,
                  step,
                  n,
                  position.data(),
                  reference.data(),
                  potential.data(),
                  preconditioned ? roots.data() : nullptr,
                  proposal.data(),
                  way.data(),
                  sums);
    double way_there = 0., squares = 0., way_back = 0.;
    for (std::size_t i = 0; i < n; ++i)
      {
        const double drift =
          step.reference * reference[i] + step.potential * potential[i];
        plain[i] = position[i] - products[i] * drift +
                   step.amplitude * std::sqrt(products[i]) * normals[i];
        squares += normals[i] * normals[i];
        // As the formula has it, with the same gradients there as here.
        const double there = position[i] - plain[i],
                     back  = there + products[i] * drift;
        way_there += there * there / products[i];
        way_back += back * back / products[i];
      }
    const double back =
      sums[0] + loops.way_back(step,
                               n,
                               way.data(),
                               reference.data(),
                               potential.data(),
                               preconditioned ? roots.data() : nullptr);
    // The way is kept in single precision.
    const double error_of_rounding = 1e-7 / 1e-13;
    largest                        = std::max(
      {largest,
                              difference(proposal, plain),
                              difference({sums[0], sums[1]}, {way_there, squares}),
                              difference({back}, {way_back}) / error_of_rounding,
                              difference({loops.sum_of_absolute_values(n, normals.data())},
                  {std::accumulate(normals.begin(),
                                   normals.end(),
                                   0.,
                                   [](const double sum, const double x) {
                                     return sum + std::abs(x);
                                   })})});

    std::vector<double> averages = numbers(n, 7), plain_averages = averages;
    std::vector<double> result(n);
    loops.average_squares(n,
                          0.9,
                          0.7,
                          0.1,
                          2.,
                          3.,
                          reference.data(),
                          potential.data(),
                          averages.data(),
                          result.data());
    for (std::size_t i = 0; i < n; ++i)
      {
        const double gradient = 2. * reference[i] + 3. * potential[i];
        plain_averages[i] = 0.9 * plain_averages[i] + 0.1 * gradient * gradient;
        plain[i]          = 1. / (0.1 + std::sqrt(plain_averages[i] / 0.7));
      }
    return std::max({largest,
                     difference(averages, plain_averages),
                     difference(result, plain)});
  }

  /** Whether a number that is not finite shows, wherever it is. */
  bool
  shows_what_is_not_finite(const LangevinLoops &loops)
  {
    const std::size_t      n        = 2209;
    const auto             position = numbers(n, 1);
    const StepCoefficients step     = {0.3, 0.1, 0.7};
    const NormalStream     stream   = normal_stream(RandomKey());
    bool                   result   = true;
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()})
      for (const std::size_t place : {std::size_t(0), std::size_t(777), n - 1})
        {
          auto gradient   = numbers(n, 2);
          gradient[place] = bad;
          // Both infinite, with opposite signs.
          auto other   = numbers(n, 3);
          other[place] = -bad;
          for (const std::vector<double> *second :
               std::initializer_list<const std::vector<double> *>{&position,
                                                                  &other})
            {
              std::vector<double> proposal(n);
              std::vector<float>  way(n);
              double              sums[2];
              loops.propose(stream,
                            step,
                            n,
                            position.data(),
                            gradient.data(),
                            second->data(),
                            nullptr,
                            proposal.data(),
                            way.data(),
                            sums);
              way.assign(n, 1.f);
              const double back = loops.way_back(
                step, n, way.data(), second->data(), gradient.data(), nullptr);
              result = result && !std::isfinite(sums[0]) &&
                       !std::isfinite(back) &&
                       !std::isfinite(
                         loops.sum_of_absolute_values(n, gradient.data()));
            }
        }
    return result;
  }

  void
  check_mala(const std::string &name, const NumberList &preconditioner)
  {
    // 301 unknowns are not a multiple of any vector length.
    const unsigned int  dimension = 301;
    std::vector<double> variances(dimension);
    for (unsigned int i = 0; i < dimension; ++i)
      variances[i] = i % 2 == 0 ? 1. : 0.25;
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = std::vector<double>{1., 1.2};
    KernelParameters kernel_parameters;
    kernel_parameters.step_sizes     = {0.1};
    kernel_parameters.preconditioner = preconditioner;
    RunParameters run_parameters;
    run_parameters.burn_in    = 2000;
    run_parameters.iterations = 12000;
    ReplicaExchange sampler(
      run_parameters,
      SwapParameters(),
      Ladder(ladder_parameters,
             kernel_parameters,
             {{"fine", std::make_shared<DiagonalGaussian>(variances)}}),
      {std::vector<double>(dimension, 0.1)});
    std::vector<std::vector<double>> squares(2);
    sampler.signals.draw.connect([&](const Draw &draw) {
      if (draw.is_burn_in)
        return;
      double sum = 0.;
      for (unsigned int i = 0; i < dimension; ++i)
        sum += draw.position[i] * draw.position[i] / variances[i] / dimension;
      squares[draw.rung].push_back(sum);
    });
    sampler.run();
    const Estimate cold = estimate(squares[0]), hot = estimate(squares[1]);
    check(name,
          cold.deviation(1.) < 6. && hot.deviation(1.2) < 6. &&
            cold.effective_size > 300. && hot.effective_size > 300. &&
            cold.standard_error < 0.01 &&
            sampler.report().pairs[0].acceptance() > 0.01,
          cold.text(1.) + "; " + hot.text(1.2) + "; swaps " +
            std::to_string(sampler.report().pairs[0].acceptance()));
  }
} // namespace


int
main()
{
  bool   finite  = true;
  double largest = 0.;
  for (const auto &units :
       {std::make_pair(VectorUnits::baseline, &langevin_loops_baseline),
        std::make_pair(VectorUnits::v3, &langevin_loops_v3),
        std::make_pair(VectorUnits::v4, &langevin_loops_v4)})
    if (units.first <= vector_units())
      {
        finite = finite && shows_what_is_not_finite(*units.second);
        for (const std::size_t n : {256, 301, 512, 2209})
          for (const bool preconditioned : {false, true})
            largest = std::max(largest,
                               difference_to_plain_loops(*units.second,
                                                         n,
                                                         preconditioned));
      }
  check("all vector units agree with plain loops",
        largest < 1e-13,
        std::to_string(largest * 1e12) + "e-12");
  check("what is not finite shows", finite);

  check_mala("MALA with a long state", "none");
  std::vector<double> variances;
  for (unsigned int i = 0; i < 301; ++i)
    variances.push_back(i % 2 == 0 ? 2. : 0.5);
  check_mala("MALA with a long state and a preconditioner", variances);
  check_mala("MALA with a long state and an adapted preconditioner", "adapt");
  return result();
}
