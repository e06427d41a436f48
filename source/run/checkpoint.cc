// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/archive.h>
#include <tempera/base/file_digest.h>
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/output/run_folder.h>
#include <tempera/run/checkpoint.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <vector>
#include <zlib.h>

namespace Tempera
{
  namespace
  {
    namespace fs = std::filesystem;

    constexpr char letters[]       = "TEMPERA checkpoint 2\n",
                   older_letters[] = "TEMPERA checkpoint 1\n";

    constexpr std::size_t n_letters = sizeof(letters) - 1;

    constexpr char name[] = "checkpoint", previous[] = "checkpoint.previous";

    std::uint32_t
    checksum(const char *bytes, const std::size_t length)
    {
      return crc32_z(0, reinterpret_cast<const Bytef *>(bytes), length);
    }

    void
    append(std::string &bytes, const std::string &part)
    {
      const std::uint64_t length = part.size();
      bytes.append(reinterpret_cast<const char *>(&length), sizeof(length));
      bytes += part;
    }

    std::string
    take(const std::string &bytes, std::size_t &place)
    {
      std::uint64_t length = 0;
      if (bytes.size() - place < sizeof(length))
        throw ArchiveError("it is too short");
      std::memcpy(&length, bytes.data() + place, sizeof(length));
      place += sizeof(length);
      if (bytes.size() - place < length)
        throw ArchiveError("it is too short");
      const std::string result = bytes.substr(place, length);
      place += length;
      return result;
    }

    std::string
    files_to_bytes(const std::vector<InputFile> &files)
    {
      std::string bytes;
      for (const InputFile &file : files)
        {
          append(bytes, file.parameter);
          append(bytes, file.path);
          append(bytes, file.digest);
          append(bytes, file.is_library ? "library" : "");
        }
      return bytes;
    }

    std::vector<InputFile>
    files_from_bytes(const std::string &bytes)
    {
      std::vector<InputFile> files;
      for (std::size_t place = 0; place < bytes.size();)
        {
          files.emplace_back();
          files.back().parameter  = take(bytes, place);
          files.back().path       = take(bytes, place);
          files.back().digest     = take(bytes, place);
          files.back().is_library = !take(bytes, place).empty();
        }
      return files;
    }

    /** The first file that has changed, in words; empty if none has. */
    std::string
    difference_of_files(const std::vector<InputFile> &old_files,
                        const std::vector<InputFile> &new_files,
                        const bool                    any_build)
    {
      // The parameters are the same, so these are the same files in the same
      // order.
      for (std::size_t i = 0; i < old_files.size() && i < new_files.size(); ++i)
        if (old_files[i].digest != new_files[i].digest &&
            !(any_build && new_files[i].is_library))
          return "the file '" + new_files[i].path + "' of '" +
                 new_files[i].parameter + "' has changed: it had " +
                 old_files[i].digest + ", and now " +
                 (new_files[i].digest == "unreadable" ?
                    "it cannot be read" :
                    "it has " + new_files[i].digest);
      return old_files.size() == new_files.size() ?
               "" :
               "it has read another number of files";
    }

    /** Whether it says where something is computed, not what. */
    bool
    is_about_servers(const std::string &parameter)
    {
      const std::string name = parameter.substr(parameter.rfind('/') + 1);
      return parameter.rfind("Levels/", 0) == 0 &&
             (name == "Servers" || name == "Time limit of a call");
    }

    /** Whether a run may go on with another value of a parameter. */
    bool
    may_differ(const std::string &parameter)
    {
      return parameter == "Iterations" || parameter == "Work budget" ||
             parameter == "Effective draws" || parameter == "Time limit" ||
             parameter == "Output directory" ||
             parameter.rfind("Parallel/", 0) == 0 ||
             is_about_servers(parameter) ||
             (parameter.rfind("Output/", 0) == 0 &&
              parameter != "Output/Draws");
    }
  } // namespace



  std::map<std::string, std::string>
  parameter_values(const std::string &file)
  {
    std::map<std::string, std::string> result;
    std::vector<std::string>           sections;
    std::istringstream                 stream(file);
    std::string                        line;
    const auto                         trim = [](const std::string &text) {
      const auto begin = text.find_first_not_of(" \t");
      if (begin == std::string::npos)
        return std::string();
      return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
    };
    while (std::getline(stream, line))
      {
        line = trim(line);
        if (line.rfind("subsection ", 0) == 0)
          sections.push_back(trim(line.substr(11)));
        else if (line == "end" && !sections.empty())
          sections.pop_back();
        else if (line.rfind("set ", 0) == 0)
          {
            const auto equal = line.find('=');
            if (equal == std::string::npos)
              continue;
            std::string path;
            for (const std::string &section : sections)
              path += section + "/";
            // A comment behind the value names the default.
            result[path + trim(line.substr(4, equal - 4))] =
              trim(line.substr(equal + 1, line.find(" #", equal) - equal - 1));
          }
      }
    return result;
  }



  std::string
  checkpoint_to_bytes(const Checkpoint &checkpoint)
  {
    std::string body;
    append(body, checkpoint.identity.version);
    append(body, checkpoint.identity.build);
    append(body, checkpoint.identity.parameters);
    append(body, files_to_bytes(checkpoint.identity.files));
    append(body, checkpoint.state);
    const std::uint32_t sum   = checksum(body.data(), body.size());
    std::string         bytes = letters;
    bytes.append(reinterpret_cast<const char *>(&sum), sizeof(sum));
    return bytes + body;
  }



