// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/sampler/ladder.h>
#include <tempera/sampler/work_meter.h>

namespace Tempera
{
  WorkMeter::WorkMeter(const Ladder &ladder,
                       const bool    counts_set_up,
                       const double  budget)
    : unit(ladder.energy(0).work(Request::values))
    , budget(budget)
    , evaluations(ladder.get_levels().size())
    , own_evaluations(evaluations.size())
  {
    if (counts_set_up)
      for (const Level &level : ladder.get_levels())
        set_up_work += level.energy->set_up_work();
    work = set_up_work;
    if (is_used_up())
      throw UserError("The 'Work budget' of " + to_text(budget) +
                      " is used up by the set-up alone, which costs " +
                      to_text(set_up_work / unit, 4) + ". Raise it.");
  }



  void
  WorkMeter::tell(RunReport &report) const
  {
    report.evaluations = evaluations;
    report.work        = work / unit;
    report.set_up_work = set_up_work / unit;
    report.work_budget = budget;
  }



  void
  WorkMeter::add_own(const WorkMeter &other)
  {
    work += other.own_work;
    own_work += other.own_work;
    for (std::size_t level = 0; level < evaluations.size(); ++level)
      {
        evaluations[level] += other.own_evaluations[level];
        own_evaluations[level] += other.own_evaluations[level];
      }
  }



  void
  WorkMeter::begin_meeting()
  {
    work -= own_work;
    for (std::size_t level = 0; level < evaluations.size(); ++level)
      evaluations[level] -= own_evaluations[level];
  }



  void
  WorkMeter::begin_anew()
  {
    own_work = work_elsewhere = 0.;
    own_evaluations.assign(own_evaluations.size(), 0);
  }
} // namespace Tempera
