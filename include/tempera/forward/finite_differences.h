// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_forward_finite_differences_h
#define tempera_forward_finite_differences_h

#include <tempera/forward/forward_model.h>

#include <limits>
#include <vector>

namespace dealii
{
  class ParameterHandler;
}

namespace Tempera
{
  /** Points at which a finite difference is taken. */
  enum class DifferenceScheme
  {
    forward,
    central
  };


  /** How to take finite differences. */
  struct FiniteDifferenceParameters
  {
    DifferenceScheme scheme = DifferenceScheme::central;
    /** Step relative to the scale of a parameter; zero for the best one. */
    double relative_step = 0.;

    /** Declare the parameters in the current section. */
    void
    declare(dealii::ParameterHandler &prm);
  };


  /** The scale of a parameter, and the interval that it must not leave. */
  struct ParameterRange
  {
    double scale = 1.;
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
  };


  /**
   * Derivatives of the predictions of any model. The step is relative to the
   * scale of each parameter, by default the one that balances truncation and
   * rounding: \f$\epsilon^{1/2}\f$ for forward and \f$\epsilon^{1/3}\f$ for
   * central differences. At a wall of its interval a parameter steps inwards;
   * central differences then become one-sided ones of second order.
   */
  class FiniteDifferences
  {
  public:
    FiniteDifferences(const FiniteDifferenceParameters &parameters,
                      std::vector<ParameterRange>       ranges);

    /**
     * One column of the Jacobian.
     *
     * @param predictions Of the model at the @p parameters.
     * @param i The parameter.
     */
    void
    column(const ForwardModel                    &model,
           const dealii::ArrayView<const double> &parameters,
           const dealii::ArrayView<const double> &predictions,
           const unsigned int                     i,
           const dealii::ArrayView<double>       &derivative) const;

    bool
    is_central() const
    {
      return central;
    }

  private:
    const bool                        central;
    const double                      relative_step;
    const std::vector<ParameterRange> ranges;
  };


  /**
   * Gives any model a derivative by finite differences. They are taken at once
   * as far as the model allows; the numbers do not depend on it.
   */
  class FiniteDifferenceModel : public ForwardModel
  {
  public:
    FiniteDifferenceModel(std::shared_ptr<const ForwardModel> model,
                          const FiniteDifferenceParameters   &parameters,
                          std::vector<ParameterRange>         ranges);

    unsigned int
    n_parameters() const override;

    unsigned int
    n_predictions() const override;

    std::shared_ptr<const Linearisation>
    evaluate(const dealii::ArrayView<const double> &parameters,
             const dealii::ArrayView<double>       &predictions,
             const bool derivative_follows) const override;

    std::vector<std::vector<double>>
    predict(const std::vector<std::vector<double>> &states) const override
    {
      return model->predict(states);
    }

    unsigned int
    n_together() const override
    {
      return model->n_together();
    }

    SolverWork
    work() const override;

    std::string
    description() const override;

    unsigned int
    n_at_once() const override
    {
      return model->n_at_once();
    }

    std::string
    gradient_method() const override
    {
      return "finite differences";
    }

    bool
    has_fields() const override
    {
      return model->has_fields();
    }

    void
    write_fields(const std::vector<std::vector<double>> &parameters,
                 const FieldFileNames                   &names) const override
    {
      model->write_fields(parameters, names);
    }

  private:
    class Derivative;

    const std::shared_ptr<const ForwardModel> model;
    const FiniteDifferences                   differences;
  };
} // namespace Tempera

#endif
