// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/pinn/equation.h>

#include <deal.II/base/exceptions.h>

#include <utility>

namespace Tempera
{
  NetworkEquation::NetworkEquation(const unsigned int       dimension,
                                   const unsigned int       order_in_space,
                                   const unsigned int       order_in_time,
                                   std::vector<Coefficient> coefficients)
    : my_dimension(dimension)
    , my_order_in_space(order_in_space)
    , my_order_in_time(order_in_time)
    , my_coefficients(std::move(coefficients))
  {
    AssertThrow(dimension >= 1 && dimension <= 2 && order_in_space >= 1 &&
                  order_in_space <= 2 && order_in_time <= 2,
                dealii::ExcMessage(
                  "A network's equation has one or two space dimensions, "
                  "first or second derivatives in space and at most second "
                  "ones in time."));
  }



  std::vector<unsigned int>
  NetworkEquation::orders() const
  {
    std::vector<unsigned int> result(my_dimension, my_order_in_space);
    if (my_order_in_time > 0)
      result.push_back(my_order_in_time);
    return result;
  }
} // namespace Tempera
