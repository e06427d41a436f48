// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_tests_effective_draws_h
#define tempera_tests_effective_draws_h

// How many effective draws a kernel makes of a Gaussian, for a test and for a
// benchmark.

#include <tempera/output/diagnostics.h>
#include <tempera/sampler/replica_exchange.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace Tempera
{
  namespace Testing
  {
    /**
     * A Gaussian around zero in which all unknowns are correlated alike:
     * covariance s_i s_j (rho + (1 - rho) delta_ij).
     */
    class CorrelatedGaussian : public Energy
    {
    public:
      CorrelatedGaussian(std::vector<double> deviations,
                         const double        correlation)
        : deviations(std::move(deviations))
        , correlation(correlation)
        , state_space(coordinates(this->deviations.size()))
      {}

      const StateSpace &
      space() const override
      {
        return state_space;
      }

      bool
      is_integrable(const Exponents &) const override
      {
        return true;
      }

      void
      evaluate(const dealii::ArrayView<const double> &state,
               const RandomKey &,
               const Request,
               Evaluation &evaluation) const override
      {
        const std::size_t n   = deviations.size();
        double            sum = 0., energy = 0.;
        for (std::size_t i = 0; i < n; ++i)
          sum += state[i] / deviations[i];
        // Sherman and Morrison.
        const double share = correlation / (1. + (n - 1.) * correlation);
        for (std::size_t i = 0; i < n; ++i)
          {
            const double scaled = state[i] / deviations[i];
            const double gradient =
              (scaled - share * sum) / (1. - correlation) / deviations[i];
            evaluation.potential_gradient[i] = gradient;
            evaluation.reference_gradient[i] = 0.;
            energy += 0.5 * state[i] * gradient;
          }
        evaluation.reference = 0.;
        evaluation.potential = energy;
      }

    private:
      static std::vector<Coordinate>
      coordinates(const std::size_t n)
      {
        std::vector<Coordinate> result;
        for (std::size_t i = 0; i < n; ++i)
          result.push_back({"x" + std::to_string(i)});
        return result;
      }

      const std::vector<double> deviations;
      const double              correlation;
      const StateSpace          state_space;
    };


    /** Standard deviations from 1 to @p largest with a constant ratio. */
    inline std::vector<double>
    geometric_deviations(const unsigned int dimension, const double largest)
    {
      std::vector<double> result;
      for (unsigned int i = 0; i < dimension; ++i)
        result.push_back(std::pow(largest, i / (dimension - 1.)));
      return result;
    }


    /** What some runs have made after burn-in, each: means over the runs. */
    struct EffectiveDraws
    {
      /** The least effective size of any x, x^2 and the energy. */
      double least = 0.;
      /** Which that is. */
      std::string of;
      /** Evaluations of the gradient. */
      double gradients  = 0.;
      double acceptance = 0.;

      double
      per_gradient() const
      {
        return least / gradients;
      }
    };

    /** @param settings Of the kernel, as in a parameter file. */
    inline EffectiveDraws
    effective_draws(const Energy       &energy,
                    const std::string  &settings,
                    const std::uint64_t burn_in,
                    const std::uint64_t rounds,
                    const unsigned int  n_seeds,
                    const unsigned int  first_seed = 1)
    {
      const unsigned int  n = energy.space().dimension();
      std::vector<double> sizes(2 * n + 1, 0.);
      EffectiveDraws      result;
      for (unsigned int seed = first_seed; seed < first_seed + n_seeds; ++seed)
        {
          KernelParameters kernel_parameters;
          kernel_parameters.read(settings);
          LadderParameters ladder_parameters;
          ladder_parameters.temperatures = std::vector<double>{1.};
          RunParameters run_parameters;
          run_parameters.seed       = seed;
          run_parameters.burn_in    = burn_in;
          run_parameters.iterations = burn_in + rounds;
          // Of a chain that is that long, neighbours are nearly the same.
          run_parameters.thinning = std::max<std::uint64_t>(1, rounds / 20000);
          const std::shared_ptr<const Energy> not_owned(&energy,
                                                        [](const Energy *) {});
          ReplicaExchange                     sampler(run_parameters,
                                  SwapParameters(),
                                  Ladder(ladder_parameters,
                                         kernel_parameters,
                                         {{"fine", not_owned}}),
                                  {std::vector<double>(n, 0.1)});
          std::vector<std::vector<double>>    values(sizes.size());
          double                              before = 0.;
          sampler.signals.end_of_burn_in.connect(
            [&](const RunReport &report) { before = report.evaluations[0]; });
          sampler.signals.draw.connect([&](const Draw &draw) {
            if (draw.is_burn_in)
              return;
            for (unsigned int i = 0; i < n; ++i)
              {
                values[i].push_back(draw.position[i]);
                values[n + i].push_back(draw.position[i] * draw.position[i]);
              }
            values[2 * n].push_back(draw.energy());
          });
          sampler.run();
          for (std::size_t k = 0; k < sizes.size(); ++k)
            sizes[k] += effective_size_of_mean({values[k]}) / n_seeds;
          result.gradients +=
            (sampler.report().evaluations[0] - before) / n_seeds;
          result.acceptance += sampler.report().rungs[0].acceptance() / n_seeds;
        }
      const std::size_t k =
        std::min_element(sizes.begin(), sizes.end()) - sizes.begin();
      result.least = sizes[k];
      result.of    = k == 2 * n ? "energy" :
                     k < n      ? "x" + std::to_string(k) :
                                  "x" + std::to_string(k - n) + "^2";
      return result;
    }
  } // namespace Testing
} // namespace Tempera

#endif
