// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/space_discretisation.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_renumbering.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/la_parallel_vector.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

namespace Tempera
{
  namespace
  {
    using Boundaries = std::vector<dealii::types::boundary_id>;

    bool
    contains(const Boundaries &boundaries, const dealii::types::boundary_id id)
    {
      return boundaries.empty() ||
             std::find(boundaries.begin(), boundaries.end(), id) !=
               boundaries.end();
    }

    /** Whether numbers are the same up to rounding. */
    bool
    is_close(const std::vector<double> &a, const double *b)
    {
      constexpr double tolerance = 1e-10;

      double size = 0., difference = 0.;
      for (std::size_t i = 0; i < a.size(); ++i)
        {
          size       = std::max(size, std::abs(a[i]));
          difference = std::max(difference, std::abs(a[i] - b[i]));
        }
      return difference <= tolerance * size;
    }

    /** Collects tables; blocks whose tables are close share one. */
    class Tables
    {
    public:
      Tables(std::vector<double> &numbers, std::vector<unsigned int> &kinds)
        : numbers(numbers)
        , kinds(kinds)
      {}

      /** @param key Tables with different keys are not compared. */
      void
      add(const std::vector<double> &key, const std::vector<double> &table)
      {
        // Where each block is different, looking at them all would take long.
        constexpr std::size_t most_compared = 50;

        std::vector<unsigned int> &known = kinds_of_key[key];
        for (std::size_t i = 0; i < std::min(known.size(), most_compared); ++i)
          if (is_close(table, numbers.data() + known[i] * table.size()))
            {
              kinds.push_back(known[i]);
              return;
            }
        kinds.push_back(n_kinds++);
        known.push_back(kinds.back());
        numbers.insert(numbers.end(), table.begin(), table.end());
      }

      /** A single table needs no numbers. */
      void
      finish()
      {
        if (n_kinds == 1)
          kinds.clear();
      }

    private:
      std::vector<double>                                     &numbers;
      std::vector<unsigned int>                               &kinds;
      unsigned int                                             n_kinds = 0;
      std::map<std::vector<double>, std::vector<unsigned int>> kinds_of_key;
    };

    bool
    earlier(const OperatorMatrix::Entry &a, const OperatorMatrix::Entry &b)
    {
      return std::make_pair(a.row, a.column) < std::make_pair(b.row, b.column);
    }
  } // namespace



  template <int dim>
  SpaceDiscretisation<dim>::SpaceDiscretisation(
    const Mesh<dim>   &mesh,
    const unsigned int degree,
    const Problem     &problem,
    const unsigned int additional_points)
    : mesh(mesh)
    , element(degree)
    , n_points_per_direction(degree + 1 + additional_points)
    , dof_handler(*mesh.triangulation)
  {
    check_boundaries(problem);
    number_dofs(problem);
    has_hanging_nodes = mesh.triangulation->has_hanging_nodes();
    n_all_dofs =
      dof_handler.n_dofs() -
      dealii::Utilities::MPI::sum(n_own_hanging,
                                  mesh.triangulation->get_communicator());
    find_local_dofs();
    find_cell_points();
    // The lattice has the points that are enough for the matrices.
    if (mesh.is_lattice && additional_points == 0)
      find_lattice();
    make_sparsity_pattern();
  }



