// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/inference/posterior.h>

#include <cmath>

namespace Tempera
{
  Posterior::Posterior(std::shared_ptr<const PriorMeasure>       prior,
                       std::shared_ptr<const GaussianLikelihood> likelihood,
                       std::shared_ptr<const ForwardModel>       model)
    : prior(std::move(prior))
    , likelihood(std::move(likelihood))
    , model(std::move(model))
  {
    AssertDimension(this->model->n_parameters() +
                      this->likelihood->has_unknown_deviation(),
                    space().dimension());
  }



  Posterior::Posterior(const std::vector<Unknown>               &unknowns,
                       std::shared_ptr<const GaussianLikelihood> likelihood,
                       std::shared_ptr<const ForwardModel>       model)
    : Posterior(std::make_shared<IndependentPrior>(unknowns),
                std::move(likelihood),
                std::move(model))
  {}



  double
  Posterior::work(const Request request) const
  {
    const SolverWork work = model->work();
    return (request != Request::gradients ? work.prediction : 0.) +
           (request != Request::values ? work.derivative : 0.);
  }



  void
  Posterior::evaluate(const dealii::ArrayView<const double> &state,
                      const RandomKey &,
                      const Request request,
                      Evaluation   &evaluation) const
  {
    const unsigned int                    n = model->n_parameters();
    const dealii::ArrayView<const double> parameters(state.data(), n);
    const bool   has_deviation = likelihood->has_unknown_deviation();
    const double deviation     = has_deviation ? state[n] : 0.;

    if (request != Request::gradients)
      {
        evaluation.predictions.resize(model->n_predictions());
        const auto linearisation =
          model->evaluate(parameters,
                          dealii::make_array_view(evaluation.predictions),
                          request == Request::values_and_gradients);
        reason = failure_reason_of(linearisation.get());
        evaluation.linearisation =
          std::const_pointer_cast<Linearisation>(linearisation);
        evaluation.potential =
          likelihood->misfit(dealii::make_array_view(
                               std::as_const(evaluation.predictions)),
                             deviation);
        evaluation.reference =
          prior->energy(state,
                        request == Request::values ?
                          dealii::ArrayView<double>() :
                          dealii::make_array_view(
                            evaluation.reference_gradient));
      }

    if (request != Request::values)
      {
        if (evaluation.linearisation == nullptr)
          throw UserError("The forward model (" + model->description() +
                          ") has no derivative, but the kernel needs one. "
                          "Choose a kernel that needs none, or give the model "
                          "one, for instance with FiniteDifferenceModel.");
        const auto &linearisation =
          *static_cast<const Linearisation *>(evaluation.linearisation.get());
        std::vector<double> weights(evaluation.predictions.size());
        const double        slope =
          likelihood->derivative(dealii::make_array_view(
                                   std::as_const(evaluation.predictions)),
                                 deviation,
                                 dealii::make_array_view(weights));
        linearisation.apply_transpose(
          dealii::make_array_view(std::as_const(weights)),
          dealii::ArrayView<double>(evaluation.potential_gradient.data(), n));
        if (has_deviation)
          evaluation.potential_gradient[n] = slope;
        if (request == Request::gradients)
          prior->energy(state,
                        dealii::make_array_view(evaluation.reference_gradient));
        // Nothing asks again.
        evaluation.linearisation.reset();
      }
  }



  std::vector<EnergyValues>
  Posterior::values_at(const std::vector<std::vector<double>> &states) const
  {
    const auto                predictions = model->predict(states);
    std::vector<EnergyValues> result;
    for (std::size_t i = 0; i < states.size(); ++i)
      result.push_back(
        {prior->energy(dealii::make_array_view(states[i]), {}),
         likelihood->misfit(dealii::make_array_view(predictions[i]),
                            likelihood->has_unknown_deviation() ?
                              states[i][model->n_parameters()] :
                              0.)});
    return result;
  }



  std::vector<std::vector<double>>
  Posterior::sensitivities(const dealii::ArrayView<const double> &state) const
  {
    const unsigned int  n         = model->n_parameters();
    const double        deviation = state.size() > n ? state[n] : 0.;
    std::vector<double> predictions(model->n_predictions()),
      weights(predictions.size());
    const auto linearisation =
      model->evaluate(dealii::ArrayView<const double>(state.data(), n),
                      dealii::make_array_view(predictions),
                      true);
    if (linearisation == nullptr ||
        !std::isfinite(likelihood->misfit(
          dealii::make_array_view(std::as_const(predictions)), deviation)))
      return {};
    std::vector<std::vector<double>> rows;
    for (std::size_t k = 0; k < weights.size(); ++k)
      {
        rows.emplace_back(state.size(), 0.);
        likelihood->whitening_weights(k,
                                      deviation,
                                      dealii::make_array_view(weights));
        linearisation->apply_transpose(
          dealii::make_array_view(std::as_const(weights)),
          dealii::ArrayView<double>(rows.back().data(), n));
      }
    return rows;
  }
} // namespace Tempera
