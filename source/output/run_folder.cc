// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/output/run_folder.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

namespace Tempera
{
  namespace
  {
    namespace fs = std::filesystem;

    /** Whether a file of this name belongs to a run. */
    bool
    is_of_a_run(const std::string &name)
    {
      const std::string begin = "draws.", end = ".csv";
      const bool        is_draws =
        name.size() > begin.size() + end.size() &&
        name.compare(0, begin.size(), begin) == 0 &&
        name.compare(name.size() - end.size(), end.size(), end) == 0 &&
        name.find_first_not_of("0123456789", begin.size()) ==
          name.size() - end.size();
      const std::set<std::string> others = {"parameters.prm",
                                            "statistics",
                                            "log.txt",
                                            "samples.svg",
                                            "predictions.csv",
                                            "identifiability.csv",
                                            "errors.csv",
                                            "errors.svg",
                                            "prediction.csv",
                                            "prediction.svg",
                                            "prediction_summary.csv",
                                            "report.html"};
      return is_draws || others.count(name) > 0;
    }
  } // namespace



  RunFolder::RunFolder(const std::string &path, const bool overwrite)
    : path(path)
  {
    try
      {
        fs::create_directories(path);
        std::vector<fs::path> old_files;
        for (const auto &entry : fs::directory_iterator(path))
          if (is_of_a_run(entry.path().filename().string()))
            old_files.push_back(entry.path());
        const fs::path fields = fs::path(path) / "fields";
        if (fs::is_directory(fields))
          for (const auto &entry : fs::directory_iterator(fields))
            if (entry.path().extension() == ".vtu" ||
                entry.path().extension() == ".pvd")
              old_files.push_back(entry.path());
        if (!old_files.empty() && !overwrite)
          throw UserError("The folder '" + path +
                          "' holds a run already. Choose another one with "
                          "--output, or give --overwrite to replace that run.");
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
                   const std::string &option)
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
    std::error_code error;
    fs::rename(temporary, path, error);
    if (error)
      {
        const std::error_code cause = error;
        fs::remove(temporary, error);
        errno = cause.value();
        throw_write_error(path, option);
      }
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
