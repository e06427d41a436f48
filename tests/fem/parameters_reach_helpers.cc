// SPDX-License-Identifier: LGPL-2.1-or-later

// What a parameter file says of levels and solver is sent to the processes that
// help another one. A parameter that is forgotten there would have its default
// value on them, without a word. So every one that is declared gets another
// value, and must arrive.

#include "tests.h"

#include <tempera/fem/fem_parameters.h>

#include <deal.II/base/parameter_handler.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include <sstream>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  std::string
  text_of(const dealii::ParameterHandler &prm)
  {
    std::ostringstream out;
    prm.print_parameters(out, dealii::ParameterHandler::ShortText);
    return out.str();
  }

  template <typename Parameters>
  void
  check_arrival(const std::string &name, const std::string &settings)
  {
    Parameters               parameters;
    dealii::ParameterHandler prm;
    parameters.declare(prm);
    const std::string defaults = text_of(prm);
    prm.parse_input_from_string(settings);
    const std::string sent = text_of(prm);

    std::istringstream old_lines(defaults), new_lines(sent);
    std::string        old_line, new_line, unchanged;
    while (std::getline(old_lines, old_line) &&
           std::getline(new_lines, new_line))
      if (old_line == new_line && old_line.find("set ") != std::string::npos)
        unchanged += old_line + "\n";
    check(name + ": the test gives each one another value",
          unchanged.empty(),
          unchanged);

    std::stringstream bytes;
    {
      boost::archive::binary_oarchive archive(bytes);
      parameters.serialize(archive);
    }
    Parameters                      received;
    boost::archive::binary_iarchive archive(bytes);
    received.serialize(archive);
    // What a parameter is when it is declared, is its default.
    dealii::ParameterHandler arrived;
    received.declare(arrived);
    check(name + ": all arrive", text_of(arrived) == sent, text_of(arrived));
  }
} // namespace

int
main()
{
  check_arrival<FemLevelParameters>("level", R"(
set Subdivisions         = 3, 4
set Refinements          = 2
set Degree               = 3
set Time step            = 0.125
set Adaptive refinements = 4
set Adaptive share       = 0.25
)");
  check_arrival<SolverParameters>("solver", R"(
set Time stepping     = BDF2
set Linear solver     = UMFPACK
set Tolerance         = 1e-05
set Gradient          = adjoint
set Finite difference scheme = forward
set Finite difference step = 0.05
set Newton tolerance  = 0.001
set Newton iterations = 7
set Trajectory memory = 12
)");
  return result();
}
