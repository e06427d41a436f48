// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/vector_units.h>
#include <tempera/fem/pointwise_data.h>
#include <tempera/fem/product_data.h>
#include <tempera/fem/product_loops.h>

#include <deal.II/lac/lapack_full_matrix.h>

#include <algorithm>
#include <list>

namespace Tempera
{
  const ProductLoops &
  product_loops()
  {
    static const ProductLoops &loops = for_vector_units(product_loops_baseline,
                                                        product_loops_v3,
                                                        product_loops_v4);
    return loops;
  }



  std::size_t
  padded_columns(const std::size_t n)
  {
    constexpr std::size_t multiple = ProductLoops::column_padding;
    return (n + multiple - 1) / multiple * multiple;
  }



  std::size_t
  padded_rows(const std::size_t n)
  {
    constexpr std::size_t multiple = ProductLoops::row_padding;
    return (n + multiple - 1) / multiple * multiple;
  }



  namespace
  {
    /** The place of a number in a list, or the size of the list. */
    std::size_t
    place_of(const unsigned int number, const std::vector<unsigned int> &list)
    {
      return std::find(list.begin(), list.end(), number) - list.begin();
    }
  } // namespace



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
        line.stride   = padded_columns(line.n_nodes);
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
          n_leading *= line.stride;
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
          for (unsigned int d = 0; d < dim; ++d)
            {
              const unsigned int factor =
                problem.functions()[function].factors[d];
              if (place_of(factor, group.factors[d]) == group.factors[d].size())
                group.factors[d].push_back(factor);
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
    const std::size_t n_rows = padded_rows(weights.size() * n_leading);

    for (const Group &group : groups)
      {
        Tensor tensor{{},
                      n_rows,
                      Columns(n_rows * lines[dim - 1].n_nodes, 0.),
                      {}};
        for (std::size_t k = 0; k <= weights.size(); ++k)
          tensor.starts.push_back(k * n_leading);
        for (std::size_t k = 0; k < weights.size(); ++k)
          for (const unsigned int c : group.channels)
            for (const Target &target : targets[c])
              {
                std::size_t row = k;
                for (unsigned int d = 0; d + 1 < dim; ++d)
                  row = row * lines[d].stride + target.node[d];
                tensor.last[target.node[dim - 1] * n_rows + row] +=
                  weights[k][c][target.dof];
              }
        // The whole is of lower rank than its parts, and needs no communication
        // later.
        if (partition && for_many_uses)
          partition->sum(
            dealii::ArrayView<double>(tensor.last.data(), tensor.last.size()));
        if (dim == 2 && for_many_uses)
          compress(tensor);
        result->tensors.push_back(std::move(tensor));
      }
    return result;
  }



