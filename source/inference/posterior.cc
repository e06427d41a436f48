// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/inference/posterior.h>

#include <algorithm>

namespace Tempera
{
  StateSpace
  space_of(const std::vector<Unknown> &unknowns)
  {
    std::vector<Coordinate> coordinates;
    for (const Unknown &unknown : unknowns)
      coordinates.push_back(
        {unknown.name, unknown.prior.lower(), unknown.prior.upper(), true});
    return StateSpace(coordinates);
  }



  Posterior::Posterior(const std::vector<Unknown>               &unknowns,
                       std::shared_ptr<const GaussianLikelihood> likelihood,
                       std::shared_ptr<const ForwardModel>       model)
    : unknowns(unknowns)
    , state_space(space_of(unknowns))
    , likelihood(std::move(likelihood))
    , model(std::move(model))
  {
    AssertDimension(this->model->n_parameters() +
                      this->likelihood->has_unknown_deviation(),
                    unknowns.size());
  }



  double
  Posterior::work(const Request request) const
  {
    const SolverWork work = model->work();
    return (request != Request::gradients ? work.prediction : 0.) +
           (request != Request::values ? work.derivative : 0.);
  }



  bool
  Posterior::is_integrable(const Exponents &exponents) const
  {
    return exponents.reference > 0. ||
           std::none_of(unknowns.begin(),
                        unknowns.end(),
                        [](const Unknown &unknown) {
                          return unknown.prior.is_unbounded();
                        });
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
        evaluation.reference = 0.;
        for (unsigned int i = 0; i < unknowns.size(); ++i)
          evaluation.reference += unknowns[i].prior.energy(state[i]);
      }

    if (request != Request::values)
      {
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
        for (unsigned int i = 0; i < unknowns.size(); ++i)
          evaluation.reference_gradient[i] =
            unknowns[i].prior.energy_derivative(state[i]);
        // Nothing asks again.
        evaluation.linearisation.reset();
      }
  }
} // namespace Tempera
