// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_pinn_network_parameters_h
#define tempera_pinn_network_parameters_h

#include <memory>
#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  class NetworkEquation;

  /** Numbers of a network. */
  enum class NetworkPrecision
  {
    single,
    /** `double`. */
    full
  };


  /** What a misfit counts by. */
  enum class MisfitForm
  {
    /** A standard deviation. */
    gaussian,
    /** A weight of its mean square. */
    weighted
  };


  /** What moves a start towards the posterior. */
  enum class WarmStartMethod
  {
    none,
    adam,
    levenberg_marquardt
  };


  /** Which equation a network solves, where, and how large it is. */
  struct NetworkParameters
  {
    /** By name; not declared here, since it decides what is. */
    std::string               equation = "none";
    std::vector<unsigned int> hidden{32, 32, 32};
    NetworkPrecision          precision = NetworkPrecision::single;
    std::vector<double>       lower{0.}, upper{1.};
    double                    final_time = 1.;
    std::vector<unsigned int> data_points{64, 8};
    double                    weight_deviation    = 1.;
    double                    coefficient_step    = 1.;
    unsigned int              n_prediction_points = 101;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** Each coefficient of the equation. */
  struct CoefficientParameters
  {
    std::shared_ptr<const NetworkEquation> equation;
    /** A number, a prior or `output`, by coefficient. */
    std::vector<std::string> values;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** Known functions, as formulas. */
  struct NetworkDataParameters
  {
    std::string source = "0", boundary, initial, initial_rate, exact;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** How much each misfit counts. */
  struct NetworkLikelihoodParameters
  {
    MisfitForm form = MisfitForm::gaussian;
    /** Standard deviations. */
    double residual_noise = 0.1, boundary_noise = 0.01, initial_noise = 0.01,
           initial_rate_noise = 0.01;
    /** Weights of the other form. */
    double residual_weight = 1., boundary_weight = 1., initial_weight = 1.,
           initial_rate_weight = 1., observation_weight = 1.;
    bool noisy_data = false;

    bool
    is_weighted() const
    {
      return form == MisfitForm::weighted;
    }

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** What is done before sampling. */
  struct WarmStartParameters
  {
    WarmStartMethod method             = WarmStartMethod::none;
    unsigned int    n_iterations       = 2000;
    double          learning_rate      = 1e-3;
    bool            moves_coefficients = true;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** How fine a level is. */
  struct NetworkLevelParameters
  {
    std::vector<unsigned int> collocation_points{64, 8};
    unsigned int              batch_size = 0;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };
} // namespace Tempera

#endif