  template <int dim>
  void
  SpaceDiscretisation<dim>::check_boundaries(const Problem &problem) const
  {
    const auto               all = mesh.triangulation->get_boundary_ids();
    std::vector<std::string> names;
    for (const auto id : all)
      names.push_back(std::to_string(id));
    const auto check = [&](const Boundaries &boundaries) {
      for (const auto id : boundaries)
        if (std::find(all.begin(), all.end(), id) == all.end())
          throw UserError("The equation says what holds on boundary " +
                          std::to_string(id) + ", but the mesh has " +
                          join(names, ", ") +
                          ". Correct the number, or the mesh file.");
    };
    std::set<dealii::types::boundary_id> dirichlet;
    for (const DataTerm &term : problem.data_terms())
      {
        check(term.boundaries);
        if (term.kind == DataKind::dirichlet && term.boundaries.empty())
          dirichlet.insert(all.begin(), all.end());
        else if (term.kind == DataKind::dirichlet)
          dirichlet.insert(term.boundaries.begin(), term.boundaries.end());
      }

    // What holds everywhere may be covered in part.
    const auto check_free = [&](const Boundaries  &boundaries,
                                const std::string &name) {
      const auto has_dirichlet = [&](const auto id) {
        return dirichlet.count(id) > 0;
      };
      if (boundaries.empty() ?
            std::all_of(all.begin(), all.end(), has_dirichlet) :
            std::any_of(boundaries.begin(), boundaries.end(), has_dirichlet))
        throw UserError("'" + name +
                        "' is given on a part of the boundary where Dirichlet "
                        "values hold, so that it would not matter. Give the "
                        "Dirichlet values on the other parts only.");
    };
    for (const DataTerm &term : problem.data_terms())
      if (term.kind == DataKind::flux && term.function != no_function)
        check_free(term.boundaries, problem.functions()[term.function].name);
    for (const OperatorTerm &term : problem.operator_terms())
      {
        check(term.boundaries);
        if (term.kind == OperatorKind::exchange)
          check_free(term.boundaries, "Exchange");
      }
  }



  template <int dim>
  void
  SpaceDiscretisation<dim>::number_dofs(const Problem &problem)
  {
    const MPI_Comm communicator = mesh.triangulation->get_communicator();
    dof_handler.distribute_dofs(element);
    dealii::DoFRenumbering::Cuthill_McKee(dof_handler);

    hanging.reinit(dof_handler);
    const unsigned int n_own = dof_handler.n_locally_owned_dofs();
    std::vector<bool>  is_dirichlet(n_own, false);
    for (const DataTerm &term : problem.data_terms())
      if (term.kind == DataKind::dirichlet)
        {
          const std::vector<bool> here = own_on(term.boundaries);
          for (unsigned int i = 0; i < n_own; ++i)
            is_dirichlet[i] = is_dirichlet[i] || here[i];
        }

    // Own numbers are consecutive.
    if (n_own > 0)
      first_dof = dof_handler.locally_owned_dofs().nth_index_in_set(0);
    const auto hangs = [&](const unsigned int i) {
      return hanging.contains(first_dof + i);
    };
    n_interior_dofs = 0;
    for (unsigned int i = 0; i < n_own; ++i)
      if (hangs(i))
        ++n_own_hanging;
      else if (!is_dirichlet[i])
        ++n_interior_dofs;
    if (dealii::Utilities::MPI::max(n_interior_dofs, communicator) == 0)
      throw UserError("A level has no node inside the domain. Raise its "
                      "'Subdivisions', 'Refinements' or 'Degree'.");
    if (dealii::Utilities::MPI::min(n_interior_dofs, communicator) == 0)
      throw_too_coarse(communicator);

    std::vector<dealii::types::global_dof_index> new_numbers(n_own);
    unsigned int interior = 0, boundary = n_interior_dofs,
                 last = n_own - n_own_hanging;
    for (unsigned int i = 0; i < n_own; ++i)
      new_numbers[i] = first_dof + (hangs(i)        ? last++ :
                                    is_dirichlet[i] ? boundary++ :
                                                      interior++);
    dof_handler.renumber_dofs(new_numbers);
    hanging.reinit(dof_handler);
  }



  template <int dim>
  void
  SpaceDiscretisation<dim>::find_local_dofs()
  {
    using Number = dealii::types::global_dof_index;

    const unsigned int n_own  = dof_handler.n_locally_owned_dofs();
    const auto         is_own = [&](const Number dof) {
      return dof >= first_dof && dof < first_dof + n_own;
    };
    const auto has_equation = [&](const Number dof) {
      return dof >= first_dof && dof < first_dof + n_interior_dofs;
    };

    std::vector<Number> dofs(element.n_dofs_per_cell()), foreign;
    std::vector<double> combination;
    for (const auto &cell : dof_handler.active_cell_iterators())
      if (!cell->is_artificial())
        {
          cell->get_dof_indices(dofs);
          hanging.resolve(dofs, combination);
          if (!cell->is_locally_owned() &&
              std::none_of(dofs.begin(), dofs.end(), has_equation))
            continue;
          cells_here.push_back(cell);
          std::remove_copy_if(dofs.begin(),
                              dofs.end(),
                              std::back_inserter(foreign),
                              is_own);
        }
    std::sort(foreign.begin(), foreign.end());
    foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());

