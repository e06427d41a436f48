// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_fem_trajectory_replay_h
#define tempera_fem_trajectory_replay_h

#include <tempera/fem/replay_schedule.h>
#include <tempera/fem/time_course.h>

#include <deque>
#include <vector>

namespace Tempera
{
  /**
   * Solves forwards in time, then hands the instants of the steps back from the
   * last step to the first, in bounded memory: what was not kept is solved
   * again from a snapshot, as the ReplaySchedule says. A step is a function
   * of the instants before it, so that what is made again is the same, bit by
   * bit.
   */
  class TrajectoryReplay
  {
  public:
    /** @param course Must outlive this object. */
    TrajectoryReplay(const ReplaySchedule &schedule, const TimeCourse &course);

    /** The way forwards, once; false if a step fails. */
    bool
    run(const TimeCourse::Advance &advance);

    /** Whether steps need not be solved again. */
    bool
    keeps_all() const
    {
      return schedule.keeps_all();
    }

    /**
     * The instants of a step. The steps must be asked for in descending order,
     * beginning with the last one, any number of times.
     *
     * @param advance Must do as in run(), and is called as far as needed.
     */
    const StepInstants &
    instants_of_step(const unsigned int n, const TimeCourse::Advance &advance);

    /** The largest number of instants that were kept at a time. */
    unsigned int
    n_instants() const;

    /** How many steps were solved, repeated ones included. */
    std::size_t
    n_solved_steps() const
    {
      return n_solved;
    }

  private:
    using Bundle = std::vector<Instant>;

    /** A bundle that can be read, or gone on from. */
    struct Snapshot
    {
      unsigned int bundle, area;
    };

    Instant &
    instant_of(const Snapshot &snapshot, const unsigned int n)
    {
      return areas[snapshot.area][n % schedule.bundle_size];
    }

    /** Where a bundle can be put. */
    unsigned int
    take_area();

    /** Solve the bundle after that of @p from; the first one has none. */
    bool
    solve_bundle(const Snapshot            *from,
                 const Snapshot            &to,
                 const TimeCourse::Advance &advance);

    /** Solve on from the last snapshot until there is one of a bundle. */
    bool
    go_to(const unsigned int bundle, const TimeCourse::Advance &advance);

    /** Solve on until the last bundle is the current one. */
    bool
    go_to_end(const TimeCourse::Advance &advance);

    const ReplaySchedule schedule;
    const TimeCourse    &course;

    /** Allocated as they are needed; addresses remain. */
    std::deque<Bundle>        areas;
    std::vector<unsigned int> free_areas;
    /** In ascending order. */
    std::vector<Snapshot> snapshots;
    /** The newest bundle that the present step needs. */
    Snapshot     current{0, 0};
    StepInstants instants{};
    std::size_t  n_solved = 0;
  };
} // namespace Tempera

#endif
