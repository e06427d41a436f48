// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/fem/trajectory_replay.h>

#include <algorithm>

namespace Tempera
{
  TrajectoryReplay::TrajectoryReplay(const ReplaySchedule &schedule,
                                     const TimeCourse     &course)
    : schedule(schedule)
    , course(course)
  {}



  unsigned int
  TrajectoryReplay::n_instants() const
  {
    unsigned int result = 0;
    for (const Bundle &area : areas)
      result += area.size();
    return result;
  }



  unsigned int
  TrajectoryReplay::take_area()
  {
    if (free_areas.empty())
      {
        Assert(areas.size() < schedule.n_areas, dealii::ExcInternalError());
        // Only where nothing is overwritten may the last bundle be shorter.
        const bool is_last =
          schedule.keeps_all() && areas.size() + 1 == schedule.n_bundles;
        areas.emplace_back(is_last ?
                             schedule.n_steps % schedule.bundle_size + 1 :
                             schedule.bundle_size,
                           course.make_instant());
        return areas.size() - 1;
      }
    const unsigned int result = free_areas.back();
    free_areas.pop_back();
    return result;
  }



  bool
  TrajectoryReplay::solve_bundle(const Snapshot            *from,
                                 const Snapshot            &to,
                                 const TimeCourse::Advance &advance)
  {
    const unsigned int size  = schedule.bundle_size;
    const unsigned int begin = to.bundle * size;
    const unsigned int end   = std::min(begin + size, schedule.n_steps + 1);
    for (unsigned int n = begin; n < end; ++n)
      {
        for (unsigned int j = 0; j <= std::min(n, size); ++j)
          instants[j] = &instant_of(n - j >= begin ? to : *from, n - j);
        if (!advance(n, instants))
          return false;
        if (n > 0)
          ++n_solved;
      }
    return true;
  }



  bool
  TrajectoryReplay::go_to(const unsigned int         bundle,
                          const TimeCourse::Advance &advance)
  {
    while (snapshots.back().bundle < bundle)
      {
        // One area is that of the bundle being read.
        const unsigned int distance =
          ReplaySchedule::distance(bundle - snapshots.back().bundle + 1,
                                   schedule.n_areas - 1 - snapshots.size());
        Snapshot last = snapshots.back();
        for (unsigned int i = 0; i < distance; ++i)
          {
            const Snapshot next{last.bundle + 1, take_area()};
            if (!solve_bundle(&last, next, advance))
              return false;
            if (i > 0)
              free_areas.push_back(last.area);
            last = next;
          }
        snapshots.push_back(last);
      }
    return true;
  }



  bool
  TrajectoryReplay::run(const TimeCourse::Advance &advance)
  {
    snapshots = {{0, take_area()}};
    return solve_bundle(nullptr, snapshots[0], advance) && go_to_end(advance);
  }



  bool
  TrajectoryReplay::go_to_end(const TimeCourse::Advance &advance)
  {
    const unsigned int last = schedule.n_bundles - 1;
    if (last == 0)
      {
        current = snapshots[0];
        return true;
      }
    if (!go_to(last - 1, advance))
      return false;
    current = {last, take_area()};
    if (!solve_bundle(&snapshots.back(), current, advance))
      return false;
    if (schedule.keeps_all())
      snapshots.push_back(current);
    return true;
  }



  const StepInstants &
  TrajectoryReplay::instants_of_step(const unsigned int         n,
                                     const TimeCourse::Advance &advance)
  {
    const unsigned int size   = schedule.bundle_size;
    const unsigned int bundle = n / size;
    Snapshot           previous{};
    if (schedule.keeps_all())
      {
        current = snapshots[bundle];
        if (bundle > 0)
          previous = snapshots[bundle - 1];
      }
    else
      {
        if (n == schedule.n_steps && current.bundle != bundle)
          {
            // Once more from the end. Of what is there, only the first bundle
            // is of use.
            const unsigned int first =
              current.bundle == 0 ? current.area : snapshots[0].area;
            snapshots = {{0, first}};
            free_areas.clear();
            for (unsigned int area = 0; area < areas.size(); ++area)
              if (area != first)
                free_areas.push_back(area);
            go_to_end(advance);
          }
        else if (current.bundle != bundle)
          {
            free_areas.push_back(current.area);
            current = snapshots.back();
            snapshots.pop_back();
          }
        Assert(current.bundle == bundle, dealii::ExcInternalError());
        if (bundle > 0)
          {
            go_to(bundle - 1, advance);
            previous = snapshots.back();
          }
      }

    const unsigned int begin = bundle * size;
    for (unsigned int j = 0; j <= std::min(n, size); ++j)
      instants[j] = &instant_of(n - j >= begin ? current : previous, n - j);
    return instants;
  }
} // namespace Tempera
