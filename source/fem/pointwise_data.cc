// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/pointwise_data.h>
#include <tempera/fem/product_loops.h>

#include <algorithm>

namespace Tempera
{
  /** Weights of all functionals at the points of each group. */
  template <int dim>
  class PointwiseData<dim>::Weights : public DataMap::Functionals
  {
  public:
    unsigned int n_functionals;
    /** By group: a matrix with a padded row per functional. */
    std::vector<std::vector<double>> matrices;
  };



  template <int dim>
  PointwiseData<dim>::PointwiseData(const Problem                   &problem,
                                    const SpaceDiscretisation<dim>  &space,
                                    const std::vector<Channel>      &channels,
                                    const std::vector<FieldUnknown> &fields)
    : problem(problem)
    , n_field_values(n_values_of(fields))
    , partition(space.get_partition())
    , n_local(space.n_local())
    , n_data(space.n_interior() + space.n_boundary())
    , n_interior(space.n_interior())
    , masks(channels.size())
    , nodal(space.n_local())
  {
    std::shared_ptr<const IntegrationPoints> cells(&space.cells(),
                                                   [](auto *) {});
    for (unsigned int c = 0; c < channels.size(); ++c)
      {
        const Channel &channel = channels[c];
        const bool     is_integral =
          channel.kind == DataKind::source || channel.kind == DataKind::flux;

        // A node on two Dirichlet boundaries belongs to the first one.
        if (channel.kind == DataKind::dirichlet)
          {
            masks[c] = space.is_on(channel.boundaries);
            for (const DataTerm &term : problem.data_terms())
              if (term.kind == DataKind::dirichlet)
                {
                  if (term.boundaries == channel.boundaries)
                    break;
                  const std::vector<bool> taken = space.is_on(term.boundaries);
                  for (unsigned int i = 0; i < n_local; ++i)
                    if (taken[i])
                      masks[c][i] = false;
                }
          }

        // Channels at the same nodes share the evaluation; those that need
        // all nodes come first.
        const auto same =
          std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
            return channel.kind != DataKind::flux &&
                   group.functions == channel.functions &&
                   group.time == channel.time &&
                   (is_integral ? group.integration == cells :
                                  group.integration == nullptr);
          });
        if (same != groups.end())
          {
            same->channels.push_back(c);
            continue;
          }

