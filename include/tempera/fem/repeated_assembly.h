// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_repeated_assembly_h
#define tempera_fem_repeated_assembly_h

#include <tempera/fem/space_discretisation.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * Assembles the matrix of a term again and again, for other coefficients:
   * products of shape functions, and places of entries, are found once.
   */
  template <int dim>
  class RepeatedAssembly
  {
  public:
    /** @param points Those of the term. */
    RepeatedAssembly(const SpaceDiscretisation<dim> &space,
                     const OperatorTerm             &term,
                     const IntegrationPoints        &points);

    /** As SpaceDiscretisation::assemble(), but for rounding. */
    OperatorMatrix
    operator()(const std::vector<double> &coefficient) const;

  private:
    const SpaceDiscretisation<dim> &space;
    const OperatorTerm              term;
    const IntegrationPoints        &points;
    /**
     * By kind of block and point, of all pairs of its shape functions; empty
     * if there are too many kinds.
     */
    std::vector<double>       products;
    std::vector<unsigned int> kinds;
    /** See SpaceDiscretisation::entries_of(). */
    std::vector<int> entries;
  };
} // namespace Tempera

#endif
