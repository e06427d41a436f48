// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_model_fit_h
#define tempera_output_model_fit_h

#include <tempera/output/recorded_run.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * Whether the measurements look like what the model predicts, with errors as
   * large as was said.
   *
   * With standardised (whitened) residuals \f$e\f$ of the mean prediction and
   * the covariance \f$H\f$ of the draws' whitened predictions, \f$e\f$ has the
   * law \f$N(0, I - H)\f$ if model, noise and prior are right: exactly so for
   * linear models and Gaussian priors, where \f$H\f$ is the influence of the
   * data on their own predictions and its trace the effective number of
   * parameters. All tests use that law, so they have the level that they claim
   * and are not conservative, as posterior predictive p-values are. Directions
   * that the parameters follow (\f$H\f$ of 1/2 and more) are left out: with as
   * many unknowns as measurements nothing remains, and nothing is said.
   *
   * All tests together have a level of 0.0045; prior_conflicts() has the rest
   * of 0.005.
   */
  struct ModelFit
  {
    enum class Test
    {
      /** \f$\chi^2\f$ of the residuals is too large. */
      too_large,
      /** It is too small: the noise is less than was said. */
      too_small,
      /** A single residual is too large. */
      outlier,
      /** Residuals of a group, or along a coordinate, have a mean or trend. */
      pattern,
      /** Neighbours in time or space have similar residuals. */
      neighbours
    };

    struct Finding
    {
      Test test;
      /** Of this test, all places looked at taken together. */
      double p_value;
      /** \f$\chi^2\f$, or standard deviations, or a correlation. */
      double statistic;
      /** Which measurement, group or coordinate. */
      std::string where;
    };

    /** What was tested; a p-value below level() is a finding. */
    std::vector<Finding> tests;

    static double
    level(const Test test)
    {
      return test == Test::neighbours ? 0.0005 : 0.001;
    }

    std::vector<Finding>
    findings() const;

    /** The law of the errors, if it is not Gaussian: then nothing is tested,
     * since all tests are of Gaussian errors. */
    std::string noise;
    /** Draws whose predictions were looked at; 0 if nothing is known. */
    std::size_t n_draws = 0;
    /** Directions among the measurements that the parameters leave alone. */
    unsigned int n_tested = 0;
    /** Trace of \f$H\f$. */
    double n_effective_parameters = std::numeric_limits<double>::quiet_NaN();
    /** Of the tested directions. */
    double chi_square = std::numeric_limits<double>::quiet_NaN();
    /** Of what chi_square should be, n_tested on average. */
    double
    chi_square_deviation() const
    {
      return std::sqrt(2. * n_tested);
    }
    /** The noise that the residuals suggest, as a multiple of that given. */
    double noise_factor = std::numeric_limits<double>::quiet_NaN();
    /** The same as a standard deviation; not a number if there are several. */
    double suggested_deviation = std::numeric_limits<double>::quiet_NaN(),
           given_deviation     = std::numeric_limits<double>::quiet_NaN();
    bool is_deviation_unknown  = false;
    /** Whether the best draw only was looked at, as chains disagree. */
    bool is_of_best_draw = false;
    /** Factor that would bring predictions near the values, if it is large. */
    double scale_factor = 1.;
    /** By measurement: residual of the mean prediction over its deviation
     * under the law above; not a number where the parameters follow. */
    std::vector<double> residuals;
  };


  /**
   * Looks at the measurements and predictions of a run's coldest rung.
   *
   * @param has_converged Whether means over the draws can be believed. If not,
   * only the best draw is looked at, and only a gross misfit is found.
   */
  ModelFit
  check_fit(const RecordedRun &run, const bool has_converged);

  /**
   * The same from what a record has.
   *
   * @param draws Predictions of the measurements.
   * @param deviations The unknown standard deviation at each of the draws; not
   * used if it is known.
   */
  ModelFit
  judge_fit(const RunDescription            &description,
            std::vector<std::vector<double>> draws,
            const std::vector<double>       &deviations,
            const bool                       has_converged);
} // namespace Tempera

#endif
