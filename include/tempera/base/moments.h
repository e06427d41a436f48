// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_moments_h
#define tempera_base_moments_h

#include <cstdint>

namespace Tempera
{
  /** Mean, standard deviation and largest absolute value of what was added. */
  class Moments
  {
  public:
    void
    add(const double value);

    std::uint64_t
    count() const
    {
      return n;
    }

    double
    mean() const
    {
      return running_mean;
    }

    double
    variance() const
    {
      return n > 1 ? sum_of_squares / (n - 1) : 0.;
    }

    double
    standard_deviation() const;

    double
    largest() const
    {
      return largest_absolute;
    }

    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      archive &n &running_mean &sum_of_squares &largest_absolute;
    }

  private:
    std::uint64_t n                = 0;
    double        running_mean     = 0.;
    double        sum_of_squares   = 0.;
    double        largest_absolute = 0.;
  };
} // namespace Tempera

#endif
