// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/replay_schedule.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>

namespace Tempera
{
  namespace
  {
    /** A binomial coefficient; zero for a negative @p k. */
    double
    binomial(const int n, int k)
    {
      k             = std::min(k, n - k);
      double result = k < 0 ? 0. : 1.;
      for (int i = 1; i <= k; ++i)
        result = result * (n - k + i) / i;
      return result;
    }

    /** \f$\beta_f(r)\f$ */
    double
    reach(const int n_free, const int n_times)
    {
      return binomial(n_free - 1 + n_times, n_times) +
             binomial(n_free - 2 + n_times, n_times - 1);
    }

    /** The smallest \f$r\f$ with which all bundles can be read. */
    int
    repetitions(const unsigned int n_wanted, const unsigned int n_free)
    {
      int result = 0;
      while (reach(n_free, result) < n_wanted)
        ++result;
      return result;
    }

    unsigned int
    n_areas_within(const unsigned int n_steps,
                   const unsigned int n_old,
                   const double       n_instants)
    {
      const unsigned int n_bundles = n_steps / n_old + 1;
      if (n_instants >= n_steps + 1.)
        return n_bundles;
      return std::min<double>(n_bundles, n_instants / n_old);
    }
  } // namespace



  ReplaySchedule::ReplaySchedule(const unsigned int n_steps,
                                 const unsigned int n_old,
                                 const double       n_instants)
    : n_steps(n_steps)
    , bundle_size(n_old)
    , n_bundles(n_steps / n_old + 1)
    , n_areas(n_areas_within(n_steps, n_old, n_instants))
  {
    AssertThrow(n_instants >= fewest_instants(n_steps, n_old),
                dealii::ExcMessage("Too few instants to go back."));
  }



  unsigned int
  ReplaySchedule::fewest_instants(const unsigned int n_steps,
                                  const unsigned int n_old)
  {
    return std::min(n_steps + 1, 4 * n_old);
  }



  double
  ReplaySchedule::n_repeated_steps() const
  {
    if (keeps_all())
      return 0.;
    const int m = n_bundles - 1, f = n_areas - 2;
    const int r = repetitions(m, f);
    return bundle_size * (double(r) * m - binomial(f + r - 1, r - 1) -
                          binomial(f + r - 2, r - 2) - (m - 1));
  }



  unsigned int
  ReplaySchedule::distance(const unsigned int n_wanted,
                           const unsigned int n_free)
  {
    if (n_free == 1)
      return 1;
    const int r = repetitions(n_wanted, n_free);
    return std::max(
      {1., r < 2 ? 0. : reach(n_free, r - 2), n_wanted - reach(n_free - 1, r)});
  }
} // namespace Tempera
