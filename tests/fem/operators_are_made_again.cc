// SPDX-License-Identifier: LGPL-2.1-or-later

// Operators whose coefficients are unknown: matrices that are assembled with
// places and products found once are those that are assembled from nothing, and
// Cholesky's factorisation in a band, with every kind of vector units, solves
// as CHOLMOD does.

#include "fem/source_model.h"
#include "tests.h"

#include <tempera/base/vector_units.h>
#include <tempera/fem/banded_cholesky.h>
#include <tempera/fem/repeated_assembly.h>

#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>

using namespace Tempera;
using namespace Tempera::Testing;

namespace
{
  /** A box, lattice or with hanging nodes. */
  template <int dim>
  Mesh<dim>
  box(const bool is_irregular)
  {
    FemLevelParameters parameters;
    parameters.subdivisions = {6};
    Mesh<dim> mesh = make_mesh<dim>(Domain(), parameters, MPI_COMM_SELF);
    if (!is_irregular)
      return mesh;
    mesh               = Mesh<dim>();
    mesh.triangulation = std::make_shared<dealii::Triangulation<dim>>(
      dealii::Triangulation<dim>::limit_level_difference_at_vertices);
    dealii::GridGenerator::subdivided_hyper_cube(
      *mesh.triangulation, 4, 0., 1., true);
    for (const auto &cell : mesh.triangulation->active_cell_iterators())
      if (cell->center()[0] < 0.5)
        cell->set_refine_flag();
    mesh.triangulation->execute_coarsening_and_refinement();
    return mesh;
  }

  double
  difference(const OperatorMatrix &one, const OperatorMatrix &other)
  {
    double result = 0.;
    for (unsigned int i = 0; i < one.interior.m(); ++i)
      for (auto entry = one.interior.begin(i); entry != one.interior.end(i);
           ++entry)
        result = std::max(result,
                          std::abs(entry->value() -
                                   other.interior(i, entry->column())));
    for (std::size_t k = 0; k < one.coupling.size(); ++k)
      result =
        std::max(result,
                 std::abs(one.coupling[k].value - other.coupling[k].value));
    return result;
  }

  template <int dim>
  void
  check_assembly(const bool is_irregular)
  {
    const auto problem = ProblemRegistry::create("pollution source", dim);
    const SpaceDiscretisation<dim> space(box<dim>(is_irregular),
                                         dim == 2 ? 2 : 1,
                                         *problem);
    double                         largest = 0., size = 0.;
    for (const OperatorKind kind : {OperatorKind::inertia,
                                    OperatorKind::capacity,
                                    OperatorKind::reaction,
                                    OperatorKind::diffusion,
                                    OperatorKind::convection,
                                    OperatorKind::exchange})
      {
        OperatorTerm term{kind};
        term.direction             = dim - 1;
        const auto          points = space.points_of(term);
        std::vector<double> coefficient;
        for (std::size_t q = 0; q < points->n_points(); ++q)
          coefficient.push_back(1. + 0.5 * std::sin(3. * q));
        const RepeatedAssembly<dim> again(space, term, *points);
        const OperatorMatrix        matrix =
          space.assemble(term, *points, coefficient);
        // The second one must not know of the first.
        again(std::vector<double>(coefficient.size(), 7.));
        largest = std::max(largest, difference(again(coefficient), matrix));
        size    = std::max(size, matrix.interior.linfty_norm());
      }
    check(std::to_string(dim) + "-D" +
            (is_irregular ? " with hanging nodes" : ""),
          largest < 1e-14 * (1. + size) && size > 0.,
          std::to_string(largest));
  }


  /** With a diagonal that makes it definite, or not. */
  struct TestMatrix
  {
    TestMatrix(const unsigned int n,
               const unsigned int width,
               const double       diagonal,
               const bool         is_shuffled = false)
    {
      const auto place = [&](const unsigned int i) {
        // 7 has no divisor in common with the sizes that are used.
        return is_shuffled ? i * 7 % n : i;
      };
      dealii::DynamicSparsityPattern dynamic(n, n);
      for (unsigned int i = 0; i < n; ++i)
        for (unsigned int j = i > width ? i - width : 0; j <= i; ++j)
          {
            dynamic.add(place(i), place(j));
            dynamic.add(place(j), place(i));
          }
      pattern.copy_from(dynamic);
      matrix.reinit(pattern);
      for (unsigned int i = 0; i < n; ++i)
        {
          for (unsigned int j = i > width ? i - width : 0; j < i; ++j)
            {
              const double value = std::sin(1. + i + 2. * j);
              matrix.set(place(i), place(j), value);
              matrix.set(place(j), place(i), value);
            }
          matrix.set(place(i), place(i), diagonal);
        }
    }

    dealii::SparsityPattern      pattern;
    dealii::SparseMatrix<double> matrix;
  };

