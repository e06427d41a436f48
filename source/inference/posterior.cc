// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/inference/posterior.h>

#include <cmath>

namespace Tempera
{
  namespace
  {
    /**
     * Rows whose products make Fisher's information about the unknown numbers
     * of the errors, by themselves.
     */
    std::vector<std::vector<double>>
    root_of_noise_information(const Likelihood          &likelihood,
                              const std::vector<double> &predictions,
                              const Likelihood::View    &noise)
    {
      const std::size_t                m = predictions.size(), n = noise.size();
      std::vector<double>              unit(m + n, 0.), column(m + n);
      std::vector<std::vector<double>> rows(n, std::vector<double>(n, 0.));
      for (std::size_t i = 0; i < n; ++i)
        {
          // Cholesky's factor, row by row.
          unit[m + i] = 1.;
          likelihood.apply_information(dealii::make_array_view(predictions),
                                       noise,
                                       dealii::make_array_view(
                                         std::as_const(unit)),
                                       dealii::make_array_view(column));
          unit[m + i] = 0.;
          for (std::size_t j = i; j < n; ++j)
            {
              rows[i][j] = column[m + j];
              for (std::size_t k = 0; k < i; ++k)
                rows[i][j] -= rows[k][i] * rows[k][j];
            }
          const double pivot = rows[i][i];
          for (std::size_t j = i; j < n; ++j)
            rows[i][j] = pivot > 0. ? rows[i][j] / std::sqrt(pivot) : 0.;
        }
      return rows;
    }
  } // namespace



  Posterior::Posterior(std::shared_ptr<const PriorMeasure> prior,
                       std::shared_ptr<const Likelihood>   likelihood,
                       std::shared_ptr<const ForwardModel> model)
    : prior(std::move(prior))
    , likelihood(std::move(likelihood))
    , model(std::move(model))
  {
    AssertDimension(this->model->n_parameters() +
                      this->likelihood->n_unknowns(),
                    space().dimension());
  }



  Posterior::Posterior(const std::vector<Unknown>         &unknowns,
                       std::shared_ptr<const Likelihood>   likelihood,
                       std::shared_ptr<const ForwardModel> model)
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
    const dealii::ArrayView<const double> noise = likelihood->noise_of(state);

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
                             noise);
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
        likelihood->derivative(
          dealii::make_array_view(std::as_const(evaluation.predictions)),
          noise,
          dealii::make_array_view(weights),
          dealii::ArrayView<double>(evaluation.potential_gradient.data() + n,
                                    noise.size()));
        linearisation.apply_transpose(
          dealii::make_array_view(std::as_const(weights)),
          dealii::ArrayView<double>(evaluation.potential_gradient.data(), n));
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
                            likelihood->noise_of(
                              dealii::make_array_view(states[i])))});
    return result;
  }



  std::vector<std::vector<double>>
  Posterior::sensitivities(const dealii::ArrayView<const double> &state) const
  {
    const unsigned int                    n     = model->n_parameters();
    const dealii::ArrayView<const double> noise = likelihood->noise_of(state);
    std::vector<double>                   predictions(model->n_predictions()),
      weights(predictions.size());
    const auto linearisation =
      model->evaluate(dealii::ArrayView<const double>(state.data(), n),
                      dealii::make_array_view(predictions),
                      true);
    if (linearisation == nullptr ||
        !std::isfinite(likelihood->misfit(
          dealii::make_array_view(std::as_const(predictions)), noise)))
      return {};
    std::vector<std::vector<double>> rows;
    for (std::size_t k = 0; k < weights.size(); ++k)
      {
        rows.emplace_back(state.size(), 0.);
        likelihood->whitening_weights(k,
                                      dealii::make_array_view(
                                        std::as_const(predictions)),
                                      noise,
                                      dealii::make_array_view(weights));
        linearisation->apply_transpose(
          dealii::make_array_view(std::as_const(weights)),
          dealii::ArrayView<double>(rows.back().data(), n));
      }
    for (std::vector<double> &row :
         root_of_noise_information(*likelihood, predictions, noise))
      {
        row.insert(row.begin(), n, 0.);
        rows.push_back(std::move(row));
      }
    return rows;
  }
} // namespace Tempera
