// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/integration_points.h>

namespace Tempera
{
  void
  IntegrationPoints::integrate(const dealii::ArrayView<const double> &values,
                               dealii::Vector<double> &integrals) const
  {
    std::size_t point = 0;
    for (std::size_t block = 0; block < n_blocks(); ++block)
      {
        const double       *shape     = table(block);
        const unsigned int *block_dof = &dofs[block * n_dofs_per_block];
        for (unsigned int q = 0; q < n_points_per_block; ++q, ++point)
          {
            const double weighted = values[point] * weights[point];
            for (unsigned int i = 0; i < n_dofs_per_block; ++i, ++shape)
              integrals[block_dof[i]] += weighted * *shape;
          }
      }
  }



  void
  IntegrationPoints::weighted_values(
    const dealii::Vector<double>    &function,
    const dealii::ArrayView<double> &values) const
  {
    std::size_t point = 0;
    for (std::size_t block = 0; block < n_blocks(); ++block)
      {
        const double       *shape     = table(block);
        const unsigned int *block_dof = &dofs[block * n_dofs_per_block];
        for (unsigned int q = 0; q < n_points_per_block; ++q, ++point)
          {
            double value = 0.;
            for (unsigned int i = 0; i < n_dofs_per_block; ++i, ++shape)
              value += function[block_dof[i]] * *shape;
            values[point] = value * weights[point];
          }
      }
  }
} // namespace Tempera
