// SPDX-License-Identifier: LGPL-2.1-or-later

// A kernel says that it needs draws from the prior, or its covariance, and gets
// them: an independence sampler and pCN, written here, sample a Gaussian
// posterior at two temperatures; where there is no prior, that is told.

#include "bent_posterior.h"
#include "tests.h"

#include <tempera/base/user_error.h>
#include <tempera/sampler/replica_exchange.h>
#include <tempera/sampler/tuned_kernel.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Around zero. */
  class GaussianPrior : public TwoNormals
  {
  public:
    explicit GaussianPrior(const bool proper = true)
      : TwoNormals({0., 0.}, 0.9, proper)
    {}
  };


  /** That prior, and a measurement of the first unknown with deviation 1. */
  class Measured : public Energy
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
             const Request,
             Evaluation &evaluation) const override
    {
      evaluation.reference =
        prior.energy(x, dealii::make_array_view(evaluation.reference_gradient));
      evaluation.potential          = 0.5 * std::pow(x[0] - measured, 2);
      evaluation.potential_gradient = {x[0] - measured, 0.};
    }

    static constexpr double measured = 1.5;

  private:
    const GaussianPrior prior;
  };


  /**
   * Proposals that leave the prior invariant, and Metropolis' test on what the
   * target of a rung has besides: \f$V - R\f$.
   */
  class PriorKernel : public Kernel
  {
  public:
    struct Parameters
    {
      void
      declare(dealii::ParameterHandler &)
      {}
    };

    bool
    is_adjusted() const override
    {
      return true;
    }

    struct State : public KernelStateOf<State>
    {
      explicit State(const Replica &proposal)
        : proposal(proposal)
      {}

      double
      step_size() const override
      {
        return 1.;
      }

      template <typename Archive>
      void
      serialize(Archive &)
      {}

      Replica proposal;
    };

    std::unique_ptr<KernelState>
    make_state(const Rung &,
               const unsigned int dimension,
               const unsigned int n_levels) const override
    {
      return std::make_unique<State>(
        Replica(0, std::vector<double>(dimension), n_levels));
    }

    StepOutcome
    step(const StepContext &context,
         Replica           &replica,
         KernelState       &kernel_state) const override
    {
      Replica    &proposal = static_cast<State &>(kernel_state).proposal;
      const Rung &rung     = context.rung;
      proposal.id          = replica.id;
      proposal.position    = propose(context, replica.position);
      proposal.invalidate();
      Evaluation &there = proposal.evaluations[rung.level];
      context.energy.evaluate(dealii::make_array_view(
                                std::as_const(proposal.position)),
                              context.key,
                              Request::values,
                              there);
      there.has_values = true;

      const auto besides = [&](const Evaluation &evaluation) {
        return evaluation.tempered(rung.exponents) - evaluation.reference;
      };
      StepOutcome outcome;
      outcome.count(Request::values);
      outcome.acceptance =
        metropolis(besides(replica.evaluations[rung.level]) - besides(there));
      RandomKey key = context.key;
      key.purpose   = Purpose::acceptance;
      outcome.moved = uniform(key) < outcome.acceptance;
      if (outcome.moved)
        swap(replica, proposal);
      return outcome;
    }

  private:
    virtual std::vector<double>
    propose(const StepContext         &context,
            const std::vector<double> &position) const = 0;
  };


  class Independence : public PriorKernel
  {
  public:
    explicit Independence(const KernelParameters &)
    {}

    KernelNeeds
    needs() const override
    {
      KernelNeeds result;
      result.gradients   = false;
      result.prior_draws = true;
      return result;
    }

  private:
    std::vector<double>
    propose(const StepContext &context,
            const std::vector<double> &) const override
    {
      return context.prior->sample(context.key);
    }
  };

  const KernelRegistration<Independence>
    register_independence("independence", "Draws from the prior.");


  /** Preconditioned Crank-Nicolson, of a prior around zero. */
  class CrankNicolson : public PriorKernel
  {
  public:
    explicit CrankNicolson(const KernelParameters &)
    {}

    KernelNeeds
    needs() const override
    {
      KernelNeeds result;
      result.gradients        = false;
      result.prior_covariance = true;
      return result;
    }

  private:
    std::vector<double>
    propose(const StepContext         &context,
            const std::vector<double> &position) const override
    {
      constexpr double    beta = 0.7;
      std::vector<double> normals(context.prior->root_size()),
        result(position.size());
      fill_normals(context.key, dealii::make_array_view(normals));
      context.prior->apply_covariance_root(dealii::make_array_view(
                                             std::as_const(normals)),
                                           dealii::make_array_view(result));
      for (std::size_t i = 0; i < result.size(); ++i)
        result[i] =
          std::sqrt(1. - beta * beta) * position[i] + beta * result[i];
      return result;
    }
  };

  const KernelRegistration<CrankNicolson>
    register_crank_nicolson("Crank-Nicolson", "pCN.");


  /** A law that is much wider than the prior cannot be sampled from there. */
  double
  hot_temperature(const Temper temper)
  {
    return temper == Temper::posterior ? 1.2 : 3.;
  }

  Ladder
  make_ladder(const std::vector<std::string>            &kernels,
              const std::shared_ptr<const PriorMeasure> &prior,
              const Temper temper = Temper::likelihood)
  {
    LadderParameters ladder_parameters;
    ladder_parameters.temperatures =
      std::vector<double>{1., hot_temperature(temper)};
    ladder_parameters.temper = temper;
    KernelParameters kernel_parameters;
    kernel_parameters.types = kernels;
    return Ladder(ladder_parameters,
                  kernel_parameters,
                  {{"fine", std::make_shared<Measured>()}},
                  prior);
  }


  /** Means and covariances of both rungs. */
  void
  check_law(const std::vector<std::string> &kernels, const Temper temper)
  {
    RunParameters run_parameters;
    run_parameters.burn_in    = 1000;
    run_parameters.iterations = 101000;
    ReplicaExchange                  sampler(run_parameters,
                            SwapParameters(),
                            make_ladder(kernels,
                                        std::make_shared<GaussianPrior>(),
                                        temper),
                            {{0., 0.}});
    std::vector<std::vector<double>> values(2 * 5);
    sampler.signals.draw.connect([&](const Draw &draw) {
      if (draw.is_burn_in)
        return;
      const double x = draw.position[0], y = draw.position[1];
      unsigned int k = 5 * draw.rung;
      for (const double value : {x, y, x * x, x * y, y * y})
        values[k++].push_back(value);
    });
    sampler.run();

    bool        right = true;
    std::string details;
    for (const unsigned int rung : {0u, 1u})
      {
        // Of a Gaussian, after a measurement with the variance of a rung.
        const double temperature = rung == 0 ? 1. : hot_temperature(temper);
        const double by_prior = temper == Temper::posterior ? temperature : 1.;
        const double c00      = by_prior * GaussianPrior::c00,
                     c01      = by_prior * GaussianPrior().c01,
                     c11      = by_prior * GaussianPrior::c11;
        const double total    = c00 + temperature;
        const double x        = c00 / total * Measured::measured,
                     y        = c01 / total * Measured::measured;
        const double truths[] = {x,
                                 y,
                                 x * x + c00 - c00 * c00 / total,
                                 x * y + c01 - c00 * c01 / total,
                                 y * y + c11 - c01 * c01 / total};
        for (unsigned int k = 0; k < 5; ++k)
          {
            const Estimate e = estimate(values[5 * rung + k]);
            right =
              right && e.deviation(truths[k]) < 6. && e.effective_size > 2000.;
            details += e.text(truths[k]) + "; ";
          }
      }
    check("the law of " + kernels[0] +
            (kernels.size() > 1 ? " and " + kernels[1] : std::string()) +
            ", tempered " +
            (temper == Temper::posterior ? "posterior" : "likelihood"),
          right,
          details);
  }


  std::string
  message(const std::string                         &kernel,
          const std::shared_ptr<const PriorMeasure> &prior)
  {
    try
      {
        make_ladder({"MALA", kernel}, prior);
      }
    catch (const UserError &error)
      {
        return error.what();
      }
    return "no error";
  }
} // namespace


int
main()
{
  for (const Temper temper : {Temper::likelihood, Temper::posterior})
    {
      check_law({"independence"}, temper);
      check_law({"Crank-Nicolson"}, temper);
      check_law({"MALA + Crank-Nicolson", "independence"}, temper);
    }

  const auto contains = [](const std::string &text, const std::string &what) {
    return text.find(what) != std::string::npos;
  };
  const auto improper = std::make_shared<GaussianPrior>(false);
  check("no prior to draw from",
        contains(message("independence", nullptr),
                 "rung 1 needs draws from the prior"),
        message("independence", nullptr));
  check("no prior with a covariance",
        contains(message("MALA + Crank-Nicolson", nullptr),
                 "rung 1 needs the covariance of the prior"),
        message("MALA + Crank-Nicolson", nullptr));
  check("an improper prior is none",
        contains(message("independence", improper), "no prior"),
        message("independence", improper));
  check("who needs no prior gets along without",
        message("MALA", nullptr) == "no error",
        message("MALA", nullptr));
  return result();
}
