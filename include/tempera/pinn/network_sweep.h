// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_pinn_network_sweep_h
#define tempera_pinn_network_sweep_h

#include <tempera/pinn/network_model.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * Evaluates the potential of a network, the sum over sets of points of
   * factor times squared misfit, and its gradient. Holds the memory for it: one
   * for each thread.
   *
   * @tparam Number float or double: of the network. Formulas and sums are
   * computed with double numbers.
   */
  template <typename Number>
  class NetworkSweep
  {
  public:
    NetworkSweep(std::shared_ptr<const NetworkModel> model,
                 std::vector<MisfitSet>              sets);

    const std::vector<MisfitSet> &
    get_sets() const
    {
      return sets;
    }

    /** To be called before what follows. */
    void
    set_state(const dealii::ArrayView<const double> &state);

    /**
     * The potential of one set at all its points.
     *
     * @param with_gradient Whether to add to the gradient.
     */
    double
    add_set(const unsigned int set, const bool with_gradient);

    /** The same at some of its points, times @p scale. */
    double
    add_points(const unsigned int               set,
               const std::vector<unsigned int> &points,
               const double                     scale,
               const bool                       with_gradient);

    /**
     * One misfit times the square root of twice its factor, so that the
     * potential is half the sum of their squares; the gradient becomes its
     * derivative in the state.
     */
    double
    linearise(const unsigned int set,
              const unsigned int term,
              const unsigned int point);

    /** An output at places; @p inputs has all inputs of each. */
    void
    predict(const unsigned int               output,
            const std::vector<double>       &inputs,
            const dealii::ArrayView<double> &values);

    /** The same at one place; the gradient becomes its derivative. */
    double
    linearise_prediction(const unsigned int output, const double *inputs);

    void
    clear_gradient();

    /** By coordinate of the state. */
    void
    get_gradient(const dealii::ArrayView<double> &gradient) const;

  private:
    /** A tile of points of a set: potential and derivatives. */
    double
    add_tile(const MisfitSet    &set,
             const Number       *inputs,
             const unsigned int  n_points,
             const unsigned int *points,
             const unsigned int  first,
             const double        scale,
             const bool          with_gradient);

    /** Residuals of a tile, from the network's outputs. */
    void
    evaluate_residuals(const MisfitSet    &set,
                       const unsigned int  n_points,
                       const unsigned int *points,
                       const unsigned int  first,
                       const Number       *outputs,
                       const bool          with_derivatives);

    /** Pass derivatives of the residuals, times @p bars, on. */
    void
    pass_on_residuals(const MisfitSet &set, const unsigned int n_points);

    const std::shared_ptr<const NetworkModel> model;
    const std::vector<MisfitSet>              sets;
    Network<Number>                           network;

    /** Of each set. */
    std::vector<dealii::AlignedVector<Number>> inputs_of_sets;

    /** Whether any coefficient is not known. */
    const bool coefficients_vary;
    /** Unknown coefficients and the derivatives in them. */
    std::vector<double> unknowns, unknowns_bar;

    /** Of a tile. */
    std::vector<Number> tile_inputs, outputs_bar;
    std::vector<double> residual_inputs, jets, coefficients, residuals, in_jets,
      in_coefficients, bars;
  };
} // namespace Tempera

#endif
