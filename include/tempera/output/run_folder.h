// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_run_folder_h
#define tempera_output_run_folder_h

#include <tempera/output/folder_lock.h>
#include <tempera/output/temporary_file.h>

#include <string>

namespace Tempera
{
  /** What to do with a run that is in a folder already. */
  enum class OldRun
  {
    refuse,
    overwrite,
    /** It goes on: leave all files as they are. */
    resume
  };


  /**
   * The folder in which a run leaves its files. It is locked as long as this
   * object lives. What processes that were killed have left behind under
   * temporary names is removed.
   */
  class RunFolder
  {
  public:
    /**
     * Create the folder. If it holds a run already, that is a UserError unless
     * @p overwrite, which removes the files of that run and nothing else.
     */
    RunFolder(const std::string &path, const bool overwrite);

    /** The same for whoever has locked the folder to look into it first. */
    RunFolder(const std::string &path, const OldRun old_run, FolderLock lock);

    /**
     * Throw a UserError if the folder holds a run: for whoever works before
     * anything is written.
     */
    static void
    check_is_free(const std::string &path);

    /** Path of a file in the folder. */
    std::string
    file(const std::string &name) const;

    /** Write a whole file, so that it is there completely or not at all. */
    void
    write(const std::string &name, const std::string &content) const;

    const std::string &
    get_path() const
    {
      return path;
    }

    /** False where the file system cannot keep a second run out. */
    bool
    is_locked() const
    {
      return lock.is_held();
    }

  private:
    const std::string path;
    const FolderLock  lock;
  };


  /**
   * Write a whole file, so that it is there completely or not at all.
   *
   * @param option What names the place on the command line, for the message if
   * it cannot be written.
   */
  void
  write_whole_file(const std::string &path,
                   const std::string &content,
                   const std::string &option,
                   const Durability   durability = Durability::ordinary);

  /** The UserError of a file that cannot be written, with the system's word. */
  [[noreturn]] void
  throw_write_error(const std::string &path,
                    const std::string &option = "--output");
} // namespace Tempera

#endif
