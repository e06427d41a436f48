// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_normal_coordinates_h
#define tempera_study_normal_coordinates_h

#include <tempera/sampler/energy.h>
#include <tempera/sampler/prior_measure.h>
#include <tempera/study/mode_search.h>
#include <tempera/target/forward_target.h>

#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * The posterior of a level in coordinates in which its prior is Gaussian:
   * those of independent numbers are standard normal, whatever their priors
   * are (see SearchSpace); the numbers of fields are themselves.
   */
  class NormalCoordinates : public Energy
  {
  public:
    NormalCoordinates(ForwardTarget &target, const std::string &level);

    /** The prior in these coordinates. */
    const std::shared_ptr<const PriorMeasure> &
    get_prior() const
    {
      return prior;
    }

    std::vector<double>
    to_state(const std::vector<double> &place) const;

    /** Of each number of a state in its own coordinate. */
    std::vector<double>
    derivatives(const std::vector<double> &place) const;

    /** Variances of the coordinates under the prior. */
    std::vector<double>
    prior_variances() const;

    const StateSpace &
    space() const override
    {
      return prior->space();
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
      return prior->is_integrable(exponents.reference);
    }

    void
    evaluate(const dealii::ArrayView<const double> &place,
             const RandomKey                       &key,
             const Request                          request,
             Evaluation                            &evaluation) const override;

    bool
    has_sensitivities() const override
    {
      return energy->has_sensitivities();
    }

    std::vector<std::vector<double>>
    sensitivities(const dealii::ArrayView<const double> &place) const override;

  private:
    /** Those of @p all that are not of fields. */
    std::vector<double>
    numbers_of(const std::vector<double> &all) const;

    const ForwardTarget                &target;
    const std::shared_ptr<const Energy> energy;
    /** Number of the first unknown that is of a field, and of the next. */
    const std::size_t first_of_fields, end_of_fields;
    /** Of the numbers that are not of fields. */
    const SearchSpace                   numbers;
    std::shared_ptr<const PriorMeasure> prior;
  };
} // namespace Tempera

#endif
