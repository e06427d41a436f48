// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_normal_law_h
#define tempera_sampler_normal_law_h

#include <tempera/sampler/fitted_mixture.h>
#include <tempera/sampler/kernel.h>

namespace Tempera
{
  /**
   * Go from a state to a maximum of the rung's density by Newton's method, and
   * make a normal law of the Hessian there. Hessians are differences of
   * gradients, one more of them than there are unknowns; where they are not
   * positive, their eigenvalues are taken positive. All is done in units of the
   * prior, or in those in which the Hessian's diagonal is one, so that scales
   * do not matter. No unknown is wider than its bounds. Unlike
   * LaplaceApproximation it needs neither a Gaussian prior nor sensitivities,
   * and is for some hundred unknowns at most.
   *
   * @param replica Ends at the highest density that was found.
   * @param trial Memory.
   * @param outcome Takes note of evaluations.
   * @return Empty if there is no finite gradient on the way.
   */
  FittedMixture
  find_normal_law(const StepContext &context,
                  Replica           &replica,
                  Replica           &trial,
                  StepOutcome       &outcome);
} // namespace Tempera

#endif
