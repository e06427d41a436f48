// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/sampler/energy.h>

#include <cmath>

namespace Tempera
{
  bool
  Evaluation::is_finite() const
  {
    // A sum is finite only if its terms are, but for overflow, which is as
    // bad; one test at the end keeps the loop free of branches.
    double sum = 0.;
    if (has_values)
      sum += std::abs(reference) + std::abs(potential);
    if (has_gradients)
      for (std::size_t i = 0; i < potential_gradient.size(); ++i)
        sum +=
          std::abs(reference_gradient[i]) + std::abs(potential_gradient[i]);
    return std::isfinite(sum);
  }
} // namespace Tempera
