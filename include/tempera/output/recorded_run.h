// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_recorded_run_h
#define tempera_output_recorded_run_h

#include <tempera/output/run_description.h>
#include <tempera/sampler/signals.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace Tempera
{
  /** What is recorded of one rung at the end of a round. */
  struct RecordedRung
  {
    /** The two parts of the energy, of the rung's own level. */
    double reference = 0., potential = 0.;
    double step_size = 0.;
    /** Mean over the steps since the last draw; not a number if unknown. */
    double acceptance = 0.;
    /** Proposals since the last draw without a finite energy. */
    std::uint32_t non_finite = 0;
    /** Which replica was at the rung. */
    std::uint32_t replica = 0;
    /** RunDescription::columns() numbers: unknowns, then derived ones. */
    const double *values = nullptr;
  };


  /** Swaps of a pair since the last draw. */
  struct RecordedSwaps
  {
    std::uint32_t attempts = 0, accepted = 0;
  };


  /** One line of a record: all recorded rungs at the end of a round. */
  struct RecordedDraw
  {
    /** Rounds done, counted from 1. */
    std::uint64_t round      = 0;
    bool          is_burn_in = false;
    /** Trips cold-hot-cold that were completed after burn-in so far. */
    std::uint64_t              round_trips = 0;
    std::vector<RecordedRung>  rungs;
    std::vector<RecordedSwaps> swaps;
  };


  /**
   * A draw of the posterior of another level, after burn-in: of one of the
   * rungs that follow the coldest one at its temperature.
   */
  struct RecordedLevelDraw
  {
    unsigned int rung = 1;
    /** In rounds of the rung's own, counted from 1. */
    std::uint64_t own_round = 0;
    /** Of the rung's own level. */
    double energy = 0.;
    /** Of the next finer level; not a number where that was not asked for. */
    double finer_energy = 0.;
    /** RunDescription::columns() numbers. */
    const double *values = nullptr;
  };


  /** What the state of the coldest rung predicted; see RunDescription. */
  struct RecordedPrediction
  {
    std::uint64_t round = 0;
    /** Which draw after burn-in, counted from 0. */
    std::uint64_t draw = 0;
    /** Of the measurements; or the curve, where there is one. */
    std::vector<double> values;
    /** Of the measurements, where there is a curve, too. */
    std::vector<double> measured;
  };


  /** Columns of the draws of one rung of one chain, in their order. */
  struct RungColumns
  {
    std::vector<double>        reference, potential, acceptance;
    std::vector<std::uint32_t> replica;
    /** By column of RunDescription::columns(). */
    std::vector<std::vector<double>> values;
  };


  /** Draws after burn-in, evenly spaced, as columns. */
  struct DrawTable
  {
    /** One of so many draws is here. */
    std::uint64_t stride = 1;
    /** By chain and recorded rung. */
    std::vector<std::vector<RungColumns>> chains;
    /** By chain: which draws, counted from 0 after burn-in. */
    std::vector<std::vector<std::uint64_t>> numbers;
  };


  /**
   * The record of a run, read back from its folder: of a run that is complete,
   * was killed, or is still going. Nothing grows with the number of draws but
   * what is asked for.
   */
  class RecordedRun
  {
  public:
    /** Records that are together no longer than this are kept in memory. */
    static constexpr std::uint64_t most_bytes_kept = 1 << 25;

    /** A UserError if there is no record in the folder. */
    explicit RecordedRun(const std::string &folder);

    const RunDescription &
    description() const
    {
      return run;
    }

    const std::string &
    get_folder() const
    {
      return folder;
    }

    unsigned int
    n_chains() const
    {
      return chains.size();
    }

    /** Draws of a chain in burn-in. */
    std::uint64_t
    n_burn_in_draws(const unsigned int chain) const
    {
      return chains[chain].n_burn_in;
    }

    /** Draws of a chain after burn-in. */
    std::uint64_t
    n_draws(const unsigned int chain) const
    {
      return chains[chain].n_draws;
    }

    /** Draws after burn-in that every chain has. */
    std::uint64_t
    n_common_draws() const;

    /**
     * How a chain stood at hundredths of the run, at the end of burn-in and at
     * its end, as far as it came.
     */
    const std::vector<RunReport> &
    reports(const unsigned int chain) const
    {
      return chains[chain].reports;
    }

    /** Of the coldest rung after burn-in; some of the draws. */
    std::vector<RecordedPrediction>
    predictions(const unsigned int chain) const;

    /**
     * A UserError unless the record of each chain is sound as far as it was
     * written.
     *
     * @param lengths By chain: what was written.
     * @param remedy What to do about it.
     */
    void
    check_written(const std::vector<std::uint64_t> &lengths,
                  const std::string                &remedy) const;

    /**
     * Every draw of a chain, burn-in first. A UserError if the record has
     * changed since this object was made.
     */
    void
    for_each_draw(const unsigned int                               chain,
                  const std::function<void(const RecordedDraw &)> &visit) const;

    /** Every draw of a chain at other levels, in their order. */
    void
    for_each_level_draw(
      const unsigned int                                    chain,
      const std::function<void(const RecordedLevelDraw &)> &visit) const;

    /** Every known potential of a chain, in their order. */
    void
    for_each_potential(
      const unsigned int                                 chain,
      const std::function<void(const KnownPotential &)> &visit) const;

    /** Takes the number of a chain, and a draw of it. */
    using Visitor =
      std::function<void(const unsigned int, const RecordedDraw &)>;

    /**
     * At most @p most draws of each chain after burn-in, and of each rung.
     * Chains of different lengths are cut to the shortest.
     *
     * @param visit Called for every draw, burn-in too, since the record is
     * being read.
     */
    DrawTable
    table(const std::size_t most, const Visitor &visit = Visitor()) const;

    /** What of the record could not be read, in words; usually nothing. */
    const std::vector<std::string> &
    get_damages() const
    {
      return damages;
    }

  private:
    struct Chain
    {
      /** Which one; some may be missing. */
      unsigned int  number = 0;
      std::string   path;
      std::uint64_t n_burn_in = 0, n_draws = 0;
      /** Length of the part of the file that is sound. */
      std::uint64_t n_bytes = 0;
      /** What is in the file, if that is not much: it is read often. */
      std::string            whole;
      std::vector<RunReport> reports;
    };

    /** The UserError of a chain that is not what it was. */
    [[noreturn]] void
    throw_change(const unsigned int chain) const;

    std::string              folder;
    RunDescription           run;
    std::vector<Chain>       chains;
    std::vector<std::string> damages;
  };


  /**
   * The recorded unknowns of at most @p n draws of the coldest rung, evenly
   * spaced, of all chains in turn.
   */
  std::vector<std::vector<double>>
  evenly_spaced_states(const RecordedRun &run,
                       const std::size_t  n,
                       const unsigned int rung = 0);
} // namespace Tempera

#endif
