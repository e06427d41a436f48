// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/vector_units.h>
#include <tempera/driver/version.h>

#include <deal.II/base/config.h>

#include <boost/version.hpp>

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <vector>
#include <zlib.h>

namespace Tempera
{
  std::string
  version()
  {
    return TEMPERA_VERSION;
  }



  std::string
  version_details()
  {
#ifdef DEBUG
    const std::string build_type = "Debug";
#else
    const std::string build_type = "Release";
#endif
    return "tempera " + version() + " (" + build_type + "), deal.II " +
           DEAL_II_PACKAGE_VERSION + ", Boost " +
           std::to_string(BOOST_VERSION / 100000) + "." +
           std::to_string(BOOST_VERSION / 100 % 1000);
  }



  std::string
  build_identity()
  {
    std::string   text;
    std::uint32_t sum = 0;
    Dl_info       info;
    if (dladdr(reinterpret_cast<const void *>(&build_identity), &info) != 0)
      {
        std::ifstream     file(info.dli_fname, std::ios::binary);
        std::vector<char> bytes(1 << 20);
        while (file.read(bytes.data(), bytes.size()) || file.gcount() > 0)
          sum = crc32(sum,
                      reinterpret_cast<const Bytef *>(bytes.data()),
                      file.gcount());
      }
    char digits[9];
    std::snprintf(digits, sizeof(digits), "%08x", sum);
    return std::string(digits) + ", vector units " + name_of(vector_units());
  }
} // namespace Tempera
