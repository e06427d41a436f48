// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/solve_failed.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/fem/adapted_mesh.h>
#include <tempera/fem/nonlinear_model.h>
#include <tempera/fem/precomputed_model.h>

namespace Tempera
{
  namespace
  {
    /** Any model with its gradient replaced by finite differences. */
    class DifferencedModel : public WrappedFemModel
    {
    public:
      DifferencedModel(std::shared_ptr<const FemModel>    model,
                       const FiniteDifferenceParameters  &parameters,
                       const std::vector<ParameterRange> &ranges)
        : WrappedFemModel(*model)
        , differences(model, parameters, ranges)
      {}

      std::shared_ptr<const Linearisation>
      evaluate(const dealii::ArrayView<const double> &parameters,
               const dealii::ArrayView<double>       &predictions,
               const bool derivative_follows) const override
      {
        return differences.evaluate(parameters,
                                    predictions,
                                    derivative_follows);
      }

      SolverWork
      work() const override
      {
        return differences.work();
      }

      std::string
      description() const override
      {
        return differences.description();
      }

      std::string
      gradient_method() const override
      {
        return "finite differences";
      }

    private:
      /** Owns the model. */
      const FiniteDifferenceModel differences;
    };


    template <int dim>
    std::shared_ptr<const FemModel>
    make_model(const ModelSetting                &setting,
               const FemLevelParameters          &level,
               const SolverParameters            &solver,
               const std::vector<ParameterRange> &ranges)
    {
      // Beyond this many numbers the precomputed functionals are not worth
      // their memory.
      constexpr double most_numbers = 1e8;

      const Mesh<dim> mesh =
        level.adaptive_refinements > 0 ?
          make_adapted_mesh<dim>(setting, level, solver, ranges) :
          make_mesh<dim>(setting.domain, level, setting.communicator);
      std::shared_ptr<const EvolutionModel<dim>> linear;
      std::shared_ptr<const FemModel>            model;
      if (setting.problem->has_residual())
        model =
          std::make_shared<NonlinearModel<dim>>(setting, level, solver, mesh);
      else
        model = linear = std::make_shared<EvolutionModel<dim>>(
          setting, level, solver, true, mesh);
      if (solver.gradient == FemGradient::differences)
        return std::make_shared<DifferencedModel>(model,
                                                  solver.differences,
                                                  ranges);
      if (solver.gradient == FemGradient::precomputed && !linear)
        throw UserError(
          "'Solver/Gradient = precomputed adjoint' needs a linear equation, "
          "and this one is not: its sweeps would be different ones at every "
          "state. Set it to 'adjoint' or 'automatic'.");
      if (solver.gradient == FemGradient::adjoint || !linear)
        return model;

      const std::vector<unsigned int> in_operator =
        linear->unknowns_in_operator();
      if (solver.gradient == FemGradient::precomputed && !in_operator.empty())
        throw UserError(
          "'Solver/Gradient = precomputed adjoint' needs an operator without "
          "unknowns, but a coefficient depends on '" +
          setting.problem->parameters()[in_operator[0]].name +
          "': its sweeps would be different ones at every state. Set it to "
          "'adjoint' or 'automatic'.");
      const double numbers = double(setting.sensors.size()) * model->n_dofs() *
                             linear->get_course().n_variable_channels() *
                             (1 << dim);
      if (solver.gradient == FemGradient::automatic &&
          (!in_operator.empty() || numbers > most_numbers))
        return model;
      return std::make_shared<PrecomputedModel<dim>>(linear);
    }
  } // namespace



  std::shared_ptr<const FemModel>
  make_fem_model(const ModelSetting                &setting,
                 const FemLevelParameters          &level,
                 const SolverParameters            &solver,
                 const std::vector<ParameterRange> &ranges)
  {
    try
      {
        switch (setting.problem->dimension())
          {
            case 1:
              return make_model<1>(setting, level, solver, ranges);
            case 2:
              return make_model<2>(setting, level, solver, ranges);
            default:
              return make_model<3>(setting, level, solver, ranges);
          }
      }
    catch (const SolveFailed &failure)
      {
        // What fails before there are any values is the user's mistake.
        throw UserError(failure.what());
      }
  }
} // namespace Tempera
