// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_missed_modes_h
#define tempera_output_missed_modes_h

#include <cstddef>
#include <string>
#include <vector>

namespace Tempera
{
  /** Draws of one rung of one chain, as missed modes are looked for in them. */
  struct RungSample
  {
    /**
     * Of each draw: what takes its weight from the rung's law to that of the
     * coldest rung, log of cold density less that of hot density up to a
     * constant, with the energy of the hot rung's level. Not needed of the
     * coldest rung.
     */
    std::vector<double> log_weights;
    /** By column, in their order in time. */
    std::vector<std::vector<double>> columns;
  };


  /** A half-line on which a hotter rung sees more than the coldest has. */
  struct MissedMode
  {
    /** Of the hotter one. */
    unsigned int rung;
    /** "x", or "principal component 1". */
    std::string direction;
    bool        is_above;
    /** The half-line begins here; of a principal component, in standard
     * deviations of the hotter rung. */
    double bound;
    /** What share the hotter rung expects there, and what the coldest has. */
    double expected, found;
    /** The direction as a function of the columns: the sum of factors times
     * columns less their origins. */
    std::vector<double> origin, factors;

    /** Whether a draw is there. */
    template <typename Column>
    bool
    contains(const Column &column) const
    {
      double place = 0.;
      for (std::size_t i = 0; i < factors.size(); ++i)
        if (factors[i] != 0.)
          place += factors[i] * (column(i) - origin[i]);
      return (place > bound) == is_above;
    }
  };


  /** What hotter rungs say of the coldest one. */
  struct MissedModes
  {
    /** For each direction and rung at most one, where most is missing. */
    std::vector<MissedMode> missed;
    /**
     * Effective size (Kish) of each rung's draws when they are weighted like
     * draws of the coldest; 0 for the coldest itself.
     */
    std::vector<double> kish_sizes;
    /** A half-line is missed if it should have this share at least, and has
     * less than this part of it. */
    static constexpr double least_expected = 0.1, least_found_part = 0.1;

    /** Below this a rung cannot tell. */
    static constexpr double least_kish_size = 20.;

    bool
    can_tell(const unsigned int rung) const
    {
      return kish_sizes[rung] >= least_kish_size;
    }
  };


  /**
   * Looks for posterior mass that hotter rungs have seen and the coldest has
   * not. For each column, and each leading principal component, half-lines
   * begin at 19 quantiles of a hotter rung's draws. The share that each should
   * have follows from that rung, weighted. Mass is missed if that share is at
   * least 0.1, the coldest rung has less than a tenth of it, and it is not the
   * work of a few draws: of 20 batches of draws in their order, at least three
   * carry a twentieth or more of the half-line's weight. A rung whose weighted
   * draws are worth less than 20 cannot tell and says nothing.
   *
   * @param names Of the columns.
   * @param chains By chain and rung, the coldest first.
   */
  MissedModes
  find_missed_modes(const std::vector<std::string>             &names,
                    const std::vector<std::vector<RungSample>> &chains);
} // namespace Tempera

#endif
