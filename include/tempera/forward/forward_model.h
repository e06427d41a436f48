// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_forward_forward_model_h
#define tempera_forward_forward_model_h

#include <deal.II/base/array_view.h>

#include <memory>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * The derivative of a ForwardModel at one value of the parameters. It keeps
   * what the evaluation has found (a trajectory, a Jacobian), so that the
   * derivative costs no second forward solve.
   */
  class Linearisation
  {
  public:
    virtual ~Linearisation() = default;

    /** \f$J^T w\f$ with the Jacobian \f$J\f$ of the predictions. */
    virtual void
    apply_transpose(const dealii::ArrayView<const double> &weights,
                    const dealii::ArrayView<double>       &gradient) const = 0;
  };


  /** What one evaluation of a ForwardModel costs. */
  struct SolverWork
  {
    /** Of the predictions: unknowns of the mesh times time steps. */
    double prediction = 1.;
    /** Of \f$J^T w\f$, in the same unit. */
    double derivative = 1.;
    /** Before the first evaluation. */
    double set_up = 0.;
  };


  /** Where field files go, what they are called, and how many there are. */
  struct FieldFileNames
  {
    /** Folder that the files go to. */
    std::string folder;
    /** First part of their names. */
    std::string stem;
    /** At how many times a field is written, the last one included. */
    unsigned int n_times = 10;
  };


  /**
   * Predicts the measurements from the parameters: a solver with its mesh and
   * its sensors. A pure function of the parameters. Where there is no solution,
   * predictions are not finite, or evaluate() throws a SolveFailed.
   */
  class ForwardModel
  {
  public:
    virtual ~ForwardModel() = default;

    virtual unsigned int
    n_parameters() const = 0;

    virtual unsigned int
    n_predictions() const = 0;

    /**
     * Fill the predictions.
     *
     * @param derivative_follows Whether the derivative will surely be asked
     * for; then it may be prepared on the way. It can be asked for in any
     * case.
     * @return The derivative, or a null pointer if the model has none.
     */
    virtual std::shared_ptr<const Linearisation>
    evaluate(const dealii::ArrayView<const double> &parameters,
             const dealii::ArrayView<double>       &predictions,
             const bool derivative_follows) const = 0;

    /**
     * Predictions at several values of the parameters, for which some models
     * take less time than for one after the other. What is predicted at one
     * does not depend on the others, bit by bit; it may differ from that of
     * evaluate() by rounding.
     *
     * @param states Each begins with the parameters.
     */
    virtual std::vector<std::vector<double>>
    predict(const std::vector<std::vector<double>> &states) const
    {
      std::vector<std::vector<double>> result;
      for (const std::vector<double> &state : states)
        {
          result.emplace_back(n_predictions());
          evaluate(
            dealii::ArrayView<const double>(state.data(), n_parameters()),
            dealii::ArrayView<double>(result.back().data(), n_predictions()),
            false);
        }
      return result;
    }

    /** How many values of the parameters predict() likes to get. */
    virtual unsigned int
    n_together() const
    {
      return 1;
    }

    /** Whether a derivative costs as much again as the predictions. */
    virtual bool
    derivative_is_separate() const
    {
      return true;
    }

    /** Whether evaluate() returns a derivative. */
    virtual bool
    has_derivative() const
    {
      return true;
    }

    /** How the derivative is computed, in a word or two; may be empty. */
    virtual std::string
    gradient_method() const
    {
      return "";
    }

    /** As many threads may call evaluate() at once. */
    virtual unsigned int
    n_at_once() const
    {
      return 1;
    }

    /** Whether write_fields() does anything. */
    virtual bool
    has_fields() const
    {
      return false;
    }

    /**
     * Solve for each of some values of the parameters and write the mean of the
     * solutions and, if there are several, their standard deviation as files
     * for pictures.
     */
    virtual void
    write_fields(const std::vector<std::vector<double>> &parameters,
                 const FieldFileNames                   &names) const
    {
      (void)parameters;
      (void)names;
    }

    virtual SolverWork
    work() const
    {
      return SolverWork();
    }

    /** One line about how predictions and derivatives are computed. */
    virtual std::string
    description() const = 0;
  };
} // namespace Tempera

#endif
