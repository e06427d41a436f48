// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/beside.h>
#include <tempera/base/failure_reason.h>
#include <tempera/base/patterns.h>
#include <tempera/base/words.h>
#include <tempera/forward/finite_differences.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>

namespace Tempera
{
  void
  FiniteDifferenceParameters::declare(dealii::ParameterHandler &prm)
  {
    declare_choice<DifferenceScheme>(
      prm,
      "Finite difference scheme",
      scheme,
      {{"forward", DifferenceScheme::forward},
       {"central", DifferenceScheme::central}},
      "Forward differences cost one more solve per unknown, central ones two, and are far more accurate.");
    prm.add_parameter(
      "Finite difference step",
      relative_step,
      "Step relative to the scale of an unknown (the width of its uniform prior, or its standard deviation). 0: the one that balances truncation and rounding.",
      dealii::Patterns::Double(0., 0.1));
  }



  FiniteDifferences::FiniteDifferences(
    const FiniteDifferenceParameters &parameters,
    std::vector<ParameterRange>       ranges)
    : central(parameters.scheme == DifferenceScheme::central)
    , relative_step(parameters.relative_step > 0. ?
                      parameters.relative_step :
                      std::pow(std::numeric_limits<double>::epsilon(),
                               central ? 1. / 3. : 1. / 2.))
    , ranges(std::move(ranges))
  {}



  void
  FiniteDifferences::column(const ForwardModel                    &model,
                            const dealii::ArrayView<const double> &parameters,
                            const dealii::ArrayView<const double> &predictions,
                            const unsigned int                     i,
                            const dealii::ArrayView<double> &derivative) const
  {
    AssertDimension(ranges.size(), parameters.size());
    const ParameterRange &range = ranges[i];
    std::vector<double>   moved(parameters.begin(), parameters.end());
    std::vector<double>   values(predictions.size());

    // Add a multiple of the change of the predictions at a distance.
    const auto add = [&](const double factor, const double distance) {
      moved[i] = parameters[i] + distance;
      model.evaluate(dealii::make_array_view(std::as_const(moved)),
                     dealii::make_array_view(values),
                     false);
      for (unsigned int k = 0; k < values.size(); ++k)
        derivative[k] += factor * (values[k] - predictions[k]);
    };

    // A step that the number can represent exactly.
    volatile double end  = parameters[i] + relative_step * range.scale;
    double          step = end - parameters[i];
    if (step == 0.)
      step =
        std::nextafter(parameters[i], std::numeric_limits<double>::infinity()) -
        parameters[i];
    const double reach     = central ? 2. * step : step;
    const bool   can_raise = parameters[i] + step <= range.upper;
    const bool   can_lower = parameters[i] - step >= range.lower;

    std::fill(derivative.begin(), derivative.end(), 0.);
    if (central && can_raise && can_lower)
      {
        add(0.5 / step, step);
        add(-0.5 / step, -step);
      }
    else
      {
        const double h = parameters[i] + reach <= range.upper ? step : -step;
        add((central ? 2. : 1.) / h, h);
        if (central)
          add(-0.5 / h, 2. * h);
      }
  }



  /** The model around one point. */
  class FiniteDifferenceModel::Derivative : public Linearisation
  {
  public:
    Derivative(const FiniteDifferenceModel           &model,
               const dealii::ArrayView<const double> &parameters,
               const dealii::ArrayView<double>       &predictions)
      : model(model)
      , parameters(parameters.begin(), parameters.end())
      , predictions(predictions.begin(), predictions.end())
    {}

    void
    apply_transpose(const dealii::ArrayView<const double> &weights,
                    const dealii::ArrayView<double> &gradient) const override
    {
      std::call_once(is_made, [this]() { make_jacobian(); });
      for (unsigned int i = 0; i < parameters.size(); ++i)
        gradient[i] = std::inner_product(jacobian[i].begin(),
                                         jacobian[i].end(),
                                         weights.begin(),
                                         0.);
    }

  private:
    /** Once, however many products are asked for. */
    void
    make_jacobian() const
    {
      jacobian.assign(parameters.size(),
                      std::vector<double>(predictions.size()));
      // Each parameter is somebody's, whoever comes first.
      std::atomic<unsigned int> next(0);
      const auto                take_columns = [&]() {
        for (unsigned int i = next++; i < parameters.size(); i = next++)
          model.differences.column(*model.model,
                                   dealii::make_array_view(parameters),
                                   dealii::make_array_view(predictions),
                                   i,
                                   dealii::make_array_view(jacobian[i]));
      };
      std::vector<std::future<void>> others;
      const std::size_t              n_threads =
        std::min<std::size_t>(model.n_at_once(), parameters.size());
      for (std::size_t i = 1; i < n_threads; ++i)
        others.push_back(std::async(beside(), take_columns));
      // All must have come back before anything that failed is told.
      std::exception_ptr failure;
      const auto         attempt = [&](const auto &act) {
        try
          {
            act();
          }
        catch (...)
          {
            failure = std::current_exception();
          }
      };
      attempt(take_columns);
      for (std::future<void> &other : others)
        attempt([&]() { other.get(); });
      if (failure)
        std::rethrow_exception(failure);
    }

    const FiniteDifferenceModel &model;
    const std::vector<double>    parameters;
    const std::vector<double>    predictions;

    mutable std::once_flag is_made;
    /** A column for each parameter. */
    mutable std::vector<std::vector<double>> jacobian;
  };



  FiniteDifferenceModel::FiniteDifferenceModel(
    std::shared_ptr<const ForwardModel> model,
    const FiniteDifferenceParameters   &parameters,
    std::vector<ParameterRange>         ranges)
    : model(std::move(model))
    , differences(parameters, std::move(ranges))
  {}



  unsigned int
  FiniteDifferenceModel::n_parameters() const
  {
    return model->n_parameters();
  }



  unsigned int
  FiniteDifferenceModel::n_predictions() const
  {
    return model->n_predictions();
  }



  std::shared_ptr<const Linearisation>
  FiniteDifferenceModel::evaluate(
    const dealii::ArrayView<const double> &parameters,
    const dealii::ArrayView<double>       &predictions,
    const bool) const
  {
    const auto inner = model->evaluate(parameters, predictions, false);
    // Where there is no solution there is no derivative either.
    if (!failure_reason_of(inner.get()).empty())
      return inner;
    return std::make_shared<Derivative>(*this, parameters, predictions);
  }



  SolverWork
  FiniteDifferenceModel::work() const
  {
    SolverWork result = model->work();
    result.derivative =
      (differences.is_central() ? 2 : 1) * n_parameters() * result.prediction;
    return result;
  }



  std::string
  FiniteDifferenceModel::description() const
  {
    return model->description() + ", gradient by " +
           (differences.is_central() ? "central" : "forward") + " differences";
  }
} // namespace Tempera
