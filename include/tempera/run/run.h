// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_run_run_h
#define tempera_run_run_h

#include <tempera/output/draw_subset.h>
#include <tempera/output/journal.h>
#include <tempera/output/run_folder.h>
#include <tempera/output/run_times.h>
#include <tempera/run/checkpoint.h>
#include <tempera/run/run_settings.h>
#include <tempera/sampler/dealing.h>
#include <tempera/sampler/ensemble.h>
#include <tempera/target/target_type.h>

#include <atomic>
#include <chrono>
#include <iosfwd>
#include <map>
#include <memory>

namespace Tempera
{
  class PredictionBand;
  class Record;
  class RecordedRun;

  /** How a run is called. */
  struct RunOptions
  {
    OldRun        old_run = OldRun::refuse;
    ResumeOptions resume  = ResumeOptions();
    /** The command that resumes the run, to tell whoever stops it. */
    std::string resume_command = std::string();
    /** Whether the terminal can show a progress bar. */
    bool is_terminal = false;
  };


  /** How long a run will take, in seconds; a guess. */
  struct ExpectedTime
  {
    double round = 0., all = 0.;

    /** A line for the user. */
    std::string
    in_words() const;
  };


  /**
   * A target that is sampled as settings say: the ladder, the chains, and all
   * that is recorded and made of the record.
   */
  class Run
  {
  public:
    /**
     * Make everything that can be made without touching the disk.
     *
     * @param target Must outlive this object.
     * @param layout The processes that share the run; must outlive this
     * object. Each group has a run, at its first process.
     */
    Run(Target              &target,
        const RunSettings   &settings,
        const ProcessLayout &layout = ProcessLayout::alone());

    ~Run();

    /** One line per rung: what will be sampled. */
    std::string
    layout() const;

    /**
     * About how many seconds a round of all chains takes on one process, and
     * all rounds; from a few evaluations of each level that are timed. Zero if
     * this process does not know all levels.
     */
    ExpectedTime
    expected_time() const;

    /**
     * Sample, with all output, which is made by the first process; returns
     * whether the run came to its end. Can be called once.
     */
    bool
    execute(std::ostream            &terminal,
            const RunOptions        &options,
            const std::atomic<bool> &stop);

  private:
    /** Energies of the levels that are needed here, and words for the others.
     */
    std::vector<Level>
    make_levels();

    /** Which process has which rung; the same for all. */
    std::vector<Level>
    deal(const std::vector<std::string> &names);

    /** Where a chain begins: a point for all rungs, or one for each. */
    std::vector<std::vector<double>>
    make_start(const Ladder &ladder, const unsigned int chain) const;

    /** Rounds after burn-in at which it is first asked whether the draws are
     * enough; zero for never. */
    std::uint64_t
    first_look() const
    {
      return settings.effective_draws > 0 ? 100 : 0;
    }

    /** What each group has to do, in words. */
    std::string
    layout_of_groups() const;

    /** The part of execute() of those who write nothing. */
    bool
    run_beside(const std::atomic<bool> &stop);

    /** The states of a run that is resumed, from the first process to all. */
    void
    share_states(const bool is_resumed);

    /** Whether any process is asked to stop; all call this together. */
    bool
    is_stop_agreed(const std::atomic<bool> &stop) const;

    /** How long the groups have waited for each other, and what has failed
     * anywhere; all processes call this together. */
    std::string
    gather_closing_words() const;

    void
    describe(const Ladder &ladder);

    /** Make the records and all that listens while the run goes on. */
    void
    connect_sinks();

    /** Everything that the rest of the run depends on. */
    template <typename Archive>
    void
    serialize_state(Archive &archive);

    /** Who may go on with this run. */
    CheckpointIdentity
    identity() const;

    void
    save_checkpoint();

    void
    load_checkpoint(const std::string &state);

    /** Begin the records, or go on with those of a run that is resumed. */
    void
    open_records(const RunOptions &options);

    void
    warm_up(const std::atomic<bool> &stop);

    /** Show and keep what there is of a run that ends with an error. */
    void
    tell_of_failure(std::ostream &terminal, const RunOptions &options);

    /**
     * All that is made from the record when the run is over.
     *
     * @param closing_words To be said with the summary.
     */
    void
    write_results(const std::atomic<bool> &stop,
                  const std::string       &closing_words);

    /** States to keep while sampling, of what is not recorded. */
    unsigned int
    n_kept_draws() const;

    const std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
    RunTimes             times;
    Target              &target;
    const RunSettings    settings;
    const ProcessLayout &process_layout;
    /** Empty if there is one group only. */
    Deal dealt;
    /** How levels are evaluated, wherever that is; may be empty. */
    std::map<std::string, std::string> level_descriptions;
    /** Seconds that this process had waited for others before it sampled. */
    double waited_before = 0.;

    RunDescription description;

    // What lives while the run goes on. The sinks come before the sampler,
    // whose signals refer to them.
    std::unique_ptr<RunFolder>           folder;
    std::unique_ptr<Journal>             journal;
    std::vector<std::unique_ptr<Record>> records;
    std::unique_ptr<PredictionBand>      prediction;
    /** Of states that are not recorded as a whole. */
    std::unique_ptr<DrawSubset> kept_draws;
    std::unique_ptr<Ensemble>   ensemble;

    /** Rungs of all chains whose warm start is over. */
    std::uint64_t n_warm = 0;
    /** Length of each record at the checkpoint that was loaded. */
    std::vector<std::uint64_t> record_lengths;
  };


  /** What the processes of a run have to share. */
  ParallelDemand
  parallel_demand(const RunSettings &settings, const TargetType &type);


  /**
   * Sample a target in a folder: record, checkpoints, analysis and report come
   * with it. For programs of one process; see Run for more.
   *
   * @param terminal For the log.
   * @return Whether the run came to its end, rather than being stopped.
   */
  bool
  run(Target            &target,
      const RunSettings &settings,
      std::ostream      &terminal,
      const RunOptions  &options = RunOptions());

  /** The same; ends with the round in which @p stop becomes true. */
  bool
  run(Target                  &target,
      const RunSettings       &settings,
      std::ostream            &terminal,
      const RunOptions        &options,
      const std::atomic<bool> &stop);
} // namespace Tempera

#endif
