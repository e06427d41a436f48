// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_data_map_h
#define tempera_fem_data_map_h

#include <tempera/fem/channel.h>
#include <tempera/fem/local_fields.h>
#include <tempera/fem/operator_matrix.h>
#include <tempera/fem/space_discretisation.h>
#include <tempera/problems/problem.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * The data of an equation as a function of the parameters: one NodalVector
   * per channel (integrals against shape functions, or nodal values), and
   * linear functionals of them with their derivatives in the parameters.
   *
   * Of several processes each assembles its own part; functionals are applied
   * by all processes together, and the result is that of the whole.
   */
  class DataMap
  {
  public:
    /** Some linear functionals of the data, ready to be applied. */
    class Functionals
    {
    public:
      virtual ~Functionals() = default;
    };

    virtual ~DataMap() = default;

    /** Fill the data of all channels of the map; there may be more data. */
    virtual void
    assemble(const ParameterValues    &theta,
             std::vector<NodalVector> &data) const = 0;

    /**
     * @param weights By functional and channel.
     * @param for_many_uses Whether it pays to prepare at length.
     */
    virtual std::unique_ptr<const Functionals>
    prepare(const std::vector<std::vector<NodalVector>> &weights,
            const bool for_many_uses) const = 0;

    /**
     * Values of the functionals at the data of some parameters.
     *
     * @param jacobian Empty, or by functional and active parameter, then
     * number of a field.
     */
    virtual void
    apply(const Functionals               &functionals,
          const ParameterValues           &theta,
          const dealii::ArrayView<double> &values,
          const dealii::ArrayView<double> &jacobian) const = 0;

    virtual std::string
    description() const = 0;
  };


  /**
   * The map for a mesh. On a subdivided box, data that are products over the
   * coordinates become products of integrals in one dimension; otherwise the
   * functions are evaluated at all points.
   *
   * @param use_products Whether to use products where possible.
   * @param fields Unknown fields, if there are any.
   */
  template <int dim>
  std::unique_ptr<DataMap>
  make_data_map(const Problem                   &problem,
                const SpaceDiscretisation<dim>  &space,
                const std::vector<Channel>      &channels,
                const bool                       use_products = true,
                const std::vector<FieldUnknown> &fields       = {});
} // namespace Tempera

#endif
