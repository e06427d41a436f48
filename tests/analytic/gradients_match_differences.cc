// SPDX-License-Identifier: LGPL-2.1-or-later

// Every registered energy, with a Gaussian prior and bias on top: the gradient
// is that of the value (central differences), the parts are separate. With
// noise on top too: asking for values and gradients in turn gives the same as
// asking once, and the noise is normal.

#include "tests.h"

#include <tempera/analytic/analytic_energy.h>
#include <tempera/analytic/decorators.h>

using namespace Tempera;
using namespace Tempera::Testing;

int
main()
{
  RandomKey key;
  for (const std::string &name : AnalyticRegistry::names())
    {
      ReferenceParameters reference;
      reference.standard_deviation = 2.;
      std::shared_ptr<const Energy> energy =
        AnalyticRegistry::create(name)->create(reference);
      energy = std::make_shared<BiasedEnergy>(energy, 0.3, 1.7);

      const NoisyEnergy noisy(energy, 0.5, 2.);

      const unsigned int n = energy->space().dimension();
      Evaluation         here, ahead, behind, in_turn;
      for (Evaluation *e : {&here, &ahead, &behind, &in_turn})
        {
          e->reference_gradient.resize(n);
          e->potential_gradient.resize(n);
        }

      double              error = 0.;
      bool                same  = true;
      std::vector<double> state(n);
      for (key.round = 0; key.round < 20; ++key.round)
        {
          fill_normals(key, dealii::make_array_view(state));
          const auto view = dealii::make_array_view(std::as_const(state));
          noisy.evaluate(view, key, Request::values_and_gradients, here);
          noisy.evaluate(view, key, Request::values, in_turn);
          noisy.evaluate(view, key, Request::gradients, in_turn);
          same = same && here.energy() == in_turn.energy() &&
                 here.potential_gradient == in_turn.potential_gradient &&
                 here.reference_gradient == in_turn.reference_gradient;
          energy->evaluate(view, key, Request::values_and_gradients, here);
          for (unsigned int i = 0; i < n; ++i)
            {
              const double h = 1e-5, x = state[i];
              state[i] = x + h;
              energy->evaluate(view, key, Request::values, ahead);
              state[i] = x - h;
              energy->evaluate(view, key, Request::values, behind);
              state[i]           = x;
              const auto compare = [&](const double derivative,
                                       const double plus,
                                       const double minus) {
                error =
                  std::max(error,
                           std::abs(derivative - (plus - minus) / (2. * h)) /
                             (1. + std::abs(derivative)));
              };
              compare(here.potential_gradient[i],
                      ahead.potential,
                      behind.potential);
              compare(here.reference_gradient[i],
                      ahead.reference,
                      behind.reference);
            }
        }
      check(name + ": gradient", error < 1e-7, std::to_string(error));
      check(name + ": values and gradients in turn", same);

      energy->evaluate(dealii::make_array_view(std::as_const(state)),
                       key,
                       Request::values_and_gradients,
                       here);
      std::vector<double> noise, gradient_noise;
      for (key.round = 0; key.round < 20000; ++key.round)
        {
          noisy.evaluate(dealii::make_array_view(std::as_const(state)),
                         key,
                         Request::values_and_gradients,
                         ahead);
          noise.push_back((ahead.potential - here.potential) / 0.5);
          gradient_noise.push_back(
            (ahead.potential_gradient[0] - here.potential_gradient[0]) / 2.);
        }
      check(name + ": noise is normal and keyed",
            kolmogorov_smirnov(noise, normal_cdf) > 1e-6 &&
              kolmogorov_smirnov(gradient_noise, normal_cdf) > 1e-6);
    }
  return result();
}
