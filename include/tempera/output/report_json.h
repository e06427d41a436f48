// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_report_json_h
#define tempera_output_report_json_h

#include <string>
#include <vector>

namespace Tempera
{
  /**
   * Texts of JSON that may stand within a page: nothing in them ends a script
   * or begins a tag. Numbers that are not finite become null.
   */
  namespace ReportJson
  {
    std::string
    of_text(const std::string &text);

    /** With ten digits, enough for a table. */
    std::string
    of_number(const double number);

    /** Any texts of JSON as a list. */
    std::string
    list(const std::vector<std::string> &entries);

    std::string
    of_texts(const std::vector<std::string> &texts);

    /**
     * As many digits as a chart that shows all of the numbers can resolve:
     * four, and as many more as the numbers have in common.
     */
    std::string
    of_numbers(const std::vector<double> &numbers);

    /** With all digits, for numbers that the page subtracts. */
    std::string
    of_exact_numbers(const std::vector<double> &numbers);

    std::string
    of_lists(const std::vector<std::vector<double>> &lists);


    /** An object that grows by its members. */
    class Object
    {
    public:
      /** @param json A text of JSON. */
      Object &
      add(const std::string &name, const std::string &json);

      std::string
      text() const;

    private:
      std::string members;
    };
  } // namespace ReportJson
} // namespace Tempera

#endif
