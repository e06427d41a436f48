// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/output/run_folder.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>
#include <vector>

namespace Tempera
{
  namespace
  {
    namespace fs = std::filesystem;

    /** Whether a name is a number between two texts. */
    bool
    is_numbered(const std::string &name,
                const std::string &begin,
                const std::string &end)
    {
      return name.size() > begin.size() + end.size() &&
             name.compare(0, begin.size(), begin) == 0 &&
             name.compare(name.size() - end.size(), end.size(), end) == 0 &&
             name.find_first_not_of("0123456789", begin.size()) ==
               name.size() - end.size();
    }

    /** Whether a file of this name belongs to a run. */
    bool
    is_of_a_run(std::string name)
    {
      // What a run of an older version that was killed had just begun.
      const std::string begun = ".new";
      if (name.size() > begun.size() &&
          name.compare(name.size() - begun.size(), begun.size(), begun) == 0)
        name.resize(name.size() - begun.size());
      const std::set<std::string> others = {"parameters.prm",
                                            "statistics",
                                            "log.txt",
                                            "times.csv",
                                            "checkpoint",
                                            "checkpoint.previous",
                                            "samples.svg",
                                            "predictions.csv",
                                            "identifiability.csv",
                                            "refinement.csv",
                                            "checks.json",
                                            "calibration.csv",
                                            "calibration.svg",
                                            "calibration_test.csv",
                                            "errors.csv",
                                            "errors.svg",
                                            "prediction.csv",
                                            "prediction.svg",
                                            "prediction_summary.csv",
                                            "samples.nc",
                                            "draws.csv",
                                            "report.html",
                                            "watch.html",
                                            "summary.json"};
      return is_numbered(name, "chain.", ".record") ||
             is_numbered(name, "draws_", ".csv") || others.count(name) > 0;
    }
    /** Whether a file is a raster of a field. */
    bool
    is_map(const std::string &name)
    {
      const std::string end = "_map.csv";
      return name.size() > end.size() &&
             name.compare(name.size() - end.size(), end.size(), end) == 0;
    }
  } // namespace



  namespace
  {
    [[noreturn]] void
    throw_folder_is_taken(const std::string &path)
    {
      throw UserError("The folder '" + path +
                      "' holds a run already. Choose another one with "
                      "--output, give --resume to go on with that run, or "
                      "--overwrite to replace it.");
    }
  } // namespace



  void
  RunFolder::check_is_free(const std::string &path)
  {
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(path, error))
      if (is_of_a_run(entry.path().filename().string()))
        throw_folder_is_taken(path);
  }



  RunFolder::RunFolder(const std::string &path, const bool overwrite)
    : RunFolder(path,
                overwrite ? OldRun::overwrite : OldRun::refuse,
                FolderLock(path))
  {}



  RunFolder::RunFolder(const std::string &path,
                       const OldRun       old_run,
                       FolderLock         folder_lock)
    : path(path)
    , lock(std::move(folder_lock))
  {
    try
      {
        std::vector<fs::path> old_files, left_over;
        for (const auto &entry : fs::directory_iterator(path))
          {
            const std::string name = entry.path().filename().string();
            if (is_left_over(name) && is_of_a_run(name_when_complete(name)))
              left_over.push_back(entry.path());
            else if (is_of_a_run(name))
              old_files.push_back(entry.path());
          }
        for (const fs::path &file : left_over)
          fs::remove(file);
        if (old_run == OldRun::resume)
          return;
        const fs::path fields = fs::path(path) / "fields";
        if (fs::is_directory(fields))
          for (const auto &entry : fs::directory_iterator(fields))
            if (entry.path().extension() == ".vtu" ||
                entry.path().extension() == ".pvd" ||
                is_map(entry.path().filename().string()))
              old_files.push_back(entry.path());
        if (!old_files.empty() && old_run != OldRun::overwrite)
          throw_folder_is_taken(path);
        for (const fs::path &file : old_files)
          fs::remove(file);
      }
    catch (const fs::filesystem_error &error)
      {
        throw UserError("Cannot use the output folder '" + path +
                        "': " + error.code().message() +
                        ". Choose another one with --output.");
      }
  }



  std::string
  RunFolder::file(const std::string &name) const
  {
    return (fs::path(path) / name).string();
  }



  void
  RunFolder::write(const std::string &name, const std::string &content) const
  {
    write_whole_file(file(name), content, "--output");
  }



  void
  write_whole_file(const std::string &path,
                   const std::string &content,
                   const std::string &option,
                   const Durability   durability)
  {
    TemporaryFile file(path, option);
    errno = 0;
    std::ofstream stream(file.get_temporary_path(), std::ios::binary);
    stream << content;
    stream.close();
    if (!stream)
      throw_write_error(path, option);
    file.publish(durability);
  }



  void
  throw_write_error(const std::string &path, const std::string &option)
  {
    const int         cause = errno;
    const std::string word  = cause != 0 ? std::strerror(cause) : "failed";
    throw UserError("Cannot write '" + path + "': " + word +
                    ". What was written before is kept. " +
                    (cause == ENOSPC ? "Make room" : "Check the permissions") +
                    ", or choose another place with " + option + ".");
  }
} // namespace Tempera
