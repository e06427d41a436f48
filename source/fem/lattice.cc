// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/lattice.h>
#include <tempera/fem/product_loops.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>

#include <algorithm>
#include <numeric>

namespace Tempera
{
  LatticeDirection::LatticeDirection(const std::vector<double> &cell_ends,
                                     const unsigned int         degree)
    : degree(degree)
  {
    const dealii::FE_Q<1>   element(degree);
    const dealii::QGauss<1> quadrature(degree + 1);
    const auto             &unit_nodes = element.get_unit_support_points();

    std::vector<unsigned int> order(degree + 1);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](const auto a, const auto b) {
      return unit_nodes[a][0] < unit_nodes[b][0];
    });

    nodes.push_back(cell_ends[0]);
    for (std::size_t cell = 0; cell + 1 < cell_ends.size(); ++cell)
      for (unsigned int i = 1; i <= degree; ++i)
        nodes.push_back(cell_ends[cell] +
                        (cell_ends[cell + 1] - cell_ends[cell]) *
                          unit_nodes[order[i]][0]);

    for (unsigned int q = 0; q < quadrature.size(); ++q)
      {
        for (std::size_t cell = 0; cell + 1 < cell_ends.size(); ++cell)
          points.push_back(cell_ends[cell] +
                           (cell_ends[cell + 1] - cell_ends[cell]) *
                             quadrature.point(q)[0]);
        for (const unsigned int i : order)
          for (std::size_t cell = 0; cell + 1 < cell_ends.size(); ++cell)
            weighted_shapes.push_back(
              (cell_ends[cell + 1] - cell_ends[cell]) * quadrature.weight(q) *
              element.shape_value(i, quadrature.point(q)));
      }
  }



  void
  LatticeDirection::integrate(const double *values, double *integrals) const
  {
    product_loops().integrate(points.size() / (degree + 1),
                              degree,
                              values,
                              weighted_shapes.data(),
                              integrals);
  }
} // namespace Tempera
