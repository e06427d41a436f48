// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/eigenpairs.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/lapack_full_matrix.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <limits>

namespace Tempera
{
  Eigenpairs
  eigenpairs_of(const dealii::FullMatrix<double> &matrix)
  {
    dealii::LAPACKFullMatrix<double> copy(matrix.m(), matrix.n());
    copy = matrix;
    // None is negative, and their sum is the trace.
    const double               bound = 1. + 2. * matrix.trace();
    dealii::Vector<double>     values;
    dealii::FullMatrix<double> vectors;
    copy.compute_eigenvalues_symmetric(
      -bound, bound, 2. * std::numeric_limits<double>::min(), values, vectors);
    Eigenpairs result;
    for (unsigned int k = values.size(); k-- > 0;)
      {
        result.values.push_back(std::max(0., values[k]));
        result.vectors.emplace_back();
        for (unsigned int i = 0; i < matrix.m(); ++i)
          result.vectors.back().push_back(vectors(i, k));
      }
    return result;
  }
} // namespace Tempera
