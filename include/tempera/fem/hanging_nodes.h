// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_hanging_nodes_h
#define tempera_fem_hanging_nodes_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/vector.h>

#include <vector>

namespace Tempera
{
  /**
   * Degrees of freedom of a cell that hang on a face or an edge of a larger
   * neighbour: their values are interpolated from those of the face or edge,
   * the masters. They have no equation. A cell with hanging nodes has the
   * masters in their place, with other shape functions, so that nobody
   * else need know: with at most one hanging node per edge, there are as many
   * masters as nodes that hang.
   */
  template <int dim>
  class HangingNodes
  {
  public:
    /** Find them; again after each renumbering. */
    void
    reinit(const dealii::DoFHandler<dim> &dof_handler);

    /** Their number. */
    unsigned int
    n() const
    {
      return constraints.n_constraints();
    }

    bool
    contains(const dealii::types::global_dof_index dof) const
    {
      return n() > 0 && constraints.is_constrained(dof);
    }

    /**
     * Replace the degrees of freedom of a cell that hang by masters.
     *
     * @param combination Filled with \f$c_{im}\f$ by row: shape function
     * \f$m\f$ is now \f$\sum_i c_{im}\varphi_i\f$; empty if nothing hangs.
     */
    void
    resolve(std::vector<dealii::types::global_dof_index> &dofs,
            std::vector<double>                          &combination) const;

    /** Set the values of hanging nodes in a field on all nodes. */
    void
    interpolate(dealii::Vector<double> &field) const
    {
      if (n() > 0)
        constraints.distribute(field);
    }

  private:
    dealii::AffineConstraints<double> constraints;
  };


  /**
   * Combine shape functions, or derivatives of them.
   *
   * @param table By point, shape function and, last, direction.
   * @param combination From HangingNodes::resolve().
   */
  std::vector<double>
  combined(const std::vector<double> &table,
           const std::vector<double> &combination,
           const unsigned int         n_dofs,
           const unsigned int         n_directions);
} // namespace Tempera

#endif
