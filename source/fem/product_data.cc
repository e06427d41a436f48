// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/pointwise_data.h>
#include <tempera/fem/product_data.h>
#include <tempera/fem/row_products.h>

#include <deal.II/lac/lapack_full_matrix.h>

#include <algorithm>
#include <list>

namespace Tempera
{
  /** Weights of all functionals by group, as tensors over the nodes. */
  template <int dim>
  class ProductData<dim>::Tensors : public DataMap::Functionals
  {
  public:
    unsigned int n_functionals;
    /** By group. */
    std::vector<Tensor> tensors;
    /** Whether they are those of this process only. */
    bool are_partial;
  };



  template <int dim>
  bool
  ProductData<dim>::is_possible(const Problem                  &problem,
                                const SpaceDiscretisation<dim> &space,
                                const std::vector<Channel>     &channels)
  {
    if (space.get_lattice() == nullptr || channels.empty())
      return false;
    for (const DataTerm &term : problem.data_terms())
      if (term.kind == DataKind::dirichlet && !term.boundaries.empty())
        return false;
    for (const Channel &channel : channels)
      {
        if (channel.kind == DataKind::flux)
          return false;
        for (const unsigned int function : channel.functions)
          if (problem.functions()[function].factors.size() != dim ||
              problem.functions()[function].varies_in_time)
            return false;
      }
    return true;
  }



