// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_study_study_h
#define tempera_study_study_h

#include <tempera/base/registry.h>
#include <tempera/output/analysis.h>
#include <tempera/output/draw_subset.h>
#include <tempera/output/recorded_run.h>
#include <tempera/output/run_folder.h>
#include <tempera/run/run_settings.h>
#include <tempera/target/target.h>

#include <functional>
#include <future>
#include <string>
#include <vector>

namespace Tempera
{
  /** Draws that stand for the law of the coldest rung. */
  constexpr unsigned int n_population = 2000;


  /** A run that is over, as studies see it. */
  struct FinishedRun
  {
    Target               &target;
    const RunSettings    &settings;
    const RunDescription &description;
    const Ladder         &ladder;
    const RecordedRun    &recorded;
    const RunFolder      &folder;
    /** Whole states, where not all unknowns are recorded. */
    const DrawSubset &kept_draws;
    /** Made beside the studies: who asks for it may have to wait. */
    const std::shared_future<Analysis> &analysis;
    /** Whether to leave out what takes solves. */
    std::function<bool()> is_stopped;

    /** Name of the coldest rung's level. */
    const std::string &
    cold_level() const;

    /** Whether the draws of the coldest rung are from the posterior. */
    bool
    samples_posterior() const;

    /** Whether it makes sense to compare draws with a prior. */
    bool
    has_prior() const;

    /** Whether there are draws whose energies can be asked for here. */
    bool
    can_evaluate() const;

    /** Whether this process has the energy of the level with this number. */
    bool
    has(const unsigned int level) const;

    /** Draws of the coldest rung, recorded unknowns, evenly spaced. */
    std::vector<std::vector<double>>
    draws(const unsigned int n) const;

    /** The same with all unknowns. */
    std::vector<std::vector<double>>
    whole_draws(const unsigned int n) const;
  };


  /**
   * What is made of a finished run and needs the target, too: solves of its
   * own, or the prior. A study adds itself to the registry; all that are there
   * are made, by name.
   */
  class Study
  {
  public:
    virtual ~Study() = default;

    /** Under which name its time is told. */
    virtual std::string
    phase() const = 0;

    /** How many whole states it wants, where not all unknowns are recorded. */
    virtual unsigned int
    n_whole_draws(const Target &, const RunSettings &) const
    {
      return 0;
    }

    /**
     * Look at the run.
     *
     * @param checks For what is found: it is kept beside the record, and
     * summary, warnings and report are made from it.
     * @return Words for the log; empty if there is nothing to say.
     */
    virtual std::string
    make(const FinishedRun &run, Checks &checks) const = 0;
  };

  using StudyRegistry = Registry<Study>;
} // namespace Tempera

#endif