    // What the numbers of others mean: on each process those with an equation
    // come first.
    n_boundary_dofs             = n_own - n_own_hanging - n_interior_dofs;
    const MPI_Comm communicator = mesh.triangulation->get_communicator();
    if (n_processes(communicator) > 1)
      {
        const auto ranges = dealii::Utilities::MPI::all_gather(
          communicator,
          std::vector<Number>{first_dof, first_dof + n_interior_dofs});
        std::vector<bool>   is_equation;
        std::vector<Number> equations;
        std::size_t         process        = 0;
        Number              first_equation = 0;
        for (const Number dof : foreign)
          {
            while (process + 1 < ranges.size() && dof >= ranges[process + 1][0])
              {
                first_equation += ranges[process][1] - ranges[process][0];
                ++process;
              }
            is_equation.push_back(dof < ranges[process][1]);
            if (is_equation.back())
              equations.push_back(first_equation + dof - ranges[process][0]);
          }
        for (std::size_t i = 0; i < foreign.size(); ++i)
          if (!is_equation[i])
            foreign_dofs.emplace_back(foreign[i],
                                      n_interior_dofs + n_boundary_dofs++);
        unsigned int next = n_interior_dofs + n_boundary_dofs;
        for (std::size_t i = 0; i < foreign.size(); ++i)
          if (is_equation[i])
            foreign_dofs.emplace_back(foreign[i], next++);
        std::sort(foreign_dofs.begin(), foreign_dofs.end());
        partition = std::make_shared<const Partition>(communicator,
                                                      n_interior_dofs,
                                                      equations);
      }

