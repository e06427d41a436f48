// SPDX-License-Identifier: LGPL-2.1-or-later
#include <tempera/driver/version.h>

#include <deal.II/base/config.h>

#include <boost/version.hpp>

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
} // namespace Tempera
