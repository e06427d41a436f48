// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_launch_h
#define tempera_driver_launch_h

#include <string>

namespace Tempera
{
  class Parameters;

  /** Whether a launcher such as mpirun or srun has made the environment. */
  bool
  has_launcher();

  /**
   * To be called before MPI begins. Without a launcher Open MPI would start a
   * daemon and listen at a port of all networks, though there is nobody to talk
   * to: it is told not to. What the user has set in the environment stays.
   */
  void
  isolate_without_launcher();

  /**
   * A UserError on all processes, the same, unless all of them have the same
   * command and parameters and have found the same in the files that these
   * name. All call this together. Paths may differ, as folders of nodes do.
   */
  void
  check_that_processes_agree(const std::string &command,
                             const Parameters  &parameters);
} // namespace Tempera

#endif
