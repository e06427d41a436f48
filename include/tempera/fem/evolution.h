// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_evolution_h
#define tempera_fem_evolution_h

#include <tempera/fem/channel.h>
#include <tempera/fem/fem_parameters.h>
#include <tempera/fem/linear_solver.h>
#include <tempera/fem/operator_matrix.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace Tempera
{
  /** The matrices of \f$a u_{tt} + b u_t + A u = f\f$. */
  struct EvolutionMatrices
  {
    /** Null if there is no such term. */
    std::unique_ptr<OperatorMatrix> inertia, capacity;
    std::unique_ptr<OperatorMatrix> stiffness;
    /** Number of degrees of freedom on a Dirichlet boundary. */
    unsigned int n_boundary = 0;
  };


  /** A value at a place and a time, as a combination of nodal values. */
  struct ObservationRow
  {
    std::vector<std::pair<unsigned int, double>> nodes;
    /** Time levels with weights. */
    std::vector<std::pair<unsigned int, double>> levels;
  };


  /** Nodal values and, in second order in time, velocities by time level. */
  struct Trajectory
  {
    std::vector<NodalVector> values, velocities;
  };


  /**
   * Time stepping with its exact transpose. With the operator fixed, the
   * observations are a linear function of the data, given as one NodalVector
   * per channel: forward() applies it, adjoint() its transpose.
   *
   * Second order in time is the system \f$u_t = v\f$,
   * \f$a v_t + b v + A u = f\f$, from which each step eliminates \f$v\f$:
   * one solve per step in any case. See doc/discretisation.md.
   */
  class Evolution
  {
  public:
    Evolution(const EvolutionMatrices    &matrices,
              const TimeGrid             &grid,
              const SolverParameters     &parameters,
              std::vector<Channel>        channels,
              std::vector<ObservationRow> observations);

    ~Evolution();

    /**
     * @param data By channel.
     * @param trajectory If not null, filled with all time levels.
     */
    void
    forward(const std::vector<NodalVector>  &data,
            const dealii::ArrayView<double> &observed,
            Trajectory                      *trajectory = nullptr) const;

    /**
     * Called in each step of the way back with the number of the step and the
     * multiplier of its equation.
     */
    using StepListener =
      std::function<void(const unsigned int, const dealii::Vector<double> &)>;

    /**
     * The derivative of the weighted sum of the observations in the data.
     *
     * @param sensitivities By channel.
     */
    void
    adjoint(const dealii::ArrayView<const double> &weights,
            std::vector<NodalVector>              &sensitivities,
            const StepListener                    &listener = {}) const;

    /** What the matrices of a step are multiplied with. */
    struct StepStates
    {
      NodalVector inertia, capacity, stiffness;
    };

    /** For derivatives in the matrices: step @p n of a trajectory. */
    void
    states_of_step(const unsigned int n,
                   const Trajectory  &trajectory,
                   StepStates        &states) const;

    /** Data of the right size, zero. */
    std::vector<NodalVector>
    make_data() const;

    const std::vector<Channel> &
    get_channels() const
    {
      return channels;
    }

    std::string
    solver_name() const;

  private:
    struct StepOperator;

    std::unique_ptr<StepOperator>
    make_step(const EvolutionMatrices &matrices,
              const TimeScheme        &scheme,
              const SolverParameters  &parameters) const;

    const StepOperator &
    step_operator(const unsigned int n) const
    {
      return n == 1 && first_step ? *first_step : *step;
    }

    const TimeGrid                    grid;
    const std::vector<Channel>        channels;
    const std::vector<ObservationRow> observations;
    const bool                        has_inertia;
    const unsigned int                n_interior, n_boundary;

    /** By time level: observations with their weights. */
    std::vector<std::vector<std::pair<unsigned int, double>>> by_level;

    std::unique_ptr<StepOperator> step;
    /** If the first step is a different one. */
    std::unique_ptr<StepOperator> first_step;

    /** Memory for the sweeps: this and older levels. */
    mutable std::vector<NodalVector> values, velocities;
    mutable NodalVector              combination, multiplier;
    mutable dealii::Vector<double>   right_hand_side;
  };
} // namespace Tempera

#endif
