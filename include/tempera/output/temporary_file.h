// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_temporary_file_h
#define tempera_output_temporary_file_h

#include <string>

namespace Tempera
{
  /**
   * A large file that is written piece by piece under another name, and gets
   * its own when it is complete. Whoever looks for it finds the old file or the
   * new one, never half of it. Unless it is published, it is removed. Nobody
   * waits until it is on the disk: the record is, and such a file can be made
   * again.
   *
   * Files that fit into memory are written by write_whole_file().
   */
  class TemporaryFile
  {
  public:
    /** Create it, empty; a UserError if that is impossible. */
    explicit TemporaryFile(const std::string &path);

    ~TemporaryFile();

    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &
    operator=(const TemporaryFile &) = delete;

    /** Where the file will be. */
    const std::string &
    get_path() const
    {
      return path;
    }

    /** Where it is meanwhile. */
    const std::string &
    get_temporary_path() const
    {
      return temporary_path;
    }

    /** Give it its name. */
    void
    publish();

  private:
    const std::string path, temporary_path;
    bool              is_published = false;
  };
} // namespace Tempera

#endif
