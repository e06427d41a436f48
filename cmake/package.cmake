# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What plugins need: the signature, find_package(tempera) from the build folder
# and from an installation, and the installation itself.

include(CMakePackageConfigHelpers)

# A plugin shares classes with the program, so both must be built with the same
# headers. In a header of its own that hardly any file includes.
file(GLOB_RECURSE tempera_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tempera_headers})
set(digests "")
foreach(header ${tempera_headers})
  file(SHA256 ${header} digest)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${header})
  string(APPEND digests "${name} ${digest}\n")
endforeach()
string(SHA256 tempera_header_digest "${digests}")
configure_file(cmake/plugin_signature.h.in include/tempera/plugin_signature.h @ONLY)

# One template for both package files; only the places differ.
string(TOUPPER ${CMAKE_BUILD_TYPE} tempera_deal_ii_build)
set(tempera_program "${PROJECT_BINARY_DIR}/tempera")
set(tempera_library "${PROJECT_BINARY_DIR}/libtempera.so")
set(tempera_includes "${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include")
configure_file(cmake/tempera-config.cmake.in tempera-config.cmake @ONLY)
set(tempera_program "\${CMAKE_CURRENT_LIST_DIR}/../../../bin/tempera")
set(tempera_library "\${CMAKE_CURRENT_LIST_DIR}/../../libtempera.so")
set(tempera_includes "\${CMAKE_CURRENT_LIST_DIR}/../../../include")
configure_file(cmake/tempera-config.cmake.in install/tempera-config.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tempera-config-version.cmake
  COMPATIBILITY SameMinorVersion)

install(TARGETS tempera RUNTIME DESTINATION bin)
install(TARGETS tempera_core LIBRARY DESTINATION lib)
install(DIRECTORY include/tempera ${PROJECT_BINARY_DIR}/include/tempera
  DESTINATION include)
install(DIRECTORY prm doc examples python DESTINATION share/tempera
  PATTERN build EXCLUDE PATTERN output EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/install/tempera-config.cmake
  ${PROJECT_BINARY_DIR}/tempera-config-version.cmake DESTINATION lib/cmake/tempera)
