// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_draws_so_far_h
#define tempera_output_draws_so_far_h

#include <tempera/output/analysis.h>

#include <cstdint>
#include <string>

namespace Tempera
{
  /**
   * How much the draws of a run are worth: of all unknowns, derived numbers,
   * the energy and the shares of modes, the one that is known worst.
   */
  class DrawsSoFar
  {
  public:
    explicit DrawsSoFar(const Analysis &analysis);

    /**
     * The least effective size, of the bulk or for the mean; zero if one is
     * not known.
     */
    double
    get_effective_draws() const
    {
      return effective_draws;
    }

    /** Whether they are as many, and whether all starts agree. */
    bool
    is_enough(const double n_wanted) const;

    /** In which round that will be; not before the next look. */
    std::uint64_t
    expected_rounds(const double n_wanted) const;

    /**
     * "213 of 1000 effective draws (fewest: 'x'), R-hat 1.02 ('y')".
     *
     * @param n_wanted Zero if no number was asked for.
     */
    std::string
    text(const double n_wanted) const;

  private:
    void
    add(const std::string &what, const double size, const double r_hat);

    const std::uint64_t burn_in, kept_rounds;
    double              effective_draws, r_hat = 0., replica_r_hat;
    /** What has fewest draws, and what agrees least. */
    std::string fewest, worst;
  };
} // namespace Tempera

#endif
