// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/text.h>
#include <tempera/base/user_error.h>
#include <tempera/inference/csv_table.h>
#include <tempera/inference/prior.h>

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <fstream>

namespace Tempera
{
  namespace
  {
    std::string
    separator_in_words(const char separator)
    {
      return separator == ',' ? "commas" :
             separator == ';' ? "semicolons" :
                                "tabs";
    }

    /** What separates the columns, by the line that names them. */
    char
    separator_of(const std::string &line, const std::string &here)
    {
      std::string found;
      for (const char candidate : {',', ';', '\t'})
        if (line.find(candidate) != std::string::npos)
          found += candidate;
      if (found.size() > 1)
        throw UserError(here + "the names of the columns are separated by " +
                        separator_in_words(found[0]) + " and by " +
                        separator_in_words(found[1]) +
                        ". Use one of them, best commas.");
      if (found.empty() && line.find(' ') != std::string::npos)
        throw UserError(here +
                        "the names of the columns are separated by spaces. "
                        "Write commas (or semicolons, or tabs) between names "
                        "and between numbers.");
      return found.empty() ? ',' : found[0];
    }
  } // namespace



  CsvTable::CsvTable(const std::string &path)
    : path(path)
  {
    std::ifstream file(path);
    if (!file)
      throw UserError("The file '" + path +
                      "' cannot be read. Correct its name.");
    std::string  line;
    unsigned int number    = 0;
    char         separator = ',';
    while (std::getline(file, line))
      {
        ++number;
        line = dealii::Utilities::trim(line.substr(0, line.find('#')));
        if (!line.empty() && line.back() == '\r')
          line = dealii::Utilities::trim(line.substr(0, line.size() - 1));
        if (line.empty())
          continue;
        const std::string here = path + ":" + std::to_string(number) + ": ";
        if (names.empty())
          separator = separator_of(line, here);
        const std::vector<std::string> entries =
          dealii::Utilities::split_string_list(line, separator);
        if (names.empty())
          {
            if (Prior::number_from_text(entries[0]))
              throw UserError(here +
                              "the first line must name the columns, for "
                              "instance 'x, y, t, value'.");
            names = entries;
            for (std::size_t i = 0; i < names.size(); ++i)
              if (std::find(names.begin(), names.begin() + i, names[i]) !=
                  names.begin() + i)
                throw UserError(here + "the column '" + names[i] +
                                "' is named twice.");
            continue;
          }
        if (entries.size() != names.size())
          throw UserError(
            here + "this line has " + counted(entries.size(), "entry") +
            ", but the first one names " + counted(names.size(), "column") +
            ", separated by " + separator_in_words(separator) + ".");
        std::vector<double> row;
        for (std::size_t i = 0; i < entries.size(); ++i)
          {
            const auto value = Prior::number_from_text(entries[i]);
            if (!value)
              throw UserError(here + "'" + entries[i] + "' in the column '" +
                              names[i] + "' is not a finite number. " +
                              (entries[i].find(',') != std::string::npos ?
                                 "Write decimals with a point." :
                                 "Correct the value, or remove the line."));
            row.push_back(*value);
          }
        rows.push_back(row);
        lines.push_back(number);
      }
    if (rows.empty())
      throw UserError("The file '" + path +
                      "' has no numbers. Give a line with the names of the "
                      "columns, then one line for each row.");
  }



  bool
  CsvTable::has_column(const std::string &name) const
  {
    return std::find(names.begin(), names.end(), name) != names.end();
  }



  std::vector<double>
  CsvTable::column(const std::string &name) const
  {
    if (!has_column(name))
      throw UserError("The file '" + path + "' has no column '" + name + "'." +
                      did_you_mean(name, names));
    const std::size_t index =
      std::find(names.begin(), names.end(), name) - names.begin();
    std::vector<double> result;
    for (const std::vector<double> &row : rows)
      result.push_back(row[index]);
    return result;
  }



  std::string
  CsvTable::origin(const std::size_t row) const
  {
    return path + ":" + std::to_string(lines[row]);
  }
} // namespace Tempera
