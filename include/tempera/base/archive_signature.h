// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef tempera_base_archive_signature_h
#define tempera_base_archive_signature_h

#include <tempera/base/archive.h>

#include <boost/archive/basic_archive.hpp>

#include <cstring>
#include <string>

namespace Tempera
{
  /**
   * Throws unless the bytes begin as Boost's binary archives do. To be called
   * before one is opened: Boost believes the length of its own signature, and
   * asks for as much memory.
   */
  inline void
  check_signature(const std::string &bytes)
  {
    const std::string signature = boost::archive::BOOST_ARCHIVE_SIGNATURE();
    std::size_t       length    = 0;
    if (bytes.size() >= sizeof(length))
      std::memcpy(&length, bytes.data(), sizeof(length));
    if (length != signature.size() ||
        bytes.compare(sizeof(length), length, signature) != 0)
      throw ArchiveError("it does not begin as an archive does");
  }
} // namespace Tempera

#endif
