// SPDX-License-Identifier: LGPL-2.1-or-later

// Unknown fields enter an equation by their local values, and the adjoint is
// their gradient: in every place that takes a formula, for all time schemes, as
// nodes and blocks, with and without a map, together with unknown numbers, on
// lattices that have nothing to do with the mesh.

#include "written_model.h"

#include <tempera/base/user_error.h>

#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  std::ofstream figures("orders.txt");

  using Kind = FieldLattice::Kind;

  /** f: nodes. g: the exponential of nodes. h: blocks. All larger than needed.
   */
  ModelSetting
  field_setting(const std::string &equation, const unsigned int dim)
  {
    std::shared_ptr<Problem> problem =
      ProblemRegistry::create("expressions", dim);
    const auto uses = [&](const std::string &name) {
      return equation.find(name + "*") != std::string::npos;
    };
    ModelSetting             setting;
    std::vector<std::string> names;
    for (const std::string name : {"f", "g", "h"})
      if (uses(name))
        names.push_back(name);
    if (uses("a"))
      problem->add_parameters({"a"});
    problem->add_fields(names);
    dealii::ParameterHandler prm;
    problem->declare(prm);
    prm.parse_input_from_string(equation);
    if (uses("a"))
      {
        setting.values.push_back(0.7);
        setting.unknowns.push_back(0);
      }
    for (const std::string &name : names)
      {
        FieldUnknown field;
        field.lattice = std::make_shared<FieldLattice>(
          name,
          name == "h" ? Kind::blocks : Kind::nodes,
          std::vector<double>(dim, -0.13),
          std::vector<double>(dim, 1.07),
          name == "f" ? std::vector<unsigned int>(dim, 7) :
          name == "g" ? std::vector<unsigned int>(dim, 3) :
                        std::vector<unsigned int>(dim, 2));
        field.parameter      = problem->index_of(name);
        field.is_exponential = name == "g";
        setting.fields.push_back(field);
        setting.values.push_back(0.5);
      }
    problem->set_up(std::vector<double>(setting.values.size(), 1.));
    setting.problem    = problem;
    setting.final_time = 0.1;
    setting.sensors    = {{"sensor 1", std::vector<double>(dim, 0.45), 0.1},
                          {"sensor 2", std::vector<double>(dim, 0.7), 0.033},
                          {"sensor 3", std::vector<double>(dim, 0.3), 0.}};
    return setting;
  }

  /** Positive and not smooth. */
  std::vector<double>
  some_state(const ModelSetting &setting)
  {
    std::vector<double> result(setting.n_unknowns());
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = 0.7 + 0.3 * std::sin(1.7 * i + 0.3);
    return result;
  }

  void
  check_order(const std::string &name,
              const std::string &equation,
              const unsigned int dim           = 2,
              const bool         is_stationary = false)
  {
    const ModelSetting setting = field_setting(equation, dim);
    double             worst   = 2.;
    for (const std::string scheme :
         {"backward Euler", "Crank-Nicolson", "BDF2"})
      {
        SolverParameters solver;
        solver.time_stepping = scheme;
        const auto model =
          adjoint_model(setting, level(dim == 3 ? 4 : 8, 0.02), solver);
        const double order = taylor_order(*model, some_state(setting), 7);
        figures << name << ", " << scheme << ": " << order << std::endl;
        if (!(std::abs(order - 2.) < std::abs(worst - 2.)))
          worst = order;
        if (is_stationary)
          break;
      }
    check("order 2: " + name,
          std::abs(worst - 2.) < 0.2,
          std::to_string(worst));
  }


  /** Gradients by the adjoint and, where it is valid, beforehand. */
  void
  check_precomputed()
  {
    const ModelSetting setting =
      field_setting("set Initial value = f*(1 + g*x)\n"
                    "set Source = a*h*t + f*x\n"
                    "set Dirichlet value = 0: f*y; 2: h*x\n",
                    2);
    SolverParameters solver;
    solver.gradient     = FemGradient::adjoint;
    const auto adjoint  = make_fem_model(setting, level(8, 0.02), solver, {});
    solver.gradient     = FemGradient::automatic;
    const auto prepared = make_fem_model(setting, level(8, 0.02), solver, {});
    const std::vector<double> state = some_state(setting),
                              weights{0.3, -1.2, 0.7};
    std::vector<double> predictions, others;
    const auto          one   = gradient(*adjoint, state, weights, predictions);
    const auto          other = gradient(*prepared, state, weights, others);
    check("fields in data alone are precomputed",
          prepared->gradient_method() == "precomputed adjoint" &&
            relative_difference(others, predictions) < 1e-12 &&
            relative_difference(other, one) < 1e-11,
          prepared->gradient_method() + ", " +
            std::to_string(relative_difference(other, one)));
  }


  /** A field that is a formula gives what the formula gives. */
  void
  check_values()
  {
    // Linear in each direction, so that any lattice has it.
    const auto truth = [](const std::vector<double> &x) {
      return 1. + 0.5 * x[0] + 0.3 * x[1] + 0.2 * x[0] * x[1];
    };
    const std::string formula  = "(1 + 0.5*x + 0.3*y + 0.2*x*y)";
    const auto        equation = [](const std::string &field) {
      return "set Capacity = 1\nset Diffusion = 1*" + field +
             "\nset Reaction = 2*" + field + "\nset Source = " + field +
             "*t\nset Initial value = " + field + "*x\n";
    };
    const ModelSetting  setting = field_setting(equation("f*1"), 2);
    std::vector<double> state;
    for (unsigned int i = 0; i < setting.n_unknowns(); ++i)
      state.push_back(truth(setting.fields[0].lattice->place(i)));
    ModelSetting plain =
      written_setting("expressions", 2, equation(formula), {}, {});
    plain.sensors    = setting.sensors;
    plain.final_time = setting.final_time;
    const SolverParameters solver;
    const std::vector<double>
      with_field =
        predict(*adjoint_model(setting, level(8, 0.02, 2), solver), state),
      without = predict(*adjoint_model(plain, level(8, 0.02, 2), solver), {});
    check("a field is the formula that it has the values of",
          relative_difference(with_field, without) < 1e-12,
          std::to_string(relative_difference(with_field, without)));
  }


  void
  check_lattice()
  {
    const FieldLattice nodes("f", Kind::nodes, {0., 1.}, {1., 4.}, {2, 3});
    const FieldLattice blocks("h", Kind::blocks, {0., 1.}, {1., 4.}, {2, 3});
    const std::vector<double> points{0.5, 1., 0.25, 2.5, 1., 4.};
    const FieldRows           rows = nodes.rows_at(points);
    std::vector<double>       values, at_points;
    for (unsigned int i = 0; i < nodes.n_values(); ++i)
      values.push_back(2. * nodes.place(i)[0] * nodes.place(i)[1]);
    rows.evaluate(values.data(), at_points);
    check("nodes are interpolated",
          nodes.n_values() == 12 && at_points.size() == 3 &&
            std::abs(at_points[0] - 1.) < 1e-14 &&
            std::abs(at_points[1] - 1.25) < 1e-14 &&
            std::abs(at_points[2] - 8.) < 1e-14);
    const std::vector<double> weights{0.2, -3., 0.7};
    std::vector<double>       back(nodes.n_values(), 0.);
    rows.add_transposed(weights.data(), back.data());
    double one = 0., other = 0.;
    for (unsigned int i = 0; i < values.size(); ++i)
      one += back[i] * values[i];
    for (unsigned int q = 0; q < 3; ++q)
      other += weights[q] * at_points[q];
    check("the transpose is one", std::abs(one - other) < 1e-13);

    const FieldRows in_blocks = blocks.rows_at({0.49, 1.1, 0.51, 3.9});
    check("blocks are numbered alike",
          blocks.n_values() == 6 &&
            in_blocks.numbers == std::vector<unsigned int>{0, 5} &&
            blocks.place(5) == std::vector<double>{0.75, 3.5});
    std::string message = "no error";
    try
      {
        nodes.rows_at({0.5, 4.1});
      }
    catch (const UserError &error)
      {
        message = error.what();
      }
    check("a field that does not reach far enough",
          message.find("'Problem/Fields/f'") != std::string::npos &&
            message.find("Enlarge") != std::string::npos,
          message);
  }
} // namespace


