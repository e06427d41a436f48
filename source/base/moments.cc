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



  void
  Moments::add(const Moments &others)
  {
    if (others.n == 0)
      return;
    const double total      = double(n) + double(others.n);
    const double difference = others.running_mean - running_mean;
    sum_of_squares +=
      others.sum_of_squares + difference * difference * (n / total) * others.n;
    running_mean += difference * (others.n / total);
    n += others.n;
    largest_absolute = std::max(largest_absolute, others.largest_absolute);
  }



  double
  Moments::standard_deviation() const
  {
    return std::sqrt(variance());
  }
} // namespace Tempera
