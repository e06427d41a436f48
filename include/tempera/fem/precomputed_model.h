// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_precomputed_model_h
#define tempera_fem_precomputed_model_h

#include <tempera/fem/evolution_model.h>

namespace Tempera
{
  /**
   * If no unknown is in the operator, every prediction is a linear functional
   * of the data. One sweep back in time per measurement, done once, gives
   * these functionals; after that there is no time stepping any more.
   */
  template <int dim>
  class PrecomputedModel : public WrappedFemModel
  {
  public:
    /** @param model Must have no unknowns in its operator. */
    explicit PrecomputedModel(std::shared_ptr<const EvolutionModel<dim>> model);

    std::shared_ptr<const Linearisation>
    evaluate(const dealii::ArrayView<const double> &parameters,
             const dealii::ArrayView<double>       &predictions,
             const bool derivative_follows) const override;

    bool
    derivative_is_separate() const override
    {
      return false;
    }

    SolverWork
    work() const override;

    std::string
    description() const override;

    std::string
    gradient_method() const override
    {
      return "precomputed adjoint";
    }

  private:
    class Jacobian;

    /** Predictions and, unless empty, their derivatives. */
    void
    apply(const std::vector<double>       &theta,
          const std::vector<unsigned int> &active,
          const dealii::ArrayView<double> &predictions,
          const dealii::ArrayView<double> &jacobian) const;

    const std::shared_ptr<const EvolutionModel<dim>> model;
    std::unique_ptr<const DataMap::Functionals>      functionals;
    /** What data without unknowns add to the predictions. */
    std::vector<double> offsets;
  };
} // namespace Tempera

#endif
