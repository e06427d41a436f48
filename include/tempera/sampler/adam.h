// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_adam_h
#define tempera_sampler_adam_h

#include <tempera/sampler/energy.h>

#include <functional>
#include <vector>

namespace Tempera
{
  /** The parameters of Adam. */
  struct AdamParameters
  {
    unsigned int n_iterations  = 2000;
    double       learning_rate = 1e-3;
    /** The last so many unknowns stay where they are. */
    unsigned int n_fixed = 0;
    /** Seed of minibatches. */
    RandomKey key;
  };


  /**
   * Go down the tempered energy by the method Adam (Kingma and Ba, 2015), with
   * a learning rate that falls to a hundredth over the last half. Walls
   * reflect.
   *
   * @param is_stopped Asked now and then, with the steps done.
   * @return The last finite value of the tempered energy; the state is where
   * the way ended. A way that ends in numbers that are not finite is a
   * UserError.
   */
  double
  minimise_by_adam(const Energy                                  &energy,
                   const Exponents                               &exponents,
                   const AdamParameters                          &parameters,
                   std::vector<double>                           &state,
                   const std::function<bool(const unsigned int)> &is_stopped);
} // namespace Tempera

#endif
