// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_command_line_h
#define tempera_driver_command_line_h

#include <atomic>
#include <iosfwd>
#include <string>
#include <vector>

namespace Tempera
{
  /** Where a command speaks, and who may stop it. */
  struct Environment
  {
    std::ostream            &out;
    std::ostream            &error;
    const std::atomic<bool> &stop;
    /** Whether @p out is a terminal that can show a progress bar. */
    bool is_terminal = false;
  };


  /**
   * Whether a command line wants MPI, which takes a while to begin, although
   * nobody has launched several processes: whether it may solve something.
   */
  bool
  needs_mpi(const std::vector<std::string> &arguments);


  /**
   * The program: carries out a command line (without the program's name) and
   * returns the exit code: 0 for success, 1 for a user's mistake, 130 for an
   * interrupted run.
   */
  int
  run_command_line(const std::vector<std::string> &arguments,
                   const Environment              &environment);
} // namespace Tempera

#endif
