// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_field_lattice_h
#define tempera_fem_field_lattice_h

#include <string>
#include <vector>

namespace Tempera
{
  /** Values of a field at many points, as combinations of its numbers. */
  struct FieldRows
  {
    unsigned int n_per_point = 1;
    /** By point. */
    std::vector<unsigned int> numbers;
    std::vector<double>       weights;

    /** The values at all points. */
    void
    evaluate(const double *field, std::vector<double> &at_points) const;

    /** The transpose: add what weights at the points are for the numbers. */
    void
    add_transposed(const double *at_points, double *field) const;
  };


  /**
   * The numbers that a field is made of: values at the nodes of a subdivided
   * box, linear between them in each direction, or values of its blocks. It
   * knows nothing of the mesh of a solver, and may be coarser or finer than
   * that. The last direction runs fastest.
   */
  class FieldLattice
  {
  public:
    enum class Kind
    {
      nodes,
      blocks
    };

    /** @param name Of the field, for messages. */
    FieldLattice(const std::string               &name,
                 const Kind                       kind,
                 const std::vector<double>       &lower,
                 const std::vector<double>       &upper,
                 const std::vector<unsigned int> &subdivisions);

    unsigned int
    dimension() const
    {
      return lower.size();
    }

    unsigned int
    n_values() const;

    /** Number of values in a direction. */
    unsigned int
    n_values_in(const unsigned int direction) const
    {
      return subdivisions[direction] + (kind == Kind::nodes ? 1 : 0);
    }

    /** Of a node or of the middle of a block. */
    std::vector<double>
    place(const unsigned int number) const;

    /**
     * @param points Coordinates, one point after the other. One outside of the
     * box is a UserError.
     */
    FieldRows
    rows_at(const std::vector<double> &points) const;

    const std::string               name;
    const Kind                      kind;
    const std::vector<double>       lower, upper;
    const std::vector<unsigned int> subdivisions;
  };
} // namespace Tempera

#endif
