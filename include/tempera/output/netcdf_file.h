// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_output_netcdf_file_h
#define tempera_output_netcdf_file_h

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace Tempera
{
  class NetcdfFile;


  /** Types that numbers may have in a file. */
  enum class NetcdfType
  {
    boolean,
    integer,
    long_integer,
    real
  };


  /**
   * A group of a NetCDF file, while it is written. First everything is defined,
   * then numbers are written; those that are known when their variable is
   * defined are written by the file itself. Numbers are given as doubles and
   * stored in the type of their variable.
   */
  class NetcdfGroup
  {
  public:
    NetcdfGroup(NetcdfFile &file, const int id)
      : file(&file)
      , id(id)
    {}

    /** A group within this one. */
    NetcdfGroup
    add_group(const std::string &name);

    /** Define a dimension; returns its number. */
    int
    add_dimension(const std::string &name, const std::uint64_t length);

    /** The same with a coordinate, which counts. */
    int
    add_counting_dimension(const std::string  &name,
                           const std::uint64_t length,
                           const std::uint64_t first = 0);

    /** Define a variable; returns its number. */
    int
    add_variable(const std::string      &name,
                 const NetcdfType        type,
                 const std::vector<int> &dimensions);

    /** The same with all its numbers. */
    int
    add_variable(const std::string         &name,
                 const NetcdfType           type,
                 const std::vector<int>    &dimensions,
                 const std::vector<double> &numbers);

    /**
     * Define a list of texts; returns its number.
     * They are characters with the length of the longest, which readers
     * make texts of. Not texts of variable length: of a file with these that is
     * opened more than once at a time HDF5 1.10 crashes the reader, whoever
     * has written it (H5T__conv_vlen, when the fill value is read).
     */
    int
    add_text_variable(const std::string              &name,
                      const int                       dimension,
                      const std::vector<std::string> &texts);

    /** Attributes of the group. */
    void
    set_attribute(const std::string &name, const std::string &text);
    void
    set_attribute(const std::string &name, const std::uint64_t number);

    /** Attribute of a variable. */
    void
    set_attribute(const int          variable,
                  const std::string &name,
                  const std::string &text);

    /** Write a block of a variable. */
    void
    write(const int                       variable,
          const std::vector<std::size_t> &start,
          const std::vector<std::size_t> &count,
          const double                   *numbers);

  private:
    NetcdfFile *file;
    int         id;
  };


  /**
   * A NetCDF-4 file that is written. Storage is contiguous and nothing is
   * filled in beforehand, so that memory does not depend on the length. What
   * goes wrong is a UserError with the name of the file and the cause.
   *
   * HDF5 does not survive that a file cannot be written: the next file, or the
   * end of the program, then crashes in it. So room on the disk is reserved
   * before anything is written; and should a write fail all the same, the
   * library closes a file in memory that nobody sees.
   */
  class NetcdfFile
  {
  public:
    /**
     * @param path Where it is written.
     * @param shown_path What messages call it.
     */
    NetcdfFile(const std::string &path, const std::string &shown_path);

    /** Gives up what was not closed. */
    ~NetcdfFile();

    NetcdfFile(const NetcdfFile &) = delete;
    NetcdfFile &
    operator=(const NetcdfFile &) = delete;

    NetcdfGroup
    root()
    {
      return NetcdfGroup(*this, id);
    }

    /**
     * To be called when everything is defined; makes sure there is room, and
     * writes what is known.
     */
    void
    end_definitions();

    void
    close();

    /** Throw if the library reports a failure. */
    void
    check(const int status) const;

    /** Count what is defined, to reserve room for it. */
    void
    add_size(const std::uint64_t n_bytes)
    {
      size += n_bytes;
    }

    /** Call a function when everything is defined. */
    void
    write_later(std::function<void()> function)
    {
      known.push_back(std::move(function));
    }

  private:
    /** Let the library write what it still wants to write into memory. */
    void
    divert() const;

    const std::string path, shown_path;
    int               id      = -1;
    bool              is_open = false;
    std::uint64_t     size    = 1 << 20;
    /** Each writes numbers that are known. */
    std::vector<std::function<void()>> known;
  };


  /**
   * A name that NetCDF accepts, as close to @p name as possible, that is none
   * of the @p taken ones; it is added to them.
   */
  std::string
  netcdf_name(const std::string &name, std::vector<std::string> &taken);
} // namespace Tempera

#endif
