// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_prediction_band_h
#define tempera_output_prediction_band_h

#include <tempera/base/archive.h>
#include <tempera/base/moments.h>
#include <tempera/output/prediction.h>
#include <tempera/output/run_description.h>
#include <tempera/output/run_folder.h>
#include <tempera/sampler/signals.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  /**
   * Follows the curve that the states predict (RunDescription::prediction): its
   * relative error, the \f$l_2\f$ norm on the places of what it differs from
   * the exact curve over that of the exact curve, for every rung as the run
   * goes on; and mean, deviation and 90 % band of the coldest rung after
   * burn-in. Written when the run ends:
   * `errors.csv` and `errors.svg` (if the exact curve is known),
   * `prediction.csv`, `prediction.svg` and `prediction_summary.csv`.
   *
   * Between 512 and 1024 rounds are kept, evenly spaced over the whole run,
   * burn-in included: whenever there are more, every other one is dropped. So a
   * run may end long before its plan, and \f$n\f$ rounds cost some
   * \f$1024 + 512\log_2(n/1024)\f$ evaluations of each rung.
   *
   * What is not finite is in no file; the text says what is missing.
   */
  class PredictionBand
  {
  public:
    /** The description must have a prediction. */
    PredictionBand(const RunFolder &folder, const RunDescription &description);

    /**
     * Follow a chain; the first one comes first in every round. The seconds of
     * the run are counted from here.
     */
    void
    connect(Signals &signals, const unsigned int chain = 0);

    /** Write all files when this run ends. */
    void
    write_at_end_of(Signals &signals);

    /** Write all files for the run as it stands. */
    void
    write(const RunReport &report);

    /** The block for the log, of the run as it was last written. */
    std::string
    text() const;

    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      archive &stride &n_rounds_seen;
      std::uint64_t    n_snapshots = snapshots.size();
      archive         &n_snapshots;
      if (n_snapshots > most_snapshots || stride == 0)
        throw ArchiveError("there are more curves than were kept");
      snapshots.resize(n_snapshots, new_snapshot());
      for (Snapshot &snapshot : snapshots)
        {
          archive &snapshot.round;
          serialize_flag(archive, snapshot.is_burn_in);
          serialize_fixed(archive, snapshot.errors);
          serialize_fixed(archive, snapshot.n_chains);
          std::uint64_t n_curves = snapshot.curves.size();
          archive      &n_curves;
          if (n_curves > description.n_chains)
            throw ArchiveError("there are more curves than chains");
          snapshot.curves.resize(n_curves,
                                 std::vector<double>(prediction.places.size()));
          for (std::vector<double> &curve : snapshot.curves)
            serialize_fixed(archive, curve);
        }
      for (std::vector<Moments> *moments : {&unknowns, &quantities})
        for (Moments &one : *moments)
          archive &one;
      serialize_vector(archive, last_state, most_unknowns);
    }

  private:
    /** Of so many snapshots every other one is dropped. */
    static constexpr std::size_t most_snapshots = 1024;
    /** No network has more weights. */
    static constexpr std::uint64_t most_unknowns = 10000000;

    /** One round that is kept. */
    struct Snapshot
    {
      std::uint64_t round;
      bool          is_burn_in;
      /** Relative error of each rung, mean over the chains. */
      std::vector<double> errors;
      /** By rung: how many chains are in the mean. */
      std::vector<unsigned int> n_chains;
      /** Of the coldest rungs; none in burn-in. */
      std::vector<std::vector<double>> curves;
    };

    Snapshot
    new_snapshot() const;

    /** The band of the coldest rung, by place. */
    struct Band
    {
      std::size_t         n_curves = 0;
      std::vector<double> mean, variance, lower, upper;
      /** Empty if it is not known. */
      std::vector<double> linearised;
    };

    void
    add(const Draw &draw, const unsigned int chain);

    /** Whether the round of this draw is kept; if so, it is the last one. */
    bool
    begin_snapshot(const Draw &draw);

    /** Whether there is an exact curve to which an error can be relative. */
    bool
    has_errors() const
    {
      return exact_norm > 0. && std::isfinite(exact_norm);
    }

    /** Relative error of a curve. */
    double
    error_of(const std::vector<double> &curve) const;

    /** Kept rounds in which the errors of all rungs are finite. */
    std::vector<const Snapshot *>
    finite_snapshots() const;

    /** Mean and variance of a rung's relative error after burn-in. */
    Moments
    errors_after_burn_in(const unsigned int rung) const;

    void
    make_band();

    /** Ask for the linearised deviation; empty if there is none to be had. */
    std::vector<double>
    linearised_deviation();

    /** Whether a value is finite; if not, that is noted. */
    bool
    is_worth_writing(const std::string &name, const double value);

    void
    make_figures();

    std::string
    summary_csv(const RunReport &report);

    std::string
    errors_csv() const;

    std::string
    errors_svg(const RunReport &report) const;

    std::string
    prediction_csv() const;

    std::string
    prediction_svg() const;

    const RunFolder                      &folder;
    const RunDescription                  description;
    const Prediction                     &prediction;
    const double                          exact_norm;
    std::chrono::steady_clock::time_point begin;
    std::vector<Snapshot>                 snapshots;
    /** One of so many rounds with draws is kept. */
    std::uint64_t stride        = 1;
    std::uint64_t n_rounds_seen = 0;
    bool          is_kept       = false;
    /** The last state of the coldest rung whose curve was evaluated. */
    std::vector<double> last_state;
    /** Of the recorded unknowns: all draws of the coldest rung. */
    std::vector<Moments> unknowns;
    /** Of the prediction's quantities, at the draws whose curve was
     * evaluated. */
    std::vector<Moments> quantities;
    Band                 band;
    /** What is said of the curve, by name, as far as it is finite. */
    std::vector<std::pair<std::string, double>> figures;
    /** What is missing in the files, and why. */
    std::vector<std::string> notes;
  };
} // namespace Tempera

#endif
