// SPDX-License-Identifier: LGPL-2.1-or-later

// A ladder in temperature and fidelity, with a coldest rung that lives by
// swaps, paces, archives and the prior as its last rung, keeps the law of every
// rung: from independent exact draws, one whole round leads to such draws again
// (test of Kolmogorov and Smirnov, of rungs and of sums of neighbours). Three
// ways to do it wrongly are found by the same test: states that are copied, a
// state that is tested while its chain has moved on, an archive that holds the
// present state.

#include "tests.h"

#include <tempera/base/user_error.h>
#include <tempera/inference/independent_prior.h>
#include <tempera/sampler/replica_exchange.h>

#include <array>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** A standard normal prior, and data that speak for another place. */
  class NormalLevel : public Energy
  {
  public:
    NormalLevel(const double place, const double width)
      : place(place)
      , width(width)
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
    evaluate(const dealii::ArrayView<const double> &x,
             const RandomKey &,
             const Request,
             Evaluation &evaluation) const override
    {
      evaluation.reference = 0.5 * x[0] * x[0];
      evaluation.potential = 0.5 * std::pow((x[0] - place) / width, 2);
      evaluation.reference_gradient[0] = x[0];
      evaluation.potential_gradient[0] = (x[0] - place) / (width * width);
    }

    /** Mean and variance at a temperature. */
    std::array<double, 2>
    moments(const double temperature) const
    {
      const double precision = 1. + 1. / (temperature * width * width);
      return {
        {place / (temperature * width * width) / precision, 1. / precision}};
    }

  private:
    const double     place, width;
    const StateSpace state_space{{Coordinate{"x"}}};
  };


  const auto fine   = std::make_shared<NormalLevel>(1., 0.5),
             medium = std::make_shared<NormalLevel>(0.8, 0.55),
             coarse = std::make_shared<NormalLevel>(0.5, 0.7);

  std::shared_ptr<const PriorMeasure>
  prior()
  {
    return std::make_shared<IndependentPrior>(
      std::vector<Unknown>{{"x", Prior::normal(0., 1.)}});
  }

  Ladder
  make_ladder(const std::vector<double>       &temperatures,
              const std::vector<std::string>  &levels,
              const std::vector<unsigned int> &paces,
              const std::vector<unsigned int> &steps,
              const std::string               &kernels)
  {
    LadderParameters ladder;
    ladder.temperatures = temperatures;
    ladder.levels       = levels;
    ladder.paces        = paces;
    ladder.temper       = Temper::likelihood;
    KernelParameters kernel;
    kernel.read("set Type = " + kernels);
    kernel.steps_per_round = steps;
    return Ladder(ladder,
                  kernel,
                  {{"fine", fine}, {"medium", medium}, {"coarse", coarse}},
                  prior());
  }

  std::array<double, 2>
  moments(const Ladder &ladder, const unsigned int rung)
  {
    const auto levels = {fine, medium, coarse};
    return (*(levels.begin() + ladder[rung].level))
      ->moments(ladder[rung].temperature);
  }

  std::vector<double>
  exact_draw(const Ladder       &ladder,
             const unsigned int  rung,
             const std::uint64_t number)
  {
    RandomKey key;
    key.seed  = 99;
    key.rung  = rung;
    key.round = number;
    std::vector<double> normal(1);
    fill_normals(key, dealii::make_array_view(normal));
    const auto [mean, variance] = moments(ladder, rung);
    return {mean + std::sqrt(variance) * normal[0]};
  }

  /** The least p-value of rungs and of sums and differences of neighbours. */
  double
  least_p(const Ladder &ladder, const std::vector<std::vector<double>> &ends)
  {
    double     p      = 1.;
    const auto notice = [&](const std::vector<double> &values,
                            const double               mean,
                            const double               variance) {
      p = std::min(p, kolmogorov_smirnov(values, [&](const double x) {
                     return normal_cdf((x - mean) / std::sqrt(variance));
                   }));
    };
    for (unsigned int rung = 0; rung < ladder.size(); ++rung)
      {
        const auto [mean, variance] = moments(ladder, rung);
        notice(ends[rung], mean, variance);
        if (rung == 0)
          continue;
        const auto [other_mean, other_variance] = moments(ladder, rung - 1);
        for (const double sign : {-1., 1.})
          {
            std::vector<double> sums;
            for (std::size_t i = 0; i < ends[rung].size(); ++i)
              sums.push_back(ends[rung - 1][i] + sign * ends[rung][i]);
            notice(sums, other_mean + sign * mean, other_variance + variance);
          }
      }
    return p;
  }

  std::unique_ptr<ReplicaExchange>
  make_sampler(const Ladder &ladder, const std::uint64_t n_rounds)
  {
    RunParameters run;
    run.burn_in    = 400;
    run.iterations = run.burn_in + n_rounds;
    auto sampler   = std::make_unique<ReplicaExchange>(
      run,
      SwapParameters(),
      ladder,
      std::vector<std::vector<double>>(ladder.size(), {0.}));
    while (sampler->get_round() < run.burn_in)
      sampler->do_round();
    return sampler;
  }

  void
  check_ladder(const std::string &name, const Ladder &ladder)
  {
    constexpr unsigned int n_draws = 40000;

    const auto                       chain   = make_sampler(ladder, n_draws);
    ReplicaExchange                 &sampler = *chain;
    std::vector<std::vector<double>> ends(ladder.size());
    unsigned int                     n_swapped = 0;
    for (unsigned int number = 0; number < n_draws; ++number)
      {
        std::vector<double> start;
        for (unsigned int rung = 0; rung < ladder.size(); ++rung)
          {
            start = exact_draw(ladder, rung, number);
            sampler.set_position(rung, start);
          }
        const unsigned int before = sampler.replica(0).id;
        sampler.do_round();
        n_swapped += sampler.replica(0).id != before;
        for (unsigned int rung = 0; rung < ladder.size(); ++rung)
          ends[rung].push_back(sampler.replica(rung).position[0]);
      }
    const double p = least_p(ladder, ends);
    check(name,
          p > 1e-6 && n_swapped > 0.2 * n_draws,
          "p = " + std::to_string(std::log10(p)) + " (log10), swapped " +
            std::to_string(n_swapped));
  }


  /** Ten rounds from exact draws, with something wrong after each. */
  template <class Round>
  double
  p_of_wrong(const Ladder &ladder, const Round &do_wrong_round)
  {
    constexpr unsigned int n_draws = 20000, n_rounds = 10;

    const auto       chain   = make_sampler(ladder, n_draws * n_rounds);
    ReplicaExchange &sampler = *chain;
    std::vector<std::vector<double>> ends(ladder.size());
    for (unsigned int number = 0; number < n_draws; ++number)
      {
        for (unsigned int rung = 0; rung < ladder.size(); ++rung)
          sampler.set_position(rung, exact_draw(ladder, rung, number));
        for (unsigned int i = 0; i < n_rounds; ++i)
          do_wrong_round(sampler);
        for (unsigned int rung = 0; rung < ladder.size(); ++rung)
          ends[rung].push_back(sampler.replica(rung).position[0]);
      }
    return least_p(ladder, ends);
  }

  void
  check_that_wrong_ways_are_found()
  {
    const Ladder pair =
      make_ladder({1., 1.}, {"fine", "coarse"}, {1}, {0, 1}, "random walk");

    const double right =
      p_of_wrong(pair, [](ReplicaExchange &sampler) { sampler.do_round(); });
    check("ten rounds of a pair", right > 1e-6, std::to_string(right));

    const double copied = p_of_wrong(pair, [](ReplicaExchange &sampler) {
      const unsigned int before = sampler.replica(0).id;
      sampler.do_round();
      if (sampler.replica(0).id != before)
        sampler.set_position(1, sampler.replica(0).position);
    });
    check("states that are copied are found",
          copied < 1e-12,
          std::to_string(copied));

    const double stale = p_of_wrong(pair, [](ReplicaExchange &sampler) {
      const std::vector<double> old = sampler.replica(1).position;
      sampler.advance(1);
      const std::vector<double> moved = sampler.replica(1).position;
      sampler.set_position(1, old);
      const unsigned int before = sampler.replica(0).id;
      sampler.finish_round();
      if (sampler.replica(0).id == before)
        sampler.set_position(1, moved);
    });
    check("a state whose chain has moved on is found",
          stale < 1e-12,
          std::to_string(stale));

    // Differences of four states, of which one is the present one.
    constexpr unsigned int n_draws = 20000;
    const Ladder           one  = make_ladder({1.}, {"fine"}, {1}, {1}, "MALA");
    const auto [mean, variance] = moments(one, 0);
    std::vector<std::vector<double>> ends(1);
    for (unsigned int number = 0; number < n_draws; ++number)
      {
        std::array<double, 4> archive;
        for (unsigned int i = 0; i < 4; ++i)
          archive[i] = exact_draw(one, 0, 4 * number + i)[0];
        for (unsigned int round = 0; round < 10; ++round)
          {
            RandomKey key;
            key.seed  = 7;
            key.round = 10 * number + round;
            std::array<double, 3> u;
            fill_uniforms(key, dealii::ArrayView<double>(u.data(), 3));
            const unsigned int a = 4 * u[0], b = (a + 1 + int(3 * u[1])) % 4;
            const double next = archive[0] + 1.7 * (archive[a] - archive[b]);
            if (std::log(u[2]) <
                0.5 *
                  (std::pow(archive[0] - mean, 2) - std::pow(next - mean, 2)) /
                  variance)
              archive[0] = next;
            // The archive goes on to be gathered.
            archive[1 + round % 3] = archive[0];
          }
        ends[0].push_back(archive[0]);
      }
    const double present = least_p(one, ends);
    check("an archive that holds the present state is found",
          present < 1e-12,
          std::to_string(present));
  }


  void
  check_refusal(const std::string               &name,
                const std::string               &word,
                const std::function<void(void)> &make)
  {
    std::string words = "nothing was said";
    try
      {
        make();
      }
    catch (const UserError &error)
      {
        words = error.what();
      }
    check("refused: " + name, words.find(word) != std::string::npos, words);
  }
} // namespace


