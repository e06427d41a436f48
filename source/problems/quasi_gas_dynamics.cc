// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/problems/quasi_gas_dynamics.h>

#include <deal.II/base/parameter_handler.h>

namespace Tempera
{
  namespace
  {
    const Registration<ProblemRegistry, QuasiGasDynamics> register_problem(
      "quasi-gas dynamics",
      "Diffusion with inertia, u_t + alpha u_tt - div(kappa grad u) = f.");

    std::string
    name_of(const std::string &entry)
    {
      return "Problem/Equation/" + entry;
    }
  } // namespace



  QuasiGasDynamics::QuasiGasDynamics(const unsigned int dimension)
    : FormulaProblem<QuasiGasDynamics, 1>(dimension)
  {
    const double none = -std::numeric_limits<double>::infinity();
    my_parameters     = {
          {"alpha", "1", "Relaxation alpha, the factor of u_tt.", 0.},
          {"diffusivity", "1", "Factor of kappa(x).", 0.},
          {"strength", "0", "Strength of the Gaussian source.", none},
          {"width", "0.1", "Standard deviation of the Gaussian source.", 0.}};
    for (unsigned int d = 0; d < dimension; ++d)
      my_parameters.push_back({std::string(1, "xyz"[d]),
                               "0.5",
                               "Coordinate of the Gaussian source.",
                               none});

    my_factors.resize(1);
    std::vector<unsigned int> of_source{strength, width};
    for (unsigned int d = 0; d < dimension; ++d)
      {
        my_factors[0].parameters.push_back({first_coordinate + d, width});
        of_source.push_back(first_coordinate + d);
      }
    my_factors[0].parameters[0].push_back(strength);

    my_functions = {{"Gaussian source",
                     of_source,
                     std::vector<unsigned int>(dimension, 0)},
                    {"alpha", {alpha}, {}},
                    {"diffusivity", {diffusivity}, {}},
                    {"kappa", {}, {}},
                    {"source", {}, {}},
                    {"initial value", {}, {}},
                    {"initial velocity", {}, {}}};

    my_operator_terms = {{OperatorKind::inertia, no_function, inertia},
                         {OperatorKind::capacity},
                         {OperatorKind::diffusion, conductivity, scale}};
  }



  void
  QuasiGasDynamics::declare(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    const std::string formula = " A formula in the coordinates and t.";
    prm.add_parameter(
      "Diffusivity",
      conductivity_text,
      "kappa(x), which the unknown 'diffusivity' multiplies. A formula in the coordinates; if(x < 0.5, 1, 10) is one, too.",
      Anything());
    prm.add_parameter(
      "Diffusivity values",
      box_values,
      "In the place of 'Diffusivity': its value in each of the boxes of equal size that 'Diffusivity boxes' cuts the unit box into; x varies fastest. Places outside take the value of the nearest box.",
      List(Double(0.), 0));
    prm.add_parameter(
      "Diffusivity boxes",
      boxes,
      "Number of boxes in each direction for 'Diffusivity values'.",
      List(Integer(1), 0, 3));
    prm.add_parameter("Source",
                      source_text,
                      "The known source f." + formula,
                      Anything());
    prm.add_parameter(
      "Source in time",
      source_in_time_text,
      "A factor of 'Source' that is a formula in t alone. To write f = g(x) h(t) so saves the evaluation of f in every step.",
      Anything());
    prm.add_parameter(
      "Gaussian in time",
      gaussian_in_time_text,
      "How the strength of the Gaussian source varies. A formula in t.",
      Anything());
    prm.add_parameter("Initial value",
                      value_text,
                      "u at the beginning. A formula in the coordinates.",
                      Anything());
    prm.add_parameter("Initial velocity",
                      velocity_text,
                      "u_t at the beginning. A formula in the coordinates.",
                      Anything());
    prm.add_parameter(
      "Exact solution",
      exact_text,
      "The solution at the truth, where it is known: for 'Synthetic data = exact'." +
        formula,
      Anything());
  }



  void
  QuasiGasDynamics::set_up(const std::vector<double> &)
  {
    conductivity_formula.set(conductivity_text,
                             n_dimensions,
                             name_of("Diffusivity"),
                             false);
    data[0].set(source_text, n_dimensions, name_of("Source"), true);
    data[1].set(value_text, n_dimensions, name_of("Initial value"), false);
    data[2].set(velocity_text,
                n_dimensions,
                name_of("Initial velocity"),
                false);
    if (!exact_text.empty())
      exact.set(exact_text, n_dimensions, name_of("Exact solution"), true);

    std::size_t n_boxes = box_values.empty() ? 0 : 1;
    if (!box_values.empty())
      for (const unsigned int n : boxes)
        n_boxes *= n;
    if (n_boxes != box_values.size() ||
        (n_boxes > 0 && boxes.size() != n_dimensions))
      throw UserError("'" + name_of("Diffusivity values") + "' has " +
                      counted(box_values.size(), "number") + ", but '" +
                      name_of("Diffusivity boxes") + "' does not cut " +
                      counted(n_dimensions, "dimension") +
                      " into as many boxes. Give the number of boxes in each "
                      "direction, and one value for each box.");
    for (const double value : box_values)
      if (!(value > 0.))
        throw UserError("'" + name_of("Diffusivity values") +
                        "' must be above 0.");

    my_functions[source].varies_in_time = data[0].varies_in_time();
    my_data_terms = {{DataKind::dirichlet, no_function, {}, {}},
                     {DataKind::source,
                      gaussian,
                      time_factor(gaussian_in_time_text,
                                  name_of("Gaussian in time")),
                      {}}};
    if (!data[0].is_zero())
      my_data_terms.push_back(
        {DataKind::source,
         source,
         time_factor(source_in_time_text, name_of("Source in time")),
         {}});
    if (!data[1].is_zero())
      my_data_terms.push_back({DataKind::initial_value, initial_value, {}, {}});
    if (!data[2].is_zero())
      my_data_terms.push_back(
        {DataKind::initial_velocity, initial_velocity, {}, {}});
  }



  double
  QuasiGasDynamics::conductivity_at(const double *x) const
  {
    if (box_values.empty())
      return conductivity_formula(x, 0.);
    std::size_t box = 0;
    for (unsigned int d = n_dimensions; d-- > 0;)
      {
        const double       scaled = x[d] * boxes[d];
        const unsigned int place =
          scaled <= 0. ? 0 : std::min<unsigned int>(scaled, boxes[d] - 1);
        box = box * boxes[d] + place;
      }
    return box_values[box];
  }



  std::vector<unsigned int>
  QuasiGasDynamics::place_parameters() const
  {
    std::vector<unsigned int> result;
    for (unsigned int d = 0; d < n_dimensions; ++d)
      result.push_back(first_coordinate + d);
    return result;
  }



  double
  QuasiGasDynamics::exact_solution(
    const dealii::ArrayView<const double> &point,
    const double                           time,
    const dealii::ArrayView<const double> &) const
  {
    return exact(point.data(), time);
  }
} // namespace Tempera
