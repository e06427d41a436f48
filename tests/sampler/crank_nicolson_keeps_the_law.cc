// SPDX-License-Identifier: LGPL-2.1-or-later

// pCN, pCN-Langevin and gpCN sample a bent posterior around a Gaussian prior
// that is not centred, at all temperatures of a ladder; moments by quadrature.
// Their steps are adapted; where they cannot be right, that is told.

#include "bent_posterior.h"
#include "tests.h"

#include <tempera/base/user_error.h>
#include <tempera/sampler/replica_exchange.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  std::vector<double>
  functionals(const double x, const double y)
  {
    return {x, y, x * x, x * y, y * y};
  }

  /** That of the posterior. */
  std::shared_ptr<const PriorMeasure>
  bent_prior(const bool says_it_is_normal = true)
  {
    const TwoNormals &prior = BentPosterior().prior;
    return std::make_shared<TwoNormals>(prior.mean,
                                        prior.c01,
                                        true,
                                        says_it_is_normal);
  }

  /** By quadrature. */
  std::vector<double>
  moments(const double temperature)
  {
    const BentPosterior energy;
    Evaluation          evaluation;
    double              total = 0.;
    std::vector<double> result(5, 0.);
    for (double x = -5.; x < 6.; x += 0.02)
      for (double y = -9.; y < 9.; y += 0.02)
        {
          const std::vector<double> state{x, y};
          energy.evaluate(dealii::make_array_view(state),
                          RandomKey(),
                          Request::values,
                          evaluation);
          const double weight = std::exp(-evaluation.reference -
                                         evaluation.potential / temperature);
          total += weight;
          const std::vector<double> here = functionals(x, y);
          for (unsigned int k = 0; k < here.size(); ++k)
            result[k] += weight * here[k];
        }
    for (double &moment : result)
      moment /= total;
    return result;
  }


  Ladder
  make_ladder(const std::vector<std::string>            &kernels,
              const std::shared_ptr<const PriorMeasure> &prior,
              const std::vector<double>                 &temperatures,
              const Temper temper = Temper::likelihood)
  {
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = temperatures;
    ladder_parameters.temper       = temper;
    KernelParameters kernel_parameters;
    kernel_parameters.types = kernels;
    return Ladder(ladder_parameters,
                  kernel_parameters,
                  {{"fine", std::make_shared<BentPosterior>()}},
                  prior);
  }


  void
  check_law(const std::vector<std::string> &kernels)
  {
    RunParameters run_parameters;
    run_parameters.burn_in    = 2000;
    run_parameters.iterations = 202000;
    const std::vector<double>        temperatures{1., 4.};
    ReplicaExchange                  sampler(run_parameters,
                            SwapParameters(),
                            make_ladder(kernels, bent_prior(), temperatures),
                            {{0., 0.}});
    std::vector<std::vector<double>> values(2 * 5);
    sampler.signals.draw.connect([&](const Draw &draw) {
      if (draw.is_burn_in)
        return;
      const auto here = functionals(draw.position[0], draw.position[1]);
      for (unsigned int k = 0; k < 5; ++k)
        values[5 * draw.rung + k].push_back(here[k]);
    });
    sampler.run();

    bool        right = true;
    std::string details;
    for (const unsigned int rung : {0u, 1u})
      {
        const std::vector<double> truths = moments(temperatures[rung]);
        for (unsigned int k = 0; k < 5; ++k)
          {
            const Estimate e = estimate(values[5 * rung + k]);
            right =
              right && e.deviation(truths[k]) < 4.5 && e.effective_size > 2000.;
            details += e.text(truths[k]) + "; ";
          }
      }
    check("the law of " + kernels[0] +
            (kernels.size() > 1 ? " and " + kernels[1] : std::string()),
          right,
          details);
  }


  /** A draw of the posterior, by rejection of draws of the prior. */
  std::vector<double>
  exact_draw(const double temperature, const std::uint64_t number)
  {
    const BentPosterior energy;
    Evaluation          evaluation;
    RandomKey           key;
    key.seed  = 4711;
    key.round = number;
    for (;; ++key.substep)
      {
        key.purpose                     = Purpose::start;
        const std::vector<double> state = energy.prior.sample(key);
        energy.evaluate(dealii::make_array_view(state),
                        key,
                        Request::values,
                        evaluation);
        key.purpose = Purpose::acceptance;
        if (uniform(key) < std::exp(-evaluation.potential / temperature))
          return state;
      }
  }


  /** Makes two independent uniform numbers of a draw of the posterior. */
  class ToUniform
  {
  public:
    explicit ToUniform(const double temperature)
      : variance_of_misfit(std::pow(BentPosterior::error, 2) * temperature)
      , cumulated(1, 0.)
    {
      // Where y is integrated out, by Simpson's rule.
      for (double x = lowest; x < -lowest; x += step)
        cumulated.push_back(cumulated.back() + density(x) +
                            4. * density(x + 0.5 * step) + density(x + step));
    }

    std::pair<double, double>
    operator()(const std::vector<double> &state) const
    {
      const double      place = (state[0] - lowest) / step;
      const std::size_t cell  = static_cast<std::size_t>(place);
      const double      share = place - cell;
      // Of y, given x, prior and measurement are normal.
      const double precision = 1. / variance_of_y + 1. / variance_of_misfit;
      const double mean =
        (mean_of_y(state[0]) / variance_of_y +
         (BentPosterior::measured - energy.bend * state[0] * state[0]) /
           variance_of_misfit) /
        precision;
      return {((1. - share) * cumulated[cell] + share * cumulated[cell + 1]) /
                cumulated.back(),
              normal_cdf((state[1] - mean) * std::sqrt(precision))};
    }

  private:
    double
    mean_of_y(const double x) const
    {
      return energy.prior.mean[1] +
             energy.prior.c01 / TwoNormals::c00 * (x - energy.prior.mean[0]);
    }

    double
    density(const double x) const
    {
      return std::exp(
        -0.5 *
        (std::pow(x - energy.prior.mean[0], 2) / TwoNormals::c00 +
         std::pow(BentPosterior::measured - energy.bend * x * x - mean_of_y(x),
                  2) /
           (variance_of_y + variance_of_misfit)));
    }

    static constexpr double lowest = -8., step = 1e-3;
    const BentPosterior     energy;
    const double            variance_of_misfit,
      variance_of_y = energy.prior.determinant() / TwoNormals::c00;
    std::vector<double> cumulated;
  };


  /**
   * Exact draws, one step each: they are exact draws again, by the test of
   * Kolmogorov and Smirnov.
   */
  void
  check_exact_draws(const std::string &kernel)
  {
    constexpr unsigned int n_draws = 100000;
    for (const double temperature : {1., 2.5})
      {
        RunParameters run_parameters;
        run_parameters.burn_in    = 4000;
        run_parameters.iterations = run_parameters.burn_in + n_draws;
        ReplicaExchange sampler(run_parameters,
                                SwapParameters(),
                                make_ladder({kernel},
                                            bent_prior(),
                                            {temperature}),
                                {{0., 0.}});
        while (sampler.get_round() < run_parameters.burn_in)
          sampler.do_round();

        const ToUniform     to_uniform(temperature);
        std::vector<double> first, second, sums, differences;
        unsigned int        n_moved = 0;
        for (unsigned int number = 0; number < n_draws; ++number)
          {
            const std::vector<double> start = exact_draw(temperature, number);
            sampler.set_position(0, start);
            sampler.do_round();
            const std::vector<double> &end = sampler.replica(0).position;
            n_moved += end != start;
            const auto [u, v] = to_uniform(end);
            first.push_back(u);
            second.push_back(v);
            sums.push_back(u + v);
            differences.push_back(u + 1. - v);
          }
        const auto one = [](const double u) { return u; };
        const auto two = [](const double s) {
          return s < 1. ? 0.5 * s * s : 1. - 0.5 * (2. - s) * (2. - s);
        };
        const double p     = std::min({kolmogorov_smirnov(first, one),
                                       kolmogorov_smirnov(second, one),
                                       kolmogorov_smirnov(sums, two),
                                       kolmogorov_smirnov(differences, two)});
        const double moved = double(n_moved) / n_draws;
        check("a step of " + kernel + " keeps exact draws" +
                (temperature > 1. ? ", tempered" : ""),
              p > 1e-4 && moved > 0.1 && moved < 0.9,
              "p = " + std::to_string(p) + ", " + std::to_string(moved) +
                " moved");
      }
  }


  /**
   * What is accepted where nothing is adapted any more, over several seeds:
   * the acceptance differs much from state to state here.
   */
  void
  check_acceptance(const std::string &kernel, const double target)
  {
    double least = 1., most = 0.;
    for (unsigned int seed = 1; seed <= 8; ++seed)
      {
        RunParameters run_parameters;
        run_parameters.seed       = seed;
        run_parameters.burn_in    = 16000;
        run_parameters.iterations = 36000;
        ReplicaExchange     sampler(run_parameters,
                                SwapParameters(),
                                make_ladder({kernel}, bent_prior(), {1.}),
                                {{0., 0.}});
        double              moved = 0., n = 0.;
        std::vector<double> last;
        sampler.signals.draw.connect([&](const Draw &draw) {
          const std::vector<double> here(draw.position.begin(),
                                         draw.position.end());
          if (!draw.is_burn_in)
            {
              moved += here != last;
              n += 1.;
            }
          last = here;
        });
        sampler.run();
        least = std::min(least, moved / n);
        most  = std::max(most, moved / n);
      }
    check("the acceptance of " + kernel + " is adapted",
          least > target - 0.07 && most < target + 0.07,
          std::to_string(least) + " to " + std::to_string(most));
  }


  /** Where everything is accepted, steps are long, but they remain numbers. */
  void
  check_long_steps()
  {
    RunParameters run_parameters;
    run_parameters.burn_in    = 200000;
    run_parameters.iterations = 200001;
    const auto       energy   = std::make_shared<BentPosterior>(0.);
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures = std::vector<double>{1.};
    ladder_parameters.temper       = Temper::likelihood;
    KernelParameters kernel_parameters;
    kernel_parameters.types = {"gpCN"};
    ReplicaExchange sampler(run_parameters,
                            SwapParameters(),
                            Ladder(ladder_parameters,
                                   kernel_parameters,
                                   {{"fine", energy}},
                                   bent_prior()),
                            {{3., 4.}});
    sampler.run();
    const RungReport report = sampler.report().rungs[0];
    check("a linear measurement: everything is accepted",
          report.acceptance() > 1. - 1e-9 && report.step_size > 10. &&
            report.step_size <= 1000.,
          std::to_string(report.acceptance()) + ", " +
            std::to_string(report.step_size));
  }


  void
  check_message(const std::string                         &name,
                const std::shared_ptr<const PriorMeasure> &prior,
                const Temper                               temper,
                const std::string                         &expected)
  {
    for (const std::string kernel : {"pCN", "MALA + pCN-Langevin"})
      {
        std::string message = "no error";
        try
          {
            make_ladder({kernel}, prior, {1., 4.}, temper);
          }
        catch (const UserError &error)
          {
            message = error.what();
          }
        check(name + ", " + kernel,
              message.find(expected) != std::string::npos,
              message);
      }
  }
} // namespace


int
main()
{
  check_law({"pCN"});
  check_law({"pCN-Langevin"});
  // Alone it hardly reaches the ends of what is bent: a normal law around the
  // maximum has thinner tails there.
  check_law({"gpCN + pCN"});
  check_law({"pCN-Langevin", "pCN"});
  check_law({"MALA + pCN-Langevin", "pCN + random walk"});
  for (const std::string kernel : {"pCN", "pCN-Langevin", "gpCN"})
    check_exact_draws(kernel);
  check_acceptance("pCN", 0.25);
  check_acceptance("pCN-Langevin", 0.574);
  check_long_steps();
  check_message("a tempered prior",
                bent_prior(),
                Temper::posterior,
                "'Sampler/Ladder/Temper = likelihood'");
  check_message("a prior that is not Gaussian",
                bent_prior(false),
                Temper::likelihood,
                "not all priors are normal");
  check_message("no prior",
                nullptr,
                Temper::likelihood,
                "covariance of the prior");
  return result();
}
