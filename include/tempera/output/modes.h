// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_modes_h
#define tempera_output_modes_h

#include <cstddef>
#include <functional>
#include <vector>

namespace Tempera
{
  /** A separate answer: a heap of draws around a peak of the density. */
  struct Mode
  {
    /** Mean of its draws, by column. */
    std::vector<double> centre;
    /** Part of all draws that belong to it. */
    double share;
    /**
     * Monte Carlo standard error of the share, from the effective size of
     * "belongs to it"; not a number if chains never change modes.
     */
    double error;
    /** \f$\hat R\f$ of "belongs to it". */
    double r_hat;
    /** Effective size of "belongs to it". */
    double effective_size;
  };


  /** The separate answers among draws of several chains. */
  struct Modes
  {
    /** The largest first; one if there is no reason for more, none without
     * draws. */
    std::vector<Mode> modes;
    /** By chain and draw: to which mode it belongs. */
    std::vector<std::vector<unsigned int>> labels;
    /** To which mode any other place belongs, given by its columns. */
    std::function<unsigned int(const std::vector<double> &)> mode_of;
  };

  /**
   * Finds the modes of draws without being told how many there are.
   *
   * A subset of the draws of all chains is looked at. The density at each of
   * them follows from the distance to its neighbours. From the highest one
   * down, a draw joins the heap of its highest neighbour; two heaps that meet
   * are one unless the lower of their peaks is clearly above the place where
   * they meet (Chazal, Guibas, Oudot and Skraba, 2013). What is left with few
   * draws is no mode. All other draws belong to the mode of the nearest of the
   * subset.
   *
   * Columns are compared in units of their narrowest heap, not of their
   * standard deviation, which would squeeze answers that are far apart.
   *
   * @param chains By chain and column: the draws, in their order.
   */
  Modes
  find_modes(const std::vector<std::vector<std::vector<double>>> &chains);
} // namespace Tempera

#endif
