// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_independent_prior_h
#define tempera_inference_independent_prior_h

#include <tempera/inference/prior.h>
#include <tempera/sampler/prior_measure.h>

#include <vector>

namespace Tempera
{
  /** Unknowns that know nothing of each other, each with a prior of its own. */
  class IndependentPrior : public PriorMeasure
  {
  public:
    explicit IndependentPrior(std::vector<Unknown> unknowns);

    /** Name and prior of each. */
    const std::vector<Unknown> &
    get_unknowns() const
    {
      return unknowns;
    }

    const StateSpace &
    space() const override
    {
      return state_space;
    }

    double
    energy(const dealii::ArrayView<const double> &state,
           const dealii::ArrayView<double>       &gradient) const override;

    double
    log_normaliser() const override;

    bool
    is_integrable(const double power) const override;

    bool
    is_gaussian() const override;

    std::vector<double>
    sample(const RandomKey &key) const override;

    std::vector<double>
    centre() const override;

    void
    apply_covariance(const dealii::ArrayView<const double> &vector,
                     const dealii::ArrayView<double> &result) const override;

    void
    apply_covariance_root(
      const dealii::ArrayView<const double> &vector,
      const dealii::ArrayView<double>       &result) const override;

  private:
    const std::vector<Unknown> unknowns;
    const StateSpace           state_space;
  };
} // namespace Tempera

#endif
