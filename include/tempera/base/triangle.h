// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_triangle_h
#define tempera_base_triangle_h

#include <cmath>
#include <cstddef>
#include <vector>

namespace Tempera
{
  /** A lower triangle, row by row. */
  class Triangle
  {
  public:
    explicit Triangle(const std::size_t n)
      : n(n)
      , entries(n_entries(n))
    {}

    /** Of a triangle with so many rows. */
    static std::size_t
    n_entries(const std::size_t n)
    {
      return n * (n + 1) / 2;
    }

    double &
    operator()(const std::size_t i, const std::size_t j)
    {
      return entries[n_entries(i) + j];
    }

    double
    operator()(const std::size_t i, const std::size_t j) const
    {
      return entries[n_entries(i) + j];
    }

    /** Replace the lower half of A by L with A = LL^T, if there is one. */
    bool
    factorise()
    {
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          {
            double sum = (*this)(i, j);
            for (std::size_t k = 0; k < j; ++k)
              sum -= (*this)(i, k) * (*this)(j, k);
            if (j < i)
              (*this)(i, j) = sum / (*this)(j, j);
            else if (sum > 0. && std::isfinite(sum))
              (*this)(i, i) = std::sqrt(sum);
            else
              return false;
          }
      return true;
    }

    std::size_t         n;
    std::vector<double> entries;
  };
} // namespace Tempera

#endif
