// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_run_folder_h
#define tempera_output_run_folder_h

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


  /** Whether a file must be on the disk, or may still be on its way. */
  enum class Durability
  {
    ordinary,
    synchronised
  };


  /** The folder in which a run leaves its files. */
  class RunFolder
  {
  public:
    /**
     * Create the folder. If it holds a run already, that is a UserError unless
     * @p overwrite, which removes the files of that run and nothing else.
     */
    RunFolder(const std::string &path, const bool overwrite);

    RunFolder(const std::string &path, const OldRun old_run);

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

  private:
    const std::string path;
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

  /**
   * Give a file its name when it is whole; the name that it had is removed if
   * that fails.
   */
  void
  rename_whole_file(const std::string &temporary,
                    const std::string &path,
                    const std::string &option,
                    const Durability   durability);

  /** The UserError of a file that cannot be written, with the system's word. */
  [[noreturn]] void
  throw_write_error(const std::string &path,
                    const std::string &option = "--output");
} // namespace Tempera

#endif
