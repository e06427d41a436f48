// SPDX-License-Identifier: LGPL-2.1-or-later

// pCN and pCN-Langevin sample a bent posterior around a Gaussian prior that is
// not centred, at all temperatures of a ladder; moments by quadrature. Their
// steps are adapted; where they cannot be right, that is told.

#include "tests.h"

#include <tempera/base/user_error.h>
#include <tempera/sampler/prior_measure.h>
#include <tempera/sampler/replica_exchange.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  constexpr double mean_x = 0.5, mean_y = -0.3;
  constexpr double c00 = 1., c01 = 0.6, c11 = 2.,
                   determinant = c00 * c11 - c01 * c01;

  /** Two correlated normal unknowns; the root has three columns. */
  class Prior : public PriorMeasure
  {
  public:
    explicit Prior(const bool gaussian = true)
      : gaussian(gaussian)
    {}

    const StateSpace &
    space() const override
    {
      return state_space;
    }

    double
    energy(const dealii::ArrayView<const double> &x,
           const dealii::ArrayView<double>       &gradient) const override
    {
      const double d[]    = {x[0] - mean_x, x[1] - mean_y};
      const double by_x[] = {(c11 * d[0] - c01 * d[1]) / determinant,
                             (c00 * d[1] - c01 * d[0]) / determinant};
      for (unsigned int i = 0; i < gradient.size(); ++i)
        gradient[i] = by_x[i];
      return 0.5 * (d[0] * by_x[0] + d[1] * by_x[1]);
    }

    double
    log_normaliser() const override
    {
      return std::log(2. * M_PI) + 0.5 * std::log(determinant);
    }

    bool
    is_integrable(const double) const override
    {
      return true;
    }

    bool
    is_gaussian() const override
    {
      return gaussian;
    }

    std::vector<double>
    sample(const RandomKey &) const override
    {
      return centre();
    }

    std::vector<double>
    centre() const override
    {
      return {mean_x, mean_y};
    }

    void
    apply_covariance(const dealii::ArrayView<const double> &x,
                     const dealii::ArrayView<double> &result) const override
    {
      result[0] = c00 * x[0] + c01 * x[1];
      result[1] = c01 * x[0] + c11 * x[1];
    }

    std::size_t
    root_size() const override
    {
      return 3;
    }

    /** Something in common, and something of one's own. */
    void
    apply_covariance_root(
      const dealii::ArrayView<const double> &z,
      const dealii::ArrayView<double>       &result) const override
    {
      result[0] = std::sqrt(c01) * z[0] + std::sqrt(c00 - c01) * z[1];
      result[1] = std::sqrt(c01) * z[0] + std::sqrt(c11 - c01) * z[2];
    }

  private:
    const bool       gaussian;
    const StateSpace state_space{{Coordinate{"x"}, Coordinate{"y"}}};
  };


  /** A measurement of \f$x^2 + y\f$. */
  class Bent : public Energy
  {
  public:
    const StateSpace &
    space() const override
    {
      return prior.space();
    }

    bool
    is_integrable(const Exponents &) const override
    {
      return true;
    }

    void
    evaluate(const dealii::ArrayView<const double> &x,
             const RandomKey &,
             const Request request,
             Evaluation   &evaluation) const override
    {
      const bool   with_gradient = request != Request::values;
      const double misfit        = (x[0] * x[0] + x[1] - 1.) / 0.5;
      evaluation.reference =
        prior.energy(x,
                     with_gradient ?
                       dealii::make_array_view(evaluation.reference_gradient) :
                       dealii::ArrayView<double>());
      evaluation.potential = 0.5 * misfit * misfit;
      if (with_gradient)
        evaluation.potential_gradient = {4. * x[0] * misfit, 2. * misfit};
    }

  private:
    const Prior prior;
  };


  std::vector<double>
  functionals(const double x, const double y)
  {
    return {x, y, x * x, x * y, y * y};
  }

  /** By quadrature. */
  std::vector<double>
  moments(const double temperature)
  {
    const Bent          energy;
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
                  {{"fine", std::make_shared<Bent>()}},
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
                            make_ladder(kernels,
                                        std::make_shared<Prior>(),
                                        temperatures),
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


  /** Where the likelihood says nothing, everything is accepted. */
  void
  check_acceptance()
  {
    for (const auto &[kernel, target] :
         {std::make_pair("pCN", 0.25), std::make_pair("pCN-Langevin", 0.574)})
      {
        RunParameters run_parameters;
        run_parameters.burn_in    = 4000;
        run_parameters.iterations = 24000;
        ReplicaExchange     sampler(run_parameters,
                                SwapParameters(),
                                make_ladder({kernel},
                                            std::make_shared<Prior>(),
                                            {1.}),
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
        check(std::string("the acceptance of ") + kernel + " is adapted",
              std::abs(moved / n - target) < 0.15,
              std::to_string(moved / n));
      }
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
  check_law({"pCN-Langevin", "pCN"});
  check_law({"MALA + pCN-Langevin", "pCN + random walk"});
  check_acceptance();
  check_message("a tempered prior",
                std::make_shared<Prior>(),
                Temper::posterior,
                "'Sampler/Ladder/Temper = likelihood'");
  check_message("a prior that is not Gaussian",
                std::make_shared<Prior>(false),
                Temper::likelihood,
                "not all priors are normal");
  check_message("no prior",
                nullptr,
                Temper::likelihood,
                "covariance of the prior");
  return result();
}
