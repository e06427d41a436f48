// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_lattice_h
#define tempera_fem_lattice_h

#include <deal.II/base/array_view.h>

#include <vector>

namespace Tempera
{
  /** The mesh in one direction of a subdivided box. */
  struct LatticeDirection
  {
    /** @param cell_ends Ends of the cells, in order. */
    LatticeDirection(const std::vector<double> &cell_ends,
                     const unsigned int         degree);

    unsigned int
    n_nodes() const
    {
      return nodes.size();
    }

    /** \f$\int g\varphi_i\f$ from the values of \f$g\f$ at the points. */
    void
    integrate(const double *values, double *integrals) const;

    /** Coordinates of the nodes. */
    std::vector<double> nodes;
    /**
     * Coordinates of the quadrature points: first those that come first in
     * their cells.
     */
    std::vector<double> points;

  private:
    unsigned int degree;
    /** As ProductLoops::integrate() wants them. */
    std::vector<double> weighted_shapes;
  };


  /**
   * On a subdivided box the degrees of freedom are a tensor product of nodes
   * in each direction.
   */
  struct Lattice
  {
    std::vector<LatticeDirection> directions;
    /** Node by degree of freedom; the last direction runs fastest. */
    std::vector<unsigned int> node_of_dof;
  };
} // namespace Tempera

#endif
