// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_record_h
#define tempera_output_record_h

#include <tempera/base/archive.h>
#include <tempera/output/record_file.h>
#include <tempera/output/round_trips.h>
#include <tempera/output/run_folder.h>
#include <tempera/sampler/signals.h>

#include <memory>
#include <vector>

namespace Tempera
{
  /**
   * Records a chain: the draws of its rungs, its swaps, its reports, and what
   * some of the states of the coldest rung predict. This is all that is kept of
   * a run while it goes on; the rest is made from it.
   */
  class Record
  {
  public:
    Record(const RunFolder      &folder,
           const RunDescription &description,
           const unsigned int    chain);

    /** Open the file anew. To be called once, before connect(). */
    void
    begin();

    /**
     * Go on with a file of which @p length bytes are kept, after the state was
     * loaded. Instead of begin().
     *
     * @param pilot_work What the folder says of it: nobody has pilots twice.
     * @param has_changed Whether the description is not what it was.
     */
    void
    resume(const std::uint64_t length,
           const double        pilot_work,
           const bool          has_changed);

    void
    connect(Signals &signals);

    /** See RecordFile::sync(). */
    std::uint64_t
    sync()
    {
      append_potentials();
      return file->sync();
    }

    template <typename Archive>
    void
    serialize(Archive &archive, const unsigned int)
    {
      archive &round_trips &n_draws &prediction_stride &n_predictions;
      for (RecordedSwaps &pair : draw.swaps)
        archive &pair.attempts &pair.accepted;
      if (prediction_stride == 0)
        throw ArchiveError("no draw is ever predicted");
    }

    /** Of so many predictions every other one is left out. */
    static constexpr std::uint64_t most_predictions = 1000;

  private:
    void
    add(const Draw &one);

    void
    add(const LevelDraw &one);

    /** Write the potentials that wait. */
    void
    append_potentials();

    /** The recorded columns of a state. */
    void
    fill_columns(const dealii::ArrayView<const double> &position,
                 double                                *place) const;

    void
    add_prediction(const Draw &one);

    RunDescription     description;
    const std::string  path;
    const unsigned int n_columns;

    std::unique_ptr<RecordFile> file;
    RoundTrips                  round_trips;

    /** The line that is being put together. */
    RecordedDraw        draw;
    std::vector<double> values;
    /** Of a level draw. */
    std::vector<double> level_values;

    /** Potentials that wait for more of them: blocks are not to be small. */
    std::vector<KnownPotential>  potentials;
    static constexpr std::size_t most_waiting = 1024;

    RecordedPrediction prediction;
    /** Draws after burn-in so far. */
    std::uint64_t n_draws = 0;
    /** One of so many draws is predicted. */
    std::uint64_t prediction_stride = 1, n_predictions = 0;
  };
} // namespace Tempera

#endif
