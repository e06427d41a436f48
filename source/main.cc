// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/driver/command_line.h>
#include <tempera/driver/launch.h>

#include <deal.II/base/mpi.h>
#include <deal.II/base/multithread_info.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <unistd.h>

namespace
{
  std::atomic<bool> stop(false);

  /** First signal: end after the round. Second: end at once. */
  extern "C" void
  request_stop(const int signal)
  {
    constexpr char message[] =
      "\n-- stopping after this round; once more to stop at once\n";
    stop = true;
    std::signal(signal, SIG_DFL);
    // What comes of it does not matter, but the compiler wants to know.
    if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
      return;
  }

  void
  handle(const int signal)
  {
    // A signal that is ignored from outside, as by nohup, stays so.
    if (std::signal(signal, request_stop) == SIG_IGN)
      std::signal(signal, SIG_IGN);
  }
} // namespace


int
main(int argc, char **argv)
{
  // One thread: on the usual meshes more of them only cost.
  constexpr unsigned int         n_threads = 1;
  const std::vector<std::string> arguments(argv + std::min(argc, 1),
                                           argv + argc);
  std::unique_ptr<dealii::Utilities::MPI::MPI_InitFinalize> mpi;
  if (Tempera::has_launcher() || Tempera::needs_mpi(arguments))
    {
      Tempera::isolate_without_launcher();
      mpi =
        std::make_unique<dealii::Utilities::MPI::MPI_InitFinalize>(argc,
                                                                   argv,
                                                                   n_threads);
    }
  else
    dealii::MultithreadInfo::set_thread_limit(n_threads);
  // The last one is what mpirun passes on, and what SLURM can be told to send.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1})
    handle(signal);
  // A reader that has gone away must not end a run.
  std::signal(SIGPIPE, SIG_IGN);
  try
    {
      const int exit_code = Tempera::run_command_line(
        arguments, {std::cout, std::cerr, stop, isatty(STDOUT_FILENO) == 1});
      if (!std::cout.flush())
        {
          std::cerr << "Error: not everything could be written to the "
                       "standard output."
                    << std::endl;
          return 1;
        }
      return exit_code;
    }
  catch (const std::exception &exception)
    {
      std::cerr << "Error inside tempera, please report it with the parameter "
                   "file:\n"
                << exception.what() << std::endl;
      return 2;
    }
}
