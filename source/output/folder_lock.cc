// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/output/folder_lock.h>
#include <tempera/output/run_folder.h>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace Tempera
{
  namespace
  {
    /** Who has a lock, as it stands in its file. */
    std::string
    holder_in(const int descriptor)
    {
      char          text[200];
      const ssize_t n = pread(descriptor, text, sizeof(text), 0);
      std::string   result(text, n > 0 ? n : 0);
      return result.substr(0, result.find('\n'));
    }

    std::string
    this_holder()
    {
      char host[100] = "";
      gethostname(host, sizeof(host) - 1);
      return "process " + std::to_string(getpid()) + " on " +
             (host[0] != 0 ? host : "this machine");
    }

    std::string
    lock_file(const std::string &folder)
    {
      return (std::filesystem::path(folder) / ".tempera.lock").string();
    }

    /** Whether a file is still the one of this name. */
    bool
    is_file_of_name(const int descriptor, const std::string &path)
    {
      struct stat mine, named;
      return fstat(descriptor, &mine) == 0 &&
             lstat(path.c_str(), &named) == 0 && mine.st_dev == named.st_dev &&
             mine.st_ino == named.st_ino;
    }
  } // namespace



  FolderLock::FolderLock(const std::string &folder)
    : path(lock_file(folder))
  {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      throw UserError("Cannot use the output folder '" + folder + "': " +
                      error.message() + ". Choose another one with --output.");
    while (true)
      {
        descriptor =
          open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor < 0)
          throw_write_error(path);
        int status = 0;
        do
          status = flock(descriptor, LOCK_EX | LOCK_NB);
        while (status != 0 && errno == EINTR);
        if (status != 0 && errno == EWOULDBLOCK)
          {
            const std::string holder = holder_in(descriptor);
            close(descriptor);
            descriptor = -1;
            throw UserError(
              "The folder '" + folder + "' is in use by another run" +
              (holder.empty() ? "" : ", " + holder) +
              ". Nothing was touched. Wait for it or stop it, or choose "
              "another folder with --output.");
          }
        is_locked = status == 0;
        // Who had it before may have removed the file meanwhile.
        if (!is_locked || is_file_of_name(descriptor, path))
          break;
        close(descriptor);
      }
    // Only for the message above: it does not matter if it fails.
    const std::string holder = this_holder() + "\n";
    if (is_locked && ftruncate(descriptor, 0) == 0 &&
        pwrite(descriptor, holder.data(), holder.size(), 0) < 0)
      return;
  }



  FolderLock::FolderLock(FolderLock &&other) noexcept
    : path(std::move(other.path))
    , descriptor(std::exchange(other.descriptor, -1))
    , is_locked(other.is_locked)
  {}



  bool
  is_folder_in_use(const std::string &folder)
  {
    // Without the file there is no run; it is left by one that was killed.
    const int descriptor =
      open(lock_file(folder).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
      return false;
    const bool is_free = flock(descriptor, LOCK_SH | LOCK_NB) == 0;
    const bool is_used = !is_free && errno == EWOULDBLOCK;
    close(descriptor);
    return is_used;
  }



  FolderLock::~FolderLock()
  {
    if (descriptor < 0)
      return;
    // First the name, so that nobody locks a file that is about to go.
    if (is_file_of_name(descriptor, path))
      unlink(path.c_str());
    close(descriptor);
  }
} // namespace Tempera
