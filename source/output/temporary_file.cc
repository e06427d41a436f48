// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/output/run_folder.h>
#include <tempera/output/temporary_file.h>

#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace Tempera
{
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
    rename_whole_file(temporary_path, path, "--output", Durability::ordinary);
    is_published = true;
  }
} // namespace Tempera
