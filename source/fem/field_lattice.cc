// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/field_lattice.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  void
  FieldRows::evaluate(const double *field, std::vector<double> &at_points) const
  {
    at_points.resize(numbers.size() / n_per_point);
    std::size_t k = 0;
    for (double &value : at_points)
      {
        value = 0.;
        for (unsigned int i = 0; i < n_per_point; ++i, ++k)
          value += weights[k] * field[numbers[k]];
      }
  }



  void
  FieldRows::add_transposed(const double *at_points, double *field) const
  {
    for (std::size_t k = 0; k < numbers.size(); ++k)
      field[numbers[k]] += weights[k] * at_points[k / n_per_point];
  }



  FieldLattice::FieldLattice(const std::string               &name,
                             const Kind                       kind,
                             const std::vector<double>       &lower,
                             const std::vector<double>       &upper,
                             const std::vector<unsigned int> &subdivisions)
    : name(name)
    , kind(kind)
    , lower(lower)
    , upper(upper)
    , subdivisions(subdivisions)
  {
    for (unsigned int d = 0; d < lower.size(); ++d)
      if (!(upper[d] > lower[d]))
        throw UserError("'Problem/Fields/" + name +
                        "/Upper corner' must be above 'Lower corner' in every "
                        "direction.");
  }



  unsigned int
  FieldLattice::n_values() const
  {
    unsigned int result = 1;
    for (unsigned int d = 0; d < dimension(); ++d)
      result *= n_values_in(d);
    return result;
  }



  std::vector<double>
  FieldLattice::place(const unsigned int number) const
  {
    std::vector<double> result(dimension());
    unsigned int        rest = number;
    for (unsigned int d = dimension(); d-- > 0; rest /= n_values_in(d))
      result[d] =
        lower[d] + (rest % n_values_in(d) + (kind == Kind::nodes ? 0. : 0.5)) *
                     (upper[d] - lower[d]) / subdivisions[d];
    return result;
  }



  FieldRows
  FieldLattice::rows_at(const std::vector<double> &points) const
  {
    constexpr double tolerance = 1e-9;

    const unsigned int dim = dimension();
    FieldRows          rows;
    rows.n_per_point = kind == Kind::nodes ? 1 << dim : 1;
    rows.numbers.reserve(points.size() / dim * rows.n_per_point);
    rows.weights.reserve(rows.numbers.capacity());
    std::vector<unsigned int> cell(dim);
    std::vector<double>       part(dim);
    for (std::size_t q = 0; q < points.size() / dim; ++q)
      {
        for (unsigned int d = 0; d < dim; ++d)
          {
            const double position = (points[q * dim + d] - lower[d]) /
                                    (upper[d] - lower[d]) * subdivisions[d];
            if (!(position >= -tolerance &&
                  position <= subdivisions[d] + tolerance))
              {
                std::vector<double> place(&points[q * dim],
                                          &points[q * dim] + dim);
                throw UserError(
                  "The field 'Problem/Fields/" + name + "' is needed at (" +
                  join(place) +
                  "), but its box does not reach there. Enlarge its 'Lower "
                  "corner' and 'Upper corner'.");
              }
            cell[d] = std::min(subdivisions[d] - 1,
                               static_cast<unsigned int>(
                                 std::max(0., std::floor(position))));
            part[d] = std::min(1., std::max(0., position - cell[d]));
          }
        for (unsigned int corner = 0; corner < rows.n_per_point; ++corner)
          {
            unsigned int number = 0;
            double       weight = 1.;
            for (unsigned int d = 0; d < dim; ++d)
              {
                const unsigned int end = (corner >> d) & 1;
                number = number * n_values_in(d) + cell[d] + end;
                if (kind == Kind::nodes)
                  weight *= end == 1 ? part[d] : 1. - part[d];
              }
            rows.numbers.push_back(number);
            rows.weights.push_back(weight);
          }
      }
    return rows;
  }
} // namespace Tempera
