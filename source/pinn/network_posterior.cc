// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/pinn/network_posterior.h>

#include <algorithm>
#include <utility>

namespace Tempera
{
  template <typename Number>
  NetworkPosterior<Number>::NetworkPosterior(
    const std::shared_ptr<const NetworkModel> &model,
    std::vector<MisfitSet>                     sets,
    const unsigned int                         batch_size)
    : model(model)
    , state_space(model->prior()->space())
    , batch_size(batch_size)
    , sweep(model, std::move(sets))
    , uniforms(batch_size)
    , batch(batch_size)
  {}



  template <typename Number>
  double
  NetworkPosterior<Number>::work(const Request request) const
  {
    // A sweep back costs as much as two forwards.
    const double factor = request == Request::values ? 1. : 3.;
    double       sum    = 0.;
    for (const MisfitSet &set : sweep.get_sets())
      {
        const double n = set.n_points(model->shape.n_inputs);
        if (set.is_residual && batch_size > 0 && request != Request::values)
          sum += set.rows.n_rows() *
                 (factor * batch_size +
                  (request == Request::values_and_gradients ? n : 0.));
        else
          sum += factor * set.rows.n_rows() * n;
      }
    return sum;
  }



  template <typename Number>
  bool
  NetworkPosterior<Number>::is_integrable(const Exponents &exponents) const
  {
    // The potential is bounded from below, and the weights' prior is Gaussian.
    return exponents.reference > 0.;
  }



  template <typename Number>
  void
  NetworkPosterior<Number>::evaluate(
    const dealii::ArrayView<const double> &state,
    const RandomKey                       &key,
    const Request                          request,
    Evaluation                            &evaluation) const
  {
    const bool with_gradients = request != Request::values,
               with_values    = request != Request::gradients;
    const double reference =
      model->prior_energy(state,
                          with_gradients ? dealii::make_array_view(
                                             evaluation.reference_gradient) :
                                           dealii::ArrayView<double>());

    sweep.set_state(state);
    if (with_gradients)
      sweep.clear_gradient();
    double potential = 0.;
    for (unsigned int set = 0; set < sweep.get_sets().size(); ++set)
      if (batch_size > 0 && with_gradients && sweep.get_sets()[set].is_residual)
        {
          const unsigned int n =
            sweep.get_sets()[set].n_points(model->shape.n_inputs);
          fill_uniforms(key, dealii::make_array_view(uniforms));
          for (unsigned int i = 0; i < batch_size; ++i)
            batch[i] = std::min<unsigned int>(n - 1, n * uniforms[i]);
          sweep.add_points(set, batch, double(n) / batch_size, true);
          if (with_values)
            potential += sweep.add_set(set, false);
        }
      else
        potential += sweep.add_set(set, with_gradients);
    if (with_gradients)
      sweep.get_gradient(
        dealii::make_array_view(evaluation.potential_gradient));
    if (with_values)
      {
        evaluation.reference = reference;
        evaluation.potential = potential;
      }
  }


  template class NetworkPosterior<float>;
  template class NetworkPosterior<double>;
} // namespace Tempera
