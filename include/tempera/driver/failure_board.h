// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_failure_board_h
#define tempera_driver_failure_board_h

#include <deal.II/base/mpi.h>

#include <iosfwd>
#include <string>

namespace Tempera
{
  /**
   * Where a process says that it has failed, so that of all processes one
   * speaks to the user and none waits for ever.
   */
  class FailureBoard
  {
  public:
    /** On all processes. */
    FailureBoard();

    ~FailureBoard();

    /**
     * On a process that has failed. Where all have, as with a mistake in the
     * parameter file, the first one speaks, and all go on to their end.
     * Otherwise this one speaks, and the others, who wait for it somewhere,
     * are ended by MPI.
     *
     * @param words Empty if another process knows them.
     */
    void
    tell(const std::string &words, std::ostream &out) const;

  private:
    MPI_Comm communicator = MPI_COMM_NULL;
  };
} // namespace Tempera

#endif
