// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_guarded_energy_h
#define tempera_sampler_guarded_energy_h

#include <tempera/base/failure_reason.h>
#include <tempera/sampler/energy.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace Tempera
{
  /**
   * An energy whose failures do not end the run. A solver that throws a
   * SolveFailed at some state has no energy there: the values are not finite,
   * so that the sampler rejects the state, counts it, and goes on. So it is
   * with dealii::SolverControl::NoConvergence. Any other exception ends the
   * run: a bug must not look like a rejection.
   */
  class GuardedEnergy : public Energy, public FailureReason
  {
  public:
    explicit GuardedEnergy(std::shared_ptr<const Energy> energy);

    const StateSpace &
    space() const override
    {
      return energy->space();
    }

    bool
    is_stochastic() const override
    {
      return energy->is_stochastic();
    }

    bool
    has_noisy_gradients() const override
    {
      return energy->has_noisy_gradients();
    }

    bool
    gradients_are_separate() const override
    {
      return energy->gradients_are_separate();
    }

    double
    work(const Request request) const override
    {
      return energy->work(request);
    }

    double
    set_up_work() const override
    {
      return energy->set_up_work();
    }

    bool
    is_integrable(const Exponents &exponents) const override
    {
      return energy->is_integrable(exponents);
    }

    void
    evaluate(const dealii::ArrayView<const double> &state,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override;

    unsigned int
    n_together() const override
    {
      return energy->n_together();
    }

    /** One by one where they fail together. */
    std::vector<EnergyValues>
    values_at(const std::vector<std::vector<double>> &states) const override;

    bool
    has_sensitivities() const override
    {
      return energy->has_sensitivities();
    }

    /** None where the energy fails. */
    std::vector<std::vector<double>>
    sensitivities(const dealii::ArrayView<const double> &state) const override;

    /** Evaluations that have failed, or had no result for a known reason. */
    std::uint64_t
    n_failures() const
    {
      return failures;
    }

    /** What the first of them said. */
    const std::string &
    first_failure() const
    {
      return words;
    }

    /** What the last one said. */
    std::string
    failure_reason() const override
    {
      return last_words;
    }

  private:
    /** Call, and if that fails count it and do something else. */
    void
    guard(const std::function<void()> &call,
          const std::function<void()> &fail) const;

    void
    count_failure(const std::string &reason) const;

    const std::shared_ptr<const Energy> energy;
    mutable std::uint64_t               failures = 0;
    mutable std::string                 words, last_words;
  };
} // namespace Tempera

#endif
