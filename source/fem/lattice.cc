// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/lattice.h>

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

    for (unsigned int q = 0; q < quadrature.size(); ++q)
      for (const unsigned int i : order)
        shapes.push_back(element.shape_value(i, quadrature.point(q)));

    nodes.push_back(cell_ends[0]);
    for (std::size_t cell = 0; cell + 1 < cell_ends.size(); ++cell)
      {
        const double begin  = cell_ends[cell];
        const double length = cell_ends[cell + 1] - begin;
        for (unsigned int i = 1; i <= degree; ++i)
          nodes.push_back(begin + length * unit_nodes[order[i]][0]);
        for (unsigned int q = 0; q < quadrature.size(); ++q)
          {
            points.push_back(begin + length * quadrature.point(q)[0]);
            weights.push_back(length * quadrature.weight(q));
            for (unsigned int side = 0; side < 2; ++side)
              weighted_shapes[side].push_back(weights.back() *
                                              shapes[q * (degree + 1) + side]);
          }
      }
  }



  void
  LatticeDirection::integrate(const double *values, double *integrals) const
  {
    const unsigned int n_cells = points.size() / (degree + 1);
    if (degree == 1)
      {
        // The common case, node by node, so that no sum waits for another.
        const double *to_left  = weighted_shapes[0].data();
        const double *to_right = weighted_shapes[1].data();
        integrals[0] = values[0] * to_left[0] + values[1] * to_left[1];
        for (unsigned int node = 1; node < n_cells; ++node)
          {
            const unsigned int q = 2 * node;
            integrals[node] =
              (values[q] * to_left[q] + values[q + 1] * to_left[q + 1]) +
              (values[q - 2] * to_right[q - 2] +
               values[q - 1] * to_right[q - 1]);
          }
        const unsigned int q = 2 * n_cells;
        integrals[n_cells] =
          values[q - 2] * to_right[q - 2] + values[q - 1] * to_right[q - 1];
        return;
      }
    std::fill(integrals, integrals + nodes.size(), 0.);
    unsigned int point = 0;
    for (unsigned int cell = 0; cell < n_cells; ++cell)
      for (unsigned int q = 0; q <= degree; ++q, ++point)
        {
          const double weighted = values[point] * weights[point];
          for (unsigned int i = 0; i <= degree; ++i)
            integrals[cell * degree + i] +=
              weighted * shapes[q * (degree + 1) + i];
        }
  }
} // namespace Tempera
