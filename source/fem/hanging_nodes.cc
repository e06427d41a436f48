// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/hanging_nodes.h>

#include <deal.II/dofs/dof_tools.h>

#include <algorithm>

namespace Tempera
{
  template <int dim>
  void
  HangingNodes<dim>::reinit(const dealii::DoFHandler<dim> &dof_handler)
  {
    constraints.clear();
    if (!dof_handler.get_triangulation().has_hanging_nodes())
      return;
    dealii::DoFTools::make_hanging_node_constraints(dof_handler, constraints);
    constraints.close();
  }



  template <int dim>
  void
  HangingNodes<dim>::resolve(std::vector<dealii::types::global_dof_index> &dofs,
                             std::vector<double> &combination) const
  {
    combination.clear();
    if (std::none_of(dofs.begin(), dofs.end(), [&](const auto dof) {
          return contains(dof);
        }))
      return;

    const std::size_t n       = dofs.size();
    auto              masters = std::vector<dealii::types::global_dof_index>(
      n, dealii::numbers::invalid_dof_index);
    combination.assign(n * n, 0.);
    for (std::size_t i = 0; i < n; ++i)
      if (!contains(dofs[i]))
        {
          masters[i]             = dofs[i];
          combination[i * n + i] = 1.;
        }
    for (std::size_t i = 0; i < n; ++i)
      if (contains(dofs[i]))
        for (const auto &entry : *constraints.get_constraint_entries(dofs[i]))
          {
            auto place = std::find(masters.begin(), masters.end(), entry.first);
            if (place == masters.end())
              place = std::find(masters.begin(),
                                masters.end(),
                                dealii::numbers::invalid_dof_index);
            AssertThrow(place != masters.end(), dealii::ExcInternalError());
            *place                                         = entry.first;
            combination[i * n + (place - masters.begin())] = entry.second;
          }
    AssertThrow(std::find(masters.begin(),
                          masters.end(),
                          dealii::numbers::invalid_dof_index) == masters.end(),
                dealii::ExcInternalError());
    dofs = masters;
  }



  std::vector<double>
  combined(const std::vector<double> &table,
           const std::vector<double> &combination,
           const unsigned int         n_dofs,
           const unsigned int         n_directions)
  {
    if (combination.empty())
      return table;
    std::vector<double> result(table.size(), 0.);
    const std::size_t   size = std::size_t(n_dofs) * n_directions;
    for (std::size_t point = 0; point < table.size(); point += size)
      for (unsigned int i = 0; i < n_dofs; ++i)
        for (unsigned int m = 0; m < n_dofs; ++m)
          if (combination[i * n_dofs + m] != 0.)
            for (unsigned int d = 0; d < n_directions; ++d)
              result[point + m * n_directions + d] +=
                combination[i * n_dofs + m] *
                table[point + i * n_directions + d];
    return result;
  }



  template class HangingNodes<1>;
  template class HangingNodes<2>;
  template class HangingNodes<3>;
} // namespace Tempera
