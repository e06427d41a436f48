// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/driver/commands.h>
#include <tempera/output/draws_so_far.h>
#include <tempera/output/folder_lock.h>
#include <tempera/output/report.h>
#include <tempera/output/run_folder.h>
#include <tempera/output/summary_text.h>
#include <tempera/run/checkpoint.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <thread>

namespace Tempera
{
  namespace
  {
    using Clock = std::chrono::steady_clock;

    double
    seconds_since(const Clock::time_point &time)
    {
      return std::chrono::duration<double>(Clock::now() - time).count();
    }

    /** What a run was asked for; zero for all its rounds. */
    double
    wanted_draws(const RunDescription &description)
    {
      const auto values = parameter_values(description.parameters);
      const auto found  = values.find("Effective draws");
      return found == values.end() ? 0. : std::stod(found->second);
    }

    std::string
    view_of(const RecordedRun &run,
            const Analysis    &analysis,
            const bool         is_going_on)
    {
      const RunDescription &description = run.description();
      std::uint64_t         n_draws     = analysis.n_draws;
      for (unsigned int chain = 0; chain < run.n_chains(); ++chain)
        n_draws += run.n_burn_in_draws(chain);
      const std::uint64_t round =
        n_draws / std::max(1u, run.n_chains()) * description.thinning;
      return "-- " + analysis.folder + ": " +
             (is_going_on ? "going on" : analysis.state) + ", round " +
             std::to_string(std::max(round, analysis.rounds)) + " of " +
             std::to_string(description.n_rounds) +
             (round < description.burn_in ? ", in burn-in" : "") + "\n" +
             (analysis.n_draws > 0 ?
                "-- " + DrawsSoFar(analysis).text(wanted_draws(description)) +
                  "\n" :
                "") +
             short_summary(analysis);
    }
  } // namespace



  void
  watch_run(const std::string       &folder,
            const double             seconds,
            const bool               has_page,
            const bool               is_terminal,
            const std::atomic<bool> &stop,
            std::ostream            &out)
  {
    const std::string page = folder + "/watch.html";
    for (bool is_first = true;; is_first = false)
      {
        const Clock::time_point begin = Clock::now();
        // Before the record is read, so that the last view has all of it.
        const bool        is_going_on = is_folder_in_use(folder);
        const RecordedRun run(folder);
        const Analysis    analysis = analyse(run);
        if (is_terminal)
          out << "\033[H\033[2J";
        else if (!is_first)
          out << "\n";
        out << view_of(run, analysis, is_going_on);
        // Not more than a tenth of a core, however long the record.
        double pause = std::max(seconds, 10. * seconds_since(begin));
        if (has_page)
          {
            write_whole_file(page,
                             report_html(run,
                                         analysis,
                                         is_going_on ? std::max(1., pause) :
                                                       0.),
                             "a copy of the folder");
            if (is_first)
              out << "-- " << page << " is made anew each time\n";
          }
        out << std::flush;
        if (!is_going_on || stop.load())
          return;
        pause = std::max(seconds, 10. * seconds_since(begin));
        while (seconds_since(begin) < pause && is_folder_in_use(folder))
          {
            if (stop.load())
              return;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
          }
      }
  }
} // namespace Tempera