int
main()
{
  const std::string first =
                      "set Capacity = 1\nset Source = 1 + x\n"
                      "set Initial value = x\nset Dirichlet value = 0: y\n",
                    second = first + "set Inertia = 0.1\n",
                    still  = "set Capacity = 0\nset Source = 1 + x\n"
                             "set Dirichlet value = 0: y\n";
  check_order("diffusion, stationary",
              still + "set Diffusion = g*1\n",
              2,
              true);
  check_order("reaction, stationary", still + "set Reaction = f*f\n", 2, true);
  check_order("blocks, stationary",
              still + "set Diffusion = exp(h*1)\n",
              2,
              true);
  check_order("diffusion", first + "set Diffusion = exp(f*1)\n");
  check_order("diffusion with a map", first + "set Diffusion = g*1 + 0.1\n");
  check_order("reaction", first + "set Reaction = f*f + x\n");
  check_order("convection", first + "set Convection = f*y; 2*f*f\n");
  check_order("capacity", first + "set Capacity = exp(f*y)\n");
  check_order("exchange", first + "set Exchange = 1: f*f; 3: g*x\n");
  check_order("source", first + "set Source = sin(f*x)*(1 + t)\n");
  check_order("initial value", first + "set Initial value = exp(f*1)\n");
  check_order("Dirichlet value",
              first + "set Dirichlet value = 0: f*f; 2: g*x\n");
  check_order("flux", first + "set Flux = 1: f*f; 3: g*t\n");
  check_order("inertia", second + "set Inertia = 0.1*g*1\n");
  check_order("initial velocity", second + "set Initial velocity = f*f\n");
  const std::string all = "set Diffusion = g*(1 + a*f*f)\n"
                          "set Reaction = h*h + a*f\n"
                          "set Source = exp(f*x)*a*t\n"
                          "set Initial value = f*h*a\n"
                          "set Flux = 1: f*g*h\n";
  for (unsigned int dim = 1; dim <= 3; ++dim)
    check_order("three fields and a number in dimension " + std::to_string(dim),
                "set Capacity = 1\nset Dirichlet value = 0: x\n" + all,
                dim);
  check_precomputed();
  check_values();
  check_lattice();
  return result();
}