  template <int dim>
  void
  ProductData<dim>::compress(Tensor &tensor) const
  {
    constexpr double tolerance = 1e-14;

    const std::size_t n_first = lines[0].n_nodes,
                      n_last  = lines[dim - 1].n_nodes;

    // A list, since a decomposition does not survive a move.
    std::list<dealii::LAPACKFullMatrix<double>> decompositions;
    Tensor                                      compressed{{0}, 0, {}, {}};
    for (std::size_t k = 0; k + 1 < tensor.starts.size(); ++k)
      {
        decompositions.emplace_back(n_first, n_last);
        auto &matrix = decompositions.back();
        for (std::size_t i = 0; i < n_first; ++i)
          for (std::size_t j = 0; j < n_last; ++j)
            matrix(i, j) =
              tensor.last[j * tensor.n_rows + tensor.starts[k] + i];
        matrix.compute_svd();
        std::size_t rank = 0;
        while (rank < std::min(n_first, n_last) &&
               matrix.singular_value(rank) >
                 tolerance * matrix.singular_value(0))
          ++rank;
        // The products of both rows are summed up as columns.
        compressed.starts.push_back(compressed.starts.back() +
                                    padded_columns(rank));
      }
    compressed.n_rows = padded_rows(compressed.starts.back());
    if (compressed.n_rows * (n_first + n_last) >= tensor.n_rows * n_last)
      return;

    compressed.last.resize(compressed.n_rows * n_last, 0.);
    compressed.first.resize(compressed.n_rows * n_first, 0.);
    std::size_t k = 0;
    for (const auto &matrix : decompositions)
      {
        const std::size_t begin = compressed.starts[k],
                          end   = compressed.starts[k + 1];
        for (std::size_t r = 0; r < std::min({end - begin, n_first, n_last});
             ++r)
          {
            for (std::size_t i = 0; i < n_first; ++i)
              compressed.first[i * compressed.n_rows + begin + r] =
                matrix.singular_value(r) * matrix.get_svd_u()(i, r);
            for (std::size_t j = 0; j < n_last; ++j)
              compressed.last[j * compressed.n_rows + begin + r] =
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
    const Tensors &tensors = static_cast<const Tensors &>(functionals);

    evaluate_lines(theta, jacobian.size() > 0 && theta.active.size() > 0);
    std::fill(values.begin(), values.end(), 0.);
    std::fill(jacobian.begin(), jacobian.end(), 0.);

    const std::size_t n_last = 1 + lines[dim - 1].active.size();
    for (std::size_t g = 0; g < groups.size(); ++g)
      {
        const Group  &group  = groups[g];
        const Tensor &tensor = tensors.tensors[g];
        multiply(group, dim - 1, tensor.last, tensor.n_rows, last_products);
        if (!tensor.first.empty())
          multiply(group, 0, tensor.first, tensor.n_rows, first_products);
        for (const unsigned int function : group.functions)
          {
            const auto &factors = problem.functions()[function].factors;
            contract_leading(group,
                             factors,
                             tensor,
                             last_products.data() +
                               place_of(factors[dim - 1],
                                        group.factors[dim - 1]) *
                                 n_last * tensor.n_rows,
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
  ProductData<dim>::multiply(const Group         &group,
                             const unsigned int   direction,
                             const Columns       &columns,
                             const std::size_t    n_rows,
                             std::vector<double> &products) const
  {
    const Line &line = lines[direction];
    line_vectors.clear();
    for (const unsigned int factor : group.factors[direction])
      for (std::size_t i = 0; i <= line.active.size(); ++i)
        line_vectors.push_back(vector(line, group.role, factor, i));
    products.resize(line_vectors.size() * n_rows);
    product_loops().column_products(columns.data(),
                                    n_rows,
                                    line.n_nodes,
                                    line_vectors.data(),
                                    line_vectors.size(),
                                    products.data());
  }



  template <int dim>
  void
  ProductData<dim>::contract_leading(
    const Group                     &group,
    const std::vector<unsigned int> &factors,
    const Tensor                    &tensor,
    const double                    *rest,
    const dealii::ArrayView<double> &values,
    const dealii::ArrayView<double> &jacobian) const
  {
    const Line       &last   = lines[dim - 1];
    const std::size_t n_last = 1 + last.active.size();
    const std::size_t n_active =
      values.size() == 0 ? 0 : jacobian.size() / values.size();

    // The directions but the last one, with one of them differentiated or
    // none.
    std::size_t n_choices = 1;
    for (unsigned int d = 0; d + 1 < dim; ++d)
      n_choices += lines[d].active.size();
    // By choice, then value or derivative in the last direction.
    leading_products.resize(n_choices * n_last);

    for (std::size_t k = 0; k < values.size(); ++k)
      {
        const std::size_t begin = tensor.starts[k];
        const double     *rows  = rest + begin;
        if constexpr (dim == 1)
          for (std::size_t i = 0; i < n_last; ++i)
            leading_products[i] = rows[i * tensor.n_rows];
        else if constexpr (dim == 2)
          {
            line_vectors.clear();
            for (std::size_t c = 0; c < n_choices; ++c)
              line_vectors.push_back(
                tensor.first.empty() ?
                  vector(lines[0], group.role, factors[0], c) :
                  &first_products
                    [(place_of(factors[0], group.factors[0]) * n_choices + c) *
                       tensor.n_rows +
                     begin]);
            product_loops().row_products(rows,
                                         n_last,
                                         tensor.starts[k + 1] - begin,
                                         tensor.n_rows,
                                         line_vectors.data(),
                                         n_choices,
                                         leading_products.data());
          }
        else
          for (std::size_t c = 0; c < n_choices; ++c)
            {
              // Derivatives of the second direction come after the first's.
              const std::size_t   n_of_first = lines[0].active.size();
              const bool          is_second  = c > n_of_first;
              const double *const first =
                vector(lines[0], group.role, factors[0], is_second ? 0 : c);
              const double *const second =
                vector(lines[1],
                       group.role,
                       factors[1],
                       is_second ? c - n_of_first : 0);
              for (std::size_t i = 0; i < n_last; ++i)
                {
                  const double *here = rows + i * tensor.n_rows;
                  double        sum  = 0.;
                  for (std::size_t a = 0; a < lines[0].n_nodes; ++a)
                    {
                      double inner = 0.;
                      for (std::size_t b = 0; b < lines[1].n_nodes; ++b)
                        inner += second[b] * here[a * lines[1].stride + b];
                      sum += first[a] * inner;
                    }
                  leading_products[c * n_last + i] = sum;
                }
            }

        double *const row = jacobian.data() + k * n_active;
        values[k] += leading_products[0];
        for (std::size_t i = 0; i < last.active.size(); ++i)
          row[last.places[i]] += leading_products[1 + i];
        std::size_t c = 1;
        for (unsigned int d = 0; d + 1 < dim; ++d)
          for (const unsigned int place : lines[d].places)
            row[place] += leading_products[c++ * n_last];
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
