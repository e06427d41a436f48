// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_run_folder_h
#define tempera_output_run_folder_h

#include <string>

namespace Tempera
{
  /** The folder in which a run leaves its files. */
  class RunFolder
  {
  public:
    /**
     * Create the folder. If it holds a run already, that is a UserError unless
     * @p overwrite, which removes the files of that run and nothing else.
     */
    RunFolder(const std::string &path, const bool overwrite);

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
                   const std::string &option);

  /** The UserError of a file that cannot be written, with the system's word. */
  [[noreturn]] void
  throw_write_error(const std::string &path,
                    const std::string &option = "--output");
} // namespace Tempera

#endif
