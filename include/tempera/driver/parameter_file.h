// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_driver_parameter_file_h
#define tempera_driver_parameter_file_h

#include <tempera/base/parameter_sections.h>

#include <string>
#include <vector>

namespace Tempera
{
  /** One `set` of a parameter file, with the place where it stands. */
  struct Assignment
  {
    std::vector<std::string> section;
    std::string              name;
    std::string              value;
    /** "file:line", or the command line option. */
    std::string origin;
    /** Folder of the file; empty for the command line. */
    std::string folder;
  };


  /** A `subsection` of a parameter file, even if it sets nothing. */
  struct OpenedSection
  {
    std::vector<std::string> path;
    std::string              origin;
  };


  /**
   * A parameter file as it is written: deal.II's format, read without regard
   * to which parameters exist. Unlike ParameterHandler's own reader, it knows
   * file and line of every entry, resolves `include` against the including
   * file, and can be asked for structure (the names of levels) before all
   * parameters are declared. A file must not set a parameter twice; it may set
   * what an included file has set, and the command line overrides both.
   */
  class ParameterFile : public ParameterSource
  {
  public:
    ParameterFile() = default;

    /** Read a file and what it includes; a syntax error is a UserError. */
    explicit ParameterFile(const std::string &path);

    /** Add an assignment "Section/Name = value" from the command line. */
    void
    add_from_command_line(const std::string &text);

    /**
     * Add an assignment.
     *
     * @param path "Section/Name".
     */
    void
    add(const std::string &path,
        const std::string &value,
        const std::string &origin);

    const std::vector<Assignment> &
    assignments() const
    {
      return all_assignments;
    }

    const std::vector<OpenedSection> &
    sections() const
    {
      return all_sections;
    }

    /**
     * The question that the file asks: its opening comment, or of one that is
     * divided as those in prm/ are ("Question: ...", "Answer: ...") the part
     * that says "Question". In one line of UTF-8 of bounded length; empty
     * without such a comment. What is included has no say.
     */
    const std::string &
    question() const
    {
      return opening_question;
    }

    /**
     * Messages name settings by their path, 'Section/Name', wherever they come
     * from. A line for each that the file or the command line sets: what it is
     * set to, and where. Empty if a message names none, or says it itself.
     */
    std::string
    places_of_settings(const std::string &message) const;

    /** Say something in a section without setting anything. */
    void
    open_section(const Path &section, const std::string &origin)
    {
      all_sections.push_back({section, origin});
    }

    bool
    has_section(const Path &section) const override;

    std::string
    value_of(const Path        &section,
             const std::string &name,
             const std::string &default_value) const override;

    std::vector<std::string>
    names_in(const Path &section) const override;

    /** In the order of the file. */
    std::vector<std::string>
    sections_in(const Path &section) const override;

  private:
    void
    read(const std::string &path);

    std::string                opening_question;
    std::vector<Assignment>    all_assignments;
    std::vector<OpenedSection> all_sections;

    /** While reading: the file with those that include it. */
    std::vector<std::string> open_files;
    /** The sections that are open, and where they began. */
    std::vector<std::string> open_sections;
    std::vector<std::string> open_origins;
  };
} // namespace Tempera

#endif
