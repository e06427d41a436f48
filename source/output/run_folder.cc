// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/output/run_folder.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>
#include <vector>

namespace Tempera
{
  namespace
  {
    namespace fs = std::filesystem;

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
      // What a run that was killed had just begun.
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
                                            "refinement.csv",
                                            "summary.json"};
      return is_numbered(name, "chain.", ".record") ||
             is_numbered(name, "draws_", ".csv") || others.count(name) > 0;
    }
  } // namespace



  RunFolder::RunFolder(const std::string &path, const bool overwrite)
    : RunFolder(path, overwrite ? OldRun::overwrite : OldRun::refuse)
  {}



  RunFolder::RunFolder(const std::string &path, const OldRun old_run)
    : path(path)
  {
    try
      {
        fs::create_directories(path);
        if (old_run == OldRun::resume)
          return;
        std::vector<fs::path> old_files;
        for (const auto &entry : fs::directory_iterator(path))
          if (is_of_a_run(entry.path().filename().string()))
            old_files.push_back(entry.path());
        const fs::path fields = fs::path(path) / "fields";
        if (fs::is_directory(fields))
          for (const auto &entry : fs::directory_iterator(fields))
            if (entry.path().extension() == ".vtu" ||
                entry.path().extension() == ".pvd" ||
                entry.path().filename() == "posterior_map.csv")
              old_files.push_back(entry.path());
        if (!old_files.empty() && old_run != OldRun::overwrite)
          throw UserError("The folder '" + path +
                          "' holds a run already. Choose another one with "
                          "--output, give --resume to go on with that run, or "
                          "--overwrite to replace it.");
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
    const std::string temporary = path + ".new";
    errno                       = 0;
    {
      std::ofstream stream(temporary, std::ios::binary);
      stream << content;
      stream.close();
      if (!stream)
        {
          const int       cause = errno;
          std::error_code error;
          fs::remove(temporary, error);
          errno = cause;
          throw_write_error(path, option);
        }
    }
    rename_whole_file(temporary, path, option, durability);
  }



  void
  rename_whole_file(const std::string &temporary,
                    const std::string &path,
                    const std::string &option,
                    const Durability   durability)
  {
    const bool is_safe =
      durability == Durability::ordinary || synchronise(temporary, O_RDONLY);
    if (!is_safe || std::rename(temporary.c_str(), path.c_str()) != 0)
      {
        const int       cause = errno;
        std::error_code error;
        fs::remove(temporary, error);
        errno = cause;
        throw_write_error(path, option);
      }
    // Names are kept by the folder. Not every file system can be told so.
    if (durability == Durability::synchronised)
      synchronise(fs::path(path).parent_path().string(),
                  O_RDONLY | O_DIRECTORY);
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
