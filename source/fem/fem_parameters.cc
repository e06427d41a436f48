// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/base/words.h>
#include <tempera/fem/fem_parameters.h>
#include <tempera/fem/time_scheme.h>

namespace Tempera
{
  const std::vector<std::pair<std::string, LinearSolverType>> &
  linear_solver_words()
  {
    static const std::vector<std::pair<std::string, LinearSolverType>> words = {
      {"automatic", LinearSolverType::automatic},
      {"CHOLMOD", LinearSolverType::cholmod},
      {"UMFPACK", LinearSolverType::umfpack},
      {"conjugate gradients", LinearSolverType::conjugate_gradients}};
    return words;
  }



  std::string
  name_of(const LinearSolverType type)
  {
    for (const auto &word : linear_solver_words())
      if (word.second == type)
        return word.first;
    return "";
  }



  void
  FemLevelParameters::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter(
      "Subdivisions",
      subdivisions,
      "Number of cells of the box in each direction: one number for all directions or one for each. Not used with a mesh file.",
      List(Integer(1), 1, 3));
    prm.add_parameter("Refinements",
                      refinements,
                      "How often every cell is cut in half in each direction.",
                      Integer(0, 20));
    prm.add_parameter("Degree",
                      degree,
                      "Polynomial degree p of the elements Qp.",
                      Integer(1, 10));
    declare_number_above(
      prm,
      "Time step",
      time_step,
      0.,
      "Length of a time step. It is shortened a little where that makes the steps end at the final time.");
    prm.add_parameter(
      "Adaptive refinements",
      adaptive_refinements,
      "How many times, after the 'Refinements', cells are refined where that makes the predictions most accurate: where the solution for values of the unknowns all over their priors is hard to resolve, and a sensor sees it. The mesh is made before the run and then stays as it is.",
      Integer(0, 20));
    prm.add_parameter(
      "Adaptive share",
      adaptive_share,
      "Share of the cells that an adaptive refinement cuts in half in each direction. With a small one the mesh is better for its size, but more refinements are needed.",
      Double(0.001, 1.));
  }



  void
  SolverParameters::declare(dealii::ParameterHandler &prm)
  {
    prm.add_parameter(
      "Time stepping",
      time_stepping,
      "Backward Euler is of first order and damps everything; Crank-Nicolson and BDF2 are of second order.",
      one_of(TimeScheme::names()));
    declare_choice(
      prm,
      "Linear solver",
      linear_solver,
      linear_solver_words(),
      "'CHOLMOD' and 'UMFPACK' factorise the matrix once; 'conjugate gradients', with algebraic multigrid of Trilinos, needs less memory on very large meshes. 'automatic' takes CHOLMOD up to the size at which that stops to pay, and a factorisation within the band where matrices change with the unknowns and are small.");
    declare_number_above(
      prm,
      "Tolerance",
      tolerance,
      0.,
      "Reduction of the residual at which 'conjugate gradients' stops.");
    declare_choice<FemGradient>(
      prm,
      "Gradient",
      gradient,
      {{"automatic", FemGradient::automatic},
       {"finite differences", FemGradient::differences},
       {"adjoint", FemGradient::adjoint},
       {"precomputed adjoint", FemGradient::precomputed}},
      "'finite differences' works always and costs a solve or two per unknown; 'adjoint' costs one solve; 'precomputed adjoint' does one solve per measurement beforehand and then next to nothing, where no unknown is in the operator. 'automatic' takes the cheapest that is valid.");
    differences.declare(prm);
    declare_number_above(
      prm,
      "Newton tolerance",
      newton_tolerance,
      0.,
      "For nonlinear equations: the iteration ends with an update that is so small relative to the solution.");
    prm.add_parameter(
      "Newton iterations",
      newton_iterations,
      "For nonlinear equations: after so many iterations the equation counts as having no solution for these values of the unknowns, which the sampler then rejects and counts.",
      dealii::Patterns::Integer(1));
    declare_number_above(
      prm,
      "Trajectory memory",
      trajectory_memory,
      0.,
      "Memory in MB for the states in time that the adjoint of an equation with unknowns in its operator, or of a nonlinear one, reads backwards: in each process, and for each evaluation whose derivative may still be asked for, of which a replica keeps about one. If they do not all fit, some are kept and the steps between these are solved again, with the same result.");
  }
} // namespace Tempera
