// SPDX-License-Identifier: LGPL-2.1-or-later

// Independent draws from the target, one step of a kernel each: what comes out
// has the law of the target again, by the test of Kolmogorov and Smirnov. No
// error of a proposal's density hides behind the length of a chain here, and
// the steps are large, so that many are rejected.

#include "tests.h"

#include <tempera/sampler/replica_exchange.h>

#include <array>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  using Point = std::array<double, 3>;

  /** Rows of a matrix that makes correlated unknowns of independent ones. */
  constexpr double mixing[3][3] = {{1., 0., 0.}, {3., 0.5, 0.}, {-1., 0.4, 2.}};

  /** The independent ones. */
  Point
  unmixed(const dealii::ArrayView<const double> &x)
  {
    Point u;
    for (unsigned int i = 0; i < 3; ++i)
      {
        u[i] = x[i];
        for (unsigned int j = 0; j < i; ++j)
          u[i] -= mixing[i][j] * u[j];
        u[i] /= mixing[i][i];
      }
    return u;
  }

  double
  logistic_cdf(const double u)
  {
    return 1. / (1. + std::exp(-u));
  }


  /**
   * Three mixed unknowns of the logistic law. A part of the energy belongs to
   * the prior, and both are scaled so that the law is that of a rung.
   */
  class MixedLogistic : public Energy
  {
  public:
    explicit MixedLogistic(const Exponents &exponents)
      : of_prior(0.3 / exponents.reference)
      , of_misfit(0.7 / exponents.potential)
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
      const Point u      = unmixed(x);
      double      energy = 0.;
      Point       gradient;
      for (unsigned int i = 0; i < 3; ++i)
        {
          // -log of the density F (1 - F).
          energy += u[i] + 2. * std::log1p(std::exp(-u[i]));
          gradient[i] = 2. * logistic_cdf(u[i]) - 1.;
        }
      for (unsigned int i = 3; i-- > 0;)
        {
          gradient[i] /= mixing[i][i];
          for (unsigned int j = 0; j < i; ++j)
            gradient[j] -= mixing[i][j] * gradient[i];
        }
      evaluation.reference = of_prior * energy;
      evaluation.potential = of_misfit * energy;
      for (unsigned int i = 0; i < 3; ++i)
        {
          evaluation.reference_gradient[i] = of_prior * gradient[i];
          evaluation.potential_gradient[i] = of_misfit * gradient[i];
        }
    }

  private:
    const double     of_prior, of_misfit;
    const StateSpace state_space{
      {Coordinate{"x"}, Coordinate{"y"}, Coordinate{"z"}}};
  };


  std::vector<double>
  exact_draw(const std::uint64_t number)
  {
    RandomKey key;
    key.seed  = 4711;
    key.round = number;
    Point uniforms;
    fill_uniforms(key, dealii::ArrayView<double>(uniforms.data(), 3));
    std::vector<double> x(3, 0.);
    for (unsigned int i = 0; i < 3; ++i)
      for (unsigned int j = 0; j <= i; ++j)
        x[i] += mixing[i][j] * std::log(uniforms[j] / (1. - uniforms[j]));
    return x;
  }


  /** The least p-value of unknowns, their sums and differences, and all. */
  double
  least_p(const std::vector<Point> &states)
  {
    // Of s = v + w, two uniform numbers.
    const auto sum = [](const double s) {
      return s < 1. ? 0.5 * s * s : 1. - 0.5 * (2. - s) * (2. - s);
    };
    double     p      = 1.;
    const auto notice = [&](const auto &statistic, const auto &cdf) {
      std::vector<double> values;
      for (const Point &state : states)
        values.push_back(statistic(state));
      p = std::min(p, kolmogorov_smirnov(values, cdf));
    };
    for (unsigned int i = 0; i < 3; ++i)
      {
        notice([=](const Point &v) { return v[i]; },
               [](const double v) { return v; });
        for (unsigned int j = 0; j < i; ++j)
          {
            notice([=](const Point &v) { return v[i] + v[j]; }, sum);
            notice([=](const Point &v) { return v[i] + 1. - v[j]; }, sum);
          }
      }
    notice(
      [](const Point &v) {
        double largest = 0.;
        for (const double one : v)
          largest = std::max(largest, 2. * std::abs(one - 0.5));
        return largest;
      },
      [](const double r) { return r * r * r; });
    return p;
  }


  void
  check_kernel(const std::string &name, const std::string &settings)
  {
    constexpr unsigned int n_draws = 200000;

    for (const bool is_hot : {false, true})
      {
        // The scales are learned in burn-in.
        RunParameters run_parameters;
        run_parameters.burn_in    = 4000;
        run_parameters.iterations = run_parameters.burn_in + n_draws;
        LadderParameters ladder_parameters;
        ladder_parameters.temperatures = std::vector<double>{is_hot ? 2.5 : 1.};
        ladder_parameters.temper =
          is_hot ? Temper::likelihood : Temper::posterior;
        KernelParameters kernel_parameters;
        kernel_parameters.read(settings);
        ReplicaExchange sampler(
          run_parameters,
          SwapParameters(),
          Ladder(ladder_parameters,
                 kernel_parameters,
                 {{"fine",
                   std::make_shared<MixedLogistic>(
                     Exponents{1., is_hot ? 1. / 2.5 : 1.})}}),
          {{0., 0., 0.}});
        while (sampler.get_round() < run_parameters.burn_in)
          sampler.do_round();

        std::vector<Point> states;
        unsigned int       n_moved = 0;
        for (unsigned int number = 0; number < n_draws; ++number)
          {
            const std::vector<double> start = exact_draw(number);
            sampler.set_position(0, start);
            sampler.do_round();
            const std::vector<double> &end = sampler.replica(0).position;
            n_moved += end != start;
            states.push_back(unmixed(dealii::make_array_view(end)));
            for (double &u : states.back())
              u = logistic_cdf(u);
          }
        const double p     = least_p(states);
        const double moved = double(n_moved) / n_draws;
        check(name + (is_hot ? ", tempered" : ""),
              p > 1e-6 && moved > 0.1 && moved < 0.8,
              "p = " + std::to_string(std::log10(p)) + " (log10), " +
                std::to_string(moved) + " moved");
      }
  }
} // namespace


int
main()
{
  const std::string mala = "set Type = MALA\nset Target acceptance = 0.4\n";
  check_kernel("MALA", mala);
  check_kernel("MALA, given scales", mala + "set Preconditioner = 1, 9, 5");
  check_kernel("MALA, diagonal", mala + "set Preconditioner = adapt");
  check_kernel("MALA, dense", mala + "set Preconditioner = adapt dense");

  const std::string walk = "set Type = random walk\n";
  check_kernel("random walk", walk);
  check_kernel("random walk, diagonal", walk + "set Preconditioner = adapt");
  check_kernel("random walk, dense", walk + "set Preconditioner = adapt dense");

  check_kernel("mixture", "set Type = mixture");
  check_kernel("Laplace", "set Type = Laplace");

  for (const std::string mass : {"unit", "diagonal", "dense"})
    check_kernel("HMC, " + mass,
                 "set Type = HMC\nsubsection HMC\nset Target acceptance = "
                 "0.5\nset Mass = " +
                   mass + "\nend");
  return result();
}
