// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/operator_matrix.h>

namespace Tempera
{
  void
  OperatorMatrix::copy_from(const OperatorMatrix &other)
  {
    interior.reinit(other.interior.get_sparsity_pattern());
    interior.copy_from(other.interior);
    coupling  = other.coupling;
    partition = other.partition;
  }



  void
  OperatorMatrix::scale(const double factor)
  {
    interior *= factor;
    for (Entry &entry : coupling)
      entry.value *= factor;
  }



  void
  OperatorMatrix::add(const double factor, const OperatorMatrix &other)
  {
    interior.add(factor, other.interior);
    for (std::size_t i = 0; i < coupling.size(); ++i)
      coupling[i].value += factor * other.coupling[i].value;
  }



  void
  OperatorMatrix::multiply(dealii::Vector<double> &result,
                           const NodalVector      &function) const
  {
    interior.vmult(result,
                   partition ? partition->extend(function.interior) :
                               function.interior);
    for (const Entry &entry : coupling)
      result[entry.row] += entry.value * function.boundary[entry.column];
  }



  void
  OperatorMatrix::multiply_transposed(NodalVector                  &result,
                                      const dealii::Vector<double> &rows,
                                      const bool is_symmetric) const
  {
    if (is_symmetric)
      interior.vmult(result.interior,
                     partition ? partition->extend(rows) : rows);
    else if (partition)
      {
        interior.Tvmult(partition->extended_memory(), rows);
        partition->collect(result.interior);
      }
    else
      interior.Tvmult(result.interior, rows);
    result.boundary = 0.;
    for (const Entry &entry : coupling)
      result.boundary[entry.column] += entry.value * rows[entry.row];
  }



  void
  OperatorMatrix::subtract_coupling(
    dealii::Vector<double>       &result,
    const dealii::Vector<double> &boundary) const
  {
    for (const Entry &entry : coupling)
      result[entry.row] -= entry.value * boundary[entry.column];
  }



  void
  OperatorMatrix::subtract_transposed_coupling(
    dealii::Vector<double>       &boundary,
    const dealii::Vector<double> &rows) const
  {
    for (const Entry &entry : coupling)
      boundary[entry.column] -= entry.value * rows[entry.row];
  }
} // namespace Tempera