  Checkpoint
  checkpoint_from_bytes(const std::string &bytes)
  {
    constexpr std::size_t n_head = n_letters + sizeof(std::uint32_t);
    if (bytes.compare(0, n_letters, letters) != 0)
      throw ArchiveError("it does not begin as a checkpoint does");
    if (bytes.size() < n_head)
      throw ArchiveError("it is too short");
    std::uint32_t sum = 0;
    std::memcpy(&sum, bytes.data() + n_letters, sizeof(sum));
    if (sum != checksum(bytes.data() + n_head, bytes.size() - n_head))
      throw ArchiveError("its checksum is wrong");
    Checkpoint  result;
    std::size_t place          = n_head;
    result.identity.version    = take(bytes, place);
    result.identity.build      = take(bytes, place);
    result.identity.parameters = take(bytes, place);
    result.identity.files      = files_from_bytes(take(bytes, place));
    result.state               = take(bytes, place);
    if (place != bytes.size())
      throw ArchiveError("it is too long");
    return result;
  }



  void
  write_checkpoint(const std::string &folder, const Checkpoint &checkpoint)
  {
    const fs::path  place(folder);
    std::error_code error;
    // A second name for the old one, so that there is no moment without any.
    if (fs::exists(place / name, error))
      {
        fs::remove(place / previous, error);
        fs::create_hard_link(place / name, place / previous, error);
        if (error)
          fs::copy_file(place / name, place / previous, error);
      }
    write_whole_file((place / name).string(),
                     checkpoint_to_bytes(checkpoint),
                     "--output",
                     Durability::synchronised);
  }



  bool
  has_checkpoint(const std::string &folder)
  {
    std::error_code error;
    return fs::exists(fs::path(folder) / name, error) ||
           fs::exists(fs::path(folder) / previous, error);
  }



  std::string
  read_checkpoint(const std::string        &folder,
                  const CheckpointIdentity &identity,
                  const ResumeOptions      &options)
  {
    const fs::path path =
      fs::path(folder) / (options.from_previous ? previous : name);
    const std::string what = "The checkpoint '" + path.string() + "' ";
    std::error_code   error;
    const bool        has_previous =
      !options.from_previous && fs::exists(fs::path(folder) / previous, error);
    const std::string use_previous =
      has_previous ?
        " With --resume-previous the run goes on from the one before it." :
        " Begin the run again with --overwrite.";

    std::ifstream file(path, std::ios::binary);
    if (!file)
      throw UserError(what + "cannot be read." + use_previous);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (bytes.compare(0, n_letters, older_letters) == 0)
      throw UserError(what + "is of an older version of tempera. Resume with "
                             "that version, or begin the run again with "
                             "--overwrite.");
    Checkpoint checkpoint;
    try
      {
        checkpoint = checkpoint_from_bytes(bytes);
      }
    catch (const ArchiveError &damage)
      {
        throw UserError(what + "is damaged: " + damage.what() + "." +
                        use_previous);
      }

    if (!options.any_build && checkpoint.identity.version != identity.version)
      throw UserError(what + "is of version " + checkpoint.identity.version +
                      ", but this is version " + identity.version +
                      ". Resume with that version; or give --any-build to go "
                      "on with this one, with draws that may differ from those "
                      "of an uninterrupted run.");
    if (!options.any_build && checkpoint.identity.build != identity.build)
      throw UserError(what +
                      "is of another build of this version, or of "
                      "another machine (" +
                      checkpoint.identity.build + ", here " + identity.build +
                      "). Resume with that one; or give --any-build to go on "
                      "with this one, with draws that may differ in the last "
                      "digits from those of an uninterrupted run.");
    const std::string difference =
      difference_of_parameters(checkpoint.identity.parameters,
                               identity.parameters);
    if (!difference.empty())
      throw UserError(
        what + "is of a run with other parameters: " + difference +
        ". Only 'Iterations', 'Work budget', 'Effective draws', 'Time limit' "
        "and the sections 'Output' and 'Parallel' may change when a run is resumed. Put the old "
        "value back, or begin a new run in another folder.");
    const std::string changed = difference_of_files(checkpoint.identity.files,
                                                    identity.files,
                                                    options.any_build);
    if (!changed.empty())
      throw UserError(what + "is of a run with other input: " + changed +
                      ". Draws with the old and the new one would be mixed. "
                      "Put the old file back, or begin a new run in another "
                      "folder.");
    return checkpoint.state;
  }



  std::string
  difference_of_parameters(const std::string &old_file,
                           const std::string &new_file)
  {
    const auto old_values = parameter_values(old_file),
               new_values = parameter_values(new_file);
    const auto value      = [](const std::map<std::string, std::string> &values,
                          const std::string                        &name) {
      const auto place = values.find(name);
      return place == values.end() ? std::string("not there") :
                                          "'" + place->second + "'";
    };
    for (const auto *values : {&new_values, &old_values})
      for (const auto &one : *values)
        if (!may_differ(one.first) &&
            value(old_values, one.first) != value(new_values, one.first))
          return "'" + one.first + "' was " + value(old_values, one.first) +
                 " and is " + value(new_values, one.first);
    return "";
  }



  std::string
  run_identity(const CheckpointIdentity &identity)
  {
    std::string text;
    for (const auto &one : parameter_values(identity.parameters))
      if (!may_differ(one.first))
        text += one.first + " = " + one.second + "\n";
    for (const InputFile &file : identity.files)
      if (!file.is_library)
        text += file.parameter + ": " + file.digest + "\n";
    return digest(text);
  }
} // namespace Tempera
