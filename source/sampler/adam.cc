// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/sampler/adam.h>

#include <cmath>
#include <utility>

namespace Tempera
{
  double
  minimise_by_adam(const Energy                                  &energy,
                   const Exponents                               &exponents,
                   const AdamParameters                          &parameters,
                   std::vector<double>                           &state,
                   const std::function<bool(const unsigned int)> &is_stopped)
  {
    // As the authors recommend.
    constexpr double first_decay = 0.9, second_decay = 0.999, offset = 1e-8;
    constexpr double last_rate = 0.01;

    const std::size_t   d        = state.size();
    const std::size_t   n_moving = d - parameters.n_fixed;
    std::vector<double> first(d, 0.), second(d, 0.);
    Evaluation          evaluation;
    evaluation.reference_gradient.resize(d);
    evaluation.potential_gradient.resize(d);

    RandomKey    key   = parameters.key;
    double       power = 1., second_power = 1.;
    const double n = parameters.n_iterations;
    for (unsigned int k = 0; k < parameters.n_iterations; ++k)
      {
        if (k % 16 == 0 && is_stopped(k))
          break;
        key.round = k;
        energy.evaluate(dealii::make_array_view(std::as_const(state)),
                        key,
                        energy.has_noisy_gradients() ?
                          Request::gradients :
                          Request::values_and_gradients,
                        evaluation);
        power *= first_decay;
        second_power *= second_decay;
        const double progress = k < n / 2. ? 0. : 2. * k / n - 1.;
        const double rate =
          parameters.learning_rate * std::pow(last_rate, progress);
        double sum = 0.;
        for (std::size_t i = 0; i < d; ++i)
          {
            const double g =
              exponents.reference * evaluation.reference_gradient[i] +
              exponents.potential * evaluation.potential_gradient[i];
            first[i]  = first_decay * first[i] + (1. - first_decay) * g;
            second[i] = second_decay * second[i] + (1. - second_decay) * g * g;
            state[i] -= (i < n_moving ? rate : 0.) * first[i] / (1. - power) /
                        (std::sqrt(second[i] / (1. - second_power)) + offset);
            sum += g;
          }
        if (!std::isfinite(sum))
          throw UserError(
            "The warm start by Adam has diverged: after " + counted(k, "step") +
            " the gradient of the energy is not finite. Lower 'Learning "
            "rate' (now " +
            to_text(parameters.learning_rate, 4) + ").");
        energy.space().reflect(dealii::make_array_view(state));
      }
    energy.evaluate(dealii::make_array_view(std::as_const(state)),
                    key,
                    Request::values,
                    evaluation);
    return evaluation.tempered(exponents);
  }
} // namespace Tempera
