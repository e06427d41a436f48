// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_replay_schedule_h
#define tempera_fem_replay_schedule_h

namespace Tempera
{
  /**
   * Which instants to keep so that a trajectory can be read backwards in
   * bounded memory, at the price of some steps that are made again.
   *
   * A scheme that looks back \f$k\f$ instants is restarted from \f$k\f$
   * instants; so many consecutive instants are a <em>bundle</em>, and \f$N\f$
   * steps are \f$B = \lceil (N+1)/k\rceil\f$ bundles. There is room for \f$T\f$
   * of them. Two are the first one and the one that is being read; the other
   * \f$f = T - 2\f$ are snapshots and the memory in which the way from one
   * snapshot to the next is made. To read the \f$m\f$ bundles from a
   * snapshot on, one goes \f$j\f$ bundles forwards, leaves a snapshot there,
   * reads what is above it with what memory remains, then what is below it:
   * \f$R(m,f) = \min_j\, j + R(m-j, f-1) + R(j, f)\f$. As in Griewank's and
   * Walther's algorithm revolve the solution is binomial: no bundle of
   * \f[\beta_f(r) = \binom{f-1+r}{r} + \binom{f-2+r}{r-1}\f] need be made
   * more than \f$r\f$ times, and with the smallest \f$r\f$ that has
   * \f$\beta_f(r)\ge m\f$,
   * \f[R(m,f) = r m - \binom{f+r-1}{r-1} - \binom{f+r-2}{r-2}.\f]
   *
   * Of these, \f$B-2\f$ are the way forwards that is made in any case, so that
   * \f$k\,(R(B-1, T-2) - (B-2))\f$ steps are made again: none if
   * \f$T\ge B\f$, about as many as there are steps with \f$T\approx\sqrt{2B}\f$
   * and \f$N^2/(4k)\f$ with the least memory, \f$T = 4\f$.
   */
  class ReplaySchedule
  {
  public:
    /**
     * @param n_old Number of old instants that a step needs.
     * @param n_instants Largest number of instants that may be kept, at least
     * fewest_instants().
     */
    ReplaySchedule(const unsigned int n_steps,
                   const unsigned int n_old,
                   const double       n_instants);

    /** What is needed at least. */
    static unsigned int
    fewest_instants(const unsigned int n_steps, const unsigned int n_old);

    /** Whether nothing need be made again. */
    bool
    keeps_all() const
    {
      return n_areas >= n_bundles;
    }

    /** How many steps one way back makes again. */
    double
    n_repeated_steps() const;

    /**
     * How far from the present snapshot the next one is left.
     *
     * @param n_wanted Number \f$m > 1\f$ of bundles to be read, that of the
     * snapshot included.
     * @param n_free Number \f$f\f$ of bundles for which there is room.
     */
    static unsigned int
    distance(const unsigned int n_wanted, const unsigned int n_free);

    const unsigned int n_steps;
    /** Levels in a bundle: \f$k\f$. */
    const unsigned int bundle_size;
    /** \f$B\f$ */
    const unsigned int n_bundles;
    /** Bundles for which there is room: \f$T\f$. */
    const unsigned int n_areas;
  };
} // namespace Tempera

#endif
