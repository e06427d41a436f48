// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_step_operator_h
#define tempera_fem_step_operator_h

#include <tempera/fem/linear_solver.h>
#include <tempera/fem/operator_matrix.h>
#include <tempera/fem/time_scheme.h>

#include <array>
#include <memory>
#include <vector>

namespace Tempera
{
  /** The matrices of \f$a u_{tt} + b u_t + A u = f\f$. */
  struct EvolutionMatrices
  {
    /** Null if there is no such term. */
    std::unique_ptr<OperatorMatrix> inertia, capacity;
    std::unique_ptr<OperatorMatrix> stiffness;
  };


  /**
   * One time step. With \f$u_0\f$ the new value and \f$u_1, u_2\f$ the old ones
   * it solves \f$K u_0 = F - \sum_m H_m \sum_j (p_{mj} u_j + q_{mj} v_j)\f$,
   * then \f$v_0 = \sum_j r_j u_j + \sum_{j\ge1} s_j v_j\f$.
   */
  struct StepOperator
  {
    /** @param with_history Whether what comes from old levels is needed. */
    StepOperator(const EvolutionMatrices   &matrices,
                 const TimeScheme          &scheme,
                 const double               time_step,
                 const LinearSolverFactory &factory,
                 const bool                 with_history = true);

    /** \f$-H_m\f$ with its factors of the old values and velocities. */
    struct HistoryTerm
    {
      OperatorMatrix        matrix;
      std::array<double, 3> values{{0., 0., 0.}};
      std::array<double, 3> velocities{{0., 0., 0.}};

      /** Whether it is just the matrix times the last value. */
      bool
      is_simple() const
      {
        return values[1] == 1. && values[2] == 0. && velocities[1] == 0. &&
               velocities[2] == 0.;
      }
    };

    TimeScheme scheme;
    bool       is_symmetric;
    /** Without its square part, which the solver has. */
    OperatorMatrix                matrix;
    std::unique_ptr<LinearSolver> solver;
    std::vector<HistoryTerm>      history;
    /** \f$r_j\f$ and \f$s_j\f$ */
    std::array<double, 3> velocity_of_values, velocity_of_velocities;
  };
} // namespace Tempera

#endif
