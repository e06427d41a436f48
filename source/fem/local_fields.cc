// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/local_fields.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  LocalFields::LocalFields(const Problem                   &problem,
                           const std::vector<FieldUnknown> &fields,
                           const std::vector<unsigned int> &functions,
                           const std::vector<double>       &points)
    : n_parameters(problem.parameters().size())
  {
    std::size_t first = 0;
    for (const FieldUnknown &field : fields)
      {
        if (std::any_of(functions.begin(),
                        functions.end(),
                        [&](const unsigned int function) {
                          return problem.depends_on(function,
                                                    {field.parameter});
                        }))
          members.push_back({field, field.lattice->rows_at(points), first});
        first += field.lattice->n_values();
      }
  }



  LocalFields::Values
  LocalFields::at(const dealii::ArrayView<const double> &theta) const
  {
    Values result;
    result.memory.resize(members.size());
    for (std::size_t i = 0; i < members.size(); ++i)
      {
        const Member        &member = members[i];
        std::vector<double> &values = result.memory[i];
        const double *const  numbers =
          theta.data() + n_parameters + member.first;
        if (!member.field.is_exponential)
          member.rows.evaluate(numbers, values);
        else if (member.rows.n_per_point == 1)
          {
            // Of blocks, fewer than points.
            std::vector<double> exponentials(
              numbers, numbers + member.field.lattice->n_values());
            for (double &one : exponentials)
              one = std::exp(one);
            member.rows.evaluate(exponentials.data(), values);
          }
        else
          {
            member.rows.evaluate(numbers, values);
            for (double &value : values)
              value = std::exp(value);
          }
        result.local.push_back(
          {member.field.parameter,
           values.data(),
           member.field.is_exponential ? 0. : member.field.scale});
      }
    return result;
  }



  void
  LocalFields::scatter(const unsigned int i,
                       const Values      &values,
                       double            *slopes,
                       double            *gradient) const
  {
    const Member &member = members[i];
    if (member.field.is_exponential)
      for (std::size_t q = 0; q < values.memory[i].size(); ++q)
        slopes[q] *= values.memory[i][q];
    member.rows.add_transposed(slopes, gradient + member.first);
  }



  std::vector<unsigned int>
  parameters_of(const std::vector<FieldUnknown> &fields)
  {
    std::vector<unsigned int> result;
    for (const FieldUnknown &field : fields)
      result.push_back(field.parameter);
    return result;
  }



  std::size_t
  n_values_of(const std::vector<FieldUnknown> &fields)
  {
    std::size_t result = 0;
    for (const FieldUnknown &field : fields)
      result += field.lattice->n_values();
    return result;
  }
} // namespace Tempera