  template <int dim>
  ProductData<dim>::ProductData(const Problem                  &problem,
                                const SpaceDiscretisation<dim> &space,
                                const std::vector<Channel>     &channels)
    : problem(problem)
    , lattice(*space.get_lattice())
    , partition(space.get_partition())
    , n_interior(space.n_interior())
    , n_factors(problem.factors().size())
    , targets(channels.size())
    , channels(channels)
  {
    for (unsigned int d = 0; d < dim; ++d)
      {
        const LatticeDirection &direction = lattice.directions[d];
        Line                    line;
        line.coordinates = direction.points;
        line.coordinates.insert(line.coordinates.end(),
                                direction.nodes.begin(),
                                direction.nodes.end());
        line.n_points = direction.points.size();
        line.n_nodes  = direction.nodes.size();
        line.stride   = padded(line.n_nodes);
        line.needed.fill(std::vector<bool>(n_factors, false));
        for (unsigned int p = 0; p < problem.parameters().size(); ++p)
          for (const FactorDescription &factor : problem.factors())
            if (std::find(factor.parameters[d].begin(),
                          factor.parameters[d].end(),
                          p) != factor.parameters[d].end())
              {
                line.parameters.push_back(p);
                break;
              }
        if (d + 1 < dim)
          n_rows *= line.stride;
        lines.push_back(std::move(line));
      }

    for (unsigned int c = 0; c < channels.size(); ++c)
      {
        const Channel &channel = channels[c];
        roles.push_back(channel.kind == DataKind::source ? integrals : nodes);

        // Not for ghosts, whose owners have them.
        for (unsigned int dof = 0; dof < n_interior + space.n_boundary(); ++dof)
          {
            Target target;
            target.dof       = dof;
            std::size_t rest = lattice.node_of_dof[dof];
            for (int d = dim - 1; d >= 0; --d)
              {
                target.node[d] = rest % lines[d].n_nodes;
                rest /= lines[d].n_nodes;
              }
            const bool is_interior = target.dof < n_interior;
            if (channel.kind == DataKind::source ?
                  is_interior :
                  channel.kind != DataKind::dirichlet || !is_interior)
              targets[c].push_back(target);
          }

        for (const unsigned int function : channel.functions)
          for (unsigned int d = 0; d < dim; ++d)
            lines[d]
              .needed[roles[c]][problem.functions()[function].factors[d]] =
              true;

        const auto same =
          std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
            return group.role == roles[c] &&
                   group.functions == channel.functions;
          });
        if (same != groups.end())
          {
            same->channels.push_back(c);
            continue;
          }
        Group group{roles[c], channel.functions, {c}, {}};
        for (const unsigned int function : channel.functions)
          {
            const unsigned int factor =
              problem.functions()[function].factors[dim - 1];
            if (std::find(group.last_factors.begin(),
                          group.last_factors.end(),
                          factor) == group.last_factors.end())
              group.last_factors.push_back(factor);
          }
        groups.push_back(std::move(group));
      }
  }



  template <int dim>
  double *
  ProductData<dim>::vector(const Line        &line,
                           const Role         role,
                           const unsigned int factor,
                           const unsigned int derivative) const
  {
    return line.vectors.data() +
           ((role * n_factors + factor) * (1 + line.active.size()) +
            derivative) *
             line.stride;
  }



  template <int dim>
  void
  ProductData<dim>::evaluate_lines(const ParameterValues &theta,
                                   const bool with_derivatives) const
  {
    for (unsigned int d = 0; d < dim; ++d)
      {
        const Line &line = lines[d];
        line.active.clear();
        line.places.clear();
        if (with_derivatives)
          for (unsigned int i = 0; i < theta.active.size(); ++i)
            if (std::find(line.parameters.begin(),
                          line.parameters.end(),
                          theta.active[i]) != line.parameters.end())
              {
                line.active.push_back(theta.active[i]);
                line.places.push_back(i);
              }

        const std::size_t n = line.coordinates.size();
        const std::size_t m = line.active.size();
        line.values.resize(n_factors * n);
        line.derivatives.resize(n_factors * m * n);
        // The padding stays zero.
        line.vectors.resize(2 * n_factors * (1 + m) * line.stride, 0.);
        problem.evaluate_factors(
          d,
          dealii::make_array_view(line.coordinates),
          {theta.values, dealii::make_array_view(std::as_const(line.active))},
          dealii::make_array_view(line.values),
          dealii::make_array_view(line.derivatives));

        for (unsigned int k = 0; k < n_factors; ++k)
          for (std::size_t i = 0; i <= m; ++i)
            {
              const double *source = i == 0 ?
                                       &line.values[k * n] :
                                       &line.derivatives[(k * m + i - 1) * n];
              if (line.needed[integrals][k])
                lattice.directions[d].integrate(source,
                                                vector(line, integrals, k, i));
              if (line.needed[nodes][k])
                std::copy(source + line.n_points,
                          source + n,
                          vector(line, nodes, k, i));
            }
      }
  }



  template <int dim>
  void
  ProductData<dim>::assemble(const ParameterValues    &theta,
                             std::vector<NodalVector> &data) const
  {
    evaluate_lines(theta, false);
    for (std::size_t c = 0; c < channels.size(); ++c)
      {
        data[c].set_zero();
        for (const unsigned int function : channels[c].functions)
          {
            const auto &factors = problem.functions()[function].factors;
            std::array<const double *, dim> vectors;
            for (unsigned int d = 0; d < dim; ++d)
              vectors[d] = vector(lines[d], roles[c], factors[d], 0);
            const auto product = [&](const Target &target) {
              double value = vectors[0][target.node[0]];
              for (unsigned int d = 1; d < dim; ++d)
                value *= vectors[d][target.node[d]];
              return value;
            };
            if (roles[c] == integrals)
              for (const Target &target : targets[c])
                data[c].interior[target.dof] += product(target);
            else
              for (const Target &target : targets[c])
                data[c][target.dof] += product(target);
          }
      }
  }



  template <int dim>
  std::unique_ptr<const DataMap::Functionals>
  ProductData<dim>::prepare(
    const std::vector<std::vector<NodalVector>> &weights,
    const bool                                   for_many_uses) const
  {
    auto result              = std::make_unique<Tensors>();
    result->n_functionals    = weights.size();
    result->are_partial      = partition && !for_many_uses;
    const std::size_t stride = lines[dim - 1].stride;

    for (const Group &group : groups)
      {
        Tensor tensor{n_rows,
                      std::vector<double>(weights.size() * n_rows * stride, 0.),
                      {}};
        for (std::size_t k = 0; k < weights.size(); ++k)
          for (const unsigned int c : group.channels)
            for (const Target &target : targets[c])
              {
                std::size_t row = k;
                for (unsigned int d = 0; d + 1 < dim; ++d)
                  row = row * lines[d].stride + target.node[d];
                tensor.last[row * stride + target.node[dim - 1]] +=
                  weights[k][c][target.dof];
              }
        // The whole is of lower rank than its parts, and needs no communication
        // later.
        if (partition && for_many_uses)
          partition->sum(dealii::make_array_view(tensor.last));
        if (dim == 2 && for_many_uses)
          compress(weights.size(), tensor);
        result->tensors.push_back(std::move(tensor));
      }
    return result;
  }



  template <int dim>
  void
  ProductData<dim>::compress(const unsigned int n_functionals,
                             Tensor            &tensor) const
  {
    constexpr double tolerance = 1e-14;

    const std::size_t first_stride = lines[0].stride,
                      last_stride  = lines[dim - 1].stride;
    const std::size_t n_first      = lines[0].n_nodes,
                      n_last       = lines[dim - 1].n_nodes;

    // A list, since a decomposition does not survive a move.
    std::list<dealii::LAPACKFullMatrix<double>> decompositions;
    std::size_t                                 rank = 0;
    for (unsigned int k = 0; k < n_functionals; ++k)
      {
        decompositions.emplace_back(n_first, n_last);
        auto &matrix = decompositions.back();
        for (std::size_t i = 0; i < n_first; ++i)
          for (std::size_t j = 0; j < n_last; ++j)
            matrix(i, j) =
              tensor.last[(k * tensor.n_rows + i) * last_stride + j];
        matrix.compute_svd();
        std::size_t here = 0;
        while (here < std::min(n_first, n_last) &&
               matrix.singular_value(here) >
                 tolerance * matrix.singular_value(0))
          ++here;
        rank = std::max(rank, here);
      }
    rank = padded(rank);
    if (rank * (first_stride + last_stride) > n_first * n_last / 2)
      return;

    Tensor compressed{
      rank,
      std::vector<double>(n_functionals * rank * last_stride, 0.),
      std::vector<double>(n_functionals * rank * first_stride, 0.)};
    unsigned int k = 0;
    for (const auto &matrix : decompositions)
      {
        for (std::size_t r = 0; r < std::min({rank, n_first, n_last}); ++r)
          {
            for (std::size_t i = 0; i < n_first; ++i)
              compressed.first[(k * rank + r) * first_stride + i] =
                matrix.singular_value(r) * matrix.get_svd_u()(i, r);
            for (std::size_t j = 0; j < n_last; ++j)
              compressed.last[(k * rank + r) * last_stride + j] =
                matrix.get_svd_vt()(r, j);
          }
        ++k;
      }
    tensor = std::move(compressed);
  }



  template <int dim>
  void
  ProductData<dim>::apply(const Functionals               &functionals,
                          const ParameterValues           &theta,
                          const dealii::ArrayView<double> &values,
                          const dealii::ArrayView<double> &jacobian) const
  {
    const Tensors     &tensors = static_cast<const Tensors &>(functionals);
    const unsigned int n_functionals = tensors.n_functionals;
    const unsigned int n_active =
      jacobian.size() == 0 ? 0 : theta.active.size();

    evaluate_lines(theta, n_active > 0);
    std::fill(values.begin(), values.end(), 0.);
    std::fill(jacobian.begin(), jacobian.end(), 0.);

    const Line &last = lines[dim - 1];

    for (std::size_t g = 0; g < groups.size(); ++g)
      {
        const Group &group = groups[g];

        // All that is needed of the last direction, for all functionals.
        line_vectors.clear();
        const std::size_t n_last = 1 + last.active.size();
        for (const unsigned int factor : group.last_factors)
          for (std::size_t i = 0; i < n_last; ++i)
            line_vectors.push_back(vector(last, group.role, factor, i));
        const Tensor     &tensor    = tensors.tensors[g];
        const std::size_t n_results = n_functionals * tensor.n_rows;
        partial_products.resize(line_vectors.size() * n_results);
        row_products(tensor.last.data(),
                     n_results,
                     last.stride,
                     line_vectors.data(),
                     line_vectors.size(),
                     partial_products.data());

        for (const unsigned int function : group.functions)
          {
            const auto       &factors = problem.functions()[function].factors;
            const std::size_t place   = std::find(group.last_factors.begin(),
                                                group.last_factors.end(),
                                                factors[dim - 1]) -
                                      group.last_factors.begin();
            const double *rest =
              partial_products.data() + place * n_last * n_results;
            contract_leading(group.role,
                             factors,
                             tensor,
                             rest,
                             n_last * n_functionals,
                             n_functionals,
                             values,
                             jacobian);
          }
      }
    if (tensors.are_partial)
      {
        partition->sum(values);
        partition->sum(jacobian);
      }
  }



  template <int dim>
  void
  ProductData<dim>::contract_leading(
    const Role                       role,
    const std::vector<unsigned int> &factors,
    const Tensor                    &tensor,
    const double                    *rest,
    const std::size_t                n_tensors,
    const unsigned int               n_functionals,
    const dealii::ArrayView<double> &values,
    const dealii::ArrayView<double> &jacobian) const
  {
    const Line       &last = lines[dim - 1];
    const std::size_t n_active =
      jacobian.size() == 0 ? 0 : jacobian.size() / n_functionals;

    // The directions but the last one, with one of them differentiated or
    // none: what it is, and where its derivative belongs.
    struct Choice
    {
      std::array<const double *, dim> vectors;
      int                             place;
    };
    std::array<Choice, 1 + 4 * dim> few;
    std::vector<Choice>             many;
    std::size_t                     n_choices = 1;
    for (unsigned int d = 0; d + 1 < dim; ++d)
      n_choices += lines[d].active.size();
    Choice *choices = few.data();
    if (n_choices > few.size())
      {
        many.resize(n_choices);
        choices = many.data();
      }
    choices[0].place = -1;
    for (unsigned int d = 0; d + 1 < dim; ++d)
      choices[0].vectors[d] = vector(lines[d], role, factors[d], 0);
    std::size_t next = 1;
    for (unsigned int d = 0; d + 1 < dim; ++d)
      for (std::size_t i = 0; i < lines[d].active.size(); ++i, ++next)
        {
          choices[next]            = choices[0];
          choices[next].vectors[d] = vector(lines[d], role, factors[d], i + 1);
          choices[next].place      = lines[d].places[i];
        }

    // By choice and tensor.
    leading_products.resize(n_choices * n_tensors);
    if constexpr (dim == 1)
      std::copy(rest, rest + n_tensors, leading_products.begin());
    else if constexpr (dim == 2)
      {
        line_vectors.clear();
        for (std::size_t c = 0; c < n_choices; ++c)
          line_vectors.push_back(choices[c].vectors[0]);
        if (tensor.first.empty())
          row_products(rest,
                       n_tensors,
                       lines[0].stride,
                       line_vectors.data(),
                       n_choices,
                       leading_products.data());
        else
          {
            const std::size_t rank = tensor.n_rows;
            const std::size_t n    = n_functionals * rank;
            projections.resize(n_choices * n);
            row_products(tensor.first.data(),
                         n,
                         lines[0].stride,
                         line_vectors.data(),
                         n_choices,
                         projections.data());
            for (std::size_t c = 0; c < n_choices; ++c)
              for (std::size_t t = 0; t < n_tensors; ++t)
                {
                  const double *projection =
                    &projections[c * n + (t % n_functionals) * rank];
                  double sum = 0.;
                  for (std::size_t r = 0; r < rank; ++r)
                    sum += rest[t * rank + r] * projection[r];
                  leading_products[c * n_tensors + t] = sum;
                }
          }
      }
    else
      for (std::size_t c = 0; c < n_choices; ++c)
        for (std::size_t t = 0; t < n_tensors; ++t)
          {
            const double *here = rest + t * tensor.n_rows;
            double        sum  = 0.;
            for (std::size_t i = 0; i < lines[0].n_nodes; ++i)
              {
                double inner = 0.;
                for (std::size_t j = 0; j < lines[1].n_nodes; ++j)
                  inner +=
                    choices[c].vectors[1][j] * here[i * lines[1].stride + j];
                sum += choices[c].vectors[0][i] * inner;
              }
            leading_products[c * n_tensors + t] = sum;
          }

    // The first tensors belong to the value in the last direction, the others
    // to its derivatives.
    for (unsigned int k = 0; k < n_functionals; ++k)
      {
        values[k] += leading_products[k];
        for (std::size_t c = 1; c < n_choices; ++c)
          jacobian[k * n_active + choices[c].place] +=
            leading_products[c * n_tensors + k];
        for (std::size_t i = 0; i < last.active.size(); ++i)
          jacobian[k * n_active + last.places[i]] +=
            leading_products[(i + 1) * n_functionals + k];
      }
  }



  template <int dim>
  std::unique_ptr<DataMap>
  make_data_map(const Problem                   &problem,
                const SpaceDiscretisation<dim>  &space,
                const std::vector<Channel>      &channels,
                const bool                       use_products,
                const std::vector<FieldUnknown> &fields)
  {
    if (use_products && fields.empty() &&
        ProductData<dim>::is_possible(problem, space, channels))
      return std::make_unique<ProductData<dim>>(problem, space, channels);
    return std::make_unique<PointwiseData<dim>>(problem,
                                                space,
                                                channels,
                                                fields);
  }



  template class ProductData<1>;
  template class ProductData<2>;
  template class ProductData<3>;

  template std::unique_ptr<DataMap>
  make_data_map<1>(const Problem &,
                   const SpaceDiscretisation<1> &,
                   const std::vector<Channel> &,
                   const bool,
                   const std::vector<FieldUnknown> &);
  template std::unique_ptr<DataMap>
  make_data_map<2>(const Problem &,
                   const SpaceDiscretisation<2> &,
                   const std::vector<Channel> &,
                   const bool,
                   const std::vector<FieldUnknown> &);
  template std::unique_ptr<DataMap>
  make_data_map<3>(const Problem &,
                   const SpaceDiscretisation<3> &,
                   const std::vector<Channel> &,
                   const bool,
                   const std::vector<FieldUnknown> &);
} // namespace Tempera
