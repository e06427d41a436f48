// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/run_folder.h>
#include <tempera/output/temporary_file.h>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace Tempera
{
  namespace
  {
    /** Wait until a file or folder is on the disk; whether that went well. */
    bool
    synchronise(const std::string &path, const int flags)
    {
      const int descriptor = open(path.c_str(), flags | O_CLOEXEC);
      if (descriptor < 0)
        return false;
      // Some places, such as pipes, cannot be waited for.
      const bool went_well = fsync(descriptor) == 0 || errno == EINVAL;
      const int  cause     = errno;
      close(descriptor);
      errno = cause;
      return went_well;
    }
  } // namespace



  TemporaryFile::TemporaryFile(const std::string &path)
    : path(path)
    , temporary_path(path + ".new")
  {
    const int descriptor = open(temporary_path.c_str(),
                                O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                                0666);
    if (descriptor < 0)
      throw_write_error(path);
    close(descriptor);
  }



  TemporaryFile::~TemporaryFile()
  {
    std::error_code error;
    if (!is_published)
      std::filesystem::remove(temporary_path, error);
  }



  void
  TemporaryFile::publish()
  {
    if (!synchronise(temporary_path, O_WRONLY) ||
        std::rename(temporary_path.c_str(), path.c_str()) != 0)
      throw_write_error(path);
    is_published = true;
    // The name is safe when the folder is. Where that cannot be had, the file
    // is complete all the same.
    const std::string folder =
      std::filesystem::path(path).parent_path().string();
    synchronise(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  }
} // namespace Tempera
