// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_product_prior_h
#define tempera_inference_product_prior_h

#include <tempera/sampler/prior_measure.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * Several laws that know nothing of each other, one after the other in the
   * state: numbers, then fields, for instance.
   */
  class ProductPrior : public PriorMeasure
  {
  public:
    explicit ProductPrior(
      std::vector<std::shared_ptr<const PriorMeasure>> parts);

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

    /** The first part draws as if it were alone. */
    std::vector<double>
    sample(const RandomKey &key) const override;

    std::vector<double>
    centre() const override;

    void
    apply_covariance(const dealii::ArrayView<const double> &vector,
                     const dealii::ArrayView<double> &result) const override;

    std::size_t
    root_size() const override;

    void
    apply_covariance_root(
      const dealii::ArrayView<const double> &vector,
      const dealii::ArrayView<double>       &result) const override;

  private:
    const std::vector<std::shared_ptr<const PriorMeasure>> parts;
    const StateSpace                                       state_space;
  };
} // namespace Tempera

#endif
