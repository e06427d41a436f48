// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The map of a mean field that reports draw: a linear field is exact at every
// point of the raster, also on crooked cells, and nothing is said where the
// domain is not.

#include "tests.h"

#include <tempera/fem/field_files.h>

#include <deal.II/base/function_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/numerics/vector_tools.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace Tempera;
using namespace Tempera::Testing;

int
main()
{
  // A square of side 2 without its upper right quarter.
  dealii::Triangulation<2> mesh;
  dealii::GridGenerator::hyper_L(mesh);
  mesh.refine_global(3);
  dealii::GridTools::distort_random(0.2, mesh, true, 1);
  const dealii::FE_Q<2> element(2);
  dealii::DoFHandler<2> dof_handler(mesh);
  dof_handler.distribute_dofs(element);

  dealii::Vector<double> mean(dof_handler.n_dofs());
  dealii::VectorTools::interpolate(dof_handler,
                                   dealii::ScalarFunctionFromFunctionObject<2>(
                                     [](const dealii::Point<2> &p) {
                                       return 1. + p[0] + 2. * p[1];
                                     }),
                                   mean);
  dealii::Vector<double> twice = mean;
  twice *= 2.;
  const dealii::Vector<double> none;

  write_field_files<2>(dof_handler,
                       {{0.5, mean, mean}, {1., twice, mean}},
                       {"fields", "posterior", 2});
  std::ifstream file("fields/posterior_map.csv");
  std::string   header, line;
  std::getline(file, header);
  check("a column for each time", header == "x,y,mean t=0.5,mean t=1", header);
  unsigned int n_points = 0, n_outside = 0, n_wrong = 0;
  double       largest_error = 0.;
  while (std::getline(file, line))
    {
      ++n_points;
      std::istringstream       cells(line);
      std::vector<std::string> texts(4);
      for (std::string &text : texts)
        std::getline(cells, text, ',');
      const double x = std::stod(texts[0]), y = std::stod(texts[1]);
      n_wrong += (x > 0. && y > 0.) != texts[2].empty();
      n_outside += texts[2].empty();
      if (!texts[2].empty())
        for (unsigned int i = 0; i < 2; ++i)
          largest_error = std::max(largest_error,
                                   std::abs(std::stod(texts[2 + i]) / (i + 1) -
                                            (1. + x + 2. * y)));
    }
  check("60 points in each direction of a square", n_points == 60 * 60);
  check("a quarter of them is not in the domain",
        n_outside == 30 * 30 && n_wrong == 0);
  // Six digits are written.
  check("a linear field is exact",
        largest_error < 1e-5,
        std::to_string(largest_error));

  write_field_files<2>(dof_handler, {{0., mean, none}}, {"fields", "draw", 1});
  check("a single draw has no map",
        std::filesystem::exists("fields/draw.pvd") &&
          !std::filesystem::exists("fields/draw_map.csv"));
  return result();
}
