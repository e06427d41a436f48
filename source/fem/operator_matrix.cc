// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/lane_loops.h>
#include <tempera/fem/operator_matrix.h>

namespace Tempera
{
  namespace
  {
    /** Where a number of one vector is in a vector with lanes. */
    std::size_t
    place(const std::size_t entry, const std::size_t lane)
    {
      return entry * LaneLoops::n_lanes + lane;
    }
  } // namespace



  void
  NodalVector::copy_from_lane(const NodalVector &lanes, const std::size_t lane)
  {
    for (std::size_t i = 0; i < interior.size(); ++i)
      interior[i] = lanes.interior[place(i, lane)];
    for (std::size_t i = 0; i < boundary.size(); ++i)
      boundary[i] = lanes.boundary[place(i, lane)];
  }



  void
  NodalVector::copy_to_lane(NodalVector &lanes, const std::size_t lane) const
  {
    for (std::size_t i = 0; i < interior.size(); ++i)
      lanes.interior[place(i, lane)] = interior[i];
    for (std::size_t i = 0; i < boundary.size(); ++i)
      lanes.boundary[place(i, lane)] = boundary[i];
  }



  void
  OperatorMatrix::copy_from(const OperatorMatrix &other)
  {
    interior.reinit(other.interior.get_sparsity_pattern());
    interior.copy_from(other.interior);
    coupling  = other.coupling;
    partition = other.partition;
    rows_for_lanes.reset();
  }



  void
  OperatorMatrix::scale(const double factor)
  {
    interior *= factor;
    rows_for_lanes.reset();
    for (Entry &entry : coupling)
      entry.value *= factor;
  }



  void
  OperatorMatrix::add(const double factor, const OperatorMatrix &other)
  {
    interior.add(factor, other.interior);
    rows_for_lanes.reset();
    for (std::size_t i = 0; i < coupling.size(); ++i)
      coupling[i].value += factor * other.coupling[i].value;
  }



  void
  OperatorMatrix::multiply(dealii::Vector<double> &result,
                           const NodalVector      &function,
                           const unsigned int      n_lanes) const
  {
    multiply_interior(result, function.interior, n_lanes);
    add_coupling(1., result, function.boundary, n_lanes);
  }



  void
  OperatorMatrix::multiply_transposed(NodalVector                  &result,
                                      const dealii::Vector<double> &rows,
                                      const bool         is_symmetric,
                                      const unsigned int n_lanes) const
  {
    if (is_symmetric)
      multiply_interior(result.interior, rows, n_lanes);
    else if (partition)
      {
        interior.Tvmult(partition->extended_memory(), rows);
        partition->collect(result.interior);
      }
    else
      interior.Tvmult(result.interior, rows);
    result.boundary = 0.;
    add_transposed_coupling(1., result.boundary, rows, n_lanes);
  }



  void
  OperatorMatrix::subtract_coupling(dealii::Vector<double>       &result,
                                    const dealii::Vector<double> &boundary,
                                    const unsigned int            n_lanes) const
  {
    add_coupling(-1., result, boundary, n_lanes);
  }



  void
  OperatorMatrix::subtract_transposed_coupling(
    dealii::Vector<double>       &boundary,
    const dealii::Vector<double> &rows,
    const unsigned int            n_lanes) const
  {
    add_transposed_coupling(-1., boundary, rows, n_lanes);
  }



  void
  OperatorMatrix::multiply_interior(dealii::Vector<double>       &result,
                                    const dealii::Vector<double> &vector,
                                    const unsigned int            n_lanes) const
  {
    if (n_lanes == 1)
      {
        interior.vmult(result, partition ? partition->extend(vector) : vector);
        return;
      }
    const Rows &rows = get_rows();
    lane_loops().multiply(rows.starts.size() - 1,
                          rows.starts.data(),
                          rows.columns.data(),
                          rows.values.data(),
                          vector.begin(),
                          result.begin());
  }



  void
  OperatorMatrix::add_coupling(const double                  factor,
                               dealii::Vector<double>       &result,
                               const dealii::Vector<double> &boundary,
                               const unsigned int            n_lanes) const
  {
    for (const Entry &entry : coupling)
      for (std::size_t lane = 0; lane < n_lanes; ++lane)
        result[entry.row * n_lanes + lane] +=
          factor * entry.value * boundary[entry.column * n_lanes + lane];
  }



  void
  OperatorMatrix::add_transposed_coupling(const double            factor,
                                          dealii::Vector<double> &boundary,
                                          const dealii::Vector<double> &rows,
                                          const unsigned int n_lanes) const
  {
    for (const Entry &entry : coupling)
      for (std::size_t lane = 0; lane < n_lanes; ++lane)
        boundary[entry.column * n_lanes + lane] +=
          factor * entry.value * rows[entry.row * n_lanes + lane];
  }



  const OperatorMatrix::Rows &
  OperatorMatrix::get_rows() const
  {
    if (rows_for_lanes)
      return *rows_for_lanes;
    auto rows = std::make_shared<Rows>();
    rows->starts.push_back(0);
    for (std::size_t i = 0; i < interior.m(); ++i)
      {
        for (auto entry = interior.begin(i); entry != interior.end(i); ++entry)
          {
            rows->columns.push_back(entry->column());
            rows->values.push_back(entry->value());
          }
        rows->starts.push_back(rows->columns.size());
      }
    rows_for_lanes = rows;
    return *rows_for_lanes;
  }
} // namespace Tempera
