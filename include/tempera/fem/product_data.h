// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_product_data_h
#define tempera_fem_product_data_h

#include <tempera/fem/data_map.h>

#include <deal.II/base/aligned_vector.h>

#include <array>

namespace Tempera
{
  /**
   * Data that are products over the coordinates, on a subdivided box: integrals
   * and nodal values are products of those in one dimension, so that the
   * functions are evaluated on lines only.
   */
  template <int dim>
  class ProductData : public DataMap
  {
  public:
    /** Whether these data are of the kind. */
    static bool
    is_possible(const Problem                  &problem,
                const SpaceDiscretisation<dim> &space,
                const std::vector<Channel>     &channels);

    ProductData(const Problem                  &problem,
                const SpaceDiscretisation<dim> &space,
                const std::vector<Channel>     &channels);

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
      return "data as products over the coordinates";
    }

  private:
    class Tensors;

    /** In whole cache lines, since it is read again and again. */
    using Columns = dealii::AlignedVector<double>;

    /** The weights of all functionals for one group. */
    struct Tensor
    {
      /** Where the rows of each functional begin, and how many all have. */
      std::vector<std::size_t> starts;
      std::size_t              n_rows;
      /** The rows along the last direction, column by column. */
      Columns last;
      /**
       * In two dimensions the weights may be given as a sum of few products:
       * then these rows are their factors in the first direction. Otherwise
       * empty.
       */
      Columns first;
    };

    /** Replace a tensor in two dimensions by few products, if few suffice. */
    void
    compress(Tensor &tensor) const;

    /** What becomes of a factor: integrals, or values at the nodes. */
    enum Role
    {
      integrals = 0,
      nodes     = 1
    };

    /** A node that a channel has data at. */
    struct Target
    {
      std::array<unsigned int, dim> node;
      unsigned int                  dof;
    };

    /** Channels with the same role and functions. */
    struct Group
    {
      Role                      role;
      std::vector<unsigned int> functions;
      std::vector<unsigned int> channels;
      /** Factors by direction, each once. */
      std::array<std::vector<unsigned int>, dim> factors;
    };

    /** Factors along the lines of one direction. */
    struct Line
    {
      /** Coordinates of the quadrature points, then of the nodes. */
      std::vector<double> coordinates;
      std::size_t         n_points, n_nodes, stride;
      /** Which factors are needed, by role. */
      std::array<std::vector<bool>, 2> needed;
      /** Parameters in the factors of this direction. */
      std::vector<unsigned int> parameters;

      /** Active ones of them, with their places among all active ones. */
      mutable std::vector<unsigned int> active, places;
      mutable std::vector<double>       values, derivatives;
      /** By role, factor, and value or derivative: a padded vector. */
      mutable std::vector<double> vectors;
    };

    void
    evaluate_lines(const ParameterValues &theta,
                   const bool             with_derivatives) const;

    /** A vector of a line; derivatives are counted from 1. */
    double *
    vector(const Line        &line,
           const Role         role,
           const unsigned int factor,
           const unsigned int derivative) const;

    /**
     * The rows of a tensor along a line times all factors of a group: by
     * factor, then value or derivative, then row.
     */
    void
    multiply(const Group         &group,
             const unsigned int   direction,
             const Columns       &columns,
             const std::size_t    n_rows,
             std::vector<double> &products) const;

    /**
     * Multiply what is left after the last direction with the factors of the
     * others, and add the results up.
     *
     * @param rest Rows with the value in the last direction, then those with
     * each of its derivatives.
     */
    void
    contract_leading(const Group                     &group,
                     const std::vector<unsigned int> &factors,
                     const Tensor                    &tensor,
                     const double                    *rest,
                     const dealii::ArrayView<double> &values,
                     const dealii::ArrayView<double> &jacobian) const;

    const Problem                         &problem;
    const Lattice                         &lattice;
    const std::shared_ptr<const Partition> partition;
    const unsigned int                     n_interior, n_factors;
    std::vector<Line>                      lines;
    std::vector<Group>                     groups;
    std::vector<Role>                      roles;
    std::vector<std::vector<Target>>       targets;
    const std::vector<Channel>             channels;

    /** Nodes of all directions but the last, padded. */
    std::size_t n_leading = 1;

    /** Memory. */
    mutable std::vector<double>         first_products, last_products;
    mutable std::vector<double>         leading_products;
    mutable std::vector<const double *> line_vectors;
  };
} // namespace Tempera

#endif
