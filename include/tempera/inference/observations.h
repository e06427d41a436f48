// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_observations_h
#define tempera_inference_observations_h

#include <tempera/forward/sensor.h>
#include <tempera/inference/error_likelihood.h>

#include <string>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /** The law of the errors, where it is not plainly Gaussian. */
  struct ErrorLawParameters
  {
    ErrorShape shape = ErrorShape::gaussian;
    ErrorScale scale = ErrorScale::absolute;
    double     floor = 0.;
    /** Numbers or priors; empty where there is none. */
    std::string degrees_of_freedom, outlier_share, outlier_factor,
      detection_limit, correlation_time, discrepancy, discrepancy_length,
      discrepancy_time;

    /** Whether it is Gaussian, after all. */
    bool
    are_plain() const
    {
      return shape == ErrorShape::gaussian && scale == ErrorScale::absolute &&
             floor == 0. && detection_limit.empty() &&
             correlation_time.empty() && discrepancy.empty();
    }
  };


  /** What was measured, or how to make it up. */
  struct ObservationParameters
  {
    std::vector<std::vector<double>> sensors;
    std::vector<double>              times;
    std::vector<double>              values;
    std::string                      file;
    std::string                      noise = "0.1";
    ErrorLawParameters               errors;
    std::vector<std::vector<double>> covariance;
    std::vector<std::vector<double>> truth;
    std::vector<double>              true_circle;
    std::string                      synthetic       = "none";
    double                           synthetic_noise = 0.;
    std::uint64_t                    synthetic_seed  = 1;

    /** Whether the data are made from the truth. */
    bool
    is_synthetic() const
    {
      return !synthetic.empty() && synthetic != "none";
    }

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** Measured values with their places and times. */
  struct Observations
  {
    std::vector<Sensor> sensors;
    /** Empty if they are to be made up. */
    std::vector<double> values;
    /** One per value; empty if the file has none. */
    std::vector<double> standard_deviations;
    /** The same: those of one group have the same unknown sigma. */
    std::vector<double> groups;

    /** The latest time; 0 without sensors. */
    double
    last_time() const;
  };


  /**
   * Collect sensors, times and values from the parameters or from the CSV file
   * that they name.
   *
   * @param dimension Number of coordinates of a place; 0 if there are values
   * without places.
   * @param is_stationary Whether there is no time.
   */
  Observations
  make_observations(const ObservationParameters &parameters,
                    const unsigned int           dimension,
                    const bool                   is_stationary);

  /**
   * Add independent noise to values.
   *
   * @param stream Different numbers give different noise.
   */
  void
  add_noise(const double         standard_deviation,
            const std::uint64_t  seed,
            std::vector<double> &values,
            const std::uint64_t  stream = 0);
} // namespace Tempera

#endif
