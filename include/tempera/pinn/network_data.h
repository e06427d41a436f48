// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_pinn_network_data_h
#define tempera_pinn_network_data_h

#include <tempera/inference/observations.h>
#include <tempera/pinn/network_model.h>
#include <tempera/pinn/network_parameters.h>
#include <tempera/problems/expression.h>

#include <optional>
#include <vector>

namespace Tempera
{
  /** All that a parameter file says of a network but its levels. */
  struct NetworkSettings
  {
    NetworkParameters           network;
    CoefficientParameters       coefficients;
    NetworkDataParameters       data;
    NetworkLikelihoodParameters likelihood;
    WarmStartParameters         warm_start;
    ObservationParameters       observations;
  };


  /**
   * Makes the points and data of a network from the settings. What does not fit
   * is a UserError.
   */
  class NetworkData
  {
  public:
    NetworkData(const NetworkModel &model, const NetworkSettings &settings);

    /** Boundary, initial and observed values: the same for all levels. */
    std::vector<MisfitSet>
    make_data_sets() const;

    /**
     * The residual at the collocation points of a level.
     *
     * @param name Of the level, for messages.
     * @param n_fine Collocation points of the finest level: the misfit counts
     * as if there were so many. Zero if this is the finest.
     */
    MisfitSet
    make_residual_set(const NetworkLevelParameters &level,
                      const std::string            &name,
                      const unsigned int            n_fine) const;

    /** All inputs of the points at which the solution is predicted. */
    std::vector<double>
    prediction_inputs() const;

    /** The exact solution there; empty if it is not known. */
    std::vector<double>
    exact_predictions() const;

    bool
    has_exact_solution() const
    {
      return !settings.data.exact.empty();
    }

  private:
    /** Points of a grid, and which of them are at time 0 or on the boundary. */
    struct Grid
    {
      std::vector<double> inputs;
      std::vector<bool>   is_initial, is_boundary;
    };

    Grid
    make_grid(const std::vector<unsigned int> &n_points,
              const std::string               &parameter) const;

    /** The formula of a text; of the exact solution if that is empty. */
    PlaceExpression
    make_formula(const std::string &text,
                 const std::string &name,
                 const bool         with_time) const;

    /** Values of a formula at points. */
    std::vector<double>
    values(const PlaceExpression     &formula,
           const std::vector<double> &inputs) const;

    /**
     * A term with the factor that its noise or weight gives it.
     *
     * @param stream Of the noise that is added to data, if it is.
     */
    MisfitSet::Term
    make_term(const std::string  &name,
              const unsigned int  row,
              std::vector<double> data,
              const double        noise,
              const double        weight,
              const std::uint64_t stream) const;

    void
    add_observations(std::vector<MisfitSet> &sets) const;

    const NetworkModel    &model;
    const NetworkSettings &settings;
    const unsigned int     dimension;
    const bool             has_time;
    std::vector<double>    lower, upper;
  };
} // namespace Tempera

#endif