        Group group;
        group.functions = channel.functions;
        group.time      = channel.time;
        group.channels  = {c};
        if (channel.kind == DataKind::source)
          group.integration = cells;
        else if (channel.kind == DataKind::flux)
          group.integration = std::make_shared<const IntegrationPoints>(
            space.faces(channel.boundaries));
        groups.push_back(std::move(group));
      }

    std::size_t most_points = 0;
    for (Group &group : groups)
      {
        if (!group.integration)
          for (unsigned int i = 0; i < n_data; ++i)
            if (std::any_of(group.channels.begin(),
                            group.channels.end(),
                            [&](const unsigned int c) {
                              return masks[c].empty() || masks[c][i];
                            }))
              {
                group.dofs.push_back(i);
                for (unsigned int d = 0; d < dim; ++d)
                  group.node_coordinates.push_back(space.nodes()[dim * i + d]);
              }
        group.fields =
          LocalFields(problem, fields, group.functions, group.coordinates());
        most_points = std::max(most_points, group.n_points());
      }
    point_values.resize(padded_columns(most_points));
  }



  template <int dim>
  void
  PointwiseData<dim>::evaluate(
    const Group                           &group,
    const dealii::ArrayView<const double> &theta,
    const LocalFields::Values             &fields,
    const std::vector<unsigned int>       &active,
    const dealii::ArrayView<double>       &values,
    const dealii::ArrayView<double>       &derivatives) const
  {
    problem.evaluate(group.functions,
                     group.time,
                     dealii::make_array_view(group.coordinates()),
                     {theta,
                      dealii::make_array_view(active),
                      dealii::make_array_view(fields.local)},
                     values,
                     derivatives);
  }



  template <int dim>
  void
  PointwiseData<dim>::assemble(const ParameterValues    &theta,
                               std::vector<NodalVector> &data) const
  {
    for (std::size_t c = 0; c < masks.size(); ++c)
      data[c].set_zero();
    for (const Group &group : groups)
      {
        const dealii::ArrayView<double> values(point_values.data(),
                                               group.n_points());
        evaluate(
          group, theta.values, group.fields.at(theta.values), {}, values, {});
        if (group.integration)
          {
            nodal = 0.;
            group.integration->integrate(values, nodal);
            for (const unsigned int c : group.channels)
              std::copy(nodal.begin(),
                        nodal.begin() + n_interior,
                        data[c].interior.begin());
          }
        else
          for (const unsigned int c : group.channels)
            for (std::size_t i = 0; i < group.dofs.size(); ++i)
              if (masks[c].empty() || masks[c][group.dofs[i]])
                data[c][group.dofs[i]] = values[i];
      }
  }



  template <int dim>
  std::unique_ptr<const DataMap::Functionals>
  PointwiseData<dim>::prepare(
    const std::vector<std::vector<NodalVector>> &weights,
    const bool) const
  {
    auto result           = std::make_unique<Weights>();
    result->n_functionals = weights.size();
    std::vector<double> at_points;
    for (const Group &group : groups)
      {
        const std::size_t   stride = padded_columns(group.n_points());
        std::vector<double> matrix(stride * weights.size(), 0.);
        // Of several processes, some may have none of the points.
        for (std::size_t row = 0; stride > 0 && row < weights.size(); ++row)
          for (const unsigned int c : group.channels)
            {
              const NodalVector &weight = weights[row][c];
              double            *target = &matrix[row * stride];
              if (group.integration)
                {
                  nodal = 0.;
                  std::copy(weight.interior.begin(),
                            weight.interior.end(),
                            nodal.begin());
                  at_points.resize(group.n_points());
                  group.integration->weighted_values(
                    nodal, dealii::make_array_view(at_points));
                  for (std::size_t q = 0; q < at_points.size(); ++q)
                    target[q] += at_points[q];
                }
              else
                for (std::size_t i = 0; i < group.dofs.size(); ++i)
                  if (masks[c].empty() || masks[c][group.dofs[i]])
                    target[i] += weight[group.dofs[i]];
            }
        result->matrices.push_back(std::move(matrix));
      }
    return result;
  }



  template <int dim>
  void
  PointwiseData<dim>::apply(const Functionals               &functionals,
                            const ParameterValues           &theta,
                            const dealii::ArrayView<double> &values,
                            const dealii::ArrayView<double> &jacobian) const
  {
    const Weights     &weights = static_cast<const Weights &>(functionals);
    const unsigned int n_functionals = weights.n_functionals;
    const unsigned int n_active =
      jacobian.size() == 0 ? 0 : theta.active.size();
    const std::size_t row_size = n_active + n_field_values;

    std::fill(values.begin(), values.end(), 0.);
    std::fill(jacobian.begin(), jacobian.end(), 0.);
    std::vector<double>         results((1 + n_active) * n_functionals);
    std::vector<const double *> vectors(1 + n_active);
    std::vector<unsigned int>   active;
    std::vector<double>         slopes;
    for (std::size_t g = 0; g < groups.size(); ++g)
      {
        const Group      &group  = groups[g];
        const std::size_t n      = group.n_points();
        const std::size_t stride = padded_columns(n);
        if (n == 0)
          continue;
        const LocalFields::Values fields = group.fields.at(theta.values);
        active.assign(theta.active.begin(), theta.active.begin() + n_active);
        for (unsigned int i = 0; jacobian.size() > 0 && i < group.fields.size();
             ++i)
          active.push_back(group.fields.parameter(i));
        point_derivatives.resize(active.size() * n +
                                 ProductLoops::column_padding);
        evaluate(group,
                 theta.values,
                 fields,
                 active,
                 dealii::ArrayView<double>(point_values.data(), n),
                 dealii::ArrayView<double>(point_derivatives.data(),
                                           active.size() * n));
        // The weights are zero there, but zero times a NaN is none.
        std::fill(point_values.begin() + n, point_values.begin() + stride, 0.);
        std::fill(point_derivatives.begin() + active.size() * n,
                  point_derivatives.end(),
                  0.);
        vectors[0] = point_values.data();
        for (unsigned int i = 0; i < n_active; ++i)
          vectors[1 + i] = &point_derivatives[i * n];
        product_loops().row_products(weights.matrices[g].data(),
                                     n_functionals,
                                     stride,
                                     stride,
                                     vectors.data(),
                                     vectors.size(),
                                     results.data());
        for (unsigned int row = 0; row < n_functionals; ++row)
          {
            values[row] += results[row];
            for (unsigned int i = 0; i < n_active; ++i)
              jacobian[row * row_size + i] +=
                results[(1 + i) * n_functionals + row];
            for (unsigned int i = n_active; i < active.size(); ++i)
              {
                const double *weight = &weights.matrices[g][row * stride];
                const double *slope  = &point_derivatives[i * n];
                slopes.resize(n);
                for (std::size_t q = 0; q < n; ++q)
                  slopes[q] = weight[q] * slope[q];
                group.fields.scatter(i - n_active,
                                     fields,
                                     slopes.data(),
                                     &jacobian[row * row_size + n_active]);
              }
          }
      }
    if (partition)
      {
        partition->sum(values);
        partition->sum(jacobian);
      }
  }



  template class PointwiseData<1>;
  template class PointwiseData<2>;
  template class PointwiseData<3>;
} // namespace Tempera
