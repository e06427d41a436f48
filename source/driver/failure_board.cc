// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/driver/failure_board.h>
#include <tempera/run/process_layout.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <thread>

namespace Tempera
{
  FailureBoard::FailureBoard()
  {
    if (n_processes() > 1)
      MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  }



  FailureBoard::~FailureBoard()
  {
    if (communicator != MPI_COMM_NULL)
      MPI_Comm_free(&communicator);
  }



  void
  FailureBoard::tell(const std::string &words, std::ostream &out) const
  {
    using namespace std::chrono;

    if (communicator == MPI_COMM_NULL)
      {
        out << words << std::endl;
        return;
      }

    // Those who fail together do so within a moment. After it the lowest one
    // speaks first, and MPI ends the others before it is their turn.
    const unsigned int me = this_process();
    const auto         patience =
      words.empty() ? seconds(3600) : seconds(2) + seconds(std::min(me, 20u));
    const auto  begin = steady_clock::now();
    MPI_Request request;
    MPI_Ibarrier(communicator, &request);
    int all_have_failed = 0;
    while (steady_clock::now() - begin < patience)
      {
        MPI_Test(&request, &all_have_failed, MPI_STATUS_IGNORE);
        if (all_have_failed != 0)
          break;
        std::this_thread::sleep_for(milliseconds(10));
      }
    if (all_have_failed != 0)
      {
        if (me == 0)
          out << words << std::endl;
        return;
      }
    out << words << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
} // namespace Tempera
