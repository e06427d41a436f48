// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/run_folder.h>
#include <tempera/output/temporary_file.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <unistd.h>

namespace Tempera
{
  namespace
  {
    const std::string temporary_end = ".new";

    /** Wait until a file or folder is on the disk. */
    bool
    synchronise(const std::string &path, const int flags)
    {
      const int descriptor =
        open(path.empty() ? "." : path.c_str(), flags | O_CLOEXEC);
      // Some places, such as pipes, cannot be waited for.
      const bool is_done =
        descriptor >= 0 && (fsync(descriptor) == 0 || errno == EINVAL);
      const int cause = errno;
      if (descriptor >= 0)
        close(descriptor);
      errno = cause;
      return is_done;
    }

    /** Where the ending that this process and chance have chosen begins, and
     * the process; the first is npos if there is no such ending. */
    std::pair<std::size_t, long>
    temporary_part(const std::string &name)
    {
      const auto nothing = std::make_pair(std::string::npos, 0L);
      if (name.size() <= temporary_end.size() ||
          name.compare(name.size() - temporary_end.size(),
                       temporary_end.size(),
                       temporary_end) != 0)
        return nothing;
      const std::string rest =
        name.substr(0, name.size() - temporary_end.size());
      const auto point = rest.rfind('.'), line = rest.rfind('-');
      if (point == std::string::npos || line == std::string::npos ||
          line <= point + 1 || line - point > 10 || line + 1 == rest.size() ||
          rest.find_first_not_of("0123456789", point + 1) != line ||
          rest.find_first_not_of("0123456789", line + 1) != std::string::npos)
        return nothing;
      return {point, std::stol(rest.substr(point + 1, line - point - 1))};
    }
  } // namespace



  TemporaryFile::TemporaryFile(const std::string &path,
                               const std::string &option)
    : path(path)
    , option(option)
  {
    constexpr unsigned int n_attempts = 100;

    std::random_device chance;
    int                descriptor = -1;
    for (unsigned int i = 0; i < n_attempts && descriptor < 0; ++i)
      {
        temporary_path = path + "." + std::to_string(getpid()) + "-" +
                         std::to_string(chance()) + temporary_end;
        descriptor = open(temporary_path.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                          0666);
        if (descriptor < 0 && errno != EEXIST)
          break;
      }
    if (descriptor < 0)
      throw_write_error(path, option);
    close(descriptor);
  }



  TemporaryFile::~TemporaryFile()
  {
    std::error_code error;
    if (!is_published)
      std::filesystem::remove(temporary_path, error);
  }



  void
  TemporaryFile::publish(const Durability durability)
  {
    const bool is_safe = durability == Durability::ordinary ||
                         synchronise(temporary_path, O_RDONLY);
    if (!is_safe || std::rename(temporary_path.c_str(), path.c_str()) != 0)
      throw_write_error(path, option);
    is_published = true;
    // Names are kept by the folder. Not every file system can be told so.
    if (durability == Durability::synchronised)
      synchronise(std::filesystem::path(path).parent_path().string(),
                  O_RDONLY | O_DIRECTORY);
  }



  std::string
  name_when_complete(const std::string &name)
  {
    const auto begin = temporary_part(name).first;
    return begin == std::string::npos ? "" : name.substr(0, begin);
  }



  bool
  is_left_over(const std::string &name)
  {
    const auto part = temporary_part(name);
    // Numbers of processes come again: in a container, often one's own.
    return part.first != std::string::npos &&
           (part.second == getpid() ||
            (kill(part.second, 0) != 0 && errno == ESRCH));
  }
} // namespace Tempera
