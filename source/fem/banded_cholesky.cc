// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/vector_units.h>
#include <tempera/fem/banded_cholesky.h>

#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/sparsity_tools.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  namespace
  {
    using Matrix = dealii::SparseMatrix<double>;

    /** So many numbers and the rest of a vector. */
    std::size_t
    whole_vectors(const std::size_t n)
    {
      constexpr std::size_t lanes = BandShape::n_lanes;
      return (n + lanes - 1) / lanes * lanes;
    }

    unsigned int
    width_of(const Matrix &matrix, const std::vector<unsigned int> &places)
    {
      unsigned int width = 0;
      for (unsigned int i = 0; i < matrix.m(); ++i)
        for (auto entry = matrix.begin(i); entry != matrix.end(i); ++entry)
          {
            const unsigned int j      = entry->column(),
                               row    = places.empty() ? i : places[i],
                               column = places.empty() ? j : places[j];
            width = std::max(width, row > column ? row - column : 0);
          }
      return width;
    }
  } // namespace



  BandOrder::BandOrder(const Matrix &matrix)
  {
    const unsigned int             n = matrix.m();
    dealii::DynamicSparsityPattern pattern(n, n);
    for (unsigned int i = 0; i < n; ++i)
      for (auto entry = matrix.begin(i); entry != matrix.end(i); ++entry)
        pattern.add(i, entry->column());
    std::vector<dealii::DynamicSparsityPattern::size_type> order(n);
    dealii::SparsityTools::reorder_Cuthill_McKee(pattern, order);
    const std::vector<unsigned int> other(order.begin(), order.end());

    const unsigned int width       = width_of(matrix, {}),
                       other_width = width_of(matrix, other);
    if (other_width < width)
      places = other;
    shape.n_rows                = n;
    shape.width                 = std::min(width, other_width);
    constexpr std::size_t lanes = BandShape::n_lanes;
    shape.stride =
      (shape.width + BandShape::margin) / lanes * lanes + lanes + 1;
  }



  BandedCholesky::BandedCholesky(const Matrix                    &matrix,
                                 std::shared_ptr<const BandOrder> the_order)
    : loops(for_vector_units(band_loops_baseline, band_loops_v3, band_loops_v4))
    , its_order(std::move(the_order))
    , order(*its_order)
    , factor(whole_vectors(order.shape.n_rows) * order.shape.stride)
  {
    // A matrix with a smaller ratio of pivots counts as singular.
    constexpr double smallest_ratio = 1e-14;

    const auto       &places = order.places;
    const std::size_t n      = order.shape.n_rows;
    for (unsigned int i = 0; i < n; ++i)
      for (auto entry = matrix.begin(i); entry != matrix.end(i); ++entry)
        {
          const unsigned int j      = entry->column(),
                             row    = places.empty() ? i : places[i],
                             column = places.empty() ? j : places[j];
          if (row >= column)
            factor[column * order.shape.stride + row - column] = entry->value();
        }
    std::vector<double> pivots(n);
    loops.factorise(order.shape, factor.data(), pivots.data());
    double least = pivots[0], largest = pivots[0];
    for (const double pivot : pivots)
      {
        if (!(pivot > 0.) || !std::isfinite(pivot))
          throw UnsuitableMatrix(
            "The matrix of a level is not positive definite. Look at the "
            "coefficients of the equation, or set 'Solver/Linear solver = "
            "UMFPACK'.");
        least   = std::min(least, pivot);
        largest = std::max(largest, pivot);
      }
    if (!(least > smallest_ratio * largest))
      throw UnsuitableMatrix(
        "The matrix of a level is singular: the equation has no solution, or "
        "many. Look at its coefficients and boundary conditions.");
  }



  void
  BandedCholesky::solve(dealii::Vector<double>       &x,
                        const dealii::Vector<double> &b) const
  {
    const auto                   &places = order.places;
    dealii::AlignedVector<double> memory(whole_vectors(b.size()) +
                                         order.shape.width + BandShape::margin);
    for (std::size_t i = 0; i < b.size(); ++i)
      memory[places.empty() ? i : places[i]] = b[i];
    loops.solve(order.shape, factor.data(), memory.data());
    for (std::size_t i = 0; i < b.size(); ++i)
      x[i] = memory[places.empty() ? i : places[i]];
  }



  double
  BandedCholesky::log_determinant() const
  {
    double result = 0.;
    for (std::size_t k = 0; k < order.shape.n_rows; ++k)
      result -= 2. * std::log(factor[k * order.shape.stride]);
    return result;
  }
} // namespace Tempera
