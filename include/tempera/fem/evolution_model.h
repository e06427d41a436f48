// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_evolution_model_h
#define tempera_fem_evolution_model_h

#include <tempera/fem/evolution.h>
#include <tempera/fem/mesh_model.h>
#include <tempera/fem/operator_family.h>

namespace Tempera
{
  /**
   * Solves a linear equation step by step; its derivative is the discrete
   * adjoint: one sweep back in time.
   */
  template <int dim>
  class EvolutionModel : public MeshModel<dim>
  {
  public:
    /** See MeshModel. */
    EvolutionModel(const ModelSetting       &setting,
                   const FemLevelParameters &level,
                   const SolverParameters   &solver,
                   const bool                use_products = true,
                   const Mesh<dim>          &mesh         = {});

    std::shared_ptr<const Linearisation>
    evaluate(const dealii::ArrayView<const double> &parameters,
             const dealii::ArrayView<double>       &predictions,
             const bool derivative_follows) const override;

    /** Steps that the adjoint solves again are part of the derivative. */
    SolverWork
    work() const override
    {
      return this->work_with(schedule.get());
    }

    std::string
    description() const override;

    /** Unknown parameters that coefficients of the operator depend on. */
    const std::vector<unsigned int> &
    unknowns_in_operator() const
    {
      return operators.unknowns_in_operator();
    }

    /** The time stepping; only if the operator has no unknowns. */
    const Evolution &
    get_evolution() const
    {
      return *evolution;
    }

    bool
    solve(const std::vector<double>       &theta,
          const dealii::ArrayView<double> &observed,
          const InstantListener           &listener) const override;

    unsigned int
    n_together() const override
    {
      return evolution ? evolution->most_lanes() : 1;
    }

    /** In lanes, where the operator has no unknowns. */
    std::vector<std::vector<double>>
    solve_all(
      const std::vector<std::vector<double>>      &states,
      const typename MeshModel<dim>::LaneListener &listener) const override;

    bool
    solve_adjoint(const std::vector<double>             &theta,
                  const dealii::ArrayView<const double> &weights,
                  const TimeCourse::StepListener &listener) const override;

  private:
    class Adjoint;

    /** The time stepping for some parameters, or UnsuitableMatrix. */
    std::shared_ptr<const Evolution>
    evolution_at(const std::vector<double> &theta) const;

    const OperatorFamily<dim>        operators;
    const LinearSolverFactory        factory;
    std::shared_ptr<const Evolution> evolution;
    /** Only if the operator has unknowns, and the adjoint may be asked for. */
    std::unique_ptr<const ReplaySchedule> schedule;
  };
} // namespace Tempera

#endif
