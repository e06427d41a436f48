// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/base/file_digest.h>
#include <tempera/base/vector_units.h>
#include <tempera/run/version.h>

#include <deal.II/base/config.h>

#include <boost/version.hpp>

#include <dlfcn.h>

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
    // Read once: the file may be replaced while the run goes on.
    static const std::string library = []() {
      Dl_info    info;
      const bool is_known =
        dladdr(reinterpret_cast<const void *>(&build_identity), &info) != 0;
      return is_known ? file_digest(info.dli_fname) : "unknown";
    }();
    return library + ", vector units " + name_of(vector_units());
  }
} // namespace Tempera
