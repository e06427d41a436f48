// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_integration_points_h
#define tempera_fem_integration_points_h

#include <deal.II/base/array_view.h>
#include <deal.II/lac/vector.h>

#include <vector>

namespace Tempera
{
  /**
   * Quadrature points in cells or on faces, with the shape functions there:
   * integrals of data without a loop over deal.II's cells.
   */
  struct IntegrationPoints
  {
    /** Coordinates, one point after the other. */
    std::vector<double> coordinates;
    /** Quadrature weight times Jacobian. */
    std::vector<double> weights;

    /** A block is a cell or a face. */
    unsigned int n_points_per_block = 0;
    unsigned int n_dofs_per_block   = 0;
    /** By block. */
    std::vector<unsigned int> dofs;
    /** Tables by point and shape function: one for each kind of block. */
    std::vector<double> shapes;
    /**
     * For cells: derivatives of the shape functions by point, shape function
     * and direction. Congruent blocks share a table.
     */
    std::vector<double> gradients;
    /** By block, the number of its table; empty if there is only one. */
    std::vector<unsigned int> shape_kinds, gradient_kinds;

    std::size_t
    n_points() const
    {
      return weights.size();
    }

    std::size_t
    n_blocks() const
    {
      return n_dofs_per_block == 0 ? 0 : dofs.size() / n_dofs_per_block;
    }

    /** Add \f$\int g\varphi_i\f$, given \f$g\f$ at all points. */
    void
    integrate(const dealii::ArrayView<const double> &values,
              dealii::Vector<double>                &integrals) const;

    /** The weighted values of a finite element function at all points. */
    void
    weighted_values(const dealii::Vector<double>    &function,
                    const dealii::ArrayView<double> &values) const;

    /** Shape functions at the points of a block. */
    const double *
    table(const std::size_t block) const
    {
      const std::size_t size =
        std::size_t(n_points_per_block) * n_dofs_per_block;
      return shapes.data() +
             (shape_kinds.empty() ? 0 : shape_kinds[block] * size);
    }

    /** Their derivatives. */
    const double *
    gradient_table(const std::size_t block, const unsigned int dim) const
    {
      const std::size_t size =
        std::size_t(n_points_per_block) * n_dofs_per_block * dim;
      return gradients.data() +
             (gradient_kinds.empty() ? 0 : gradient_kinds[block] * size);
    }
  };
} // namespace Tempera

#endif
