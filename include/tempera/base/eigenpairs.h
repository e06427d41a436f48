// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_eigenpairs_h
#define tempera_base_eigenpairs_h

#include <vector>

namespace dealii
{
  template <typename Number>
  class FullMatrix;
}

namespace Tempera
{
  /** Eigenvalues, largest first, and the unit vectors that belong to them. */
  struct Eigenpairs
  {
    std::vector<double>              values;
    std::vector<std::vector<double>> vectors;
  };

  /** Of a symmetric matrix without negative eigenvalues. */
  Eigenpairs
  eigenpairs_of(const dealii::FullMatrix<double> &matrix);
} // namespace Tempera

#endif
