// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/driver/command_line.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <unistd.h>

namespace
{
  std::atomic<bool> stop(false);

  /** First signal: end after the round. Second: end at once. */
  extern "C" void
  request_stop(const int signal)
  {
    stop = true;
    std::signal(signal, SIG_DFL);
  }
} // namespace


int
main(int argc, char **argv)
{
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  std::signal(SIGHUP, request_stop);
  try
    {
      return Tempera::run_command_line(
        std::vector<std::string>(argv + 1, argv + argc),
        {std::cout, std::cerr, stop, isatty(STDOUT_FILENO) == 1});
    }
  catch (const std::exception &exception)
    {
      std::cerr << "Error inside tempera, please report it with the parameter "
                   "file:\n"
                << exception.what() << std::endl;
      return 2;
    }
}
