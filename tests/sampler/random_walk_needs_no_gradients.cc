// SPDX-License-Identifier: LGPL-2.1-or-later

// The random walk samples what MALA samples, and nobody asks the energy for a
// gradient: one that has none can be sampled, also with swaps.

#include "sampler/moments_of_kernels.h"

#include <stdexcept>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Two standard normal unknowns, the first one above -0.5. */
  class NoGradient : public Energy
  {
  public:
    NoGradient()
      : state_space({{"x", -0.5}, {"y"}})
    {}

    const StateSpace &
    space() const override
    {
      return state_space;
    }

    bool
    is_integrable(const Exponents &exponents) const override
    {
      return exponents.potential > 0.;
    }

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey &,
             const Request request,
             Evaluation   &evaluation) const override
    {
      if (request != Request::values)
        throw std::logic_error("somebody wants a gradient");
      if (state[0] < -0.5)
        throw std::logic_error("beyond the wall");
      evaluation.reference = 0.;
      evaluation.potential = 0.5 * (state[0] * state[0] + state[1] * state[1]);
    }

  private:
    const StateSpace state_space;
  };
} // namespace


int
main()
{
  Setting walk;
  walk.kernel = "random walk";
  check_exact_kernel("random walk", walk);
  walk.preconditioner         = "adapt dense";
  const GaussianCase gaussian = gaussian_case();
  check_moments("random walk with dense scales, gaussian",
                gaussian.energy,
                walk,
                gaussian.moments);

  LadderParameters ladder;
  ladder.n_rungs             = 3;
  ladder.highest_temperature = 4.;
  KernelParameters kernel;
  kernel.types = {"random walk"};
  RunParameters run;
  run.iterations = 200000;
  run.burn_in    = 5000;
  SwapParameters swaps;
  swaps.rule = "exact";
  ReplicaExchange     sampler(run,
                          swaps,
                          Ladder(ladder,
                                 kernel,
                                 {{"fine", std::make_shared<NoGradient>()}}),
                          {{0., 0.}});
  std::vector<double> x, square;
  sampler.signals.draw.connect([&](const Draw &draw) {
    if (draw.rung == 0 && !draw.is_burn_in)
      {
        x.push_back(draw.position[0]);
        square.push_back(draw.position[1] * draw.position[1]);
      }
  });
  sampler.run();
  const double   density = std::exp(-0.125) / std::sqrt(2. * M_PI);
  const double   mean    = density / normal_cdf(0.5);
  const Estimate of_x = estimate(x), of_square = estimate(square);
  check("an energy without gradients, with a wall and swaps",
        of_x.deviation(mean) < 6. && of_square.deviation(1.) < 6. &&
          of_x.effective_size > 2000.,
        of_x.text(mean) + " " + of_square.text(1.));
  const RunReport report = sampler.report();
  check("evaluations that were not needed are not counted",
        report.rungs[0].steps > report.evaluations[0] / 3. &&
          report.evaluations[0] < 3. * run.iterations,
        std::to_string(report.evaluations[0]));
  return result();
}
