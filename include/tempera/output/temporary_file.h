// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_temporary_file_h
#define tempera_output_temporary_file_h

#include <string>

namespace Tempera
{
  /** Whether a file must be on the disk, or may still be on its way. */
  enum class Durability
  {
    ordinary,
    synchronised
  };


  /**
   * A file that is written piece by piece under another name, and gets
   * its own when it is complete. Whoever looks for it finds the old file or the
   * new one, never half of it. Unless it is published, it is removed.
   *
   * The other name, `NAME.PROCESS-RANDOM.new`, is nobody else's: two processes
   * may make the same file at once (the last one wins), and a link that lies
   * there is not followed.
   *
   * Files that fit into memory are written by write_whole_file().
   */
  class TemporaryFile
  {
  public:
    /**
     * Create it, empty; a UserError if that is impossible.
     *
     * @param option What names the place on the command line, for the message
     * if it cannot be written.
     */
    explicit TemporaryFile(const std::string &path,
                           const std::string &option = "--output");

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

    /**
     * Give it its name. What can be made again from the record need not be on
     * the disk before.
     */
    void
    publish(const Durability durability = Durability::ordinary);

  private:
    const std::string path, option;
    std::string       temporary_path;
    bool              is_published = false;
  };


  /**
   * The name that a temporary file was to get in the end; empty if @p name is
   * not one of a temporary file.
   */
  std::string
  name_when_complete(const std::string &name);

  /** Whether the process that made a temporary file of this name is gone. */
  bool
  is_left_over(const std::string &name);
} // namespace Tempera

#endif
