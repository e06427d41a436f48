// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_gradient_check_h
#define tempera_study_gradient_check_h

#include <tempera/sampler/energy.h>

#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /** One way to the gradient of a potential. */
  struct GradientMethod
  {
    std::string                   name;
    std::shared_ptr<const Energy> energy;
    /** How exact it claims to be, relative to the gradient. */
    double accuracy = 1e-8;
    /**
     * Factor by which rounding of the potential grows in the gradient, whose
     * parts are scaled: large for finite differences.
     */
    double amplification = 10.;
  };


  /**
   * The gradient of any deterministic energy by central differences, with steps
   * relative to the scale of each unknown.
   */
  GradientMethod
  finite_differences_of(std::shared_ptr<const Energy> energy,
                        std::vector<double>           scales);

  /** What is known of the differences of an energy whose model takes them. */
  GradientMethod
  finite_differences_within(std::shared_ptr<const Energy> energy);


  /** Where gradients are compared. */
  struct GradientPoint
  {
    std::vector<double> state;
    /** Direction of the test by Taylor's formula, with norm 1 when scaled. */
    std::vector<double> direction;
    /** Scale of each unknown, that of its prior. */
    std::vector<double> scales;
    /** How inexact potentials are here by what is known of the solver. */
    double rounding = 0.;
  };


  /** What was found out about one method at one point. */
  struct GradientFinding
  {
    std::string method;
    /** The method that it is compared with. */
    std::string other;
    /**
     * Norm of the difference of the two gradients relative to that of the other
     * one, each part times the scale of its unknown.
     */
    double difference = 0.;
    /** How large the difference may be if both are right. */
    double allowed = 0.;
    /**
     * The order in \f$h\f$ of the remainder
     * \f$|P(\theta + h d) - P(\theta) - h\, g\cdot d|\f$: 2 if the gradient
     * \f$g\f$ is right, 1 if not. NaN where rounding hides it.
     */
    double order = 0.;

    /** Whether the remainder has an order that can be seen, and a wrong one. */
    bool
    has_wrong_order() const;

    /** Whether the method passes. */
    bool
    is_right() const
    {
      return difference <= allowed && !has_wrong_order();
    }
  };


  /**
   * Compare the gradients of one potential by several methods, at least two, at
   * a point: each with the first one, the first one with the last, and each
   * with its own potential by Taylor's formula. Empty if the potential or a
   * gradient is not finite.
   */
  std::vector<GradientFinding>
  compare_gradients(const std::vector<GradientMethod> &methods,
                    const GradientPoint               &point);
} // namespace Tempera

#endif
