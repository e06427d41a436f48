// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_pinn_network_model_h
#define tempera_pinn_network_model_h

#include <tempera/inference/prior.h>
#include <tempera/pinn/equation.h>
#include <tempera/pinn/network.h>
#include <tempera/sampler/prior_measure.h>

#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /** Where the value of a coefficient comes from. */
  struct CoefficientSource
  {
    enum class Kind
    {
      known,
      /** One of NetworkModel::unknowns. */
      unknown,
      /** An output of the network: the coefficient may vary from point to
       * point. */
      output
    };

    Kind kind = Kind::known;
    /** If it is known. */
    double value = 0.;
    /** Of the unknown or the output. */
    unsigned int index = 0;
  };


  /**
   * An equation and the network that is to solve it. A state is the list of
   * the network's weights, then the unknown coefficients.
   */
  struct NetworkModel
  {
    std::shared_ptr<const NetworkEquation> equation;
    NetworkShape                           shape;
    /** By coefficient of the equation. */
    std::vector<CoefficientSource> coefficients;
    std::vector<Unknown>           unknowns;
    /** Of the Gaussian prior of every weight. */
    double weight_deviation = 1.;

    unsigned int
    dimension() const
    {
      return shape.n_weights() + unknowns.size();
    }

    /** Of weights, which are not recorded, and unknown coefficients. */
    std::shared_ptr<const PriorMeasure>
    prior() const;

    /** Minus the logarithm of the prior, and its gradient if wanted. */
    double
    prior_energy(const dealii::ArrayView<const double> &state,
                 const dealii::ArrayView<double>       &gradient) const;

    /** Weights to start from and draws of the coefficients from their priors.
     */
    std::vector<double>
    draw_start(const std::uint64_t seed,
               const unsigned int  rung,
               const unsigned int  chain = 0) const;
  };


  /**
   * Points with misfits of the network there: a part of the potential, the sum
   * of factor times squared misfit.
   */
  struct MisfitSet
  {
    /** One row of the jet against data. */
    struct Term
    {
      std::string  name;
      unsigned int row = 0;
      /** By point. */
      std::vector<double> data;
      double              factor = 0.;
    };

    /** For each point its inputs. */
    std::vector<double> inputs;
    JetRows             rows;
    /**
     * Compared with data; of the residual, which compares the equation's left
     * hand side, there is one and its row means nothing.
     */
    std::vector<Term> terms;
    bool              is_residual = false;

    unsigned int
    n_points(const unsigned int n_inputs) const
    {
      return inputs.size() / n_inputs;
    }
  };
} // namespace Tempera

#endif
