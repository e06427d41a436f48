// SPDX-License-Identifier: LGPL-2.1-or-later

// A solver of one's own, in the style of deal.II's step-8: a plate of 2 x 1
// that is clamped on the left and pulled at its right end (plane strain), with
// unknown Young's modulus, Poisson's number and angle of the load. The
// displacements of three marks on the right are measured. Tempera sees a
// function of three numbers.

#include <tempera/base/solve_failed.h>
#include <tempera/forward/function_model.h>
#include <tempera/forward/model_type.h>

#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/sparse_direct.h>
#include <deal.II/numerics/vector_tools.h>

#include <cmath>
#include <tempera/plugin.h>

using namespace dealii;

namespace
{
  /** From three parameters to the displacements of three marks. */
  class Plate : public Tempera::FunctionModel
  {
  public:
    explicit Plate(const unsigned int n_cells)
      : FunctionModel(
          3,
          6,
          [this](const auto &theta, const auto &displacements) {
            const Vector<double> u = solve(theta[0], theta[1], theta[2]);
            Vector<double>       here(2);
            for (unsigned int mark = 0; mark < 3; ++mark)
              {
                VectorTools::point_value(dofs,
                                         u,
                                         Point<2>(2., 0.5 * mark),
                                         here);
                displacements[2 * mark]     = here[0];
                displacements[2 * mark + 1] = here[1];
              }
          },
          n_cells * n_cells)
      , fe(FE_Q<2>(2), 2)
      , dofs(mesh)
    {
      GridGenerator::subdivided_hyper_rectangle(
        mesh, {2 * n_cells, n_cells}, Point<2>(0., 0.), Point<2>(2., 1.), true);
      dofs.distribute_dofs(fe);
      // The side on the left has the number 0, that on the right 1.
      VectorTools::interpolate_boundary_values(dofs,
                                               0,
                                               Functions::ZeroFunction<2>(2),
                                               clamped);
      clamped.close();
      DynamicSparsityPattern pattern(dofs.n_dofs());
      DoFTools::make_sparsity_pattern(dofs, pattern, clamped);
      sparsity.copy_from(pattern);
      for (SparseMatrix<double> *matrix : {&of_lambda, &of_mu})
        matrix->reinit(sparsity);
      assemble();
      for (unsigned int d = 0; d < 2; ++d)
        {
          loads[d].reinit(dofs.n_dofs());
          VectorTools::create_boundary_right_hand_side(
            dofs,
            QGauss<1>(3),
            ComponentSelectFunction<2>(d, 2),
            loads[d],
            {1});
          clamped.set_zero(loads[d]);
        }
    }

  private:
    /** What the parameters are factors of. */
    void
    assemble()
    {
      const QGauss<2> inside(3);
      FEValues<2>     values(fe, inside, update_gradients | update_JxW_values);
      const unsigned int                   n = fe.n_dofs_per_cell();
      FullMatrix<double>                   cell_lambda(n, n), cell_mu(n, n);
      std::vector<types::global_dof_index> indices(n);
      const FEValuesExtractors::Vector     u(0);
      for (const auto &cell : dofs.active_cell_iterators())
        {
          values.reinit(cell);
          cell_lambda = cell_mu = 0.;
          for (unsigned int q = 0; q < inside.size(); ++q)
            for (unsigned int i = 0; i < n; ++i)
              for (unsigned int j = 0; j < n; ++j)
                {
                  const double weight = values.JxW(q);
                  cell_lambda(i, j) += weight * values[u].divergence(i, q) *
                                       values[u].divergence(j, q);
                  cell_mu(i, j) += 2. * weight *
                                   (values[u].symmetric_gradient(i, q) *
                                    values[u].symmetric_gradient(j, q));
                }
          cell->get_dof_indices(indices);
          clamped.distribute_local_to_global(cell_lambda, indices, of_lambda);
          clamped.distribute_local_to_global(cell_mu, indices, of_mu);
        }
    }

    Vector<double>
    solve(const double modulus, const double poisson, const double angle) const
    {
      if (!(poisson < 0.499))
        throw Tempera::SolveFailed("Poisson's number is too close to 1/2.");
      SparseMatrix<double> matrix(sparsity);
      matrix.add(modulus * poisson / ((1. + poisson) * (1. - 2. * poisson)),
                 of_lambda);
      matrix.add(modulus / (2. * (1. + poisson)), of_mu);
      Vector<double> u(loads[0]);
      u.sadd(std::cos(angle), std::sin(angle), loads[1]);
      SparseDirectUMFPACK solver;
      solver.solve(matrix, u);
      clamped.distribute(u);
      return u;
    }

    Triangulation<2>          mesh;
    const FESystem<2>         fe;
    DoFHandler<2>             dofs;
    AffineConstraints<double> clamped;
    SparsityPattern           sparsity;
    SparseMatrix<double>      of_lambda, of_mu;
    Vector<double>            loads[2];
  };


  /** What a parameter file can say of it. */
  class PlaneElasticity : public Tempera::ForwardModelType
  {
  public:
    std::vector<Tempera::ModelParameter>
    parameters() const override
    {
      return {{"modulus", "log-normal(10, 1)", "Young's modulus.", 0.},
              {"poisson", "uniform(0, 0.5)", "Poisson's number.", -1.},
              {"angle", "uniform(-1.6, 1.6)", "Angle of the load."}};
    }

    void
    declare(ParameterHandler &prm) override
    {
      prm.add_parameter("Cells",
                        n_cells,
                        "Number of cells over the height of the plate.",
                        Patterns::Integer(1, 1000));
    }

    std::unique_ptr<Tempera::ForwardModel>
    make(const Tempera::ModelContext &) const override
    {
      return std::make_unique<Plate>(n_cells);
    }

    std::unique_ptr<Tempera::ForwardModel>
    make_refined(const Tempera::ModelContext &) const override
    {
      return std::make_unique<Plate>(2 * n_cells);
    }

  private:
    unsigned int n_cells = 8;
  };
} // namespace


TEMPERA_PLUGIN
{
  Tempera::Registration<Tempera::ForwardModelRegistry, PlaneElasticity>(
    "plane elasticity", "A plate that is clamped on the left and pulled.");
}