    node_coordinates.resize(dim * (n_own - n_own_hanging + foreign.size()));
    dealii::FEValues<dim> values(element,
                                 dealii::Quadrature<dim>(
                                   element.get_unit_support_points()),
                                 dealii::update_quadrature_points);
    for (const ActiveCell &cell : cells_here)
      {
        values.reinit(cell);
        cell->get_dof_indices(dofs);
        for (unsigned int i = 0; i < dofs.size(); ++i)
          if (!hanging.contains(dofs[i]))
            for (unsigned int d = 0; d < dim; ++d)
              node_coordinates[dim * local_dof(dofs[i]) + d] =
                values.quadrature_point(i)[d];
      }
  }



  template <int dim>
  unsigned int
  SpaceDiscretisation<dim>::local_dof(
    const dealii::types::global_dof_index dof) const
  {
    if (dof >= first_dof &&
        dof - first_dof < dof_handler.n_locally_owned_dofs())
      return dof - first_dof;
    const auto place = std::lower_bound(foreign_dofs.begin(),
                                        foreign_dofs.end(),
                                        std::make_pair(dof, 0u));
    Assert(place != foreign_dofs.end() && place->first == dof,
           dealii::ExcInternalError());
    return place->second;
  }



  template <int dim>
  std::vector<bool>
  SpaceDiscretisation<dim>::own_on(const Boundaries &boundaries) const
  {
    const std::set<dealii::types::boundary_id> ids(boundaries.begin(),
                                                   boundaries.end());

    // All cells around an own one are here, so that nothing is missed.
    const dealii::IndexSet on_boundary =
      dealii::DoFTools::extract_boundary_dofs(dof_handler,
                                              dealii::ComponentMask(),
                                              ids);
    const dealii::IndexSet &own = dof_handler.locally_owned_dofs();
    std::vector<bool>       result(own.n_elements(), false);
    for (const auto i : on_boundary)
      if (own.is_element(i))
        result[own.index_within_set(i)] = true;
    return result;
  }



  template <int dim>
  std::vector<bool>
  SpaceDiscretisation<dim>::is_on(const Boundaries &boundaries) const
  {
    std::vector<bool> result = own_on(boundaries);
    if (partition)
      {
        // A node of others may be on the boundary of a cell that is not here.
        dealii::IndexSet foreign(dof_handler.n_dofs());
        for (const auto &dof : foreign_dofs)
          foreign.add_index(dof.first);
        dealii::LinearAlgebra::distributed::Vector<double> flags(
          dof_handler.locally_owned_dofs(), foreign, partition->communicator());
        for (std::size_t i = 0; i < result.size(); ++i)
          flags.local_element(i) = result[i];
        flags.update_ghost_values();
        result.resize(n_local());
        for (const auto &dof : foreign_dofs)
          result[dof.second] = flags[dof.first] > 0.5;
      }
    result.resize(n_local());
    return result;
  }



  template <int dim>
  void
  SpaceDiscretisation<dim>::find_cell_points()
  {
    const dealii::QGauss<dim> quadrature(n_points_per_direction);
    dealii::FEValues<dim>     values(element,
                                 quadrature,
                                 dealii::update_gradients |
                                   dealii::update_quadrature_points |
                                   dealii::update_JxW_values);

    const unsigned int  n = element.n_dofs_per_cell();
    std::vector<double> table, combination, shapes;
    for (unsigned int q = 0; q < quadrature.size(); ++q)
      for (unsigned int i = 0; i < n; ++i)
        shapes.push_back(element.shape_value(i, quadrature.point(q)));

    cell_points.n_points_per_block = quadrature.size();
    cell_points.n_dofs_per_block   = n;
    Tables shape_tables(cell_points.shapes, cell_points.shape_kinds);
    Tables gradient_tables(cell_points.gradients, cell_points.gradient_kinds);
    std::vector<dealii::types::global_dof_index> dofs(n);
    for (const ActiveCell &cell : cells_here)
      {
        values.reinit(cell);
        cell->get_dof_indices(dofs);
        hanging.resolve(dofs, combination);
        for (const auto dof : dofs)
          cell_points.dofs.push_back(local_dof(dof));
        table.clear();
        for (const unsigned int q : values.quadrature_point_indices())
          {
            cell_points.weights.push_back(values.JxW(q));
            for (unsigned int d = 0; d < dim; ++d)
              cell_points.coordinates.push_back(values.quadrature_point(q)[d]);
            for (const unsigned int i : values.dof_indices())
              for (unsigned int d = 0; d < dim; ++d)
                table.push_back(values.shape_grad(i, q)[d]);
          }
        shape_tables.add(combination, combined(shapes, combination, n, 1));
        gradient_tables.add(combination, combined(table, combination, n, dim));
      }
    shape_tables.finish();
    gradient_tables.finish();
  }



  template <int dim>
  IntegrationPoints
  SpaceDiscretisation<dim>::faces(const Boundaries &boundaries) const
  {
    const dealii::QGauss<dim - 1> quadrature(n_points_per_direction);
    dealii::FEFaceValues<dim>     values(element,
                                     quadrature,
                                     dealii::update_values |
                                       dealii::update_quadrature_points |
                                       dealii::update_JxW_values);
    const unsigned int            n = element.n_dofs_per_cell();
    IntegrationPoints             result;
    std::vector<double>           table, combination;
    result.n_points_per_block = quadrature.size();
    result.n_dofs_per_block   = n;
    Tables tables(result.shapes, result.shape_kinds);
    std::vector<dealii::types::global_dof_index> dofs(n);
    for (const ActiveCell &cell : cells_here)
      for (const auto &face : cell->face_iterators())
        if (face->at_boundary() && contains(boundaries, face->boundary_id()))
          {
            values.reinit(cell, face);
            cell->get_dof_indices(dofs);
            hanging.resolve(dofs, combination);
            for (const auto dof : dofs)
              result.dofs.push_back(local_dof(dof));
            table.clear();
            for (const unsigned int q : values.quadrature_point_indices())
              {
                result.weights.push_back(values.JxW(q));
                for (unsigned int d = 0; d < dim; ++d)
                  result.coordinates.push_back(values.quadrature_point(q)[d]);
                for (const unsigned int i : values.dof_indices())
                  table.push_back(values.shape_value(i, q));
              }
            tables.add(combination, combined(table, combination, n, 1));
          }
    tables.finish();
    return result;
  }



  template <int dim>
  dealii::Vector<double>
  SpaceDiscretisation<dim>::field_of(const NodalVector &function) const
  {
    const unsigned int     n_own = dof_handler.n_locally_owned_dofs();
    dealii::Vector<double> result(n_own);
    std::copy(function.interior.begin(),
              function.interior.end(),
              result.begin());
    // On the boundary the own ones come first.
    std::copy(function.boundary.begin(),
              function.boundary.begin() +
                (n_own - n_own_hanging - n_interior_dofs),
              result.begin() + n_interior_dofs);
    if (!partition || !has_hanging_nodes)
      {
        hanging.interpolate(result);
        return result;
      }

    // Masters may be anywhere.
    dealii::Vector<double> whole(dof_handler.n_dofs());
    std::copy(result.begin(), result.end(), whole.begin() + first_dof);
    partition->sum(dealii::make_array_view(whole));
    hanging.interpolate(whole);
    std::copy(whole.begin() + first_dof,
              whole.begin() + first_dof + n_own,
              result.begin());
    return result;
  }



  template <int dim>
  void
  SpaceDiscretisation<dim>::find_lattice()
  {
    // The ends of the cells in each direction, as the mesh has them.
    constexpr double tolerance = 1e-10;

    const auto make_unique = [](std::vector<double> &list) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(),
                             list.end(),
                             [](const double a, const double b) {
                               return b - a < tolerance;
                             }),
                 list.end());
    };

    std::array<std::vector<double>, dim> ends;
    const auto &vertices = mesh.triangulation->get_vertices();
    const auto &is_used  = mesh.triangulation->get_used_vertices();
    for (unsigned int d = 0; d < dim; ++d)
      {
        for (std::size_t i = 0; i < vertices.size(); ++i)
          if (is_used[i])
            ends[d].push_back(vertices[i][d]);
        make_unique(ends[d]);
        if (partition)
          {
            for (const auto &list : dealii::Utilities::MPI::all_gather(
                   partition->communicator(), std::vector<double>(ends[d])))
              ends[d].insert(ends[d].end(), list.begin(), list.end());
            make_unique(ends[d]);
          }
      }

    auto result = std::make_unique<Lattice>();
    for (unsigned int d = 0; d < dim; ++d)
      result->directions.emplace_back(ends[d], element.degree);
    for (unsigned int i = 0; i < n_local(); ++i)
      {
        std::size_t node = 0;
        for (unsigned int d = 0; d < dim; ++d)
          {
            const std::vector<double> &nodes = result->directions[d].nodes;
            node =
              node * nodes.size() +
              (std::lower_bound(nodes.begin(),
                                nodes.end(),
                                node_coordinates[dim * i + d] - tolerance) -
               nodes.begin());
          }
        result->node_of_dof.push_back(node);
      }
    lattice = std::move(result);
  }



  template <int dim>
  void
  SpaceDiscretisation<dim>::make_sparsity_pattern()
  {
    dealii::DynamicSparsityPattern rows(n_interior_dofs,
                                        partition ? partition->n_extended() :
                                                    n_interior_dofs);

    const unsigned int        n = cell_points.n_dofs_per_block;
    std::vector<unsigned int> columns;
    for (std::size_t cell = 0; cell < cell_points.n_blocks(); ++cell)
      {
        const unsigned int *dofs = &cell_points.dofs[cell * n];
        columns.clear();
        for (unsigned int i = 0; i < n; ++i)
          if (!is_on_boundary(dofs[i]))
            columns.push_back(matrix_column(dofs[i]));
        std::sort(columns.begin(), columns.end());
        for (const unsigned int row : columns)
          if (row < n_interior_dofs)
            {
              rows.add_entries(row, columns.begin(), columns.end(), true);
              for (unsigned int j = 0; j < n; ++j)
                if (is_on_boundary(dofs[j]))
                  coupling_pattern.push_back(
                    {row, dofs[j] - n_interior_dofs, 0.});
            }
      }
    std::sort(coupling_pattern.begin(), coupling_pattern.end(), earlier);
    coupling_pattern.erase(std::unique(coupling_pattern.begin(),
                                       coupling_pattern.end(),
                                       [](const auto &a, const auto &b) {
                                         return a.row == b.row &&
                                                a.column == b.column;
                                       }),
                           coupling_pattern.end());
    sparsity_pattern = std::make_shared<dealii::SparsityPattern>();
    sparsity_pattern->copy_from(rows);
  }



  template <int dim>
  OperatorMatrix
  SpaceDiscretisation<dim>::make_matrix() const
  {
    OperatorMatrix result;
    result.interior.reinit(*sparsity_pattern);
    result.coupling  = coupling_pattern;
    result.partition = partition;
    return result;
  }



  template <int dim>
  std::vector<int>
  SpaceDiscretisation<dim>::entries_of(const IntegrationPoints &points) const
  {
    const unsigned int n = points.n_dofs_per_block;
    std::vector<int>   result;
    result.reserve(points.dofs.size() * n);
    for (std::size_t block = 0; block < points.n_blocks(); ++block)
      {
        const unsigned int *const dofs = &points.dofs[block * n];
        for (unsigned int i = 0; i < n; ++i)
          for (unsigned int j = 0; j < n; ++j)
            if (dofs[i] >= n_interior_dofs)
              result.push_back(-1);
            else if (!is_on_boundary(dofs[j]))
              result.push_back((*sparsity_pattern)(dofs[i], dofs[j]));
            else
              {
                const OperatorMatrix::Entry entry{dofs[i],
                                                  dofs[j] - n_interior_dofs,
                                                  0.};
                result.push_back(-2 -
                                 (std::lower_bound(coupling_pattern.begin(),
                                                   coupling_pattern.end(),
                                                   entry,
                                                   earlier) -
                                  coupling_pattern.begin()));
              }
      }
    return result;
  }



  template <int dim>
  void
  SpaceDiscretisation<dim>::distribute(const dealii::FullMatrix<double> &local,
                                       const unsigned int               *dofs,
                                       OperatorMatrix &matrix) const
  {
    for (unsigned int i = 0; i < local.m(); ++i)
      for (unsigned int j = 0; j < local.n(); ++j)
        if (dofs[i] >= n_interior_dofs)
          continue;
        else if (!is_on_boundary(dofs[j]))
          matrix.interior.add(dofs[i], matrix_column(dofs[j]), local(i, j));
        else
          {
            const OperatorMatrix::Entry entry{dofs[i],
                                              dofs[j] - n_interior_dofs,
                                              0.};
            std::lower_bound(matrix.coupling.begin(),
                             matrix.coupling.end(),
                             entry,
                             earlier)
              ->value += local(i, j);
          }
  }



  template <int dim>
  OperatorMatrix
  SpaceDiscretisation<dim>::assemble(
    const PointCoefficients &coefficients) const
  {
    OperatorMatrix result = make_matrix();

    const unsigned int         n   = cell_points.n_dofs_per_block;
    const unsigned int         n_q = cell_points.n_points_per_block;
    dealii::FullMatrix<double> local(n, n);

    // Component e of shape function i at a point: its value or a derivative.
    const auto component = [](const double      *shape,
                              const double      *gradient,
                              const unsigned int i,
                              const unsigned int e) {
      return e == 0 ? shape[i] : gradient[i * dim + e - 1];
    };
    for (std::size_t block = 0; block < cell_points.n_blocks(); ++block)
      {
        local = 0.;
        for (unsigned int q = 0; q < n_q; ++q)
          {
            const std::size_t point = block * n_q + q;
            const double     *shape = cell_points.table(block) + q * n;
            const double     *gradient =
              cell_points.gradient_table(block, dim) + q * n * dim;
            for (unsigned int e = 0; e <= dim; ++e)
              for (unsigned int d = 0; d <= dim; ++d)
                if (coefficients[e][d] != nullptr)
                  {
                    const double weight =
                      coefficients[e][d][point] * cell_points.weights[point];
                    for (unsigned int i = 0; i < n; ++i)
                      {
                        const double test =
                          weight * component(shape, gradient, i, e);
                        for (unsigned int j = 0; j < n; ++j)
                          local(i, j) +=
                            test * component(shape, gradient, j, d);
                      }
                  }
          }
        distribute(local, &cell_points.dofs[block * n], result);
      }
    return result;
  }



  template <int dim>
  std::shared_ptr<const IntegrationPoints>
  SpaceDiscretisation<dim>::points_of(const OperatorTerm &term) const
  {
    if (term.kind == OperatorKind::exchange)
      return std::make_shared<const IntegrationPoints>(faces(term.boundaries));
    return {&cell_points, [](auto *) {}};
  }



  template <int dim>
  OperatorMatrix
  SpaceDiscretisation<dim>::assemble(
    const OperatorTerm        &term,
    const IntegrationPoints   &points,
    const std::vector<double> &coefficient) const
  {
    PointCoefficients coefficients{};
    switch (term.kind)
      {
        case OperatorKind::inertia:
        case OperatorKind::capacity:
        case OperatorKind::reaction:
          coefficients[0][0] = coefficient.data();
          return assemble(coefficients);
        case OperatorKind::diffusion:
          for (unsigned int d = 0; d < dim; ++d)
            coefficients[1 + d][1 + d] = coefficient.data();
          return assemble(coefficients);
        case OperatorKind::convection:
          coefficients[0][1 + term.direction] = coefficient.data();
          return assemble(coefficients);
        case OperatorKind::exchange:
          break;
      }

    OperatorMatrix             result = make_matrix();
    const unsigned int         n      = points.n_dofs_per_block;
    const unsigned int         n_q    = points.n_points_per_block;
    dealii::FullMatrix<double> local(n, n);
    for (std::size_t block = 0; block < points.n_blocks(); ++block)
      {
        local = 0.;
        for (unsigned int q = 0; q < n_q; ++q)
          {
            const std::size_t point = block * n_q + q;
            const double     *shape = points.table(block) + q * n;
            const double weight = coefficient[point] * points.weights[point];
            for (unsigned int i = 0; i < n; ++i)
              for (unsigned int j = 0; j < n; ++j)
                local(i, j) += weight * shape[i] * shape[j];
          }
        distribute(local, &points.dofs[block * n], result);
      }
    return result;
  }



  template <int dim>
  void
  SpaceDiscretisation<dim>::add_products(const OperatorTerm           &term,
                                         const IntegrationPoints      &points,
                                         const dealii::Vector<double> &rows,
                                         const NodalVector            &function,
                                         std::vector<double> &products) const
  {
    Assert(partition == nullptr, dealii::ExcNotImplemented());
    const unsigned int  n   = points.n_dofs_per_block;
    const unsigned int  n_q = points.n_points_per_block;
    std::vector<double> test(n), trial(n);
    for (std::size_t block = 0; block < points.n_blocks(); ++block)
      {
        const unsigned int *dofs = &points.dofs[block * n];
        for (unsigned int i = 0; i < n; ++i)
          {
            test[i]  = dofs[i] < n_interior_dofs ? rows[dofs[i]] : 0.;
            trial[i] = function[dofs[i]];
          }
        for (unsigned int q = 0; q < n_q; ++q)
          {
            const std::size_t point   = block * n_q + q;
            const double     *shape   = points.table(block) + q * n;
            double            product = 0.;
            if (term.kind == OperatorKind::diffusion)
              {
                const double *gradient =
                  points.gradient_table(block, dim) + q * n * dim;
                for (unsigned int d = 0; d < dim; ++d)
                  {
                    double of_test = 0., of_trial = 0.;
                    for (unsigned int i = 0; i < n; ++i)
                      {
                        of_test += test[i] * gradient[i * dim + d];
                        of_trial += trial[i] * gradient[i * dim + d];
                      }
                    product += of_test * of_trial;
                  }
              }
            else
              {
                const double *gradient =
                  term.kind == OperatorKind::convection ?
                    points.gradient_table(block, dim) + q * n * dim :
                    nullptr;
                double of_test = 0., of_trial = 0.;
                for (unsigned int i = 0; i < n; ++i)
                  {
                    of_test += test[i] * shape[i];
                    of_trial +=
                      trial[i] * (gradient != nullptr ?
                                    gradient[i * dim + term.direction] :
                                    shape[i]);
                  }
                product = of_test * of_trial;
              }
            products[point] += product * points.weights[point];
          }
      }
  }



  template <int dim>
  dealii::Point<dim>
  SpaceDiscretisation<dim>::place_of(const Sensor &sensor) const
  {
    if (sensor.place.size() != dim)
      throw UserError("The place of " + sensor.name + " has " +
                      counted(sensor.place.size(), "coordinate") +
                      ", but the problem has " + counted(dim, "dimension") +
                      ". Correct it, or set 'Problem/Dimension'.");
    dealii::Point<dim> place;
    for (unsigned int d = 0; d < dim; ++d)
      place[d] = sensor.place[d];
    return place;
  }



  template <int dim>
  void
  SpaceDiscretisation<dim>::throw_outside(const Sensor &sensor) const
  {
    throw UserError("The place (" + join(sensor.place) + ") of " + sensor.name +
                    " lies outside the domain. Move the sensor, or take "
                    "another mesh.");
  }



  template <int dim>
  std::vector<std::pair<dealii::types::global_dof_index, double>>
  SpaceDiscretisation<dim>::shapes_at(const ActiveCell         &cell,
                                      const dealii::Point<dim> &unit) const
  {
    // Close to nothing: a sensor on a node shall not see its neighbours.
    constexpr double negligible = 1e-12;

    std::vector<dealii::types::global_dof_index> dofs(
      element.n_dofs_per_cell());
    cell->get_dof_indices(dofs);
    const dealii::Point<dim> inside =
      dealii::GeometryInfo<dim>::project_to_unit_cell(unit);
    std::vector<double> values, combination;
    for (unsigned int i = 0; i < dofs.size(); ++i)
      values.push_back(element.shape_value(i, inside));
    hanging.resolve(dofs, combination);
    values = combined(values, combination, dofs.size(), 1);
    std::vector<std::pair<dealii::types::global_dof_index, double>> result;
    for (unsigned int i = 0; i < dofs.size(); ++i)
      if (std::abs(values[i]) > negligible)
        result.emplace_back(dofs[i], values[i]);
    return result;
  }



  template <int dim>
  PointRow
  SpaceDiscretisation<dim>::row_of(const Sensor &sensor) const
  {
    const dealii::Point<dim> place   = place_of(sensor);
    const auto              &mapping = dealii::StaticMappingQ1<dim>::mapping;
    std::pair<ActiveCell, dealii::Point<dim>> found(dof_handler.end(),
                                                    dealii::Point<dim>());
    try
      {
        found = dealii::GridTools::find_active_cell_around_point(mapping,
                                                                 dof_handler,
                                                                 place);
      }
    catch (const dealii::ExceptionBase &)
      {}
    if (found.first == dof_handler.end())
      throw_outside(sensor);
    PointRow result;
    for (const auto &shape : shapes_at(found.first, found.second))
      result.emplace_back(shape.first, shape.second);
    return result;
  }



  template <int dim>
  std::vector<PointRow>
  SpaceDiscretisation<dim>::rows_of(const std::vector<Sensor> &sensors) const
  {
    std::vector<PointRow> result;
    if (!partition)
      {
        for (const Sensor &sensor : sensors)
          result.push_back(row_of(sensor));
        return result;
      }

    // Each process looks in its own cells.
    constexpr double tolerance = 1e-10;
    const auto      &mapping   = dealii::StaticMappingQ1<dim>::mapping;

    std::vector<dealii::Point<dim>> places;
    for (const Sensor &sensor : sensors)
      places.push_back(place_of(sensor));
    std::vector<std::vector<std::pair<dealii::types::global_dof_index, double>>>
      found(sensors.size());
    for (const ActiveCell &cell : cells_here)
      if (cell->is_locally_owned())
        {
          const dealii::BoundingBox<dim> box = cell->bounding_box();
          for (std::size_t k = 0; k < sensors.size(); ++k)
            if (found[k].empty() && box.point_inside(places[k], tolerance))
              try
                {
                  const dealii::Point<dim> unit =
                    mapping.transform_real_to_unit_cell(cell, places[k]);
                  if (dealii::GeometryInfo<dim>::is_inside_unit_cell(unit,
                                                                     tolerance))
                    found[k] = shapes_at(cell, unit);
                }
              catch (
                const typename dealii::Mapping<dim>::ExcTransformationFailed &)
                {}
        }

    // The first process that has found it is right.
    const auto all =
      dealii::Utilities::MPI::all_gather(partition->communicator(), found);
    const unsigned int n_own = dof_handler.n_locally_owned_dofs();
    result.resize(sensors.size());
    for (std::size_t k = 0; k < sensors.size(); ++k)
      {
        const auto first =
          std::find_if(all.begin(), all.end(), [&](const auto &of_process) {
            return !of_process[k].empty();
          });
        if (first == all.end())
          throw_outside(sensors[k]);
        for (const auto &shape : (*first)[k])
          if (shape.first >= first_dof && shape.first - first_dof < n_own)
            result[k].emplace_back(local_dof(shape.first), shape.second);
      }
    return result;
  }



  template class SpaceDiscretisation<1>;
  template class SpaceDiscretisation<2>;
  template class SpaceDiscretisation<3>;
} // namespace Tempera
