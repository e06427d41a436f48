// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_archive_h
#define tempera_base_archive_h

#include <boost/serialization/array_wrapper.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace Tempera
{
  /** What is read from an archive cannot be what was written to it. */
  class ArchiveError : public std::runtime_error
  {
  public:
    using std::runtime_error::runtime_error;
  };


  /** Save or load a flag; a byte that is neither 0 nor 1 is no bool at all. */
  template <typename Archive>
  void
  serialize_flag(Archive &archive, bool &flag)
  {
    std::uint8_t byte = flag ? 1 : 0;
    archive     &byte;
    if (byte > 1)
      throw ArchiveError("a flag is neither true nor false");
    flag = byte == 1;
  }


  /**
   * Save or load a vector with Boost.Serialization's archives. Unlike Boost's
   * own way it never believes a size from a file: a damaged file must not make
   * the program ask for all memory there is.
   *
   * @param most No vector that was saved here can be longer.
   */
  template <typename Archive, typename Entry>
  void
  serialize_vector(Archive            &archive,
                   std::vector<Entry> &vector,
                   const std::uint64_t most)
  {
    std::uint64_t size = vector.size();
    archive      &size;
    if (size > most)
      throw ArchiveError("a list has " + std::to_string(size) +
                         " entries, and at most " + std::to_string(most) +
                         " make sense");
    vector.resize(size);
    if constexpr (std::is_arithmetic<Entry>::value)
      {
        if (size > 0)
          archive &boost::serialization::make_array(vector.data(), size);
      }
    else
      for (Entry &entry : vector)
        archive &entry;
  }


  /** The same for a vector whose size is known: it must be the same. */
  template <typename Archive, typename Entry>
  void
  serialize_fixed(Archive &archive, std::vector<Entry> &vector)
  {
    const std::uint64_t size = vector.size();
    serialize_vector(archive, vector, size);
    if (vector.size() != size)
      throw ArchiveError("a list has " + std::to_string(vector.size()) +
                         " entries where " + std::to_string(size) +
                         " are expected");
  }


  /** The same for a vector that may also be empty. */
  template <typename Archive, typename Entry>
  void
  serialize_optional(Archive            &archive,
                     std::vector<Entry> &vector,
                     const std::uint64_t size)
  {
    serialize_vector(archive, vector, size);
    if (!vector.empty() && vector.size() != size)
      throw ArchiveError("a list has an entry for some unknowns only");
  }
} // namespace Tempera

#endif
