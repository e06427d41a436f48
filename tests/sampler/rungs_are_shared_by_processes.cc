// SPDX-License-Identifier: LGPL-2.1-or-later

// Several processes share the rungs of several chains: all that the subscribers
// of the first one are told is bit by bit what one process alone tells, in the
// same order, whoever has which rung. That a checkpoint is taken, a budget ends
// the run, or energies are noisy makes no difference. Nor does it that a
// process looks ahead while another solves, that it was wrong now and then, and
// that the run was stopped and resumed.

#include "tests.h"

#include <tempera/analytic/decorators.h>
#include <tempera/analytic/gaussian_mixture.h>
#include <tempera/sampler/dealing.h>
#include <tempera/sampler/ensemble.h>

#include <deal.II/base/mpi.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include <chrono>
#include <numeric>
#include <sstream>
#include <thread>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  enum class Kind
  {
    plain,
    noisy,
    failing,
    late,
    with_budget,
    plane,
    ahead,
    ahead_failing,
    ahead_with_budget,
    ahead_stopped
  };

  bool
  looks_ahead(const Kind kind)
  {
    return kind >= Kind::ahead;
  }

  /** Takes its time, so that others can do something else. */
  class SlowEnergy : public BiasedEnergy
  {
  public:
    using BiasedEnergy::BiasedEnergy;

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override
    {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      BiasedEnergy::evaluate(state, key, request, evaluation);
    }
  };

  /**
   * Has no gradient in a part of the space; or asks for gradients in a second
   * step, for which something must have been kept.
   */
  class DifficultMixture : public GaussianMixture
  {
  public:
    explicit DifficultMixture(const bool is_separate)
      : GaussianMixture(GaussianMixture::Parameters())
      , is_separate(is_separate)
    {}

    bool
    gradients_are_separate() const override
    {
      return is_separate;
    }

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override
    {
      if (request == Request::gradients)
        has_lost = has_lost || !evaluation.linearisation;
      GaussianMixture::evaluate(state, key, request, evaluation);
      if (request == Request::values && is_separate)
        evaluation.linearisation = std::make_shared<int>(1);
      if (!is_separate && request != Request::values && state[0] > 1.5 &&
          state[0] < 2.)
        {
          evaluation.potential_gradient[0] =
            std::numeric_limits<double>::quiet_NaN();
          has_failed = true;
        }
    }

    mutable bool has_failed = false;
    /** Whether a gradient was asked for without what it needs. */
    mutable bool has_lost = false;

  private:
    const bool is_separate;
  };

  struct Told
  {
    std::vector<double>        numbers;
    std::vector<double>        work;
    std::vector<std::uint64_t> evaluations;
    bool                       has_lost = false, has_failed = false;
    /** Of all processes. */
    double kept = 0., redone = 0.;

    bool
    operator==(const Told &other) const
    {
      return numbers == other.numbers && work == other.work &&
             evaluations == other.evaluations;
    }
  };

  /** All that an ensemble tells its subscribers. */
  Told
  run(const Kind                                    kind,
      const unsigned int                            n_rungs,
      const unsigned int                            n_chains,
      const Peers                                  &peers,
      const std::vector<std::vector<unsigned int>> &peer_of)
  {
    const auto mixture =
      std::make_shared<GaussianMixture>(GaussianMixture::Parameters());
    const auto difficult =
      std::make_shared<DifficultMixture>(kind == Kind::late);
    std::vector<Level> levels = {
      {"fine", mixture},
      {"coarse", std::make_shared<BiasedEnergy>(mixture, 0.3, 2.)}};
    if (kind == Kind::noisy)
      for (unsigned int i = 0; i < 2; ++i)
        levels[i].energy =
          std::make_shared<NoisyEnergy>(levels[i].energy, 0.5, 0.5, 0.5, i);
    if (kind == Kind::failing || kind == Kind::late)
      levels[0].energy = difficult;
    if (looks_ahead(kind))
      levels = {{"fine", std::make_shared<SlowEnergy>(mixture, 0.3, 2.)},
                {"medium", std::make_shared<SlowEnergy>(mixture, 0.15, 2.)},
                {"coarse",
                 kind == Kind::ahead_failing ?
                   std::shared_ptr<const Energy>(difficult) :
                   std::make_shared<BiasedEnergy>(mixture, -0.1, 2.)}};

    LadderParameters ladder_parameters;
    ladder_parameters.n_rungs      = n_rungs;
    ladder_parameters.temperatures = "automatic";
    ladder_parameters.levels.assign(n_rungs, "coarse");
    for (unsigned int i = 0; i < (n_rungs + 1) / 2; ++i)
      ladder_parameters.levels[i] = "fine";
    if (kind == Kind::plane)
      {
        // A fine rung that lives by swaps; nested paces.
        ladder_parameters.temperatures.keyword = "";
        for (unsigned int i = 0; i < n_rungs; ++i)
          {
            ladder_parameters.temperatures.numbers.push_back(i < 2 ? 1. :
                                                                     2. * i);
            ladder_parameters.levels[i] = i == 0 ? "fine" : "coarse";
          }
        ladder_parameters.paces.assign(n_rungs, 6);
        ladder_parameters.paces[0] = 1;
        ladder_parameters.paces[1] = 3;
      }
    if (looks_ahead(kind))
      {
        ladder_parameters.temperatures = std::vector<double>{1., 1., 1., 6.};
        ladder_parameters.levels       = {"fine", "medium", "coarse", "coarse"};
        ladder_parameters.paces        = {1, 3, 12, 12};
      }
    KernelParameters kernel_parameters;
    kernel_parameters.preconditioner = "adapt";
    kernel_parameters.types          = {
               kind == Kind::plain || kind == Kind::with_budget ? "MALA" : "SGLD"};
    kernel_parameters.step_sizes = {0.2};
    if (kind == Kind::plane)
      {
        kernel_parameters.types = {"differences + MALA + Laplace"};
        kernel_parameters.steps_per_round.assign(n_rungs, 1);
        kernel_parameters.steps_per_round[0] = 0;
      }
    if (looks_ahead(kind))
      {
        kernel_parameters.types           = {"differences + MALA"};
        kernel_parameters.steps_per_round = {0, 0, 1, 1};
      }
    SwapParameters swap_parameters;
    swap_parameters.every = kind == Kind::failing || kind == Kind::late ? 2 :
                            looks_ahead(kind)                           ? 1 :
                                                                          3;
    // Measuring noise takes many messages: once is enough.
    if (kind == Kind::noisy && n_rungs > 2)
      swap_parameters.noise = std::vector<double>{0.5};
    RunParameters run_parameters;
    run_parameters.burn_in    = 300;
    run_parameters.iterations = 600;
    run_parameters.thinning   = 3;
    if (kind == Kind::with_budget)
      run_parameters.work_budget = 1333.;
    if (kind == Kind::ahead_with_budget)
      run_parameters.work_budget = 17777.;

    Told              told;
    std::atomic<bool> stop(false);
    const auto        make_ensemble = [&]() {
      std::vector<std::unique_ptr<ReplicaExchange>> chains;
      for (unsigned int chain = 0; chain < n_chains; ++chain)
        {
          run_parameters.chain = chain;
          chains.push_back(std::make_unique<ReplicaExchange>(
            run_parameters,
            swap_parameters,
            Ladder(ladder_parameters, kernel_parameters, levels),
            // Without a gradient, at its level, in one case.
            std::vector<std::vector<double>>{
              {kind == Kind::failing ? 1.7 : 0.1 * chain}},
            nullptr,
            Placement(peers, peer_of[chain]),
            [chain](const unsigned int rung, const unsigned int n_tried) {
              RandomKey key;
              key.chain = chain;
              key.rung  = rung;
              key.round = n_tried;
              return std::vector<double>{1.4 + 0.7 * uniform(key)};
            }));
          chains.back()->signals.draw.connect(
            [&told, &stop, kind, chain](const Draw &draw) {
              if (kind == Kind::ahead_stopped && draw.round == 303)
                stop = true;
              for (const double number : {double(chain),
                                          double(draw.round),
                                          double(draw.rung),
                                          double(draw.replica),
                                          double(draw.non_finite),
                                          draw.position[0],
                                          draw.reference,
                                          draw.potential,
                                          draw.step_size})
                told.numbers.push_back(number);
            });
          chains.back()->signals.level_draw.connect(
            [&told, chain](const LevelDraw &draw) {
              for (const double number :
                   {double(chain),
                    double(draw.own_round),
                    double(draw.rung),
                    draw.energy,
                    std::isnan(draw.finer_energy) ? -1. : draw.finer_energy,
                    draw.position[0]})
                told.numbers.push_back(number);
            });
          chains.back()->signals.potential.connect(
            [&told, chain](const KnownPotential &known) {
              for (const double number :
                   {double(chain),
                    double(known.rung),
                    double(known.level),
                    std::isnan(known.potential) ? -1. : known.potential})
                told.numbers.push_back(number);
            });
          chains.back()->signals.swap_attempted.connect(
            [&told](const SwapAttempt &attempt) {
              told.numbers.push_back(attempt.log_ratio);
              told.numbers.push_back(attempt.accepted);
            });
          chains.back()->signals.hundredth_done.connect(
            [&told](const RunReport &report) {
              // Where a run was stopped is chance.
              if (report.rounds % 6 != 0 || report.interrupted)
                return;
              told.work.push_back(report.work);
              for (const RungReport &rung : report.rungs)
                {
                  told.numbers.push_back(rung.temperature);
                  told.numbers.push_back(rung.acceptance());
                }
              for (const PairReport &pair : report.pairs)
                {
                  told.numbers.push_back(pair.attempts);
                  told.numbers.push_back(pair.rule_difference.mean());
                }
              told.evaluations.insert(told.evaluations.end(),
                                      report.evaluations.begin(),
                                      report.evaluations.end());
            });
        }
      // Those who have no subscribers must not need any.
      if (!peers.is_first())
        for (auto &chain : chains)
          {
            chain->signals.draw.disconnect_all_slots();
            chain->signals.level_draw.disconnect_all_slots();
            chain->signals.swap_attempted.disconnect_all_slots();
          }
      return std::make_unique<Ensemble>(std::move(chains), peers);
    };
    const auto count = [&](const Ensemble &ensemble) {
      for (unsigned int chain = 0; chain < n_chains; ++chain)
        {
          const auto counts = ensemble[chain].get_look_ahead_counts();
          const auto sums =
            peers.sum({double(counts.kept), double(counts.redone)});
          told.kept += sums[0];
          told.redone += sums[1];
        }
    };
    auto ensemble = make_ensemble();
    ensemble->run(stop, 70);
    count(*ensemble);
    if (kind == Kind::ahead_stopped)
      {
        // As from a checkpoint.
        std::ostringstream saved;
        {
          boost::archive::binary_oarchive archive(saved);
          for (unsigned int chain = 0; chain < n_chains; ++chain)
            archive &(*ensemble)[chain];
        }
        std::istringstream              stream(peers.broadcast(saved.str()));
        boost::archive::binary_iarchive archive(stream);
        ensemble = make_ensemble();
        for (unsigned int chain = 0; chain < n_chains; ++chain)
          archive &(*ensemble)[chain];
        stop = false;
        ensemble->run(stop, 70);
        count(*ensemble);
      }
    told.has_lost   = difficult->has_lost;
    told.has_failed = difficult->has_failed;
    return told;
  }
} // namespace


