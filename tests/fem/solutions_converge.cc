// SPDX-License-Identifier: LGPL-2.1-or-later

// The solution converges to the exact one with the order of the element in
// space and of the scheme in time, and one value of the paper's case is known
// to ten digits (from another program, with 2x2 Gauss points for the load and
// nodal initial and boundary data).

#include "source_model.h"
#include "tests.h"

#include <fstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Error of the second sensor of the source problem. */
  double
  error(const unsigned int dim,
        const unsigned int subdivisions,
        const double       time_step,
        const unsigned int degree,
        const std::string &scheme,
        const double       final_time)
  {
    const ModelSetting        setting = source_setting(dim, final_time);
    const std::vector<double> state(dim, 0.43);
    SolverParameters          solver;
    solver.time_stepping      = scheme;
    std::vector<double> theta = setting.values;
    std::copy(state.begin(), state.end(), theta.begin());
    const auto model = make_fem_model(setting,
                                      level(subdivisions, time_step, degree),
                                      solver,
                                      {});
    return predict(*model, state)[1] -
           setting.problem->exact_solution(
             dealii::make_array_view(setting.sensors[1].place),
             final_time,
             dealii::make_array_view(std::as_const(theta)));
  }

  std::string
  text(const double number)
  {
    return std::to_string(number);
  }
} // namespace

int
main()
{
  std::ofstream figures("orders.txt");
  {
    const auto   model = make_fem_model(source_setting(2),
                                      level(50, 0.0005),
                                      SolverParameters(),
                                      {});
    const double first = predict(*model, {0.3677124344467705, 0.45})[0];
    std::cout.precision(11);
    check("the first sensor of the paper's case reads 2.0918765770",
          std::abs(first - 2.0918765770) < 1e-10,
          text(first));
  }

  for (const unsigned int dim : {1u, 2u, 3u})
    for (const unsigned int degree : {1u, 2u})
      {
        if (dim == 3 && degree == 2)
          continue;
        // Meshes on which the sensor is no node, at the same place of a cell.
        const std::vector<unsigned int> meshes =
          dim == 3    ? std::vector<unsigned int>{12, 24} :
          degree == 2 ? std::vector<unsigned int>{10, 20, 40} :
                        std::vector<unsigned int>{20, 40, 80};
        std::vector<double> logs_h, logs_e;
        for (const unsigned int n : meshes)
          {
            logs_h.push_back(-std::log(n));
            logs_e.push_back(std::log(
              std::abs(error(dim, n, 0.0005, degree, "Crank-Nicolson", 0.01))));
          }
        const double order = slope(logs_h, logs_e);
        figures << "dimension " << dim << ", Q" << degree << ": " << order
                << std::endl;
        check("order " + std::to_string(degree + 1) + " or more in space, Q" +
                std::to_string(degree) + ", dimension " + std::to_string(dim),
              order > degree + 1 - 0.25,
              text(order));
      }

  for (const auto &scheme : {std::make_pair("backward Euler", 1.),
                             std::make_pair("Crank-Nicolson", 2.),
                             std::make_pair("BDF2", 2.)})
    {
      // Against the limit of small steps on the same mesh. It is coarse, since
      // Crank-Nicolson does not damp what oscillates on a fine one.
      const auto at = [&](const double time_step, const std::string &name) {
        return error(1, 10, time_step, 1, name, 0.2);
      };
      const double        limit = at(0.2 / 16384, "Crank-Nicolson");
      std::vector<double> logs_h, logs_e;
      for (const unsigned int n : {128u, 256u, 512u})
        {
          logs_h.push_back(-std::log(n));
          logs_e.push_back(
            std::log(std::abs(at(0.2 / n, scheme.first) - limit)));
        }
      const double order = slope(logs_h, logs_e);
      figures << scheme.first << ": " << order << std::endl;
      check(std::string("order of ") + scheme.first + " in time",
            std::abs(order - scheme.second) < 0.15,
            text(order));
    }
  return result();
}