  void
  check_solutions()
  {
    double largest = 0., largest_of_determinants = 0.;
    for (const bool is_shuffled : {false, true})
      for (const unsigned int n : {1u, 2u, 5u, 8u, 41u, 100u})
        for (const unsigned int width : {0u, 1u, 3u, 4u, 9u, 40u})
          {
            const TestMatrix test(n, width, 3. * (width + 1.), is_shuffled);
            const auto order = std::make_shared<const BandOrder>(test.matrix);
            const BandedCholesky      solver(test.matrix, order);
            const LinearSolverFactory factory(LinearSolverType::cholmod,
                                              true,
                                              0.);
            const auto                other = factory.make(test.matrix);
            dealii::Vector<double>    b(n), x(n), y(n);
            for (unsigned int i = 0; i < n; ++i)
              b[i] = std::cos(i);
            solver.solve(x, b);
            other->solve(y, b);
            y -= x;
            largest = std::max(largest, y.linfty_norm());
            solver.solve_transposed(b, b);
            b -= x;
            largest = std::max(largest, b.linfty_norm());
            largest_of_determinants =
              std::max(largest_of_determinants,
                       std::abs(solver.log_determinant() -
                                other->log_determinant()));
          }
    check("solutions are CHOLMOD's", largest < 1e-13, std::to_string(largest));
    check("so are determinants",
          largest_of_determinants < 1e-10,
          std::to_string(largest_of_determinants));
  }

  /** The tables that this processor can run give the same. */
  void
  check_vector_units()
  {
    const TestMatrix       test(77, 12, 40.);
    const BandOrder        order(test.matrix);
    const std::size_t      columns = 80, rows = columns + 64;
    std::vector<double>    solutions[3];
    const BandLoops *const tables[] = {&band_loops_baseline,
                                       &band_loops_v3,
                                       &band_loops_v4};
    unsigned int           n_tables = 1 + static_cast<int>(vector_units());
    for (unsigned int t = 0; t < n_tables; ++t)
      {
        dealii::AlignedVector<double> band(columns * order.shape.stride),
          x(rows);
        std::vector<double> pivots(77);
        for (unsigned int i = 0; i < 77; ++i)
          {
            x[i] = std::sin(i);
            for (auto entry = test.matrix.begin(i); entry != test.matrix.end(i);
                 ++entry)
              if (entry->column() <= i)
                band[entry->column() * order.shape.stride + i -
                     entry->column()] = entry->value();
          }
        tables[t]->factorise(order.shape, band.data(), pivots.data());
        tables[t]->solve(order.shape, band.data(), x.data());
        solutions[t].assign(x.begin(), x.begin() + 77);
      }
    double largest = 0.;
    for (unsigned int t = 1; t < n_tables; ++t)
      for (unsigned int i = 0; i < 77; ++i)
        largest =
          std::max(largest, std::abs(solutions[t][i] - solutions[0][i]));
    check("all vector units solve the same",
          order.places.empty() && largest < 1e-15,
          std::to_string(largest));
  }

  void
  check_refusals()
  {
    const auto told = [](const TestMatrix &test) -> std::string {
      try
        {
          const BandedCholesky solver(
            test.matrix, std::make_shared<const BandOrder>(test.matrix));
          return "";
        }
      catch (const UnsuitableMatrix &error)
        {
          return error.what();
        }
    };
    const std::string indefinite = told(TestMatrix(20, 3, 0.5)),
                      singular   = told(TestMatrix(20, 3, 0.)),
                      no_number  = told(TestMatrix(20, 3, std::nan("")));
    check("matrices that are not definite are refused",
          indefinite.find("not positive definite") != std::string::npos &&
            !singular.empty() && !no_number.empty(),
          indefinite + singular + no_number);
  }

  void
  check_choice()
  {
    const auto problem = ProblemRegistry::create("pollution source", 2);
    const auto name    = [&](const unsigned int cells, const double n_solves) {
      FemLevelParameters parameters;
      parameters.subdivisions = {cells};
      const SpaceDiscretisation<2> space(
        make_mesh<2>(Domain(), parameters, MPI_COMM_SELF), 1, *problem);
      const OperatorMatrix matrix =
        space.assemble({OperatorKind::diffusion},
                       space.cells(),
                       std::vector<double>(space.cells().n_points(), 1.));
      const LinearSolverFactory factory(
        LinearSolverType::automatic, true, 0., nullptr, n_solves);
      return factory.make(matrix.interior)->name();
    };
    check("few solves on a small mesh: within the band",
          name(32, 2.) == "Cholesky in a band",
          name(32, 2.));
    check("many solves, or a larger mesh: not",
          name(32, 1000.) == "CHOLMOD" &&
            name(32, std::numeric_limits<double>::infinity()) == "CHOLMOD" &&
            name(200, 2.) == "CHOLMOD",
          name(32, 1000.) + name(200, 2.));
  }
} // namespace

int
main()
{
  for (const bool is_irregular : {false, true})
    {
      check_assembly<1>(is_irregular);
      check_assembly<2>(is_irregular);
      check_assembly<3>(is_irregular);
    }
  check_solutions();
  check_vector_units();
  check_refusals();
  check_choice();
  return result();
}
