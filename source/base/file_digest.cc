// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/file_digest.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <vector>
#include <zlib.h>

namespace Tempera
{
  namespace
  {
    std::string
    digest_text(const std::uint64_t n_bytes, const std::uint32_t checksum)
    {
      char digits[9];
      std::snprintf(digits, sizeof(digits), "%08x", checksum);
      return std::to_string(n_bytes) + " bytes with checksum " + digits;
    }
  } // namespace



  std::string
  file_digest(const std::string &path)
  {
    std::ifstream file(path, std::ios::binary);
    if (!file)
      return "unreadable";
    std::uint64_t     n_bytes  = 0;
    std::uint32_t     checksum = 0;
    std::vector<char> bytes(1 << 20);
    while (file.read(bytes.data(), bytes.size()) || file.gcount() > 0)
      {
        n_bytes += file.gcount();
        checksum = crc32(checksum,
                         reinterpret_cast<const Bytef *>(bytes.data()),
                         file.gcount());
      }
    return digest_text(n_bytes, checksum);
  }



  std::string
  digest(const std::string &bytes)
  {
    return digest_text(bytes.size(),
                       crc32_z(0,
                               reinterpret_cast<const Bytef *>(bytes.data()),
                               bytes.size()));
  }
} // namespace Tempera
