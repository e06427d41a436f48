// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/patterns.h>
#include <tempera/forward/finite_differences.h>

#include <cmath>

namespace Tempera
{
  void
  FiniteDifferenceParameters::declare(dealii::ParameterHandler &prm)
  {
    prm.add_parameter(
      "Finite difference scheme",
      scheme,
      "Forward differences cost one more solve per unknown, central ones two, and are far more accurate.",
      one_of({"forward", "central"}));
    prm.add_parameter(
      "Finite difference step",
      relative_step,
      "Step relative to the scale of an unknown (the width of its uniform prior, or its standard deviation). 0: the one that balances truncation and rounding.",
      dealii::Patterns::Double(0., 0.1));
  }



  /** The model around one point. */
  class FiniteDifferenceModel::Differences : public Linearisation
  {
  public:
    Differences(const FiniteDifferenceModel           &model,
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
      std::vector<double> moved = parameters;
      std::vector<double> values(predictions.size());

      // The weighted sum of the predictions at a distance from here.
      const auto weighted = [&](const unsigned int i, const double distance) {
        moved[i] = parameters[i] + distance;
        model.model->evaluate(dealii::make_array_view(std::as_const(moved)),
                              dealii::make_array_view(values),
                              false);
        moved[i]   = parameters[i];
        double sum = 0.;
        for (unsigned int k = 0; k < values.size(); ++k)
          sum += weights[k] * (values[k] - predictions[k]);
        return sum;
      };

      for (unsigned int i = 0; i < parameters.size(); ++i)
        {
          const ParameterRange &range = model.ranges[i];
          // A step that the number can represent exactly.
          volatile double end =
            parameters[i] + model.relative_step * range.scale;
          double step = end - parameters[i];
          if (step == 0.)
            step = std::nextafter(parameters[i],
                                  std::numeric_limits<double>::infinity()) -
                   parameters[i];
          const double reach     = model.central ? 2. * step : step;
          const bool   can_raise = parameters[i] + step <= range.upper;
          const bool   can_lower = parameters[i] - step >= range.lower;
          if (model.central && can_raise && can_lower)
            gradient[i] =
              (weighted(i, step) - weighted(i, -step)) / (2. * step);
          else
            {
              const double h =
                parameters[i] + reach <= range.upper ? step : -step;
              gradient[i] =
                model.central ?
                  (4. * weighted(i, h) - weighted(i, 2. * h)) / (2. * h) :
                  weighted(i, h) / h;
            }
        }
    }

  private:
    const FiniteDifferenceModel &model;
    const std::vector<double>    parameters;
    const std::vector<double>    predictions;
  };



  FiniteDifferenceModel::FiniteDifferenceModel(
    std::shared_ptr<const ForwardModel> model,
    const FiniteDifferenceParameters   &parameters,
    std::vector<ParameterRange>         ranges)
    : model(std::move(model))
    , central(parameters.scheme == "central")
    , relative_step(parameters.relative_step > 0. ?
                      parameters.relative_step :
                      std::pow(std::numeric_limits<double>::epsilon(),
                               central ? 1. / 3. : 1. / 2.))
    , ranges(std::move(ranges))
  {
    AssertDimension(this->ranges.size(), this->model->n_parameters());
  }



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
    model->evaluate(parameters, predictions, false);
    return std::make_shared<Differences>(*this, parameters, predictions);
  }



  SolverWork
  FiniteDifferenceModel::work() const
  {
    SolverWork result = model->work();
    result.derivative = (central ? 2 : 1) * n_parameters() * result.prediction;
    return result;
  }



  std::string
  FiniteDifferenceModel::description() const
  {
    return model->description() + ", gradient by " +
           (central ? "central" : "forward") + " differences";
  }
} // namespace Tempera
