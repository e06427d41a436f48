// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_pointwise_data_h
#define tempera_fem_pointwise_data_h

#include <tempera/fem/data_map.h>

namespace Tempera
{
  /** Data by evaluation of the functions at every point: any mesh. */
  template <int dim>
  class PointwiseData : public DataMap
  {
  public:
    PointwiseData(const Problem                   &problem,
                  const SpaceDiscretisation<dim>  &space,
                  const std::vector<Channel>      &channels,
                  const std::vector<FieldUnknown> &fields = {});

    void
    assemble(const ParameterValues    &theta,
             std::vector<NodalVector> &data) const override;

    std::unique_ptr<const Functionals>
    prepare(const std::vector<std::vector<NodalVector>> &weights,
            const bool for_many_uses) const override;

    void
    apply(const Functionals               &functionals,
          const ParameterValues           &theta,
          const dealii::ArrayView<double> &values,
          const dealii::ArrayView<double> &jacobian) const override;

    std::string
    description() const override
    {
      return "data at all points";
    }

  private:
    class Weights;

    /** Channels that need the same functions at the same points. */
    struct Group
    {
      std::vector<unsigned int> functions;
      double                    time;
      /** Coordinates of the nodes, if the points are nodes. */
      std::vector<double> node_coordinates;
      /** For integrals; otherwise the points are nodes. */
      std::shared_ptr<const IntegrationPoints> integration;
      /** The nodes, if the points are nodes. */
      std::vector<unsigned int> dofs;
      std::vector<unsigned int> channels;
      /** Unknown fields in the functions. */
      LocalFields fields;

      const std::vector<double> &
      coordinates() const
      {
        return integration ? integration->coordinates : node_coordinates;
      }

      std::size_t
      n_points() const
      {
        return coordinates().size() / dim;
      }
    };

    /** The functions of a group at its points, with derivatives. */
    void
    evaluate(const Group                           &group,
             const dealii::ArrayView<const double> &theta,
             const LocalFields::Values             &fields,
             const std::vector<unsigned int>       &active,
             const dealii::ArrayView<double>       &values,
             const dealii::ArrayView<double>       &derivatives) const;

    const Problem &problem;
    /** Numbers of all fields. */
    const std::size_t                      n_field_values;
    const std::shared_ptr<const Partition> partition;
    /** All degrees of freedom, and those that are no ghosts. */
    const unsigned int n_local, n_data, n_interior;
    std::vector<Group> groups;
    /** By channel and degree of freedom, for channels on the boundary. */
    std::vector<std::vector<bool>> masks;

    /** Memory. */
    mutable std::vector<double>    point_values, point_derivatives;
    mutable dealii::Vector<double> nodal;
  };
} // namespace Tempera

#endif
