// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_fem_parameters_h
#define tempera_fem_fem_parameters_h

#include <tempera/forward/finite_differences.h>

#include <string>
#include <utility>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /** How systems of linear equations are solved. */
  enum class LinearSolverType
  {
    /** What pays, by symmetry and size. */
    automatic,
    cholmod,
    umfpack,
    conjugate_gradients
  };

  /** What they are called. */
  const std::vector<std::pair<std::string, LinearSolverType>> &
  linear_solver_words();

  std::string
  name_of(const LinearSolverType type);


  /** A fidelity: how fine the mesh and the time steps are. */
  struct FemLevelParameters
  {
    std::vector<unsigned int> subdivisions{50};
    unsigned int              refinements = 0;
    unsigned int              degree      = 1;
    double                    time_step   = 0.01;
    /** How often the mesh is refined where it matters. */
    unsigned int adaptive_refinements = 0;
    /** Part of the cells that is refined each time. */
    double adaptive_share = 0.1;

    /** Not in a file: how often all cells are refined after that. */
    unsigned int final_refinements = 0;
    /** Not in a file: the time step for adaptation, if it is another one. */
    double adaptive_time_step = 0.;
    /** Not in a file: integration points per direction beyond those that are
     * enough for the matrices. */
    unsigned int additional_points = 0;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);

    /** For other processes. */
    template <typename Archive>
    void
    serialize(Archive &archive)
    {
      archive &subdivisions &refinements &degree &time_step
        &adaptive_refinements &adaptive_share &final_refinements
          &adaptive_time_step &additional_points;
    }
  };


  /** How the derivative of the predictions is made. */
  enum class FemGradient
  {
    /** The cheapest that is valid. */
    automatic,
    differences,
    adjoint,
    precomputed
  };


  /** How equations are solved, on all levels. */
  struct SolverParameters
  {
    std::string                time_stepping = "backward Euler";
    LinearSolverType           linear_solver = LinearSolverType::automatic;
    double                     tolerance     = 1e-12;
    FemGradient                gradient      = FemGradient::automatic;
    FiniteDifferenceParameters differences;
    /** Relative length of the last update of Newton's iteration. */
    double       newton_tolerance  = 1e-10;
    unsigned int newton_iterations = 30;
    /** For the states in time that one adjoint needs, in units of 10^6 bytes.
     */
    double trajectory_memory = 1000.;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);

    /** For other processes. */
    template <typename Archive>
    void
    serialize(Archive &archive)
    {
      archive &time_stepping &linear_solver &tolerance &gradient &differences
        .scheme                                                  &differences
        .relative_step &newton_tolerance &newton_iterations &trajectory_memory;
    }
  };
} // namespace Tempera

#endif
