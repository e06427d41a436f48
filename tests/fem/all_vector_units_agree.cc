// SPDX-License-Identifier: LGPL-2.1-or-later

// The inner loops of data that are products, and the formulas of a problem,
// give the same on all kinds of vector units that this processor has, and what
// plain loops give.

#include "source_model.h"
#include "tests.h"

#include <tempera/base/vector_units.h>
#include <tempera/fem/product_loops.h>

#include <cstdlib>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** Numbers that have nothing to do with each other. */
  double
  number(const std::size_t i)
  {
    return std::sin(1. + 7.3 * i);
  }

  std::vector<double>
  numbers(const std::size_t n)
  {
    std::vector<double> result;
    for (std::size_t i = 0; i < n; ++i)
      result.push_back(number(i));
    return result;
  }

  /** How far all products are from plain sums, for all counts of vectors. */
  double
  difference_of_products(const ProductLoops &loops)
  {
    constexpr std::size_t n_columns = 12, distance = 15, most_vectors = 8;

    double                    largest = 0.;
    const std::vector<double> vectors = numbers(most_vectors * n_columns);
    for (const std::size_t n_rows : {8, 16, 24, 40, 104})
      for (std::size_t n_vectors = 1; n_vectors <= most_vectors; ++n_vectors)
        {
          const std::vector<double>   matrix = numbers(n_rows * distance);
          std::vector<const double *> places;
          for (std::size_t k = 0; k < n_vectors; ++k)
            places.push_back(&vectors[k * n_columns]);
          std::vector<double> by_rows(n_rows * n_vectors),
            by_columns(n_rows * n_vectors);
          loops.row_products(matrix.data(),
                             n_rows,
                             n_columns,
                             distance,
                             places.data(),
                             n_vectors,
                             by_rows.data());
          loops.column_products(matrix.data(),
                                n_rows,
                                n_columns,
                                places.data(),
                                n_vectors,
                                by_columns.data());
          for (std::size_t row = 0; row < n_rows; ++row)
            for (std::size_t k = 0; k < n_vectors; ++k)
              {
                double by_row = 0., by_column = 0.;
                for (std::size_t j = 0; j < n_columns; ++j)
                  {
                    by_row += matrix[row * distance + j] * places[k][j];
                    by_column += matrix[j * n_rows + row] * places[k][j];
                  }
                largest = std::max(
                  {largest,
                   std::abs(by_row - by_rows[k * n_rows + row]),
                   std::abs(by_column - by_columns[k * n_rows + row])});
              }
        }
    return largest;
  }

  /** Whether a sum is the same, bit by bit, whatever else is asked for. */
  bool
  sums_stand_alone(const ProductLoops &loops)
  {
    constexpr std::size_t n_rows = 56, n_columns = 51, n_vectors = 7;

    const std::vector<double> matrix  = numbers(n_rows * n_columns),
                              vectors = numbers(n_vectors * n_columns);
    std::vector<const double *> places;
    for (std::size_t k = 0; k < n_vectors; ++k)
      places.push_back(&vectors[k * n_columns]);
    std::vector<double> all(n_rows * n_vectors), one(n_rows);
    loops.column_products(
      matrix.data(), n_rows, n_columns, places.data(), n_vectors, all.data());
    for (std::size_t k = 0; k < n_vectors; ++k)
      {
        loops.column_products(
          matrix.data(), n_rows, n_columns, &places[k], 1, one.data());
        if (!std::equal(one.begin(), one.end(), all.begin() + k * n_rows))
          return false;
      }
    return true;
  }

  double
  difference_of_integrals(const ProductLoops &loops)
  {
    double largest = 0.;
    for (const std::size_t degree : {1, 2, 3})
      for (const std::size_t n_cells : {1, 2, 7, 50})
        {
          const std::size_t         n_shapes = degree + 1;
          const std::vector<double> values   = numbers(n_cells * n_shapes),
                                    shapes =
                                      numbers(n_cells * n_shapes * n_shapes);
          std::vector<double> integrals(n_cells * degree + 1, 7.),
            expected(n_cells * degree + 1, 0.);
          loops.integrate(
            n_cells, degree, values.data(), shapes.data(), integrals.data());
          for (std::size_t q = 0; q < n_shapes; ++q)
            for (std::size_t i = 0; i < n_shapes; ++i)
              for (std::size_t cell = 0; cell < n_cells; ++cell)
                expected[cell * degree + i] +=
                  values[q * n_cells + cell] *
                  shapes[(q * n_shapes + i) * n_cells + cell];
          for (std::size_t i = 0; i < expected.size(); ++i)
            largest = std::max(largest, std::abs(expected[i] - integrals[i]));
        }
    return largest;
  }

  /** All factors of the paper's source with derivatives along a line. */
  std::vector<double>
  factors()
  {
    constexpr std::size_t n = 151;

    const auto                      setting = source_setting(2);
    const std::vector<unsigned int> active{0, 2, 3};
    std::vector<double>             line;
    for (std::size_t i = 0; i < n; ++i)
      line.push_back(i / 150.);
    std::vector<double> values(2 * n), derivatives(2 * active.size() * n),
      alone(2 * n);
    setting.problem->evaluate_factors(0,
                                      dealii::make_array_view(
                                        std::as_const(line)),
                                      {dealii::make_array_view(setting.values),
                                       dealii::make_array_view(active)},
                                      dealii::make_array_view(values),
                                      dealii::make_array_view(derivatives));
    setting.problem->evaluate_factors(
      0,
      dealii::make_array_view(std::as_const(line)),
      {dealii::make_array_view(setting.values), {}},
      dealii::make_array_view(alone),
      {});
    values.insert(values.end(), derivatives.begin(), derivatives.end());
    values.insert(values.end(), alone.begin(), alone.end());
    return values;
  }

  /** The same of a process that has been told what units to use. */
  std::vector<double>
  factors_with(const VectorUnits units)
  {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0)
      return {};
    const pid_t child = fork();
    if (child == 0)
      {
        setenv("TEMPERA_VECTOR_UNITS", name_of(units), 1);
        const std::vector<double> result = factors();
        const std::size_t         n      = result.size() * sizeof(double);
        _exit(write(pipe_ends[1], result.data(), n) == static_cast<ssize_t>(n) ?
                0 :
                1);
      }
    int status = 1;
    close(pipe_ends[1]);
    std::vector<double> result(5000);
    char               *place = reinterpret_cast<char *>(result.data());
    std::size_t         size  = 0;
    for (ssize_t here = 1; here > 0; size += std::max<ssize_t>(here, 0))
      here = read(pipe_ends[0], place + size, 5000 * sizeof(double) - size);
    close(pipe_ends[0]);
    waitpid(child, &status, 0);
    result.resize(status == 0 ? size / sizeof(double) : 0);
    return result;
  }
} // namespace


