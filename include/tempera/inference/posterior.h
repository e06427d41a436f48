// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_posterior_h
#define tempera_inference_posterior_h

#include <tempera/base/failure_reason.h>
#include <tempera/forward/forward_model.h>
#include <tempera/inference/independent_prior.h>
#include <tempera/inference/likelihood.h>
#include <tempera/sampler/energy.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * The posterior of the unknowns given the measurements, through one forward
   * model: the prior is the reference part, the misfit the potential. Unknown
   * numbers of the errors, such as their standard deviation, are the last of
   * the unknowns.
   */
  class Posterior : public Energy, public FailureReason
  {
  public:
    Posterior(std::shared_ptr<const PriorMeasure> prior,
              std::shared_ptr<const Likelihood>   likelihood,
              std::shared_ptr<const ForwardModel> model);

    /** The same with independent unknowns. */
    Posterior(const std::vector<Unknown>         &unknowns,
              std::shared_ptr<const Likelihood>   likelihood,
              std::shared_ptr<const ForwardModel> model);

    const StateSpace &
    space() const override
    {
      return prior->space();
    }

    bool
    gradients_are_separate() const override
    {
      return model->derivative_is_separate();
    }

    double
    work(const Request request) const override;

    double
    set_up_work() const override
    {
      return model->work().set_up;
    }

    bool
    is_integrable(const Exponents &exponents) const override
    {
      return prior->is_integrable(exponents.reference);
    }

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override;

    unsigned int
    n_together() const override
    {
      return model->n_together();
    }

    std::vector<EnergyValues>
    values_at(const std::vector<std::vector<double>> &states) const override;

    bool
    has_sensitivities() const override
    {
      return model->has_derivative();
    }

    /** With a row for each unknown number of the errors. */
    std::vector<std::vector<double>>
    sensitivities(const dealii::ArrayView<const double> &state) const override;

    /** Why the model had no solution when it was evaluated last. */
    std::string
    failure_reason() const override
    {
      return reason;
    }

  private:
    const std::shared_ptr<const PriorMeasure> prior;
    const std::shared_ptr<const Likelihood>   likelihood;
    const std::shared_ptr<const ForwardModel> model;
    mutable std::string                       reason;
  };
} // namespace Tempera

#endif
