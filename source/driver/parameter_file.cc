// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/base/utf8.h>
#include <tempera/driver/parameter_file.h>

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace Tempera
{
  namespace
  {
    /** Without comment, with single spaces, as ParameterHandler sees a line. */
    std::string
    normalised(std::string line)
    {
      line = line.substr(0, line.find('#'));
      std::string result;
      for (const char c : line)
        {
          const bool space = c == ' ' || c == '\t' || c == '\r';
          if (!space)
            result += c;
          else if (!result.empty() && result.back() != ' ')
            result += ' ';
        }
      return dealii::Utilities::trim(result);
    }

    /** Append a further line, with a space between. */
    void
    append_line(std::string &line, const std::string &physical_line)
    {
      const std::string next = normalised(physical_line);
      while (!line.empty() && line.back() == ' ')
        line.pop_back();
      if (!line.empty() && !next.empty())
        line += ' ';
      line += next;
    }

    /** See ParameterFile::question(); of empty lines and comments. */
    std::string
    question_in(const std::string &opening)
    {
      constexpr std::size_t most_bytes = 1000;

      std::istringstream lines(opening);
      std::string        line, result;
      while (std::getline(lines, line) && result.size() <= most_bytes)
        {
          // Control characters, tabs and returns among them, are spaces.
          for (char &c : line)
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
              c = ' ';
          line.erase(0, line.find_first_not_of("# -=*/"));
          std::string words = dealii::Utilities::trim(line);
          // deal.II's own heading: a file that a run has left.
          if (words == "Listing of Parameters")
            return "";
          if (words.empty() || words.rfind("SPDX-", 0) == 0)
            {
              // An empty line ends a paragraph; before the first there may be
              // some, and ornaments and licences.
              if (!result.empty())
                break;
              continue;
            }
          const auto begins = [&](const std::string &label) {
            return words.rfind(label, 0) == 0;
          };
          if (result.empty() && begins("Question:"))
            words = dealii::Utilities::trim(words.substr(words.find(':') + 1));
          else if (begins("Answer:") || begins("Time:"))
            break;
          result += (result.empty() || words.empty() ? "" : " ") + words;
        }
      result = valid_utf8(result);
      if (result.size() > most_bytes)
        {
          // Not within a character, nor within a word if it can be helped.
          std::size_t end = most_bytes;
          while (end > 0 && (result[end] & 0xC0) == 0x80)
            --end;
          const std::size_t space = result.rfind(' ', end);
          if (space != std::string::npos && space > most_bytes / 2)
            end = space;
          result = result.substr(0, end) + " ...";
        }
      return result;
    }

    /** The rest of @p line if it begins with the word @p keyword. */
    bool
    begins_with(const std::string &line,
                const std::string &keyword,
                std::string       &rest)
    {
      if (line.compare(0, keyword.size(), keyword) != 0 ||
          (line.size() > keyword.size() && line[keyword.size()] != ' '))
        return false;
      rest = dealii::Utilities::trim(line.substr(keyword.size()));
      return true;
    }

    /** Names are compared and shown as UTF-8; values may be anything. */
    void
    check_name(const std::string &name, const std::string &origin)
    {
      if (valid_utf8(name) != name)
        throw UserError(origin + ": the name '" + valid_utf8(name) +
                        "' has bytes that are not UTF-8. Save the file in this "
                        "encoding.");
    }

    /** A value must survive being written to a file and read again. */
    void
    check_command_line_value(const std::string &value,
                             const std::string &origin)
    {
      if (value.find_first_of("#\n\\") != std::string::npos)
        throw UserError(origin +
                        ": a value cannot contain '#', '\\' or a line break, "
                        "which a parameter file would not keep.");
    }
  } // namespace



  ParameterFile::ParameterFile(const std::string &path)
  {
    read(path);
  }



  void
  ParameterFile::read(const std::string &path)
  {
    constexpr std::size_t most_open_files = 21, most_open_sections = 50,
                          longest_opening = 20000;
    std::error_code   error;
    const std::string file_itself =
      std::filesystem::weakly_canonical(path, error).string();
    if (std::find(open_files.begin(), open_files.end(), file_itself) !=
        open_files.end())
      throw UserError(path + ": files include each other in a circle. Remove "
                             "one of the 'include' lines.");
    if (open_files.size() == most_open_files)
      throw UserError(path + ": files include each other more than " +
                      std::to_string(most_open_files - 1) +
                      " deep. Include this one from a file further out.");
    open_files.push_back(file_itself);
    std::ifstream file(path);
    if (!file || std::filesystem::is_directory(path, error))
      throw UserError("Cannot read the parameter file '" + path +
                      "'. Check the name and the permissions.");

    const std::size_t depth_at_begin = open_sections.size();
    // What this file sets, and where. What an included file sets may be set
    // again: that is what including is for.
    std::map<std::pair<std::vector<std::string>, std::string>, unsigned int>
                 lines;
    std::string  physical_line, opening;
    unsigned int line_number = 0;
    // Only of the file itself, not of what it includes.
    const bool is_outermost = open_files.size() == 1;
    bool       is_opening   = is_outermost;
    while (std::getline(file, physical_line))
      {
        ++line_number;
        // A setting that goes on in further lines begins here.
        const unsigned int first_line = line_number;
        const std::string  origin     = path + ":" + std::to_string(first_line);

        // Some editors begin a file with a mark of its encoding.
        if (line_number == 1 &&
            physical_line.compare(0, 3, "\xEF\xBB\xBF") == 0)
          physical_line.erase(0, 3);
        const std::size_t first = physical_line.find_first_not_of(" \t\r");
        is_opening =
          is_opening && opening.size() < longest_opening &&
          (first == std::string::npos || physical_line[first] == '#');
        if (is_opening)
          opening += physical_line + '\n';
        std::string line = normalised(physical_line);
        while (!line.empty() && line.back() == '\\' &&
               std::getline(file, physical_line))
          {
            ++line_number;
            line.pop_back();
            append_line(line, physical_line);
          }

        std::string rest;
        if (line.empty())
          continue;
        else if (begins_with(line, "set", rest))
          {
            const std::size_t equal = rest.find('=');
            if (equal == std::string::npos)
              throw UserError(origin + ": '" + line +
                              "' has no '='. Write 'set NAME = VALUE'.");
            check_name(rest.substr(0, equal), origin);
            const std::string name =
              dealii::Utilities::trim(rest.substr(0, equal));
            const auto inserted =
              lines.insert({{open_sections, name}, first_line});
            if (!inserted.second)
              throw UserError(
                origin + ": '" +
                (open_sections.empty() ? "" : join(open_sections, "/") + "/") +
                name + "' is set a second time; the first is in line " +
                std::to_string(inserted.first->second) +
                ". Remove one of them.");
            all_assignments.push_back(
              {open_sections,
               name,
               dealii::Utilities::trim(rest.substr(equal + 1)),
               origin,
               std::filesystem::path(path).parent_path().string()});
          }
        else if (begins_with(line, "subsection", rest) && !rest.empty())
          {
            check_name(rest, origin);
            if (open_sections.size() == most_open_sections)
              throw UserError(origin + ": more than " +
                              std::to_string(most_open_sections) +
                              " sections are open. Close some with 'end'.");
            open_sections.push_back(rest);
            open_origins.push_back(origin);
            all_sections.push_back({open_sections, origin});
          }
        else if (line == "end")
          {
            if (open_sections.size() == depth_at_begin)
              throw UserError(origin +
                              ": 'end' without a 'subsection' to close. "
                              "Remove it, or add the missing 'subsection'.");
            open_sections.pop_back();
            open_origins.pop_back();
          }
        else if (begins_with(line, "include", rest) && !rest.empty())
          {
            const std::filesystem::path included =
              std::filesystem::path(path).parent_path() / rest;
            if (!std::filesystem::exists(included, error))
              throw UserError(origin + ": the included file '" +
                              included.string() +
                              "' does not exist. A relative name is taken "
                              "from the folder of the including file.");
            read(included.string());
          }
        else
          throw UserError(
            origin + ": cannot understand '" + line +
            "'. A line is 'set NAME = VALUE', 'subsection NAME', 'end', "
            "'include FILE' or a comment that begins with '#'.");
      }
    if (is_outermost)
      opening_question = question_in(opening);
    if (open_sections.size() != depth_at_begin)
      throw UserError(open_origins.back() + ": the subsection '" +
                      open_sections.back() +
                      "' is never closed. Add the missing 'end'.");
    open_files.pop_back();
  }



  void
  ParameterFile::add_from_command_line(const std::string &text)
  {
    const std::string origin = "--set \"" + text + "\"";
    check_command_line_value(text, origin);
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos)
      throw UserError(origin +
                      ": there is no '='. Write --set \"Section/Name = "
                      "value\".");
    std::vector<std::string> path =
      dealii::Utilities::split_string_list(text.substr(0, equal), '/');
    if (path.empty())
      throw UserError(origin + ": there is no name before '='. Write --set "
                               "\"Section/Name = value\".");
    const std::string name = path.back();
    path.pop_back();
    all_assignments.push_back({path,
                               name,
                               dealii::Utilities::trim(text.substr(equal + 1)),
                               origin,
                               ""});
  }



  void
  ParameterFile::add(const std::string &path,
                     const std::string &value,
                     const std::string &origin)
  {
    check_command_line_value(value, origin);
    Path              section = dealii::Utilities::split_string_list(path, '/');
    const std::string name    = section.back();
    section.pop_back();
    if (!has_section(section))
      open_section(section, origin);
    all_assignments.push_back({section, name, value, origin, ""});
  }



  std::string
  ParameterFile::places_of_settings(const std::string &message) const
  {
    // Of a setting that is given several times the last one counts.
    std::map<std::string, const Assignment *> named;
    for (const Assignment &assignment : all_assignments)
      {
        Path path = assignment.section;
        path.push_back(assignment.name);
        const std::string name = join(path, "/");
        if (message.find("'" + name + "'") != std::string::npos ||
            message.find("'" + name + " = ") != std::string::npos)
          named[name] = &assignment;
      }
    constexpr std::size_t most_letters = 60;

    std::string lines;
    for (const auto &one : named)
      {
        const std::string &origin = one.second->origin;
        const std::string &value  = one.second->value;
        if (message.find(origin + ":") != std::string::npos)
          continue;
        lines += "\n    " + origin;
        // An option of the command line says it all.
        if (origin.rfind("--", 0) != 0)
          lines += ": " + one.first + " = " +
                   (value.size() > most_letters ?
                      valid_utf8(value.substr(0, most_letters)) + "..." :
                      value);
      }
    return lines;
  }



  bool
  ParameterFile::has_section(const std::vector<std::string> &section) const
  {
    return std::any_of(all_sections.begin(),
                       all_sections.end(),
                       [&](const OpenedSection &opened) {
                         return opened.path == section;
                       }) ||
           std::any_of(all_assignments.begin(),
                       all_assignments.end(),
                       [&](const Assignment &assignment) {
                         return assignment.section == section;
                       });
  }



  std::string
  ParameterFile::value_of(const std::vector<std::string> &section,
                          const std::string              &name,
                          const std::string              &default_value) const
  {
    for (auto a = all_assignments.rbegin(); a != all_assignments.rend(); ++a)
      if (a->section == section && a->name == name)
        return a->value;
    return default_value;
  }



  std::vector<std::string>
  ParameterFile::names_in(const Path &section) const
  {
    std::vector<std::string> names;
    for (const Assignment &assignment : all_assignments)
      if (assignment.section == section &&
          std::find(names.begin(), names.end(), assignment.name) == names.end())
        names.push_back(assignment.name);
    return names;
  }



  std::vector<std::string>
  ParameterFile::sections_in(const Path &section) const
  {
    std::vector<std::string> names;
    for (const OpenedSection &opened : all_sections)
      if (opened.path.size() == section.size() + 1 &&
          std::equal(section.begin(), section.end(), opened.path.begin()) &&
          std::find(names.begin(), names.end(), opened.path.back()) ==
            names.end())
        names.push_back(opened.path.back());
    return names;
  }
} // namespace Tempera
