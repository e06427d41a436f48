// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/moments.h>

#include <algorithm>
#include <cmath>

namespace Tempera
{
  void
  Moments::add(const double value)
  {
    ++n;
    const double deviation = value - running_mean;
    running_mean += deviation / n;
    sum_of_squares += deviation * (value - running_mean);
    largest_absolute = std::max(largest_absolute, std::abs(value));
  }



  double
  Moments::standard_deviation() const
  {
    return std::sqrt(variance());
  }
} // namespace Tempera
