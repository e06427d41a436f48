// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/residual_assembler.h>

#include <algorithm>

namespace Tempera
{
  template <int dim>
  ResidualAssembler<dim>::ResidualAssembler(
    const Problem                  &problem,
    const SpaceDiscretisation<dim> &space)
    : problem(problem)
    , space(space)
    , points(space.cells())
    , order_in_time(problem.order_in_time())
    , states((3 + dim) * points.n_points(), 0.)
    , values((1 + dim) * points.n_points())
    , nodal(space.n_local())
  {}



  template <int dim>
  void
  ResidualAssembler<dim>::set_states(const TimeCourse::StepStates &step_states,
                                     const double                  new_time)
  {
    time = new_time;

    const std::size_t  n   = points.n_points();
    const unsigned int m   = points.n_dofs_per_block;
    const unsigned int n_q = points.n_points_per_block;
    std::fill(states.begin(), states.end(), 0.);
    for (std::size_t block = 0; block < points.n_blocks(); ++block)
      for (unsigned int i = 0; i < m; ++i)
        {
          const unsigned int dof   = points.dofs[block * m + i];
          const double       value = step_states.stiffness[dof];
          const double       velocity =
            order_in_time > 0 ? step_states.capacity[dof] : 0.;
          const double acceleration =
            order_in_time > 1 ? step_states.inertia[dof] : 0.;
          for (unsigned int q = 0; q < n_q; ++q)
            {
              const std::size_t point = block * n_q + q;
              const double      shape = points.table(block)[q * m + i];
              const double     *gradient =
                points.gradient_table(block, dim) + (q * m + i) * dim;
              states[point] += value * shape;
              for (unsigned int d = 0; d < dim; ++d)
                states[(1 + d) * n + point] += value * gradient[d];
              states[(1 + dim) * n + point] += velocity * shape;
              states[(2 + dim) * n + point] += acceleration * shape;
            }
        }
  }



  template <int dim>
  void
  ResidualAssembler<dim>::residual(const std::vector<double> &theta,
                                   dealii::Vector<double>    &result)
  {
    problem.evaluate_residual({time,
                               dealii::make_array_view(points.coordinates),
                               dealii::make_array_view(std::as_const(states))},
                              {dealii::make_array_view(theta), {}},
                              {dealii::make_array_view(values), {}, {}});

    const std::size_t  n   = points.n_points();
    const unsigned int m   = points.n_dofs_per_block;
    const unsigned int n_q = points.n_points_per_block;
    nodal                  = 0.;
    for (std::size_t block = 0; block < points.n_blocks(); ++block)
      for (unsigned int q = 0; q < n_q; ++q)
        {
          const std::size_t point  = block * n_q + q;
          const double      weight = points.weights[point];
          const double     *shape  = points.table(block) + q * m;
          const double     *gradient =
            points.gradient_table(block, dim) + q * m * dim;
          for (unsigned int i = 0; i < m; ++i)
            {
              double sum = values[point] * shape[i];
              for (unsigned int d = 0; d < dim; ++d)
                sum += values[(1 + d) * n + point] * gradient[i * dim + d];
              nodal[points.dofs[block * m + i]] += weight * sum;
            }
        }
    std::copy(nodal.begin(), nodal.begin() + result.size(), result.begin());
  }



  template <int dim>
  EvolutionMatrices
  ResidualAssembler<dim>::jacobian(const std::vector<double> &theta)
  {
    const std::size_t n = points.n_points();
    state_derivatives.resize((1 + dim) * (3 + dim) * n);
    problem.evaluate_residual({time,
                               dealii::make_array_view(points.coordinates),
                               dealii::make_array_view(std::as_const(states))},
                              {dealii::make_array_view(theta), {}},
                              {dealii::make_array_view(values),
                               dealii::make_array_view(state_derivatives),
                               {}});

    using Coefficients = typename SpaceDiscretisation<dim>::PointCoefficients;
    // What is zero everywhere need not be integrated.
    const auto derivative = [&](const unsigned int component,
                                const unsigned int entry) -> const double * {
      const double *begin =
        state_derivatives.data() + (component * (3 + dim) + entry) * n;
      return std::all_of(begin,
                         begin + n,
                         [](const double value) { return value == 0.; }) ?
               nullptr :
               begin;
    };

    EvolutionMatrices result;
    Coefficients      coefficients{};
    for (unsigned int e = 0; e <= dim; ++e)
      for (unsigned int d = 0; d <= dim; ++d)
        coefficients[e][d] = derivative(e, d);
    result.stiffness =
      std::make_unique<OperatorMatrix>(space.assemble(coefficients));
    symmetric = true;
    for (unsigned int e = 0; e <= dim; ++e)
      for (unsigned int d = 0; d < e; ++d)
        {
          const double *one = coefficients[e][d], *other = coefficients[d][e];
          symmetric = symmetric && (one == nullptr) == (other == nullptr) &&
                      (one == nullptr || std::equal(one, one + n, other));
        }
    for (const unsigned int order : {1u, 2u})
      if (order <= order_in_time)
        {
          coefficients = Coefficients{};
          for (unsigned int e = 0; e <= dim; ++e)
            {
              coefficients[e][0] = derivative(e, dim + order);
              symmetric =
                symmetric && (e == 0 || coefficients[e][0] == nullptr);
            }
          (order == 1 ? result.capacity : result.inertia) =
            std::make_unique<OperatorMatrix>(space.assemble(coefficients));
        }
    return result;
  }



  template <int dim>
  void
  ResidualAssembler<dim>::subtract_parameter_derivatives(
    const ParameterValues        &theta,
    const dealii::Vector<double> &weights,
    std::vector<double>          &gradient)
  {
    const std::size_t  n        = points.n_points();
    const std::size_t  n_active = theta.active.size();
    const unsigned int m        = points.n_dofs_per_block;
    const unsigned int n_q      = points.n_points_per_block;
    parameter_derivatives.resize(n_active * (1 + dim) * n);
    problem.evaluate_residual({time,
                               dealii::make_array_view(points.coordinates),
                               dealii::make_array_view(std::as_const(states))},
                              theta,
                              {dealii::make_array_view(values),
                               {},
                               dealii::make_array_view(parameter_derivatives)});

    // The weights as a finite element function at all points.
    weighted.assign((1 + dim) * n, 0.);
    for (std::size_t block = 0; block < points.n_blocks(); ++block)
      for (unsigned int i = 0; i < m; ++i)
        {
          const unsigned int dof = points.dofs[block * m + i];
          if (dof >= weights.size())
            continue;
          for (unsigned int q = 0; q < n_q; ++q)
            {
              const std::size_t point = block * n_q + q;
              const double     *gradient_of_shape =
                points.gradient_table(block, dim) + (q * m + i) * dim;
              const double weight = weights[dof] * points.weights[point];
              weighted[point] += weight * points.table(block)[q * m + i];
              for (unsigned int d = 0; d < dim; ++d)
                weighted[(1 + d) * n + point] += weight * gradient_of_shape[d];
            }
        }
    for (std::size_t i = 0; i < n_active; ++i)
      for (std::size_t k = 0; k < (1 + dim) * n; ++k)
        gradient[i] -=
          parameter_derivatives[i * (1 + dim) * n + k] * weighted[k];
  }



  template class ResidualAssembler<1>;
  template class ResidualAssembler<2>;
  template class ResidualAssembler<3>;
} // namespace Tempera
