// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_nonlinear_model_h
#define tempera_fem_nonlinear_model_h

#include <tempera/fem/mesh_model.h>
#include <tempera/fem/residual_assembler.h>

namespace Tempera
{
  /**
   * Solves an equation that is given by a residual, stationary or step by
   * step: \f$R(\sum_j\theta_j u_j, \frac1{\Delta t}\sum_j\alpha_j u_j,
   * \frac1{\Delta t}\sum_j\alpha_j v_j) = F\f$ by Newton's method with a line
   * search. The derivative is the discrete adjoint: one transposed solve per
   * step, with the Jacobian at the solution.
   *
   * Where the iteration fails, predictions and derivatives are not numbers:
   * the sampler rejects and counts them.
   */
  template <int dim>
  class NonlinearModel : public MeshModel<dim>
  {
  public:
    /** See MeshModel. */
    NonlinearModel(const ModelSetting       &setting,
                   const FemLevelParameters &level,
                   const SolverParameters   &solver,
                   const Mesh<dim>          &mesh = {});

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

    bool
    solve(const std::vector<double>       &theta,
          const dealii::ArrayView<double> &observed,
          const InstantListener           &listener) const override;

    bool
    solve_adjoint(const std::vector<double>             &theta,
                  const dealii::ArrayView<const double> &weights,
                  const TimeCourse::StepListener &listener) const override;

  private:
    class Adjoint;

    /**
     * One step, or the initial instant; see TimeCourse::Advance.
     *
     * @param data By channel.
     * @param load Memory.
     */
    bool
    advance(const unsigned int              n,
            const std::vector<double>      &theta,
            const std::vector<NodalVector> &data,
            dealii::Vector<double>         &load,
            const StepInstants             &instants) const;

    /**
     * Newton's iteration for the newest instant, which is a guess with the
     * right boundary values; returns whether it has converged.
     */
    bool
    solve_step(const unsigned int            n,
               const std::vector<double>    &theta,
               const dealii::Vector<double> &load,
               const StepInstants           &instants) const;

    /** Set the velocity of the newest instant from the values. */
    void
    set_velocity(const unsigned int n, const StepInstants &instants) const;

    /** The step, linearised at a solution. */
    std::unique_ptr<const StepOperator>
    linearised_step(const unsigned int         n,
                    const std::vector<double> &theta,
                    const StepInstants        &instants,
                    const bool                 with_history) const;

    const LinearSolverFactory      general_factory, symmetric_factory;
    mutable ResidualAssembler<dim> assembler;
    /** Null if the adjoint will not be asked for. */
    std::unique_ptr<const ReplaySchedule> schedule;
  };
} // namespace Tempera

#endif
