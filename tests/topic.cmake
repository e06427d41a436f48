# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What every folder of tests does.

deal_ii_pickup_tests()

get_property(targets DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} PROPERTY BUILDSYSTEM_TARGETS)
foreach(target ${targets})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${target} PRIVATE
      TEMPERA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_precompile_headers(${target} REUSE_FROM tempera_sampling)
    add_dependencies(build_tests ${target})
  endif()
endforeach()

# As root, and with more processes than cores; alone, since processes that wait for each
# other are slow where others have the cores.
get_property(tests DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} PROPERTY TESTS)
foreach(test ${tests})
  if(test MATCHES "mpirun=")
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1)
    set_property(TEST ${test} PROPERTY RUN_SERIAL TRUE)
  endif()
endforeach()
