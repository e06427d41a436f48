// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_field_prior_h
#define tempera_fem_field_prior_h

#include <tempera/fem/linear_solver.h>
#include <tempera/fem/space_discretisation.h>
#include <tempera/sampler/prior_measure.h>

#include <deal.II/base/symmetric_tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * The coefficients of the operator \f$A = -\gamma\nabla\cdot(\Theta\nabla) +
   * \delta\f$, whose inverse square is the covariance of a field.
   */
  template <int dim>
  struct BiLaplacian
  {
    /** \f$\gamma\f$ */
    double diffusion = 1.;
    /** \f$\delta\f$ */
    double reaction = 1.;
    /** \f$\Theta\f$ */
    dealii::SymmetricTensor<2, dim> anisotropy =
      dealii::unit_symmetric_tensor<dim>();
    /**
     * Whether \f$\gamma\,\partial_n u + \sqrt{\gamma\delta}/1.42\,u = 0\f$
     * holds on the boundary, so that the variance there is about that inside;
     * otherwise \f$\partial_n u = 0\f$, where it is about twice as large.
     */
    bool robin = true;
  };


  /**
   * The coefficients of a Matern field of smoothness \f$\nu = 2 - d/2\f$ in
   * \f$d\f$ dimensions.
   *
   * @param deviation Standard deviation, far from the boundary.
   * @param lengths Correlation length: the distance at which the correlation
   * has fallen to about 0.1 (\f$\sqrt{8\nu}/\kappa\f$), for all directions or
   * along each axis.
   * @param angle In two dimensions: by how much the axes are turned, in
   * radians.
   */
  template <int dim>
  BiLaplacian<dim>
  matern_field(const double               deviation,
               const std::vector<double> &lengths,
               const double               angle = 0.);


  /**
   * A Gaussian law of functions: nodal values on a mesh of its own, with linear
   * elements and the covariance \f$C = A^{-1}MA^{-1}\f$, where \f$A\f$ is the
   * matrix of a BiLaplacian and \f$M\f$ the mass matrix. Both are factorised
   * once, as sparse matrices; no matrix is dense.
   *
   * White noise is one normal number per integration point: with the shape
   * functions \f$\varphi_i\f$ and the weights \f$w_q\f$ of the quadrature,
   * \f$\sum_q\sqrt{w_q}\,\varphi_i(x_q)\,z_q\f$ has the covariance \f$M\f$.
   *
   * On a lattice the nodes are in lexicographic order, the last direction runs
   * fastest.
   */
  template <int dim>
  class FieldPrior : public PriorMeasure
  {
  public:
    /** Mean at a place. */
    using Mean = std::function<double(const dealii::Point<dim> &)>;

    /**
     * @param name Of the field; its values are called NAME_0, NAME_1, ...
     * @param mean Empty for zero.
     */
    FieldPrior(const std::string      &name,
               const Mesh<dim>        &mesh,
               const BiLaplacian<dim> &operator_coefficients,
               const Mean             &mean = {});

    const StateSpace &
    space() const override
    {
      return state_space;
    }

    double
    energy(const dealii::ArrayView<const double> &state,
           const dealii::ArrayView<double>       &gradient) const override;

    double
    log_normaliser() const override;

    bool
    is_integrable(const double power) const override
    {
      return power > 0.;
    }

    bool
    is_gaussian() const override
    {
      return true;
    }

    std::vector<double>
    sample(const RandomKey &key) const override;

    std::vector<double>
    centre() const override
    {
      return mean;
    }

    void
    apply_covariance(const dealii::ArrayView<const double> &vector,
                     const dealii::ArrayView<double> &result) const override;

    std::size_t
    root_size() const override
    {
      return mesh_space.cells().n_points();
    }

    void
    apply_covariance_root(
      const dealii::ArrayView<const double> &vector,
      const dealii::ArrayView<double>       &result) const override;

    /** The variance of a value; takes one solve. */
    double
    variance(const unsigned int value) const;

    /** Where a value is. */
    dealii::Point<dim>
    place(const unsigned int value) const;

    /**
     * \f$\int\text{variance}\f$, the trace of the covariance operator; takes
     * one solve per value.
     */
    double
    trace() const;

    /** Mesh and elements; their numbers are those of the mesh. */
    const SpaceDiscretisation<dim> &
    get_space() const
    {
      return mesh_space;
    }

    /** By number of the mesh, the number of the value. */
    const std::vector<unsigned int> &
    get_order() const
    {
      return order;
    }

  private:
    dealii::Vector<double>
    to_mesh(const dealii::ArrayView<const double> &state) const;

    void
    from_mesh(const dealii::Vector<double>    &vector,
              const dealii::ArrayView<double> &state) const;

    const SpaceDiscretisation<dim> mesh_space;
    /** Numbers of values by number of the mesh, and the other way round. */
    const std::vector<unsigned int> order, mesh_numbers;
    const StateSpace                state_space;
    std::vector<double>             mean;
    OperatorMatrix                  mass, precision_root;
    const LinearSolverFactory       factory;
    /** Of \f$A\f$ and \f$M\f$. */
    std::unique_ptr<const LinearSolver> precision_root_solver, mass_solver;
  };
} // namespace Tempera

#endif
