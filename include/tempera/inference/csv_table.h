// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_inference_csv_table_h
#define tempera_inference_csv_table_h

#include <string>
#include <vector>

namespace Tempera
{
  /**
   * A table of finite numbers from a CSV file: a line with the names of the
   * columns, then numbers. Commas, semicolons or tabs are between them, which
   * of these the first line says. Empty lines and what follows a # are left
   * out.
   */
  class CsvTable
  {
  public:
    /** Any mistake in the file is a UserError with its line. */
    explicit CsvTable(const std::string &path);

    std::size_t
    n_rows() const
    {
      return rows.size();
    }

    const std::vector<std::string> &
    get_names() const
    {
      return names;
    }

    bool
    has_column(const std::string &name) const;

    /** A missing column is a UserError. */
    std::vector<double>
    column(const std::string &name) const;

    /** "file:line" of a row. */
    std::string
    origin(const std::size_t row) const;

  private:
    const std::string                path;
    std::vector<std::string>         names;
    std::vector<std::vector<double>> rows;
    std::vector<unsigned int>        lines;
  };
} // namespace Tempera

#endif
