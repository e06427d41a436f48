// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_run_description_h
#define tempera_output_run_description_h

#include <deal.II/base/array_view.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  struct Prediction;

  /**
   * What the sinks need to know of a run before it begins. All but the
   * functions is kept with the record of the draws (see description_to_json()),
   * so that whoever reads a record knows it too.
   */
  struct RunDescription
  {
    /** Version of the program. */
    std::string version;
    /** The kind of target, in words. */
    std::string family;
    /** What is sampled, in a few words. */
    std::string title;
    /**
     * The question that the parameter file asks in its opening comment; may be
     * empty. It has no part in what a run is: another one resumes it, too.
     */
    std::string question;
    /** The complete parameters of the run, as a parameter file. */
    std::string parameters;
    /** What the pilots took that found the ladder, in forward solves of the
     * coldest rung's level. */
    double pilot_work = 0.;

    /** Same for runs with the same draws; empty in records of older versions.
     */
    std::string identity;
    /** Whose record it is. */
    unsigned int chain = 0;

    std::uint64_t seed     = 0;
    unsigned int  n_chains = 1;
    /** All rounds of a chain, and how many of them are burn-in. */
    std::uint64_t n_rounds = 0, burn_in = 0;
    std::uint64_t thinning = 1;

    /** Names of the recorded unknowns. */
    std::vector<std::string> names;
    /** Where they stand in a state. */
    std::vector<unsigned int> indices;
    /** Whether there are unknowns that are not recorded, as weights. */
    bool has_unrecorded = false;
    /** Bounds of the recorded unknowns; infinite where there is none. */
    std::vector<double> lower, upper;
    /** Their priors in words; empty if there are none. */
    std::vector<std::string> priors;
    /** Independent draws of each unknown from its prior; may be empty. */
    std::vector<std::vector<double>> prior_draws;

    /**
     * Numbers that follow from a state and are recorded like unknowns, such as
     * what a network predicts at some places.
     */
    std::vector<std::string> derived_names;
    /** Computes them. */
    std::function<void(const dealii::ArrayView<const double> &position,
                       const dealii::ArrayView<double>       &values)>
      derive;

    /** True states, where known. */
    std::vector<std::vector<double>> truth;
    /** Centre and radius, where the answer is known to be a circle. */
    std::vector<double> true_circle;
    /**
     * Where the first two recorded unknowns are a place: the places of the
     * sensors.
     */
    std::vector<std::vector<double>> sensors;

    /** Kernel of each rung. */
    std::vector<std::string> kernels;
    /** Names of the levels. */
    std::vector<std::string> levels;
    /** The level of each rung. */
    std::vector<unsigned int> rung_levels;
    /** Rounds of each rung in a round; empty in records of older versions. */
    std::vector<unsigned int> paces;
    /**
     * So many rungs after the coldest have its target at other levels; all
     * their draws are recorded (RecordedLevelDraw).
     */
    unsigned int n_level_rungs = 0;
    /**
     * Whether the potentials of all rungs are recorded at their own pace
     * (KnownPotential): the evidence needs them, and draws do not hold them
     * all.
     */
    bool has_potentials = false;
    /**
     * What makes the potential minus the logarithm of a density of the
     * measurements, if it is added; not a number where that is not known.
     */
    double likelihood_constant = std::numeric_limits<double>::quiet_NaN();
    /** Whether the prior is a law of its own. */
    bool has_proper_prior = true;
    /** Whether the temperature divides the potential alone. */
    bool tempers_likelihood = false;
    /** Rungs whose draws are recorded: all, the coldest, or none. */
    unsigned int n_recorded_rungs = 1;

    /** One number that was measured and is predicted by every state. */
    struct Measurement
    {
      /** For instance "(0.5, 0.5), t = 0.1". */
      std::string name;
      double      value = 0.;
      /** Standard deviation of its error; 0 if it is unknown. */
      double deviation = 0.;
      /** Coordinates of the sensor; empty in records of older versions. */
      std::vector<double> place;
      /** Not a number if the equation has no time. */
      double time = std::numeric_limits<double>::quiet_NaN();
    };
    std::vector<Measurement> measurements;
    /** Of all their errors, row by row; empty if they are independent. */
    std::vector<std::vector<double>> covariance;
    /** Their law in words, if they are not plainly Gaussian; else empty. */
    std::string noise;
    /** The recorded unknown that is the errors' standard deviation, or -1. */
    int deviation_unknown = -1;

    /** The curve that every state predicts; null if there is none. */
    std::shared_ptr<const Prediction> prediction;
    /** Its length; 0 without a curve, and in records of older versions. */
    unsigned int n_curve = 0;
    /** With a curve: computes the predictions of the measurements. */
    std::function<void(const dealii::ArrayView<const double> &position,
                       const dealii::ArrayView<double>       &values)>
      measure;

    /** All that is recorded: unknowns, then derived numbers. */
    std::vector<std::string>
    columns() const
    {
      std::vector<std::string> result = names;
      result.insert(result.end(), derived_names.begin(), derived_names.end());
      return result;
    }
  };


  /** The description without its functions, as text of JSON. */
  std::string
  description_to_json(const RunDescription &description);

  /** The same back; a UserError if it is not such a text. */
  RunDescription
  description_from_json(const std::string &text);
} // namespace Tempera

#endif