int
main()
{
  const double infinity = std::numeric_limits<double>::infinity();

  check_ladder("levels at one temperature",
               make_ladder({1., 1., 3.},
                           {"fine", "coarse", "coarse"},
                           {1},
                           {0, 1, 1},
                           "MALA"));
  check_ladder("paces",
               make_ladder({1., 1., 2., 6.},
                           {"fine", "coarse", "coarse", "coarse"},
                           {1, 4, 4, 4},
                           {0, 1, 1, 2},
                           "random walk"));
  check_ladder("paces of three levels, with the prior",
               make_ladder({1., 1., 1., 4., infinity},
                           {"fine", "medium", "coarse", "coarse", "coarse"},
                           {1, 2, 6, 6, 6},
                           {0, 0, 1, 1, 1},
                           "random walk"));
  check_ladder("archives",
               make_ladder({1., 1., 3., infinity},
                           {"fine", "coarse", "coarse", "coarse"},
                           {1, 3, 3, 3},
                           {1, 1, 1, 1},
                           "differences"));
  check_ladder("kernels in turns",
               make_ladder({1., 1., infinity},
                           {"fine", "coarse", "coarse"},
                           {1, 5, 5},
                           {0, 1, 1},
                           "differences + MALA"));
  check_that_wrong_ways_are_found();

  check_refusal("paces that do not nest", "multiple", [] {
    make_ladder({1., 2., 3.}, {"fine"}, {1, 4, 6}, {1}, "MALA");
  });
  check_refusal("a pace of the coldest rung", "Begin with 1", [] {
    make_ladder({1., 2.}, {"fine"}, {2, 4}, {1}, "MALA");
  });
  check_refusal("nothing moves", "nothing ever moves", [] {
    make_ladder({1.}, {"fine"}, {1}, {0}, "MALA");
  });
  check_refusal("equal temperatures at one level", "two levels", [] {
    make_ladder({1., 1.}, {"fine"}, {1}, {1}, "MALA");
  });
  check_refusal("infinity without a prior", "proper priors", [=] {
    LadderParameters ladder;
    ladder.temperatures = std::vector<double>{1., infinity};
    ladder.temper       = Temper::likelihood;
    Ladder(ladder, KernelParameters(), {{"fine", fine}});
  });
  check_refusal("infinity with the posterior tempered",
                "Temper = likelihood",
                [=] {
                  LadderParameters ladder;
                  ladder.temperatures = std::vector<double>{1., infinity};
                  ladder.temper       = Temper::posterior;
                  Ladder(ladder, KernelParameters(), {{"fine", fine}}, prior());
                });
  check_refusal("an archive without burn-in", "learns during burn-in", [] {
    RunParameters run;
    run.burn_in = 0;
    ReplicaExchange(run,
                    SwapParameters(),
                    make_ladder({1.}, {"fine"}, {1}, {1}, "differences"),
                    {{0.}});
  });
  return result();
}
