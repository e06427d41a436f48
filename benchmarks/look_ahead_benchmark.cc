// SPDX-License-Identifier: LGPL-2.1-or-later

// What a ladder in temperature and fidelity takes on two processes, the fine
// rung on one and everything coarse on the other, compared with its fine solves
// alone. Solvers are played by sleep, so that it matters little who else uses
// the machine; a fine solve takes 0.4 s, long compared with the time to wake
// up. See doc/performance.md.
//
// Usage: [mpirun -n 2] look_ahead_benchmark [ROUNDS]

#include <tempera/analytic/decorators.h>
#include <tempera/analytic/gaussian_mixture.h>
#include <tempera/sampler/ensemble.h>

#include <deal.II/base/mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace
{
  using namespace Tempera;
  using Clock = std::chrono::steady_clock;

  double
  seconds_since(const Clock::time_point begin)
  {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  /** A mixture with an error of its own, and the time that it takes. */
  class SlowSolver : public BiasedEnergy
  {
  public:
    SlowSolver(const double bias, const std::chrono::microseconds time)
      : BiasedEnergy(std::make_shared<GaussianMixture>(
                       GaussianMixture::Parameters()),
                     bias,
                     2.)
      , time(time)
    {}

    double
    work(const Request) const override
    {
      return double(time.count());
    }

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override
    {
      const auto begin = Clock::now();
      std::this_thread::sleep_for(time);
      BiasedEnergy::evaluate(state, key, request, evaluation);
      seconds += seconds_since(begin);
      ++n_solves;
    }

    mutable double       seconds  = 0.;
    mutable unsigned int n_solves = 0;

  private:
    const std::chrono::microseconds time;
  };

  /**
   * @param share Time of the coarse rounds, in fine solves.
   */
  void
  measure(const unsigned int n_rounds, const double share, const Peers &peers)
  {
    constexpr unsigned int pace = 20, n_coarse = 2;
    // Sleeping takes a little longer than is asked for.
    constexpr double fine_time = 400000., overhead = 100.;

    const auto fine =
      std::make_shared<SlowSolver>(0., std::chrono::microseconds(400000));
    const auto coarse =
      std::make_shared<SlowSolver>(0.1,
                                   std::chrono::microseconds(
                                     int(share * fine_time / (pace * n_coarse) -
                                         overhead)));
    LadderParameters ladder;
    ladder.temperatures = std::vector<double>{1., 1., 4.};
    ladder.levels       = {"fine", "coarse", "coarse"};
    ladder.paces        = {1, pace, pace};
    KernelParameters kernel;
    kernel.types           = {"random walk"};
    kernel.steps_per_round = {0, 1, 1};
    RunParameters run;
    run.burn_in    = n_rounds / 10;
    run.iterations = n_rounds;
    std::vector<std::unique_ptr<ReplicaExchange>> chains;
    chains.push_back(std::make_unique<ReplicaExchange>(
      run,
      SwapParameters(),
      Ladder(ladder, kernel, {{"fine", fine}, {"coarse", coarse}}),
      std::vector<std::vector<double>>{{0.1}},
      nullptr,
      Placement(peers, {0, 1, 1})));
    Ensemble                ensemble(std::move(chains), peers);
    const std::atomic<bool> never(false);
    fine->seconds = coarse->seconds = 0.;
    const auto begin                = Clock::now();
    ensemble.run(never);
    const double seconds = seconds_since(begin);

    const auto counts = ensemble[0].get_look_ahead_counts();
    const auto sums   = peers.sum({fine->seconds,
                                   coarse->seconds,
                                   double(counts.kept),
                                   double(counts.redone)});
    const auto pair   = ensemble.report().pairs[0];
    if (peers.is_first())
      std::printf("%9s %8.2f %10.3f %9.2f %10.3f %12.3f %6.0f %7.0f\n",
                  peers.size() == 1 ? "one" : "two",
                  share,
                  pair.acceptance(),
                  seconds,
                  seconds / sums[0],
                  sums[1] / sums[0],
                  sums[2],
                  sums[3]);
    std::fflush(stdout);
  }
} // namespace

int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  const Peers                                    peers(MPI_COMM_WORLD);
  const unsigned int n_rounds = argc > 1 ? std::stoul(argv[1]) : 120;
  if (peers.is_first())
    std::printf("%9s %8s %10s %9s %10s %12s %6s %7s\n",
                "processes",
                "coarse",
                "acceptance",
                "seconds",
                "/ fine",
                "coarse/fine",
                "kept",
                "redone");
  for (const double share : {0.5, 0.85})
    measure(n_rounds, share, peers);
}