int
main(int argc, char **argv)
{
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  const Peers                                    peers(MPI_COMM_WORLD), alone;
  // The others have nothing to say.
  if (!peers.is_first())
    std::cout.setstate(std::ios::failbit);

  const std::vector<std::string> names{"deterministic",
                                       "noisy",
                                       "without gradients",
                                       "late gradients",
                                       "with a budget",
                                       "paces"};
  for (const Kind kind : {Kind::plain,
                          Kind::noisy,
                          Kind::failing,
                          Kind::late,
                          Kind::with_budget,
                          Kind::plane})
    for (const unsigned int n_rungs : {2, 4, 6})
      {
        const unsigned int n_chains = 2;
        const Told         expected =
          run(kind,
              n_rungs,
              n_chains,
              alone,
              std::vector<std::vector<unsigned int>>(
                n_chains, std::vector<unsigned int>(n_rungs, 0)));

        // As the program deals, and scattered so that all neighbours are apart.
        std::vector<double> costs(n_rungs, 1.);
        costs[0]           = 5.;
        const auto anybody = [](unsigned int, unsigned int) { return true; };
        const Deal dealt   = deal_rungs(costs, n_chains, peers.size(), anybody);
        auto       scattered = dealt.peer_of;
        for (unsigned int chain = 0; chain < n_chains; ++chain)
          for (unsigned int rung = 0; rung < n_rungs; ++rung)
            scattered[chain][rung] = (chain + rung) % peers.size();
        const std::string name = names[static_cast<int>(kind)] + ", " +
                                 std::to_string(n_rungs) + " rungs: ";
        for (const bool is_scattered : {false, true})
          {
            const Told told = run(kind,
                                  n_rungs,
                                  n_chains,
                                  peers,
                                  is_scattered ? scattered : dealt.peer_of);
            check(name + (is_scattered ? "scattered" : "dealt"),
                  told == expected && told.numbers.size() > 2000,
                  std::to_string(told.numbers.size()) + " numbers instead of " +
                    std::to_string(expected.numbers.size()) +
                    (told.numbers == expected.numbers ? ", equal" : ", other") +
                    (told.work == expected.work ? "" : ", other work") +
                    (told.evaluations == expected.evaluations ?
                       "" :
                       ", other evaluations"));
            if (kind == Kind::late)
              check(name + "gradients find what they need", !told.has_lost);
            if (kind == Kind::failing)
              check(name + "some have failed", expected.has_failed);
          }
      }

  // One process has all that is hotter than a rung of another, which is slow.
  const std::vector<std::string> ways{"",
                                      ", failing",
                                      ", with a budget",
                                      ", stopped"};
  for (const Kind kind : {Kind::ahead,
                          Kind::ahead_failing,
                          Kind::ahead_with_budget,
                          Kind::ahead_stopped})
    {
      const unsigned int n_rungs = 4, n_chains = peers.size() / 2;
      const Told         expected =
        run(kind == Kind::ahead_stopped ? Kind::ahead : kind,
            n_rungs,
            n_chains,
            alone,
            std::vector<std::vector<unsigned int>>(
              n_chains, std::vector<unsigned int>(n_rungs, 0)));
      for (const unsigned int cut : {1, 2})
        for (const bool is_turned : {false, true})
          {
            std::vector<std::vector<unsigned int>> peer_of(n_chains);
            for (unsigned int chain = 0; chain < n_chains; ++chain)
              for (unsigned int rung = 0; rung < n_rungs; ++rung)
                peer_of[chain].push_back(
                  ((rung < cut) == is_turned ? n_chains : 0) + chain);
            const Told told = run(kind, n_rungs, n_chains, peers, peer_of);
            check(
              "looking ahead" +
                ways[static_cast<int>(kind) - static_cast<int>(Kind::ahead)] +
                ", from rung " + std::to_string(cut) +
                (is_turned ? ", at the first process" : ""),
              told == expected && told.numbers.size() > 2000 &&
                (kind == Kind::ahead_failing ?
                   told.kept > 10. :
                   told.kept > 100. && told.redone > 5.) &&
                expected.kept == 0. &&
                (kind != Kind::ahead_failing || expected.has_failed),
              std::to_string(told.numbers.size()) + " numbers instead of " +
                std::to_string(expected.numbers.size()) +
                (told.numbers == expected.numbers ? ", equal" : ", other") +
                (told.work == expected.work ? "" : ", other work") +
                (told.evaluations == expected.evaluations ?
                   "" :
                   ", other evaluations") +
                ", kept " + std::to_string(told.kept) + ", redone " +
                std::to_string(told.redone));
          }
    }

  // Dealing: nobody has much more than his share, and whole chains stay
  // together where that is even.
  const auto anybody = [](unsigned int, unsigned int) { return true; };
  const Deal uneven  = deal_rungs({10., 1., 1., 1., 1.}, 4, 4, anybody);
  check(
    "whole chains",
    uneven.peer_of ==
      std::vector<std::vector<unsigned int>>(
        {{0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}, {3, 3, 3, 3, 3}}));
  const Deal one_chain = deal_rungs({10., 1., 1., 1., 1.}, 1, 2, anybody);
  check("a coarse rung is no reason to wait",
        one_chain.peer_of ==
          std::vector<std::vector<unsigned int>>({{0, 1, 1, 1, 1}}));
  const Deal three = deal_rungs({4., 2., 2., 1.}, 2, 3, anybody);
  check("loads are even",
        *std::max_element(three.loads.begin(), three.loads.end()) == 6.);
  const Deal by_size =
    deal_rungs({8., 1., 1.}, 2, 3, [](unsigned int peer, unsigned int rung) {
      return (peer == 0) == (rung == 0);
    });
  check("sizes of groups are respected",
        by_size.peer_of[0][0] == 0 && by_size.peer_of[1][0] == 0 &&
          by_size.peer_of[0][1] != 0 && by_size.peer_of[1][2] != 0);
  const Deal in_two = deal_rungs({4., 1., 1., 1.}, 2, 5, anybody, 1);
  check("one peer has all that looks ahead",
        in_two.peer_of ==
          std::vector<std::vector<unsigned int>>({{0, 2, 2, 2}, {1, 3, 3, 3}}));
  const Deal too_much = deal_rungs({1., 3., 3., 3.}, 1, 4, anybody, 1);
  check("unless it has too much to do",
        too_much.loads == std::vector<double>({1., 3., 3., 3.}));
  return peers.is_first() ? result() : 0;
}