int
main()
{
  // Before this process has made up its mind about its own.
  std::vector<std::vector<double>> by_units;
  for (const VectorUnits units :
       {VectorUnits::baseline, VectorUnits::v3, VectorUnits::v4})
    by_units.push_back(factors_with(units));
  // What the processor does not have becomes the best that it has.
  double worst = 0.;
  for (const auto &one : by_units)
    if (one.size() != by_units[0].size() || one.empty())
      worst = 1.;
    else
      worst = std::max(worst, relative_difference(one, by_units[0]));
  check("formulas are the same on all vector units",
        worst < 1e-14,
        std::to_string(worst * 1e14) + "e-14");

  double products = 0., integrals = 0.;
  bool   alone = true;
  for (const auto &units :
       {std::make_pair(VectorUnits::baseline, &product_loops_baseline),
        std::make_pair(VectorUnits::v3, &product_loops_v3),
        std::make_pair(VectorUnits::v4, &product_loops_v4)})
    if (units.first <= vector_units())
      {
        products  = std::max(products, difference_of_products(*units.second));
        integrals = std::max(integrals, difference_of_integrals(*units.second));
        alone     = alone && sums_stand_alone(*units.second);
      }
  check("products agree with plain sums",
        products < 1e-13,
        std::to_string(products * 1e13) + "e-13");
  check("integrals agree with plain sums",
        integrals < 1e-13,
        std::to_string(integrals * 1e13) + "e-13");
  check("a product does not depend on what else is asked for", alone);
  return result();
}
