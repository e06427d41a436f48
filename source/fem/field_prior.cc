// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/field_prior.h>

#include <cmath>
#include <numeric>

namespace Tempera
{
  namespace
  {
    /** An equation without data: all of the boundary is free. */
    class FreeBoundary : public Problem
    {
    public:
      explicit FreeBoundary(const unsigned int dimension)
        : n_dimensions(dimension)
      {}

      unsigned int
      dimension() const override
      {
        return n_dimensions;
      }

      const std::vector<ProblemParameter> &
      parameters() const override
      {
        return no_parameters;
      }

      const std::vector<FunctionDescription> &
      functions() const override
      {
        return no_functions;
      }

      const std::vector<OperatorTerm> &
      operator_terms() const override
      {
        return no_terms;
      }

      const std::vector<DataTerm> &
      data_terms() const override
      {
        return no_data;
      }

      void
      evaluate(const std::vector<unsigned int> &,
               const double,
               const dealii::ArrayView<const double> &,
               const ParameterValues &,
               const dealii::ArrayView<double> &,
               const dealii::ArrayView<double> &) const override
      {}

    private:
      const unsigned int                     n_dimensions;
      const std::vector<ProblemParameter>    no_parameters;
      const std::vector<FunctionDescription> no_functions;
      const std::vector<OperatorTerm>        no_terms;
      const std::vector<DataTerm>            no_data;
    };


    StateSpace
    space_of(const std::string &name, const unsigned int n)
    {
      std::vector<Coordinate> coordinates(n);
      for (unsigned int i = 0; i < n; ++i)
        coordinates[i].name = name + "_" + std::to_string(i);
      return StateSpace(coordinates);
    }


    template <int dim>
    std::vector<unsigned int>
    order_of(const SpaceDiscretisation<dim> &space)
    {
      if (space.get_lattice() != nullptr)
        return space.get_lattice()->node_of_dof;
      std::vector<unsigned int> result(space.n_dofs());
      std::iota(result.begin(), result.end(), 0);
      return result;
    }


    std::vector<unsigned int>
    inverted(const std::vector<unsigned int> &order)
    {
      std::vector<unsigned int> result(order.size());
      for (unsigned int i = 0; i < order.size(); ++i)
        result[order[i]] = i;
      return result;
    }


    template <int dim>
    OperatorMatrix
    assemble(const SpaceDiscretisation<dim> &space,
             const BiLaplacian<dim>         &coefficients)
    {
      const std::size_t n = space.cells().n_points();
      typename SpaceDiscretisation<dim>::PointCoefficients at_points{};
      std::vector<std::vector<double>>                     values;
      values.reserve(1 + dim * dim);
      const auto constant = [&](const double value) {
        values.emplace_back(n, value);
        return values.back().data();
      };
      at_points[0][0] = constant(coefficients.reaction);
      for (unsigned int d = 0; d < dim; ++d)
        for (unsigned int e = 0; e < dim; ++e)
          if (coefficients.anisotropy[d][e] != 0.)
            at_points[1 + d][1 + e] =
              constant(coefficients.diffusion * coefficients.anisotropy[d][e]);
      OperatorMatrix result = space.assemble(at_points);

      if (coefficients.robin)
        {
          // The factor makes the variance at the boundary much like that
          // inside; Roininen, Huttunen and Lasanen, Inverse Problems and
          // Imaging 8 (2014).
          constexpr double boundary_factor = 1.42;

          const OperatorTerm exchange{OperatorKind::exchange};
          const auto         points = space.points_of(exchange);
          result.add(1.,
                     space.assemble(
                       exchange,
                       *points,
                       std::vector<double>(points->n_points(),
                                           std::sqrt(coefficients.diffusion *
                                                     coefficients.reaction) /
                                             boundary_factor)));
        }
      return result;
    }
  } // namespace



  template <int dim>
  BiLaplacian<dim>
  matern_field(const double               deviation,
               const std::vector<double> &lengths,
               const double               angle)
  {
    AssertThrow(lengths.size() == 1 || lengths.size() == dim,
                dealii::ExcDimensionMismatch(lengths.size(), dim));
    constexpr double smoothness = 2. - 0.5 * dim;

    dealii::Tensor<1, dim> axes;
    double                 logarithms = 0.;
    for (unsigned int d = 0; d < dim; ++d)
      {
        axes[d] = lengths[lengths.size() == 1 ? 0 : d];
        logarithms += std::log(axes[d]) / dim;
      }
    // The determinant of the anisotropy is one, so that it does not change the
    // variance.
    const double length = std::exp(logarithms);
    const double kappa  = std::sqrt(8. * smoothness) / length;

    BiLaplacian<dim> result;
    result.anisotropy = 0.;
    for (unsigned int d = 0; d < dim; ++d)
      result.anisotropy[d][d] = std::pow(axes[d] / length, 2);
    if constexpr (dim == 2)
      {
        const double cosine = std::cos(angle), sine = std::sin(angle);
        const double first  = result.anisotropy[0][0],
                     second = result.anisotropy[1][1];
        result.anisotropy[0][0] =
          first * cosine * cosine + second * sine * sine;
        result.anisotropy[1][1] =
          first * sine * sine + second * cosine * cosine;
        result.anisotropy[0][1] = (first - second) * sine * cosine;
      }
    else
      (void)angle;
    result.diffusion =
      std::sqrt(std::tgamma(smoothness) / (std::pow(4. * M_PI, 0.5 * dim) *
                                           std::pow(kappa, 2. * smoothness))) /
      deviation;
    result.reaction = result.diffusion * kappa * kappa;
    return result;
  }



