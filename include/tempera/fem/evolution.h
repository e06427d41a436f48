// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_evolution_h
#define tempera_fem_evolution_h

#include <tempera/fem/time_course.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * Time stepping with its exact transpose. With the operator fixed, the
   * observations are a linear function of the data, given as one NodalVector
   * per channel: forward() applies it, adjoint() its transpose.
   *
   * Second order in time is the system \f$u_t = v\f$,
   * \f$a v_t + b v + A u = f\f$, from which each step eliminates \f$v\f$:
   * one solve per step in any case. See doc/discretisation.md.
   *
   * Several sweeps can go together, in lanes: then vectors have all of them,
   * and numbers are by observation, then by lane.
   */
  class Evolution
  {
  public:
    /** @param course Must outlive this object. */
    Evolution(const EvolutionMatrices   &matrices,
              const TimeCourse          &course,
              const LinearSolverFactory &factory);

    /**
     * @param data By channel.
     * @param listener Called with each instant.
     */
    void
    forward(const std::vector<NodalVector>  &data,
            const dealii::ArrayView<double> &observed,
            const InstantListener           &listener = {},
            const unsigned int               n_lanes  = 1) const;

    /** One step, or the initial instant; see TimeCourse::Advance. */
    void
    advance(const unsigned int              n,
            const std::vector<NodalVector> &data,
            const StepInstants             &instants,
            const unsigned int              n_lanes = 1) const;

    /** See TimeCourse::sweep_back(). */
    void
    adjoint(const dealii::ArrayView<const double> &weights,
            std::vector<NodalVector>              &sensitivities,
            const TimeCourse::StepListener        &listener = {},
            const unsigned int                     n_lanes  = 1) const;

    /**
     * The largest number of lanes, and the only one besides 1: 1 where sweeps
     * do not go together, on several processes and with linear solvers that
     * solve one system after the other.
     */
    unsigned int
    most_lanes() const;

    std::string
    solver_name() const;

    /** What the linear solver has done so far; not that of a first step. */
    LinearSolver::Iterations
    iterations() const;

  private:
    const StepOperator &
    step_operator(const unsigned int n) const
    {
      return n == 1 && first_step ? *first_step : *step;
    }

    const TimeCourse &course;

    std::unique_ptr<const StepOperator> step;
    /** If the first step is a different one. */
    std::unique_ptr<const StepOperator> first_step;

    /** Memory for a sweep. */
    struct Memory
    {
      /** This and older instants. */
      std::vector<Instant>   window;
      NodalVector            combination;
      dealii::Vector<double> product, right_hand_side;
    };

    Memory &
    memory_for(const unsigned int n_lanes) const;

    mutable Memory memory, memory_with_lanes;
  };
} // namespace Tempera

#endif
