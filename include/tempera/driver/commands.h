// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_commands_h
#define tempera_driver_commands_h

#include <atomic>
#include <iosfwd>
#include <string>
#include <vector>

namespace Tempera
{
  /**
   * `tempera summary`: what the record in a folder says of its run, which may
   * still be going.
   *
   * @param json For machines.
   */
  void
  show_summary(const std::string &folder, const bool json, std::ostream &out);


  /**
   * `tempera watch`: the same again and again, in short, until the run is over
   * or @p stop becomes true. Only reads the record.
   *
   * @param seconds From one look to the next, at least.
   * @param has_page Whether to make watch.html there, a report that a browser
   * loads anew by itself.
   * @param is_terminal Whether a view may replace the one before.
   */
  void
  watch_run(const std::string       &folder,
            const double             seconds,
            const bool               has_page,
            const bool               is_terminal,
            const std::atomic<bool> &stop,
            std::ostream            &out);


  /**
   * `tempera compare`: several runs side by side, as one table; if all of them
   * predict a curve, also their errors, and a picture of the coldest rungs'
   * errors by round. Where there are evidences, also how probable each model
   * is.
   *
   * @param folders Of the runs.
   * @param picture File for the picture.
   * @param weights Prior weights of the models; empty for equal ones.
   */
  void
  compare_runs(const std::vector<std::string> &folders,
               const std::string              &picture,
               const std::vector<double>      &weights,
               std::ostream                   &out);


  /**
   * `tempera export`: files for people and other programs from the record of a
   * run that is complete, was killed, or is still going. Says what of the
   * record could not be read.
   *
   * @param formats Names of exporters.
   * @param target Folder for the files; empty for that of the run.
   */
  void
  export_run(const std::string              &folder,
             const std::vector<std::string> &formats,
             std::ostream                   &out,
             const std::string              &target = "");

} // namespace Tempera

#endif
