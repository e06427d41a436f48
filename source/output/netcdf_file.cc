// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/user_error.h>
#include <tempera/base/utf8.h>
#include <tempera/output/netcdf_file.h>
#include <tempera/output/run_folder.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <netcdf.h>
#include <set>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Tempera
{
  namespace
  {
    /**
     * HDF5 keeps attributes in a header of 64 KiB; longer ones have to be of a
     * type that is kept elsewhere.
     */
    constexpr std::size_t most_bytes_in_header = 8192;

    nc_type
    storage_type(const NetcdfType type)
    {
      switch (type)
        {
          case NetcdfType::boolean:
            return NC_BYTE;
          case NetcdfType::integer:
            return NC_INT;
          case NetcdfType::long_integer:
            return NC_INT64;
          case NetcdfType::real:
            break;
        }
      return NC_DOUBLE;
    }

    /** Call a function of the library, and throw if it fails. */
    template <typename Function, typename... Arguments>
    void
    call(const NetcdfFile &file, Function function, Arguments... arguments)
    {
      errno = 0;
      file.check(function(arguments...));
    }

    /**
     * Make room for so many bytes of a file, without making it longer; throw if
     * there is none. HDF5 would notice too late, and crash.
     */
    void
    reserve(const std::string  &path,
            const std::string  &shown_path,
            const std::uint64_t size)
    {
      const int descriptor =
        open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
      if (descriptor < 0)
        throw_write_error(shown_path);
      rlimit     limit;
      const bool is_too_long = getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
                               limit.rlim_cur != RLIM_INFINITY &&
                               limit.rlim_cur < size;
      const int cause =
        is_too_long                                              ? EFBIG :
        fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, size) == 0 ? 0 :
                                                                   errno;
      ::close(descriptor);
      // Not all places can reserve.
      const std::set<int> causes = {ENOSPC, EDQUOT, EFBIG};
      errno                      = cause;
      if (causes.count(cause) > 0)
        throw_write_error(shown_path);
    }

    void
    put_text(NetcdfFile        &file,
             const int          group,
             const int          variable,
             const std::string &name,
             const std::string &given_text)
    {
      std::string text = valid_utf8(given_text);
      std::replace(text.begin(), text.end(), '\0', '?');
      const char *const start = text.c_str();
      if (text.size() <= most_bytes_in_header)
        call(file,
             nc_put_att_text,
             group,
             variable,
             name.c_str(),
             text.size(),
             start);
      else
        {
          const char *places[] = {start};
          file.add_size(text.size());
          call(
            file, nc_put_att_string, group, variable, name.c_str(), 1, places);
        }
    }
  } // namespace



  std::string
  netcdf_name(const std::string &name, std::vector<std::string> &taken)
  {
    const auto is_letter_or_digit = [](const char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             (c >= '0' && c <= '9') || c == '_' ||
             static_cast<unsigned char>(c) >= 0x80;
    };
    std::string result = valid_utf8(name);
    for (char &c : result)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '/')
        c = '_';
    if (result.empty() || !is_letter_or_digit(result.front()))
      result.insert(0, "_");
    if (result.back() == ' ')
      result.back() = '_';
    // A character must not be cut into two.
    if (result.size() > NC_MAX_NAME / 2)
      {
        std::size_t end = NC_MAX_NAME / 2;
        while ((static_cast<unsigned char>(result[end]) & 0xC0u) == 0x80u)
          --end;
        result.resize(end);
        if (result.back() == ' ')
          result.back() = '_';
      }
    const std::string stem = result;
    for (unsigned int i = 2;
         std::find(taken.begin(), taken.end(), result) != taken.end();
         ++i)
      result = stem + "_" + std::to_string(i);
    taken.push_back(result);
    return result;
  }



  NetcdfFile::NetcdfFile(const std::string &path, const std::string &shown_path)
    : path(path)
    , shown_path(shown_path)
  {
    // Of a file that has no room for its own head HDF5 makes a segmentation
    // fault.
    constexpr std::uint64_t head = 8192;
    reserve(path, shown_path, head);
    call(*this, nc_create, path.c_str(), NC_CLOBBER | NC_NETCDF4, &id);
    is_open = true;
    int previous;
    call(*this, nc_set_fill, id, NC_NOFILL, &previous);
  }



  NetcdfFile::~NetcdfFile()
  {
    if (!is_open)
      return;
    divert();
    nc_abort(id);
  }



  void
  NetcdfFile::end_definitions()
  {
    reserve(path, shown_path, size);
    call(*this, nc_enddef, id);
    for (const std::function<void()> &write : known)
      write();
  }



  void
  NetcdfFile::close()
  {
    // What is buffered is written here; a failure can still be survived.
    call(*this, nc_sync, id);
    is_open = false;
    call(*this, nc_close, id);
  }



  void
  NetcdfFile::divert() const
  {
    struct stat wanted, found;
    if (stat(path.c_str(), &wanted) != 0)
      return;
    const int memory = memfd_create("tempera", MFD_CLOEXEC);
    if (memory < 0)
      return;
    std::error_code error;
    for (const auto &entry :
         std::filesystem::directory_iterator("/proc/self/fd", error))
      {
        const int descriptor = std::atoi(entry.path().filename().c_str());
        if (fstat(descriptor, &found) == 0 && found.st_dev == wanted.st_dev &&
            found.st_ino == wanted.st_ino)
          dup2(memory, descriptor);
      }
    ::close(memory);
  }



  void
  NetcdfFile::check(const int status) const
  {
    if (status == NC_NOERR)
      return;
    // Of a failure in HDF5 the library does not tell the cause, or guesses; the
    // system still knows it.
    const std::set<int> causes = {
      ENOSPC, EDQUOT, EFBIG, EIO, EACCES, EPERM, EROFS, EINVAL};
    if (status > 0 && causes.count(errno) == 0)
      errno = status;
    if (status > 0 || (status == NC_EHDFERR && causes.count(errno) > 0))
      throw_write_error(shown_path);
    throw UserError("Cannot write '" + shown_path +
                    "': " + nc_strerror(status) +
                    ". The record of the run is untouched: check whether "
                    "there is room on the disk, and call 'tempera export' "
                    "again.");
  }



  NetcdfGroup
  NetcdfGroup::add_group(const std::string &name)
  {
    int new_id;
    call(*file, nc_def_grp, id, name.c_str(), &new_id);
    return NetcdfGroup(*file, new_id);
  }



  int
  NetcdfGroup::add_dimension(const std::string  &name,
                             const std::uint64_t length)
  {
    // A length of 0 is what the library calls unlimited; it stays empty.
    int dimension;
    call(*file, nc_def_dim, id, name.c_str(), length, &dimension);
    return dimension;
  }



  int
  NetcdfGroup::add_counting_dimension(const std::string  &name,
                                      const std::uint64_t length,
                                      const std::uint64_t first)
  {
    const int dimension = add_dimension(name, length);
    const int variable =
      add_variable(name, NetcdfType::long_integer, {dimension});
    file->write_later([group = *this, variable, length, first]() mutable {
      constexpr std::uint64_t most = 1 << 16;
      std::vector<double>     numbers;
      for (std::uint64_t begin = 0; begin < length; begin += most)
        {
          numbers.resize(std::min(most, length - begin));
          for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = first + begin + i;
          group.write(variable, {begin}, {numbers.size()}, numbers.data());
        }
    });
    return dimension;
  }



  int
  NetcdfGroup::add_variable(const std::string      &name,
                            const NetcdfType        type,
                            const std::vector<int> &dimensions)
  {
    int variable;
    call(*file,
         nc_def_var,
         id,
         name.c_str(),
         storage_type(type),
         dimensions.size(),
         dimensions.data(),
         &variable);
    std::uint64_t n_numbers = 1;
    for (const int dimension : dimensions)
      {
        std::size_t length;
        call(*file, nc_inq_dimlen, id, dimension, &length);
        n_numbers *= length;
      }
    std::size_t n_bytes;
    call(*file, nc_inq_type, id, storage_type(type), nullptr, &n_bytes);
    file->add_size(n_numbers * n_bytes + most_bytes_in_header);
    if (n_numbers > 0)
      call(*file, nc_def_var_chunking, id, variable, NC_CONTIGUOUS, nullptr);
    // How xarray marks them.
    if (type == NetcdfType::boolean)
      set_attribute(variable, "dtype", "bool");
    return variable;
  }



  int
  NetcdfGroup::add_variable(const std::string         &name,
                            const NetcdfType           type,
                            const std::vector<int>    &dimensions,
                            const std::vector<double> &numbers)
  {
    const int variable = add_variable(name, type, dimensions);
    if (!numbers.empty())
      // The group itself need not live so long.
      file->write_later([file = file, id = id, variable, numbers]() {
        call(*file, nc_put_var_double, id, variable, numbers.data());
      });
    return variable;
  }



  int
  NetcdfGroup::add_text_variable(const std::string              &name,
                                 const int                       dimension,
                                 const std::vector<std::string> &texts)
  {
    std::size_t longest = 1;
    for (const std::string &text : texts)
      longest = std::max(longest, valid_utf8(text).size());
    // Zeros fill up shorter ones.
    std::string characters;
    for (const std::string &text : texts)
      {
        std::string one = valid_utf8(text);
        std::replace(one.begin(), one.end(), '\0', '?');
        one.resize(longest, '\0');
        characters += one;
      }
    const int dimensions[] = {dimension,
                              add_dimension("bytes_of_" + name, longest)};
    int       variable;
    call(*file,
         nc_def_var,
         id,
         name.c_str(),
         NC_CHAR,
         2,
         &dimensions[0],
         &variable);
    file->add_size(texts.size() * longest + most_bytes_in_header);
    if (!texts.empty())
      {
        call(*file, nc_def_var_chunking, id, variable, NC_CONTIGUOUS, nullptr);
        file->write_later([file = file, id = id, variable, characters]() {
          call(*file, nc_put_var_text, id, variable, characters.c_str());
        });
      }
    set_attribute(variable, "_Encoding", "utf-8");
    return variable;
  }



  void
  NetcdfGroup::set_attribute(const std::string &name, const std::string &text)
  {
    put_text(*file, id, NC_GLOBAL, name, text);
  }



  void
  NetcdfGroup::set_attribute(const std::string  &name,
                             const std::uint64_t number)
  {
    const unsigned long long value = number;
    call(*file,
         nc_put_att_ulonglong,
         id,
         NC_GLOBAL,
         name.c_str(),
         NC_UINT64,
         1,
         &value);
  }



  void
  NetcdfGroup::set_attribute(const int          variable,
                             const std::string &name,
                             const std::string &text)
  {
    put_text(*file, id, variable, name, text);
  }



  void
  NetcdfGroup::write(const int                       variable,
                     const std::vector<std::size_t> &start,
                     const std::vector<std::size_t> &count,
                     const double                   *numbers)
  {
    call(*file,
         nc_put_vara_double,
         id,
         variable,
         start.data(),
         count.data(),
         numbers);
  }

} // namespace Tempera
