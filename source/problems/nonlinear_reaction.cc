// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/problems/nonlinear_reaction.h>

#include <deal.II/base/parameter_handler.h>

namespace Tempera
{
  namespace
  {
    const Registration<ProblemRegistry, NonlinearReaction> register_problem(
      "nonlinear reaction",
      "A stationary equation, -Laplace u + alpha u^2 = f; Newton's method.");
  } // namespace



  NonlinearReaction::NonlinearReaction(const unsigned int dimension)
    : ResidualProblem<NonlinearReaction>(dimension, 0)
  {
    my_parameters = {{"alpha",
                      "uniform(0, 2)",
                      "Rate alpha of the reaction.",
                      -std::numeric_limits<double>::infinity()}};
    my_functions  = {{"source", {}, {}}, {"Dirichlet value", {}, {}}};
  }



  void
  NonlinearReaction::declare(dealii::ParameterHandler &prm)
  {
    const dealii::Patterns::Anything formula;
    prm.add_parameter("Source",
                      source_text,
                      "The source f. A formula in the coordinates.",
                      formula);
    prm.add_parameter("Dirichlet value",
                      dirichlet_text,
                      "u on the boundary. A formula in the coordinates.",
                      formula);
    prm.add_parameter(
      "Exact solution",
      exact_text,
      "The solution at the truth, where it is known: for 'Synthetic data = exact'. A formula in the coordinates.",
      formula);
  }



  void
  NonlinearReaction::set_up(const std::vector<double> &)
  {
    data[source].set(source_text,
                     n_dimensions,
                     "Problem/Equation/Source",
                     false);
    data[dirichlet].set(dirichlet_text,
                        n_dimensions,
                        "Problem/Equation/Dirichlet value",
                        false);
    if (!exact_text.empty())
      exact.set(exact_text,
                n_dimensions,
                "Problem/Equation/Exact solution",
                false);
    my_data_terms = {{DataKind::source, source, {}, {}},
                     {DataKind::dirichlet, dirichlet, {}, {}}};
  }



  double
  NonlinearReaction::exact_solution(
    const dealii::ArrayView<const double> &point,
    const double,
    const dealii::ArrayView<const double> &) const
  {
    return exact(point.data(), 0.);
  }
} // namespace Tempera
