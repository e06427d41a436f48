// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_sampler_signals_h
#define tempera_sampler_signals_h

#include <tempera/base/archive.h>
#include <tempera/base/moments.h>

#include <deal.II/base/array_view.h>

#include <boost/signals2.hpp>
#include <boost/signals2/dummy_mutex.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace Tempera
{
  /** The state of one rung at the end of a round. */
  struct Draw
  {
    unsigned int rung;
    /** Which replica is at the rung. */
    unsigned int replica;
    /** Rounds done, counted from 1. */
    std::uint64_t round;
    bool          is_burn_in;
    /** The two parts of the energy, of the rung's own level. */
    double reference, potential;
    double step_size;
    /**
     * Mean over the steps since the last draw of the rung; not a number if it
     * is unknown.
     */
    double acceptance;
    /** Proposals since the last draw without a finite energy and gradient. */
    std::uint32_t non_finite;
    /** All unknowns, nuisance ones too. */
    dealii::ArrayView<const double> position;
    /** What the energy's forward model predicts at the state; may be empty. */
    dealii::ArrayView<const double> predictions;

    /** \f$U = R + P\f$ */
    double
    energy() const
    {
      return reference + potential;
    }
  };


  /**
   * The state of a rung that has the target of the coldest one at another
   * level, at the end of a round of its own.
   */
  struct LevelDraw
  {
    unsigned int rung;
    /** Rounds of the rung's own after burn-in, counted from 1. */
    std::uint64_t own_round;
    /** \f$U\f$ of the rung's own level. */
    double energy;
    /**
     * \f$U\f$ of the level of the colder neighbour, if the two were tested in
     * this round: then it is known whatever the state is. Otherwise not a
     * number; it may be known of states that stayed, but that is a choice.
     */
    double finer_energy;
    /** All unknowns. */
    dealii::ArrayView<const double> position;
  };


  /**
   * The potential of a rung's state at the end of a round of its own after
   * burn-in; of fast rungs, of one in so many (potential_stride()), counted
   * back from the end of a round of the run. Each begins with that of the
   * rung's own level; those of neighbours follow that have another level and
   * the same temperature, if the two were tested: then it is known whatever the
   * state is.
   */
  struct KnownPotential
  {
    unsigned int rung;
    /** The level that it is of. */
    unsigned int level;
    /** Infinite without a solution; not a number if it was not asked for. */
    double potential;
  };


  /**
   * Of so many rounds of a rung one tells its potentials, so that there are
   * some twenty in a round of the run: the others hardly know more. Odd, since
   * neighbours are tested in every other round.
   *
   * @param paces Of all rungs.
   * @param levels Of all rungs: what was solved for on a finer level is told.
   */
  unsigned int
  potential_stride(const std::vector<unsigned int> &paces,
                   const std::vector<unsigned int> &levels,
                   const unsigned int               rung);


  /** A swap that was tested between the rungs @p pair and @p pair + 1. */
  struct SwapAttempt
  {
    unsigned int  pair;
    std::uint64_t round;
    bool          is_burn_in;
    bool          accepted;
    /** \f$\log\hat S\f$ less penalty of the last stage that was reached. */
    double log_ratio;
  };


  /** Counts of one rung in the current phase, burn-in or sampling. */
  struct RungReport
  {
    double       temperature = 1.;
    double       step_size   = 0.;
    double       noise       = 0.;
    unsigned int level       = 0;
    /** Whether the kernel accepts and rejects (see Kernel). */
    bool          is_adjusted   = true;
    bool          is_stochastic = false;
    std::uint64_t steps         = 0;
    /** Proposals without a finite energy and gradient. */
    std::uint64_t non_finite = 0;
    /** Sum over the steps whose acceptance is known. */
    double        acceptance_sum   = 0.;
    std::uint64_t acceptance_count = 0;

    /** Whether the acceptance says anything: not if it is only reported, and
     * computed from noisy energies or not at all. */
    bool
    has_acceptance() const
    {
      return is_adjusted ||
             (!is_stochastic && (acceptance_count > 0 || steps == 0));
    }

    double
    acceptance() const
    {
      return acceptance_count > 0 ? acceptance_sum / acceptance_count : 0.;
    }

    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      archive &temperature &step_size &noise &level;
      serialize_flag(archive, is_adjusted);
      serialize_flag(archive, is_stochastic);
      archive &steps &non_finite &acceptance_sum &acceptance_count;
    }
  };


  /** Counts of one pair of neighbours in the current phase. */
  struct PairReport
  {
    std::uint64_t attempts = 0;
    std::uint64_t accepted = 0;
    /** Swaps without a finite ratio or gradient. */
    std::uint64_t non_finite = 0;
    /** Evaluations that only swaps needed, by level. */
    std::vector<std::uint64_t> cross_evaluations;
    /** Penalty (half the variance of the noise of log S), by stage. */
    std::vector<double> penalties;
    /** log S of `multi-variance` less that of `exact`, where both known. */
    Moments rule_difference;

    double
    acceptance() const
    {
      return attempts > 0 ? double(accepted) / attempts : 0.;
    }

    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      archive &attempts &accepted &non_finite;
      serialize_vector(archive, cross_evaluations, most_entries);
      serialize_vector(archive, penalties, most_entries);
      archive &rule_difference;
    }

    /** No list of a report is longer. */
    static constexpr std::uint64_t most_entries = 100000;
  };


  /** How a run stands. */
  struct RunReport
  {
    std::uint64_t rounds      = 0;
    std::uint64_t n_rounds    = 0;
    std::uint64_t burn_in     = 0;
    bool          interrupted = false;
    /** Ended before all rounds were done, since no more draws are needed. */
    bool                     is_enough = false;
    std::vector<RungReport>  rungs;
    std::vector<PairReport>  pairs;
    std::vector<std::string> level_names;
    /** Evaluations (forward solves) by level, burn-in included. */
    std::vector<std::uint64_t> evaluations;
    /** Work in forward solves of the coldest rung's level, burn-in included. */
    double work = 0.;
    /** Of which set-up. */
    double set_up_work = 0.;
    /** Where to stop; zero for no budget. */
    double work_budget = 0.;

    /** All but the names of the levels. */
    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      archive &rounds &n_rounds &burn_in;
      // One byte: older records have the first flag only.
      std::uint8_t end = is_enough ? 2 : interrupted ? 1 : 0;
      archive     &end;
      if (end > 2)
        throw ArchiveError("a run has ended in no known way");
      interrupted = end == 1;
      is_enough   = end == 2;
      serialize_vector(archive, rungs, PairReport::most_entries);
      serialize_vector(archive, pairs, PairReport::most_entries);
      serialize_vector(archive, evaluations, PairReport::most_entries);
      archive &work &set_up_work &work_budget;
    }
  };


  /** Counts of several chains together; temperatures and the like are means. */
  RunReport
  combined(const std::vector<RunReport> &reports);


  /**
   * A signal of one thread. As long as nobody has ever subscribed, empty() does
   * not ask Boost, which takes as long as a swap.
   */
  template <typename Signature>
  class Signal
    : public boost::signals2::signal_type<Signature,
                                          boost::signals2::keywords::mutex_type<
                                            boost::signals2::dummy_mutex>>::type
  {
    using Base = typename boost::signals2::signal_type<
      Signature,
      boost::signals2::keywords::mutex_type<boost::signals2::dummy_mutex>>::
      type;

  public:
    boost::signals2::connection
    connect(const typename Base::slot_type &slot)
    {
      had_subscribers = true;
      return Base::connect(slot);
    }

    bool
    empty() const
    {
      return !had_subscribers || Base::empty();
    }

  private:
    bool had_subscribers = false;
  };


  /**
   * What the sampler says while it runs. Subscribers do the rest: they get
   * values and cannot change the run. Emission is not thread-safe and need not
   * be: a sampler runs in one thread.
   */
  struct Signals
  {
    /** A draw of a rung, every `Thinning` rounds, burn-in included. */
    Signal<void(const Draw &)> draw;
    /** A draw of the posterior of another level, after burn-in. */
    Signal<void(const LevelDraw &)> level_draw;
    /** A potential of a rung's state, after burn-in. */
    Signal<void(const KnownPotential &)> potential;
    /** A swap was attempted. */
    Signal<void(const SwapAttempt &)> swap_attempted;
    /** From now on nothing is adapted, and draws count. */
    Signal<void(const RunReport &)> end_of_burn_in;
    /** A hundredth of the run is done, or the run was interrupted. */
    Signal<void(const RunReport &)> hundredth_done;
    /** Several times a second: rounds done. */
    Signal<void(const std::uint64_t)> progress;
    /** The run is over, or was interrupted. */
    Signal<void(const RunReport &)> end_of_run;
  };
} // namespace Tempera

#endif