  template <int dim>
  FieldPrior<dim>::FieldPrior(const std::string      &name,
                              const Mesh<dim>        &mesh,
                              const BiLaplacian<dim> &operator_coefficients,
                              const Mean             &mean_at)
    : mesh_space(mesh, 1, FreeBoundary(dim))
    , order(order_of(mesh_space))
    , mesh_numbers(inverted(order))
    , state_space(space_of(name, mesh_space.n_dofs()))
    , mean(mesh_space.n_dofs(), 0.)
    , mass(mesh_space.assemble(
        {OperatorKind::reaction},
        mesh_space.cells(),
        std::vector<double>(mesh_space.cells().n_points(), 1.)))
    , precision_root(assemble(mesh_space, operator_coefficients))
    , factory(LinearSolverType::cholmod, true, 0.)
    , precision_root_solver(factory.make(precision_root.interior))
    , mass_solver(factory.make(mass.interior))
  {
    if (mean_at)
      for (unsigned int i = 0; i < mean.size(); ++i)
        mean[i] = mean_at(place(i));
  }



  template <int dim>
  dealii::Vector<double>
  FieldPrior<dim>::to_mesh(const dealii::ArrayView<const double> &state) const
  {
    dealii::Vector<double> result(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      result[i] = state[order[i]];
    return result;
  }



  template <int dim>
  void
  FieldPrior<dim>::from_mesh(const dealii::Vector<double>    &vector,
                             const dealii::ArrayView<double> &state) const
  {
    for (std::size_t i = 0; i < order.size(); ++i)
      state[order[i]] = vector[i];
  }



  template <int dim>
  double
  FieldPrior<dim>::energy(const dealii::ArrayView<const double> &state,
                          const dealii::ArrayView<double>       &gradient) const
  {
    dealii::Vector<double> deviation(order.size()), rough(order.size()),
      smooth(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      deviation[i] = state[order[i]] - mean[order[i]];
    precision_root.interior.vmult(rough, deviation);
    mass_solver->solve(smooth, rough);
    const double result = 0.5 * (rough * smooth);
    if (gradient.size() > 0)
      {
        precision_root.interior.vmult(rough, smooth);
        from_mesh(rough, gradient);
      }
    return result;
  }



  template <int dim>
  double
  FieldPrior<dim>::log_normaliser() const
  {
    return 0.5 * (order.size() * std::log(2. * M_PI) +
                  mass_solver->log_determinant()) -
           precision_root_solver->log_determinant();
  }



  template <int dim>
  std::vector<double>
  FieldPrior<dim>::sample(const RandomKey &key) const
  {
    std::vector<double> noise(root_size()), result(order.size());
    fill_normals(key, dealii::make_array_view(noise));
    apply_covariance_root(dealii::make_array_view(std::as_const(noise)),
                          dealii::make_array_view(result));
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] += mean[i];
    return result;
  }



  template <int dim>
  void
  FieldPrior<dim>::apply_covariance(
    const dealii::ArrayView<const double> &vector,
    const dealii::ArrayView<double>       &result) const
  {
    dealii::Vector<double> first = to_mesh(vector), second(first.size());
    precision_root_solver->solve(second, first);
    mass.interior.vmult(first, second);
    precision_root_solver->solve(second, first);
    from_mesh(second, result);
  }



  template <int dim>
  void
  FieldPrior<dim>::apply_covariance_root(
    const dealii::ArrayView<const double> &vector,
    const dealii::ArrayView<double>       &result) const
  {
    const IntegrationPoints &cells = mesh_space.cells();
    AssertDimension(vector.size(), cells.n_points());
    std::vector<double> noise(vector.begin(), vector.end());
    for (std::size_t q = 0; q < noise.size(); ++q)
      noise[q] /= std::sqrt(cells.weights[q]);
    dealii::Vector<double> white(order.size()), smooth(order.size());
    cells.integrate(dealii::make_array_view(std::as_const(noise)), white);
    precision_root_solver->solve(smooth, white);
    from_mesh(smooth, result);
  }



  template <int dim>
  dealii::Point<dim>
  FieldPrior<dim>::place(const unsigned int value) const
  {
    dealii::Point<dim> result;
    for (unsigned int d = 0; d < dim; ++d)
      result[d] = mesh_space.nodes()[dim * mesh_numbers[value] + d];
    return result;
  }



  template <int dim>
  double
  FieldPrior<dim>::variance(const unsigned int value) const
  {
    dealii::Vector<double> unit(order.size()), column(order.size());
    unit[mesh_numbers[value]] = 1.;
    precision_root_solver->solve(column, unit);
    return mass.interior.matrix_norm_square(column);
  }



  template <int dim>
  double
  FieldPrior<dim>::trace() const
  {
    // tr(M A^-1 M A^-1), column by column.
    double                 result = 0.;
    dealii::Vector<double> unit(order.size()), first(order.size()),
      second(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      {
        unit    = 0.;
        unit[i] = 1.;
        precision_root_solver->solve(first, unit);
        mass.interior.vmult(second, first);
        precision_root_solver->solve(first, second);
        mass.interior.vmult(second, first);
        result += second[i];
      }
    return result;
  }



  template BiLaplacian<1>
  matern_field<1>(const double, const std::vector<double> &, const double);
  template BiLaplacian<2>
  matern_field<2>(const double, const std::vector<double> &, const double);
  template BiLaplacian<3>
  matern_field<3>(const double, const std::vector<double> &, const double);
  template class FieldPrior<1>;
  template class FieldPrior<2>;
  template class FieldPrior<3>;
} // namespace Tempera
