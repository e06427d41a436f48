// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_marginal_h
#define tempera_output_marginal_h

#include <tempera/base/moments.h>

#include <string>
#include <vector>

namespace Tempera
{
  /**
   * The marginal distribution of one number, from a stream of draws in bounded
   * memory: moments of all draws, quantiles of an evenly spaced subset.
   */
  class Marginal
  {
  public:
    void
    add(const double value);

    const Moments &
    moments() const
    {
      return all;
    }

    /** The subset of the draws, in their order, evenly spaced. */
    const std::vector<double> &
    get_subset() const
    {
      return subset;
    }

    /** The quantile of a probability; needs at least one draw. */
    double
    quantile(const double probability) const;

    /**
     * A histogram of the central 99 % of the draws, @p width characters wide.
     */
    std::string
    sketch(const unsigned int width) const;

  private:
    /** Which of the sorted subset is the quantile. */
    std::size_t
    place_of(const double probability) const;

    Moments             all;
    std::vector<double> subset;
    /** One of so many draws is in the subset. */
    std::uint64_t stride = 1;
  };
} // namespace Tempera

#endif
