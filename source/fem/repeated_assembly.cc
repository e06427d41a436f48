// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/repeated_assembly.h>

#include <map>
#include <utility>

namespace Tempera
{
  template <int dim>
  RepeatedAssembly<dim>::RepeatedAssembly(const SpaceDiscretisation<dim> &space,
                                          const OperatorTerm             &term,
                                          const IntegrationPoints &points)
    : space(space)
    , term(term)
    , points(points)
  {
    // Where cells differ, products would take more memory than they are worth.
    constexpr std::size_t most_products = 10000000;

    if (space.get_partition())
      return;
    const std::size_t n      = points.n_dofs_per_block,
                      n_q    = points.n_points_per_block;
    const bool has_gradients = term.kind == OperatorKind::diffusion ||
                               term.kind == OperatorKind::convection,
               has_values = term.kind != OperatorKind::diffusion;
    std::map<std::pair<unsigned int, unsigned int>, unsigned int> known;
    std::vector<std::size_t>                                      examples;
    for (std::size_t block = 0; block < points.n_blocks(); ++block)
      {
        const std::pair<unsigned int, unsigned int> kind{
          has_values && !points.shape_kinds.empty() ?
            points.shape_kinds[block] :
            0,
          has_gradients && !points.gradient_kinds.empty() ?
            points.gradient_kinds[block] :
            0};
        const auto one = known.emplace(kind, examples.size());
        if (one.second)
          examples.push_back(block);
        kinds.push_back(one.first->second);
      }
    if (examples.size() * n_q * n * n > most_products)
      return;
    products.assign(examples.size() * n_q * n * n, 0.);
    double *product = products.data();
    for (const std::size_t block : examples)
      for (unsigned int q = 0; q < n_q; ++q, product += n * n)
        {
          const double *shape = points.table(block) + q * n;
          const double *gradient =
            has_gradients ? points.gradient_table(block, dim) + q * n * dim :
                            nullptr;
          for (unsigned int i = 0; i < n; ++i)
            for (unsigned int j = 0; j < n; ++j)
              if (term.kind == OperatorKind::diffusion)
                for (unsigned int d = 0; d < dim; ++d)
                  product[i * n + j] +=
                    gradient[i * dim + d] * gradient[j * dim + d];
              else if (term.kind == OperatorKind::convection)
                product[i * n + j] =
                  shape[i] * gradient[j * dim + term.direction];
              else
                product[i * n + j] = shape[i] * shape[j];
        }
    entries = space.entries_of(points);
  }



  template <int dim>
  OperatorMatrix
  RepeatedAssembly<dim>::operator()(
    const std::vector<double> &coefficient) const
  {
    if (products.empty())
      return space.assemble(term, points, coefficient);

    OperatorMatrix    result = space.make_matrix();
    const std::size_t n_q    = points.n_points_per_block,
                      n_pairs =
                        points.n_dofs_per_block * points.n_dofs_per_block;
    // The diagonal of a row comes first, so this is where all numbers begin.
    double *const       values = &result.interior.diag_element(0);
    std::vector<double> local(n_pairs);
    for (std::size_t block = 0; block < points.n_blocks(); ++block)
      {
        const double *product = &products[kinds[block] * n_q * n_pairs];
        std::fill(local.begin(), local.end(), 0.);
        for (std::size_t q = 0; q < n_q; ++q, product += n_pairs)
          {
            const std::size_t point = block * n_q + q;
            const double weight = coefficient[point] * points.weights[point];
            for (std::size_t k = 0; k < n_pairs; ++k)
              local[k] += weight * product[k];
          }
        const int *const entry = &entries[block * n_pairs];
        for (std::size_t k = 0; k < n_pairs; ++k)
          if (entry[k] >= 0)
            values[entry[k]] += local[k];
          else if (entry[k] < -1)
            result.coupling[-2 - entry[k]].value += local[k];
      }
    return result;
  }



  template class RepeatedAssembly<1>;
  template class RepeatedAssembly<2>;
  template class RepeatedAssembly<3>;
} // namespace Tempera
