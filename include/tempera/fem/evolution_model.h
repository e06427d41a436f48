// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_evolution_model_h
#define tempera_fem_evolution_model_h

#include <tempera/fem/data_map.h>
#include <tempera/fem/evolution.h>
#include <tempera/fem/fem_model.h>

namespace Tempera
{
  /**
   * Solves the equation step by step; its derivative is the discrete adjoint:
   * one sweep back in time.
   */
  template <int dim>
  class EvolutionModel : public FemModel
  {
  public:
    /** @param use_products For tests: see make_data_map(). */
    EvolutionModel(const ModelSetting       &setting,
                   const FemLevelParameters &level,
                   const SolverParameters   &solver,
                   const bool                use_products = true);

    unsigned int
    n_parameters() const override
    {
      return setting.unknowns.size();
    }

    unsigned int
    n_predictions() const override
    {
      return setting.sensors.size();
    }

    std::shared_ptr<const Linearisation>
    evaluate(const dealii::ArrayView<const double> &parameters,
             const dealii::ArrayView<double>       &predictions,
             const bool derivative_follows) const override;

    SolverWork
    work() const override;

    std::string
    description() const override;

    unsigned int
    n_dofs() const override
    {
      return space.n_dofs();
    }

    unsigned int
    n_steps() const override
    {
      return grid.n_steps;
    }

    std::string
    gradient_method() const override
    {
      return "adjoint";
    }

    void
    write_fields(const std::vector<std::vector<double>> &states,
                 const FieldFileNames                   &names) const override;

    /** Unknown parameters that coefficients of the operator depend on. */
    std::vector<unsigned int>
    unknowns_in_operator() const;

    /** The time stepping; only if the operator has no unknowns. */
    const Evolution &
    get_evolution() const
    {
      return *evolution;
    }

    const std::vector<Channel> &
    get_channels() const
    {
      return channels;
    }

    const DataMap &
    get_data_map() const
    {
      return *data_map;
    }

    /** All parameters of the problem, with the unknown ones in their places. */
    std::vector<double>
    all_parameters(const dealii::ArrayView<const double> &unknowns) const;

    const std::vector<unsigned int> &
    unknowns() const
    {
      return setting.unknowns;
    }

  private:
    class Adjoint;

    EvolutionMatrices
    assemble_matrices(const ParameterValues &theta) const;

    std::shared_ptr<const Evolution>
    make_evolution(const std::vector<double> &theta) const;

    std::vector<ObservationRow>
    make_observations() const;

    const ModelSetting         setting;
    const SolverParameters     solver;
    SpaceDiscretisation<dim>   space;
    const TimeGrid             grid;
    const std::vector<Channel> channels;

    std::vector<ObservationRow>      observations;
    std::unique_ptr<DataMap>         data_map;
    std::shared_ptr<const Evolution> evolution;

    /** Memory. */
    mutable std::vector<NodalVector> data;
  };
} // namespace Tempera

#endif
